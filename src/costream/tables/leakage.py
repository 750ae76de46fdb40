"""Label leakage: whether one column alone leaks the labels of rows.

A chargeback date, a loss, the kind of a fraud: such columns are filled in together with the label, and
are empty, or the same for all, when a decision is to be taken. A model that learns from them looks
perfect until then. Rows are looked at once there are 10 of each class, and again at 100.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from shlex import quote
from typing import Any

import numpy as np

from .._typing import Bools
from ..costs.leakage import one_value_leaks
from .reading import Raw, Reading, Text, is_none, is_number, is_time
from .schema import Column, Schema
from .times import NAT

LOOKS = (10, 100)  # rows of each class at which columns are looked at
KEPT = 1000  # rows of each class that are kept until then
OF_A_BLOCK = 200  # rows of each label that are kept of one block of a data set
EVERY = 64  # rows beyond the first hundred of a class
WRONG = {True: 0.02, False: 0.005}  # parts of the positive and of the other rows that may be exceptions
GAP = 0.25  # of the spread of the other rows, that lies between them and the positive ones
LAST = 16  # rows of each class by which most numbers are seen to leak nothing
ODD = 2  # of them that may lie among those of the other class
BY_TYPE = Column("", "number")


@dataclass(frozen=True)
class RawRows:
    """Rows of a table as they came, by column, to be looked at one by one."""

    columns: Mapping[str, Raw]
    rows: Any = None  # which of them; None for all

    def where(self, rows: Any) -> RawRows:
        """Some of the rows: numbers, a slice or a mask."""
        if self.rows is not None:
            return RawRows(self.columns, self.rows[rows])
        count = max((len(_codes(one)) for one in self.columns.values()), default=0)
        return RawRows(self.columns, np.arange(count)[rows])

    def __call__(self, rows: Sequence[int]) -> list[dict[str, Any]]:
        """Some of the rows, a dict each; a value that is not there is None."""
        which = np.asarray(rows, np.intp) if self.rows is None else self.rows[list(rows)]
        each = {name: _values(one, which) for name, one in self.columns.items()}
        return [
            dict(zip(each, values, strict=True)) for values in zip(*each.values(), strict=True)
        ] or [{} for _ in which]


class Leakage:
    """The rows of each class that came last, and which columns leak by them."""

    def __init__(
        self, positive: int = 0, other: int = 0, found: Mapping[str, str] | None = None
    ) -> None:
        self.found = dict(found or {})
        self._counts = {True: positive, False: other}
        self._rows: dict[bool, deque[Mapping[Any, Any]]] = {
            side: deque(maxlen=KEPT) for side in (True, False)
        }
        self.is_open = min(positive, other) < LOOKS[-1]

    def add_one(self, row: Mapping[Any, Any], positive: bool, schema: Schema | None) -> dict[str, str]:
        """See a learnt row; returns what was found by it."""
        self._counts[positive] = count = self._counts[positive] + 1
        if not _is_kept(count):
            return {}
        self._rows[positive].append(dict(row))
        return self._look(positive, schema)

    def add(
        self,
        rows: Callable[[list[int]], Sequence[Mapping[Any, Any]]],
        positive: Bools,
        learnt: Bools | None,
        schema: Schema | None,
    ) -> dict[str, str]:
        """See learnt rows one by one, of which ``rows`` gives some; returns what was found by them."""
        numbers = np.arange(len(positive)) if learnt is None else np.flatnonzero(learnt)
        sides = positive[numbers]
        counts = {side: self._counts[side] + np.cumsum(sides == side) for side in (True, False)}
        kept = np.flatnonzero(_is_kept(np.where(sides, counts[True], counts[False])))
        found: dict[str, str] = {}
        for at, row in zip(kept.tolist(), rows(numbers[kept].tolist()), strict=True):
            self._counts = {side: int(count[at]) for side, count in counts.items()}
            self._rows[bool(sides[at])].append(row)
            found |= self._look(bool(sides[at]), schema)
            if not self.is_open:
                break
        if len(numbers):
            self._counts = {side: int(count[-1]) for side, count in counts.items()}
        return found

    def _look(self, side: bool, schema: Schema | None) -> dict[str, str]:
        """Look at the rows if there are enough of them, now that there is one more of this side."""
        seen = self._counts[side]
        if seen not in LOOKS or self._counts[not side] < seen:
            return {}
        found = leaks(self._rows[True], self._rows[False], schema)
        new = {name: how for name, how in found.items() if name not in self.found}
        self.found |= new
        if seen == LOOKS[-1]:
            self.is_open = False
            for one in self._rows.values():
                one.clear()
        return new

    def header(self) -> dict[str, Any]:
        """What JSON can hold of it: not the rows."""
        counts = {"positive": self._counts[True], "other": self._counts[False]}
        return {**{side: min(n, LOOKS[-1]) for side, n in counts.items()}, "found": dict(self.found)}


def _is_kept(count: Any) -> Any:
    """Whether a row is kept, by its number in its class: the first ones, and some of the others."""
    return (count <= LOOKS[-1]) | (count % EVERY == 0)


def leaks(
    positive: Sequence[Mapping[Any, Any]], other: Sequence[Mapping[Any, Any]], schema: Schema | None
) -> dict[str, str]:
    """The columns of rows that alone leak their classes, and how."""
    sides = {True: positive, False: other}
    keys = {side: Counter(chain.from_iterable(rows)) for side, rows in sides.items()}
    columns = {} if schema is None else schema.by_name
    reading = Reading(Schema() if schema is None else schema)
    found = {}
    for name in keys[True] | keys[False]:
        usual = any(keys[side][name] >= _least(side, len(rows)) for side, rows in sides.items())
        column = columns.get(name)
        if not usual or not isinstance(name, str) or (column is not None and not column.is_feature):
            continue
        if _overlap(
            *([row.get(name) for row in islice(reversed(rows), LAST)] for rows in sides.values())
        ):
            continue
        each = [[_plain(row.get(name), column, reading) for row in rows] for rows in sides.values()]
        how = how_it_leaks(*each)
        if how is not None:
            found[name] = how
    return found


def _overlap(positive: list[Any], other: list[Any]) -> bool:
    """Whether a few numbers of each class lie among each other, so that no more need be looked at."""
    if {*map(type, positive), *map(type, other)} != {float} or any(v != v for v in positive + other):
        return False
    p, n = sorted(positive), sorted(other)
    few = len({*p}) == len(p) > ODD < len(n) == len({*n})  # no value comes again
    return few and p[ODD] <= n[-1 - ODD] and p[-1 - ODD] >= n[ODD]


def how_it_leaks(positive: Sequence[Any], other: Sequence[Any]) -> str | None:
    """How the values of a column leak the classes of rows nearly perfectly; None if they do not."""
    sides = {True: list(positive), False: list(other)}
    if min(map(len, sides.values())) < LOOKS[0]:
        return None
    filled = {side: len(values) - values.count(None) for side, values in sides.items()}
    for side in (True, False):
        if share := _share(sides, side, filled):
            return f"it has a value in {share}"
        usual, count = Counter(sides[side]).most_common(1)[0]
        if usual is not None and count >= _least(side, len(sides[side])):
            counts = {side: count, not side: sides[not side].count(usual)}
            if share := _share(sides, side, counts):
                return f"it is {_shown(usual)} in {share}"
    return _threshold(sides)


def _threshold(sides: Mapping[bool, list[Any]]) -> str | None:
    """How numbers leak the classes: those of one are far above those of the other."""
    numbers = {
        side: np.sort([value for value in values if isinstance(value, float)])
        for side, values in sides.items()
    }
    if any(len(numbers[side]) < _least(side, len(values)) for side, values in sides.items()):
        return None
    if sum(map(len, sides.values())) < LOOKS[-1]:  # few rows may lie apart by chance
        return None
    ends = {}
    for side, values in numbers.items():
        cut = int(WRONG[side] * len(values))
        ends[side] = values[cut], values[len(values) - 1 - cut]
    spread = ends[False][1] - ends[False][0]
    for above in (True, False):
        low, high = ends[not above][1], ends[above][0]
        if high > low and high - low >= GAP * spread:
            middle = float(low / 2 + high / 2)
            counts = {side: int(np.sum(values > middle)) for side, values in numbers.items()}
            share = _share(sides, above, counts)
            return f"it is above {middle:.4g} in {share}"
    return None


def cost_leaks(values: Any, labels: Sequence[Any]) -> bool:
    """Whether a column of costs leaks one of the labels, in the first rows of a table."""
    numbers = [None if value != value else float(value) for value in np.asarray(values, np.float64)]
    for label, count in Counter(label for label in labels if label is not None).items():
        own = [number for number, one in zip(numbers, labels, strict=True) if one == label]
        rest = [n for n, one in zip(numbers, labels, strict=True) if one is not None and one != label]
        if min(count, len(rest)) < LOOKS[0]:
            continue
        how = how_it_leaks(own, rest) or how_it_leaks(rest, own)
        if how or one_value_leaks(set(own), set(rest)) or one_value_leaks(set(rest), set(own)):
            return True
    return False


def left_out_message(name: str) -> str:
    """The warning of a column of costs that is not used as a feature."""
    return (
        f"the costs in {name} leak the label, so {name} is not used as a feature, and results at these "
        "costs are too good to be true (give the cost that is known when the decision is taken)"
    )


def message(name: str, how: str, by_name: bool) -> str:
    """The warning of a column that leaks the label."""
    out = (
        f"--ignore {quote(name)} leaves it out; in Python: Schema({{{name!r}: 'left out'}})"
        if by_name
        else f"leave {name!r} out of the rows"
    )
    return (
        f"{name} leaks the label: {how}; unless it is known when the decision is taken, results are "
        f"too good to be true ({out})"
    )


def _share(sides: Mapping[bool, list[Any]], side: bool, counts: Mapping[bool, int]) -> str:
    """In how many rows something is so; empty unless in nearly all of a side and in few others."""
    rows = {one: len(values) for one, values in sides.items()}
    if counts[side] < _least(side, rows[side]):
        return ""
    if counts[not side] > rows[not side] - _least(not side, rows[not side]):
        return ""
    return (
        f"{counts[True]} of {rows[True]} positive rows and in {counts[False]} of {rows[False]:,} others"
    )


def _least(side: bool, rows: int) -> int:
    return rows - int(WRONG[side] * rows)


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(value)[:40]


def _plain(value: Any, column: Column | None, reading: Reading) -> Any:
    """A value as a number or text; of a time or a list no more than that it is there; None if not."""
    if type(value) is float and (column is None or column.kind == "number"):  # as most are
        return value if value == value else None
    if is_none(value):
        return None
    if isinstance(value, list | tuple | dict) or is_time(value) or value is True:
        return True
    if column is not None and column.kind == "time":
        return None if reading.moment(value, column) in (None, NAT) else True
    if column is not None and column.kind == "text":
        return reading.text(value, column)
    if column is None and not is_number(value):
        return str(value) or None
    number = reading.number(value, column or BY_TYPE)
    return None if number is None or number != number else float(number)


def _codes(raw: Raw) -> Any:
    return raw.codes if isinstance(raw, Text) else raw


def _values(raw: Raw, rows: Any) -> list[Any]:
    """Some values of a column."""
    if isinstance(raw, Text):
        return [None if code < 0 else raw.values[code] for code in raw.codes[rows].tolist()]
    if raw.dtype.kind == "M":
        return [None if gone else True for gone in np.isnat(raw[rows]).tolist()]
    return list(raw[rows].tolist())
