"""A tally that rows can be taken out of again, as rolling windows do."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

from .rows import FourCosts
from .tally import Costs, Sums, Tally, sums_of_row


class ExactSum:
    """A sum of numbers without rounding, so that taking a number back leaves no trace.

    It is kept in parts that do not overlap (Shewchuk, "Adaptive Precision Floating-Point Arithmetic",
    1997).

    >>> total = ExactSum()
    >>> for number in (1e16, 0.1, -1e16):
    ...     total.add(number)
    >>> total.value
    0.1
    """

    def __init__(self) -> None:
        self._parts: list[float] = []

    def add(self, number: float) -> None:
        """Add a number."""
        parts = []
        for part in self._parts:
            high = number + part
            back = high - number
            low = (number - (high - back)) + (part - back)
            if low:
                parts.append(low)
            number = high
        if number:
            parts.append(number)
        self._parts = parts

    @property
    def value(self) -> float:
        return math.fsum(self._parts)


class RunningTally:
    """What rows with costs of their own have cost; they come, and go with a weight below 0."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._sums = [ExactSum() for _ in Sums._fields]

    def add(self, flagged: bool, positive: bool, costs: FourCosts, weight: float) -> None:
        """Add one row, at its own costs."""
        counts: Any = self._counts
        counts["positives" if positive else "negatives"] += weight
        if positive != flagged:
            counts["missed" if positive else "false_alarms"] += weight
        row = sums_of_row(flagged, positive, costs)
        for total, cost in zip(self._sums, row, strict=True):
            total.add(weight * cost)

    def with_others(self, counts: dict[str, Any], costs: Callable[[], Costs]) -> Tally:
        """The tally of all rows, of which these are the counts; rows not added cost ``costs()``."""
        sums = Sums(*(total.value for total in self._sums))
        others = {name: count - self._counts[name] for name, count in counts.items()}
        if any(others.values()):
            rest = Tally(**others, costs=costs())
            more = (rest.cost, rest.flag_all, rest.miss_all, rest.perfect)
            sums = Sums(*(own + other for own, other in zip(sums, more, strict=True)))
        return Tally(**counts, sums=sums)
