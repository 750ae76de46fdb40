"""Sums that numbers can be taken out of again, as rolling windows do."""

from __future__ import annotations

import math


class ExactSum:
    """A sum of numbers without rounding, so that taking a number back leaves no trace.

    It is kept in parts that do not overlap (Shewchuk, "Adaptive Precision Floating-Point Arithmetic",
    1997).

    Examples
    --------
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
        """The sum, rounded once."""
        return math.fsum(self._parts)
