"""Labels as callers write them: 1, true and "yes" are one label, and so are 0, -1, false and "no"."""

from __future__ import annotations

from ..._typing import Label
from ...errors import CostreamError
from ...labels.labels import Labels
from ...labels.parsing import canonical

WORDS: dict[Label, bool] = {
    **dict.fromkeys((1, "yes", "y", "t"), True),
    **dict.fromkeys((0, -1, "no", "n", "f"), False),
}
ALL_WORDS = 'send 1, true or "yes"; 0, -1, false or "no"'
OTHER_WORDS = "; for other words begin a directory with --positive LABEL"


def side_of(label: Label, known: Labels) -> tuple[bool, Label]:
    """Whether a label is positive, and the label in its canonical form.

    A model goes by its own labels. Where these are such as everybody reads alike, all others of that
    kind are taken, too. The answer is the same whatever the model has met before.

    >>> side_of("Yes", Labels()), side_of(-1.0, Labels())
    ((True, 'Yes'), (False, -1))
    >>> side_of(1, Labels.of(positive="fraud"))
    (False, 1)
    """
    given = canonical(label)
    if given is None:
        raise CostreamError("there is no label", _taken(known))
    side = _word(given) if known.others == "conventional" else _own_side(label, given, known)
    if side is None:
        raise CostreamError(f"the label {label!r:.60} is neither positive nor negative", _taken(known))
    return side, given


def _own_side(label: Label, given: Label, known: Labels) -> bool | None:
    if known.others == "negative":
        code = known.codes.get(label, known.canonical_codes.get(given))
        return known.seeing(given)[1] > 0.0 if code is None else code > 0.0
    word = _word(given)
    code = known.canonical_codes.get(given)
    if code is not None and not (isinstance(given, bool) and (code > 0.0) != word):
        return code > 0.0
    return word if _has_words(known) else None


def _word(given: Label) -> bool | None:
    return WORDS.get(given.lower() if isinstance(given, str) else given)


def _has_words(known: Labels) -> bool:
    """Whether all labels of a model are such as everybody reads alike, and on that side."""
    return all(_word(one) is (code > 0.0) for one, code in known.canonical_codes.items())


def _taken(known: Labels) -> str:
    if known.others == "negative":
        return "send a label: those that were named are positive, all others negative"
    if known.others == "conventional":
        return ALL_WORDS + OTHER_WORDS
    if _has_words(known):
        return ALL_WORDS
    return f"send {', '.join(map(str, known.positive))} or {', '.join(map(str, known.negative))}"
