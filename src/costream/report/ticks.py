"""The ticks of an axis: round numbers between two others, and how they are written."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .numbers import number, power_of_ten

Span = tuple[float, float]

LARGEST, SMALLEST = 1e6, 9e-5  # beyond these, ticks are written as powers of ten


def ticks_of(
    span: Span, log: bool = False, count: int = 5, largest: float = LARGEST
) -> dict[float, str]:
    """About ``count`` round numbers on an axis, and their labels; a log axis has its own count.

    The span of a log axis is given in logarithms. Labels from ``largest`` on are powers of ten.

    >>> ticks_of((0.0, 48842.0))
    {0.0: '0', 10000.0: '10,000', 20000.0: '20,000', 30000.0: '30,000', 40000.0: '40,000'}
    >>> ticks_of((-5.5, 3.2), log=True)
    {1e-05: '10⁻⁵', 0.001: '10⁻³', 0.1: '10⁻¹', 10.0: '10¹', 1000.0: '10³'}
    """
    if log:
        values = _log_ticks(span)
        if len(values) > 1:
            return tick_labels(values)
        span = (10.0 ** span[0], 10.0 ** span[1])
    rough = (span[1] - span[0]) / count
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(n for n in (1, 2, 5, 10) if n * unit >= 0.8 * rough) * unit
    values = [n * step for n in range(math.ceil(span[0] / step), math.floor(span[1] / step) + 1)]
    return tick_labels(values, max(0, -math.floor(math.log10(step) + 1e-9)), largest)


def _log_ticks(span: Span) -> list[float]:
    """Powers of ten, or 1, 2 and 5 times these where there are few of them."""
    low, high = math.ceil(span[0] - 1e-9), math.floor(span[1] + 1e-9)
    values = [10.0**n for n in range(low, high + 1, 1 + max(0, high - low) // 7)]
    if len(values) < 3:
        every = [n * 10.0**power for power in range(low - 1, high + 1) for n in (1, 2, 5)]
        values = [value for value in every if span[0] <= math.log10(value) <= span[1]]
    return values


def tick_labels(
    values: Sequence[float], decimals: int | None = None, largest: float = LARGEST
) -> dict[float, str]:
    """Numbers as text: all with the same decimals, or each with its own, or as powers of ten."""
    sizes = [abs(value) for value in values if value] or [1.0]
    if max(sizes) >= largest or min(sizes) < SMALLEST:
        return {value: power_of_ten(value) for value in values}
    if decimals is None and max(sizes) < 100 * min(sizes):
        decimals = max(map(_decimals, sizes))
    own = (_decimals(value) if decimals is None else decimals for value in values)
    return {value: number(value, n) for value, n in zip(values, own, strict=True)}


def _decimals(value: float) -> int:
    """How many decimals a value has, up to six digits that count."""
    return next((n for n in range(9) if math.isclose(value, round(value, n), rel_tol=1e-6)), 9)
