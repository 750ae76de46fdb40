"""Which parts of a time a model may learn from: those whose period its learnt rows have covered twice.

A model of April that has the month as a feature meets a value in May that it has never seen. So the
hour is a feature once the learnt rows have covered two days, the weekday after two weeks, the day of
the month after two months, the month after two years. Time is cut into bins, a few to a period, and
covered where rows have been in a bin and in the next one: a single time far ahead covers nothing, and
time that comes again covers nothing new.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._typing import Bools
from .arrays import Batch
from .times import DAY, NAT, PART_OF, PARTS

MOST_BINS = 1000  # that are kept of a period; of more the earliest are forgotten
FARTHEST = 1 << 61  # microseconds from 1970, so that differences do not overflow
NOT_BEGUN = (False,) * len(PARTS)
# The width of the bins of each part, and how many pairs of neighbours make two periods.
BINS = {
    "hour": (DAY // 4, 8),
    "weekday": (DAY, 14),
    "day": (61 * DAY // 8, 8),
    "month": (731 * DAY // 8, 8),
}


class Period:
    """How much of a period rows have covered: the bins that they were in, as long as that matters."""

    __slots__ = ("bins", "covered", "enough", "width")

    def __init__(self, width: int, enough: int) -> None:
        self.width, self.enough = width, enough
        self.covered = 0  # pairs of neighbouring bins
        self.bins: list[int] = []

    @property
    def begun(self) -> bool:
        """Whether two periods have been covered."""
        return self.covered >= self.enough

    def add(self, number: int) -> bool:
        """See a row in a bin; returns whether two periods have been covered now."""
        bins = self.bins
        at = bisect_left(bins, number)
        if at < len(bins) and bins[at] == number:
            return False
        self.covered += at > 0 and bins[at - 1] == number - 1
        self.covered += at < len(bins) and bins[at] == number + 1
        if self.begun:
            bins.clear()
            self.covered = self.enough
            return True
        insort(bins, number)
        if len(bins) > MOST_BINS:
            del bins[0]
        return False


class Covered:
    """How much time the learnt rows have covered in a column; bins are counted from its first time."""

    __slots__ = ("begun", "first", "periods")

    def __init__(self) -> None:
        self.first: int | None = None
        self.periods = tuple(Period(*BINS[part]) for part in PARTS)
        self.begun = NOT_BEGUN  # which parts of the time are features by now

    def _begin(self) -> None:
        """A part of the time has become a feature."""
        self.begun = tuple(one.begun for one in self.periods)

    def add(self, moment: int) -> None:
        """See the time of one learnt row."""
        moment = min(max(moment, -FARTHEST), FARTHEST)
        if self.first is None:
            self.first = moment
        for one in self.periods:
            if not one.begun and one.add((moment - self.first) // one.width):
                self._begin()

    def add_many(self, moments: NDArray[np.int64], rows: NDArray[np.intp]) -> list[int]:
        """See the times of learnt ``rows``; returns for each part the row from which it is a feature.

        -1 stands for a part that is not one yet.
        """
        moments = np.clip(moments, -FARTHEST, FARTHEST)
        first_time = int(moments[0]) if self.first is None and len(moments) else self.first or 0
        if len(moments):
            self.first = first_time
        begins = []
        for one in self.periods:
            begin = 0 if one.begun else -1
            if begin < 0 and len(moments):
                numbers = (moments - first_time) // one.width
                distinct, first = np.unique(numbers, return_index=True)
                each = np.sort(first)  # the rest is where it was, unless some are forgotten meanwhile
                if len(one.bins) + len(distinct) > MOST_BINS:
                    each = np.arange(len(numbers))
                for at in each.tolist():
                    if one.add(int(numbers[at])):
                        begin = int(rows[at]) + 1
                        break
            begins.append(begin)
        self._begin()
        return begins

    def header(self) -> dict[str, Any]:
        return {"first": self.first, "periods": [[one.covered, one.bins] for one in self.periods]}

    @classmethod
    def restore(cls, header: Mapping[str, Any]) -> Covered:
        """What gave a header; raises ValueError if there can be no such thing."""
        found = cls()
        found.first = header["first"]
        if found.first is not None and not _is_whole(found.first, FARTHEST):
            raise ValueError("the first time of a column cannot be right")
        for one, (covered, bins) in zip(found.periods, header["periods"], strict=True):
            fits = _is_whole(covered, one.enough) and covered >= 0 and isinstance(bins, list)
            fits = fits and len(bins) <= MOST_BINS and all(_is_whole(k, 2 * FARTHEST) for k in bins)
            if not fits or any(a >= b for a, b in pairwise(bins)):
                raise ValueError("what rows have covered of a period cannot be right")
            one.covered, one.bins = covered, list(bins)
        found._begin()
        return found


class TimeColumn(NamedTuple):
    """A column of times in a batch: where its features are there, and the time of each row."""

    name: str
    columns: tuple[int, ...]
    moments: NDArray[np.int64]

    def where(self, rows: Any) -> TimeColumn:
        """Some of the rows."""
        return self._replace(moments=self.moments[rows])


class Coverage(dict[str, Covered]):
    """How much time the learnt rows have covered, by column."""

    def begun(self, name: str) -> tuple[bool, ...]:
        """Which parts of the times of a column are features by now, in the order of `PARTS`."""
        known = self.get(name)
        return NOT_BEGUN if known is None else known.begun

    def _column(self, name: str) -> Covered:
        if name not in self:
            self[name] = Covered()
        return self[name]

    def learn_one(self, moments: Mapping[str, int]) -> None:
        """See the times of one learnt row."""
        for name, moment in moments.items():
            if moment != NAT:
                self._column(name).add(moment)

    def learn(self, batch: Batch, weights: NDArray[np.float64] | None) -> Batch:
        """Rows with the parts that are features when each is learnt; the batch given stays as it is.

        A row whose weight is 0 is not learnt.
        """
        begins = []
        for one in batch.times:
            known = one.moments != NAT
            rows = np.flatnonzero(known if weights is None else known & (weights > 0.0))
            column = self._column(one.name) if len(rows) else self.get(one.name, Covered())
            begins.append(column.add_many(one.moments[rows], rows))
        return _from(batch, begins)

    def write(self, batch: Batch) -> Batch:
        """Rows with the parts that are features now; the batch given stays as it is."""
        return _from(batch, [[begun - 1 for begun in self.begun(one.name)] for one in batch.times])

    def header(self) -> dict[str, Any]:
        return {name: one.header() for name, one in self.items()}

    @classmethod
    def restore(cls, header: Mapping[str, Any]) -> Coverage:
        """What gave a header; raises ValueError if there can be no such thing."""
        return cls({name: Covered.restore(one) for name, one in header.items()})


def _from(batch: Batch, begins: list[list[int]]) -> Batch:
    """The batch with the entries of each part from some row on; -1: none."""
    late = [
        (column, begin)
        for one, parts in zip(batch.times, begins, strict=True)
        for column, part in zip(one.columns, PART_OF, strict=True)
        if (begin := parts[part]) != 0 and column >= 0
    ]
    bare = batch.without_times()
    if not late:
        return bare
    least = np.zeros(max(batch.width, 1), np.int64)
    for column, begin in late:
        least[column] = batch.rows if begin < 0 else begin
    rows = np.repeat(np.arange(batch.rows), np.diff(batch.start).astype(np.int64))
    keep: Bools = rows >= least[batch.index]
    return bare if keep.all() else bare.entries_where(keep)


def _is_whole(value: Any, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= most
