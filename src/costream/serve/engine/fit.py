"""Events that do not fit what the model has learnt: fields that are missing, unknown or invalid.

Only names of fields are kept and logged, never their values.
"""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from ...model.core import Core, Scored
from ...tables.naming import clean
from ...tables.row import flat
from ...tables.schema import Schema
from ...tables.times import FEATURES

logger = logging.getLogger("costream.serve")
LONGEST_NAME = 80  # characters of a name that are shown
MOST_SIGNS = 4  # in the name of a field, of those that are found again in names of features
MOST_WARNINGS = 20  # of one event
MOST_NAMES = 100  # of a kind that are logged
FEW = 50  # fields beside those of a schema that a model may have learnt
MOST_KEYS = 1000  # ways to fill in an event that are remembered as fitting
HOLDS = {"time": "a time", "yes/no": "yes or no, true or false"}
NOTHING_KNOWN = "nothing-known"


class Unfit(NamedTuple):
    """Something about an event that does not fit: its kind, the field, and a sentence."""

    kind: str
    name: str
    sentence: str


FITS: tuple[Unfit, ...] = ()


class Fit:
    """What a model knows of the fields of events, at some moment.

    A number that the model has never learnt without a value is expected in every event; nothing is
    known about how often text and times are missing.
    """

    def __init__(self, core: Core) -> None:
        schema, names = core.schema or Schema(), core.names
        self.core = core
        self._fields = {one.name for one in schema.features}
        self._text: set[str] = set()  # fields outside of the schema that have been text
        self._is_whole = names is not None  # else nobody knows which fields were learnt
        self._names_read = 0
        self._columns = schema.by_name
        self.renew()

    def renew(self) -> None:
        """Look again at what the model knows by now."""
        names = self.core.names or {}
        for name in islice(names, self._names_read, None):
            self._fields.update(fields_of(name))
            if isinstance(name, str) and "=" in name:
                self._text.update(_prefixes(name))
        self._names_read = len(names)
        self._known = self._fields | self._columns.keys()
        named = sum(not (isinstance(one, str) and "=" in one) for one in self._fields)
        others = named - len(self._columns)  # values of text are not fields
        self._is_open = others > max(len(self._columns), FEW)  # names come and go, as words do
        self._expected = self.core.never_missing()
        self._fitting: set[tuple[Any, ...]] = set()  # keys of events that fit

    def look_at(self, features: Mapping[str, Any], scored: Scored) -> tuple[Unfit, ...]:
        """What does not fit about an event that was scored."""
        keys = tuple(features)
        if keys in self._fitting and not scored.invalid and self._expected.isdisjoint(scored.gone):
            return FITS
        plain = flat(features)
        found = tuple(self._found(plain, scored))
        if not found and plain is features and len(self._fitting) < MOST_KEYS:
            self._fitting.add(keys)
        return found

    def _found(self, features: Mapping[str, Any], scored: Scored) -> Iterator[Unfit]:
        names = {clean(key) for key in features}
        if self._is_whole:
            if self._fields.isdisjoint(names):
                yield Unfit(NOTHING_KNOWN, "", "the model knows none of the features")
                return
            for key in () if self._is_open else features:
                if clean(key) not in self._known:
                    yield _unfit("unknown", key, "is not known to the model")
        invalid = [one for one in dict.fromkeys(scored.invalid) if one not in self._text]
        for name in invalid:
            column = self._columns.get(name)
            what = HOLDS.get("number" if column is None else column.kind, "a number")
            yield _unfit("invalid", name, f"is not {what}")
        for name in self._columns:
            if name in scored.gone and name in self._expected and name not in invalid:
                yield _unfit("missing", name, "is missing")


def names_left_out(names: Iterable[str]) -> tuple[Unfit, ...]:
    """Fields of an event whose names the model does not take any more."""
    return tuple(
        _unfit("left-out", name, "is left out: the model takes no more names") for name in names
    )


def _unfit(kind: str, name: str, what: str) -> Unfit:
    shown = repr(name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}...")
    return Unfit(kind, shown, f"{shown} {what}")


def fields_of(name: Any) -> Iterator[str]:
    """The fields that a feature can be made from: amount, country=DE, when.hour."""
    yield str(name)
    if isinstance(name, str):
        yield from _prefixes(name)
        field, _, part = name.rpartition(".")
        if part in FEATURES:
            yield field


def _prefixes(name: str) -> Iterator[str]:
    """What stands before each of the first ``=``."""
    signs = (at for at, sign in enumerate(name) if sign == "=")
    return (name[:at] for at in islice(signs, MOST_SIGNS))


def warnings_of(found: Iterable[Unfit]) -> list[str]:
    """The sentences of an event, of which an answer holds the first ones."""
    sentences = [one.sentence for one in found]
    more = len(sentences) - MOST_WARNINGS
    return [*sentences[:MOST_WARNINGS], f"and {more:,} more"] if more > 0 else sentences


class UnfitEvents:
    """How many events did not fit, by kind and by what became of them; each field is logged once."""

    def __init__(self) -> None:
        self.events = 0
        self.counts: Counter[tuple[str, str]] = Counter()
        self._named = defaultdict[str, set[str]](set)  # by kind

    def add(self, found: Iterable[Unfit], answer: str) -> None:
        """Count an event, which was ``"warned"`` of or ``"refused"``."""
        self.events += 1
        self.counts.update((kind, answer) for kind in {one.kind for one in found})
        for one in found:
            named = self._named[one.kind]
            if len(named) > MOST_NAMES or one.name in named:
                continue
            named.add(one.name)
            if len(named) > MOST_NAMES:
                logger.warning(
                    "more events do not fit the model (%s): they are counted, not named", one.kind
                )
            else:
                logger.warning("events do not fit the model: %s", one.sentence)
