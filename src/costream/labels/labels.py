"""Which labels are positive: one rule for Python, files, model files and the command line.

A model has a positive side, the rare and costly one, and a negative side. Each has one label or more.

- ``positive="fraud"`` or ``positive={"fraud", "theft"}``: these labels against the rest.
- ``classes=("ok", "fraud")``: the negative and the positive side, each a label or several. Any other
  label is an error.
- Neither: 1 and True are positive, 0, -1 and False negative. Any other label is an error, row by row
  and in batches, in Python, River and the service. Where many rows are seen before the first is learnt
  (the first block of a file, ``fit`` of scikit-learn), two labels decide: ``KNOWN`` pairs such as
  no/yes, else the rarer is positive, and a warning says so.

A prediction names a side by its label if there is only one, else by ``"positive"`` or ``"rest"``.

Labels are equal if Python says so: 1, 1.0 and True are one label, 1 and ``"1"`` are two. The labels of
a file are parsed (`parsing.canonical`): ``+1``, ``1.0`` and ``1`` are all 1. A model that
got its labels from a file reads every label that way, also those given in Python: to it ``"1"`` and 1
are one label. A file finds the labels of any model by their canonical form.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .._typing import Bools, Label
from ..errors import CostreamError
from .parsing import canonical, missing, parsed

Choice = Label | Collection[Label]  # one label, or several
Others = Literal["conventional", "negative", "refused"]

POSITIVE, REST = "positive", "rest"  # the names of a side of several labels
NAME_IT = (
    "name the positive labels: positive= or classes= in Python, --positive A,B on the command line"
)
NOT_OURS = (
    "leave out such rows, or name the positive labels of a new model: positive= or --positive A,B"
)
WHERE_IT_IS = "name the label column (--label); in LIBSVM text the label comes first in each line"
LEAVE_OUT = "leave out rows without a label"
KEPT = 2  # labels that are kept of the rest: one names the side, a second says that there are several
SHOWN = 8  # labels that an error names
# (negative, positive) where many rows are seen at first and nobody has named which is which.
KNOWN = ((1, 2), ("no", "yes"), ("n", "y"), ("f", "t"))
CONVENTIONAL = ((0, 1), (-1, 1))


@dataclass(frozen=True)
class Labels:
    """The labels of a model.

    Attributes
    ----------
    positive, negative : tuple of labels
        The labels of each side that are known so far. Of the rest only the first two are kept, so a
        stream with many labels needs no more memory than one with few.
    others : {"negative", "refused", "conventional"}
        What any other label is: ``"negative"``, ``"refused"``, or ``"conventional"``, which means that
        1, 0 and -1 are admitted when they come.
    text : bool
        Whether the labels came from a file, so that every label is parsed by `canonical`.

    Examples
    --------
    >>> labels = Labels.of({"fraud", "theft"})
    >>> labels.pair
    (None, 'positive')
    >>> labels, code = labels.seeing("ok")
    >>> code, labels.pair
    (-1.0, ('ok', 'positive'))
    """

    positive: tuple[Label, ...] = ()
    negative: tuple[Label, ...] = ()
    others: Others = "conventional"
    text: bool = False

    def __post_init__(self) -> None:
        both = [one for one in self.positive if one in self.negative]
        if both:
            raise CostreamError(f"the label {both[0]!r} cannot be positive and negative")
        if POSITIVE in self.negative:
            self._check_name(POSITIVE)

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone, without what has been worked out from them."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @classmethod
    def of(cls, positive: Choice | None = None, classes: Sequence[Choice] | None = None) -> Labels:
        """From what the user gives in Python."""
        try:
            chosen = None if positive is None else _side(positive)
        except CostreamError as error:
            raise CostreamError(f"positive={positive!r}: {error}") from None
        if classes is None:
            return cls() if chosen is None else cls(chosen, others="negative")
        try:
            sides = [_side(side) for side in classes]
        except (CostreamError, TypeError):
            sides = []
        if len(sides) != 2 or set(sides[0]) & set(sides[1]):
            raise CostreamError(f"classes must be two different labels, not {classes!r}")
        if chosen is not None and set(chosen) not in map(set, sides):
            raise CostreamError(f"positive={positive!r} is not one of classes={classes!r}")
        if chosen is not None and set(chosen) == set(sides[0]):
            sides.reverse()
        return cls(sides[1], sides[0], "refused")

    @classmethod
    def choose(cls, label: NDArray[Any], positive: Choice | None, source: str) -> Labels:
        """From the first labels of a file, and the positive ones if the user names them.

        Otherwise positive is 1 of -1/1 and 0/1, 2 of 1/2, true, yes, y, t, or the rarer of two words.
        """
        found: Counter[Label] = Counter()
        for one, count in Counter(label[~missing(label)].tolist()).items():
            found[parsed(one)] += count
        if positive is None:
            return cls._guess(found, source)
        chosen = _side([parsed(one) for one in _side(positive)])
        others = [one for one in found if one not in chosen]
        return cls(chosen, tuple(others[:KEPT]), "negative", text=True)

    def for_file(self, label: NDArray[Any], positive: Choice | None, source: str) -> Labels:
        """The labels of a model that meets a file: its own, or else those chosen by the file."""
        if not self.codes:
            return self.choose(label, positive, source)
        own = self._as_text.positive or (self.pair[1],)
        if positive is not None and set(map(parsed, _side(positive))) != set(own):
            raise CostreamError(
                f"{source}: the positive label of the model is {_listing(own)}, not {positive!r}",
                "leave out positive: the model knows its labels",
            )
        return self

    @classmethod
    def _guess(cls, found: Counter[Label], source: str) -> Labels:
        if not found:
            late = "if labels come later, name the positive ones (--positive)"
            raise CostreamError(f"{source}: no row at the start has a label", f"{WHERE_IT_IS}; {late}")
        labels = cls(text=True)
        try:  # by convention
            for one in found:
                labels = labels.seeing(one)[0]
            return labels
        except CostreamError:
            pass
        known = known_pair(found)
        if known is not None:
            return cls((known[1],), (known[0],), "refused", text=True)
        if len(found) == 2 and all(isinstance(one, str) for one in found):
            (common, many), (rare, few) = found.most_common()
            if few < many:
                message = f"{source}: {taken_for_positive(rare, common)}"
                warnings.warn(message, UserWarning, stacklevel=2)
                return cls((rare,), (common,), "refused", text=True)
        shown = _listing(one for one, _ in found.most_common())
        raise CostreamError(
            f"{source}: it is not clear which label is positive (found {shown})", NAME_IT
        )

    @classmethod
    def restore(cls, header: dict[str, Any]) -> Labels:
        """From the header of a model file; a ValueError says what is wrong."""
        if set(header) != {"positive", "negative", "others", "text"}:
            raise ValueError("its labels cannot be right")
        if header["others"] not in get_args(Others) or not isinstance(header["text"], bool):
            raise ValueError("its rule for labels cannot be right")
        positive, negative = header["positive"], header["negative"]
        if not isinstance(positive, list) or not isinstance(negative, list):
            raise ValueError("its labels cannot be right")
        sides = [tuple(map(_checked, side)) for side in (positive, negative)]
        return cls(sides[0], sides[1], header["others"], header["text"])

    def header(self) -> dict[str, object]:
        """What a model file keeps, see `restore`."""
        return {
            "positive": list(self.positive),
            "negative": list(self.negative),
            "others": self.others,
            "text": self.text,
        }

    @cached_property
    def codes(self) -> dict[Label, float]:
        """+1 and -1 for the labels known so far."""
        return {**dict.fromkeys(self.negative, -1.0), **dict.fromkeys(self.positive, 1.0)}

    @cached_property
    def canonical_codes(self) -> dict[Label, float]:
        """+1 and -1 for the canonical form of the labels known so far."""
        return {parsed(one): code for one, code in self.codes.items()}

    @property
    def named(self) -> Label | tuple[Label, ...] | None:
        """The positive label, or several, if they were named; None if they follow the convention."""
        if self.others == "conventional":
            return None
        return self.positive[0] if len(self.positive) == 1 else self.positive

    @cached_property
    def pair(self) -> tuple[Label | None, Label]:
        """The names of the negative and the positive side, as predictions give them.

        A label that has not come yet is guessed from the other one if they follow the convention. Of
        the rest it is None.
        """
        negative, positive = self.negative, self.positive
        if not positive:
            name: Label = True if negative and isinstance(negative[0], bool) else 1
        else:
            name = positive[0] if len(positive) == 1 else POSITIVE
        if negative:
            several = "negative" if name == REST else REST
            return (negative[0] if len(negative) == 1 else several), name
        if self.others == "conventional":
            return (False if isinstance(name, bool) else 0), name
        return None, name

    def as_array(self) -> NDArray[Any]:
        """The pair as an array of the type that it suggests."""
        same = type(self.pair[0]) is type(self.pair[1])
        return np.array(self.pair, dtype=None if same else object)

    def seeing(self, label: object) -> tuple[Labels, float]:
        """The labels once ``label`` has been seen, and its code; an error if it belongs to no side."""
        label = self._read(label)
        code = self.codes.get(label)
        if code is not None:
            return self, code
        if self.others == "negative":
            self._check_name(label)
            if len(self.negative) == KEPT:
                return self, -1.0
            return replace(self, negative=(*self.negative, label)), -1.0
        if self.others == "conventional" and isinstance(label, int | float):
            if label == 1:
                return replace(self, positive=(label,)), 1.0
            if label in (0, -1) and not self.negative:
                return replace(self, negative=(label,)), -1.0
        raise self._unknown(label)

    def _read(self, label: Any) -> Label:
        """A label as it is compared; an error if it is none."""
        label = as_plain(label)
        if self.text and isinstance(label, str | float | None):
            label = canonical(label)
            if label is None:
                raise CostreamError("there is no label", LEAVE_OUT)
        if label is None:
            raise CostreamError("None is not a label", LEAVE_OUT)
        return _checked(label)

    def _check_name(self, label: Label) -> None:
        """Refuse a negative label that predictions would use for the positive side."""
        if label == POSITIVE and len(self.positive) > 1:
            raise CostreamError(
                f"{label!r} cannot be a negative label: it is the prediction for "
                f"{_listing(self.positive)}",
                f"learn from the labels themselves, or rename {label!r} in the data",
            )

    def _unknown(self, label: Label) -> CostreamError:
        negative, positive = self.pair
        if self.text:
            return CostreamError(f"label {label} is neither {negative} nor {positive}", NOT_OURS)
        if self.others == "refused":
            known = f"{_listing(self.negative, repr)} and {_listing(self.positive, repr)}"
            return CostreamError(f"unknown label {label!r}; the labels are {known}")
        if isinstance(label, int | float) and label in (0, -1):
            return CostreamError(f"unknown label {label!r}; the negative one is {negative!r}", NAME_IT)
        return CostreamError(f"it is not clear whether the label {label!r} is positive", NAME_IT)

    def seeing_many(self, y: NDArray[Any]) -> tuple[Labels, Bools]:
        """The labels once a batch has been seen, and which of its rows are positive."""
        if self.text and y.dtype.kind not in "biuf":
            objects = np.empty(len(y), object)
            objects[:] = [canonical(one) if isinstance(one, str) else one for one in y.tolist()]
            y = objects
        return self._seeing_all(y, "row {}".format)

    def seeing_block(self, label: NDArray[Any], where: Callable[[int], str]) -> tuple[Labels, Bools]:
        """As `seeing_many` for labels of a file; ``where(t)`` says where row t stands."""
        seen, positive = self._as_text._seeing_all(label, where)
        if seen is self._as_text:
            return self, positive
        if self.text:
            return seen, positive
        new = [
            (*own, *found[len(own) :])  # the model's own labels stay as they are
            for own, found in ((self.positive, seen.positive), (self.negative, seen.negative))
        ]
        return replace(self, positive=new[0], negative=new[1]), positive

    @cached_property
    def _as_text(self) -> Labels:
        if self.text:
            return self
        sides = [tuple(parsed(one) for one in side) for side in (self.positive, self.negative)]
        same = [one for one, count in Counter([*sides[0], *sides[1]]).items() if count > 1]
        if same:
            raise CostreamError(
                f"two labels of the model are the same label in a file: {same[0]}", "learn in Python"
            )
        return Labels(sides[0], sides[1], self.others, text=True)

    def _seeing_all(self, y: NDArray[Any], where: Callable[[int], str]) -> tuple[Labels, Bools]:
        labels = self
        while True:
            positive = _any_equal(y, labels.positive)
            known = positive | _any_equal(y, labels.negative)
            if known.all():
                return labels, positive
            seen = labels._seeing_row(y, int(np.argmin(known)), where)
            if seen is labels:  # there are several negative labels, and this is one more
                labels._check_rest(y, np.flatnonzero(~known), where)
                return labels, positive
            labels = seen

    def _seeing_row(self, y: NDArray[Any], row: int, where: Callable[[int], str]) -> Labels:
        try:
            return self.seeing(y[row])[0]
        except CostreamError as error:
            raise CostreamError(f"{where(row)}: {error}") from None

    def _check_rest(self, y: NDArray[Any], rows: NDArray[np.intp], where: Callable[[int], str]) -> None:
        """Raise an error if one of the rows has something that cannot be a label."""
        values = y[rows]
        if y.dtype.kind in "biuf":
            rows = rows[missing(values)] if y.dtype.kind == "f" else rows[:0]
            values = y[rows]
        checked: set[Any] = set()
        for row, value in zip(rows.tolist(), values.tolist(), strict=True):
            if not isinstance(value, Hashable) or value not in checked:
                self._seeing_row(y, row, where)
                checked.add(value)


def known_pair(labels: Collection[Label]) -> tuple[Label, Label] | None:
    """The negative and the positive one of two labels that everybody reads alike; else None.

    >>> known_pair(["Yes", "no"]), known_pair(["1", "0"]), known_pair(["bad", "good"])
    (('no', 'Yes'), ('0', '1'), None)
    """
    read = {canonical(one): one for one in labels}
    by_word = {one.lower() if isinstance(one, str) else one: label for one, label in read.items()}
    if len(labels) == len(by_word) == 2:
        for negative, positive in (*CONVENTIONAL, *KNOWN):
            if set(by_word) == {negative, positive}:
                return by_word[negative], by_word[positive]
    return None


def taken_for_positive(positive: Label, negative: Label, rarer: bool = True) -> str:
    why = f"is rarer than {negative!r}" if rarer else f"is the last of as many {negative!r}"
    return (
        f"{positive!r} is taken for the positive label, since it {why}; name the positive label: "
        f"positive={positive!r} or positive={negative!r} in Python, --positive on the command line"
    )


def parsed_labels(text: str | None) -> tuple[Label, ...] | None:
    """The labels of a text such as ``A,B``, as the command line and the catalogue have them.

    >>> parsed_labels("3, +6"), parsed_labels(None)
    ((3, 6), None)
    """
    if text is None:
        return None
    found = tuple(one for one in map(canonical, text.split(",")) if one is not None)
    if not found:
        raise CostreamError(f"{text!r} names no label", NAME_IT)
    return found


def as_plain(label: Any) -> Any:
    """The Python number of a NumPy one."""
    return label.item() if isinstance(label, np.generic) else label


def _side(labels: object) -> tuple[Label, ...]:
    """A label, or several in the order of their values, which is the same in every run."""
    if isinstance(labels, np.ndarray):
        labels = labels.tolist()
    if not isinstance(labels, list | tuple | set | frozenset):
        return (_checked(labels),)
    found = tuple(dict.fromkeys(map(_checked, labels)))
    if not found:
        raise CostreamError("there is no label")
    return tuple(sorted(found, key=lambda one: (isinstance(one, str), one)))


def _checked(label: object) -> Label:
    label = as_plain(label)
    if isinstance(label, str | int):
        return label
    if not isinstance(label, float):
        raise CostreamError(f"a label must be a number or a string, not {label!r}")
    if label != label:
        raise CostreamError(f"{label!r} is not a label", LEAVE_OUT)
    return label


def _listing(labels: Iterable[Label], write: Callable[[Label], str] = str) -> str:
    """The first of some labels, and how many more there are."""
    words = list(map(write, labels))
    more = f" and {len(words) - SHOWN} more" if len(words) > SHOWN else ""
    return ", ".join(words[:SHOWN]) + more


def _any_equal(y: NDArray[Any], labels: tuple[Label, ...]) -> Bools:
    found = np.zeros(len(y), np.bool_)
    for label in labels:
        found |= equal(y, label)
    return found


def equal(y: NDArray[Any], label: Label) -> Bools:
    try:
        return np.broadcast_to(np.asarray(y == label, np.bool_), y.shape)
    except TypeError:  # a missing value of pandas is neither equal nor not
        return np.array([isinstance(one, type(label)) and one == label for one in y.tolist()])
