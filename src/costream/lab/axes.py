"""The axes of a panel: where they end, and which numbers are written beside them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .looks import family_of
from .panel import MANY, Line, Panel

Floats = NDArray[np.float64]
Span = tuple[float, float]

LESS_IS_BETTER = re.compile("cost|bill|regret|loss|error|mistake|missed|alarm|second|time", re.I)
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MINUS, TIMES = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}"


def limits_of(panel: Panel) -> Span:
    """The ends of the y axis (their logarithms on a log axis): the better half of the lines, and the
    rest as far as it is near.

    Neither a wild beginning nor a line that diverges may flatten the others.
    """
    curves = [line for line in panel.lines if line.y and family_of(line.name) != "guide"]
    levels = _scaled(list(panel.levels.values()), panel.log_y)
    if not curves:
        return _padded((min(levels, default=0.0), max(levels, default=1.0)), panel.log_y)
    less = panel.better == "less" or (not panel.better and LESS_IS_BETTER.search(panel.y_label))
    parts = [_settled(panel, line) for line in curves]
    parts.sort(key=lambda part: float(np.median(part)) * (1 if less else -1))
    best = np.concatenate(parts[: (len(parts) + 1) // 2])
    span = (float(best.min()), float(best.max()))
    room = max(span[1] - span[0], 0.1 if panel.log_y else 0.01 * max(map(abs, span)))
    for part in parts:
        span = _reaching(span, np.percentile(part, [2, 98]), 4.0 * room)
        span = _reaching(span, part, 1.25 * (span[1] - span[0]))
    room = max(room, span[1] - span[0])
    for values in (*(_scaled(line.y, panel.log_y) for line in curves), *levels.reshape(-1, 1)):
        span = _reaching(span, values, 1.3 * room)
    return _padded(span, panel.log_y)


def _scaled(values: Any, log: bool) -> Floats:
    numbers = np.asarray(values, np.float64)
    return np.log10(numbers) if log else numbers


def _settled(panel: Panel, line: Line) -> Floats:
    """The values of a line without those of its first tenth, where it is a curve."""
    x, y = np.asarray(line.x), _scaled(line.y, panel.log_y)
    late = x >= x.min() + 0.1 * (x.max() - x.min())
    return y[late] if len(y) >= MANY and not panel.log_x else y


def _reaching(span: Span, values: Floats, room: float) -> Span:
    """The span and the values, at each end only if it is then no longer than ``room``."""
    low, high = min(span[0], float(values.min())), max(span[1], float(values.max()))
    return (low if span[1] - low <= room else span[0], high if high - span[0] <= room else span[1])


def _padded(span: Span, log: bool, part: float = 0.05) -> Span:
    size, largest = span[1] - span[0], max(map(abs, span))
    room = part * size if size > 1e-9 * largest else 0.15 if log else 0.05 * largest or 1.0
    return span[0] - room, span[1] + room


def x_span(panel: Panel) -> Span:
    """The ends of the x axis (their logarithms on a log axis)."""
    x = np.concatenate([np.zeros(0), *(_scaled(line.x, panel.log_x) for line in panel.lines)])
    if not len(x):
        return 0.0, 1.0
    low, high = _padded((float(x.min()), float(x.max())), panel.log_x, 0.02)
    return (0.0 if not panel.log_x and 0.0 <= x.min() < 0.1 * x.max() else low), high


def ticks_of(span: Span, log: bool) -> dict[float, str]:
    """Round numbers on an axis, and how they are written.

    >>> ticks_of((0.0, 48842.0), log=False)
    {0.0: '0', 10000.0: '10,000', 20000.0: '20,000', 30000.0: '30,000', 40000.0: '40,000'}
    >>> ticks_of((-5.5, 3.2), log=True)
    {1e-05: '10⁻⁵', 0.001: '10⁻³', 0.1: '10⁻¹', 10.0: '10¹', 1000.0: '10³'}
    """
    if log:
        low, high = math.ceil(span[0] - 1e-9), math.floor(span[1] + 1e-9)
        values = [10.0**n for n in range(low, high + 1, 1 + max(0, high - low) // 7)]
        if len(values) < 3:
            every = [n * 10.0**power for power in range(low - 1, high + 1) for n in (1, 2, 5)]
            values = [value for value in every if span[0] <= math.log10(value) <= span[1]]
        if len(values) > 1:
            return _written(values)
        span = (10.0 ** span[0], 10.0 ** span[1])
    rough = (span[1] - span[0]) / 5
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(n for n in (1, 2, 5, 10) if n * unit >= 0.8 * rough) * unit
    return _written(
        [n * step for n in range(math.ceil(span[0] / step), math.floor(span[1] / step) + 1)]
    )


def measured_ticks(panel: Panel) -> dict[float, str]:
    """The numbers that were measured, as ticks of a log axis, where they are few and evenly spaced."""
    values = sorted({float(x) for line in panel.lines for x in line.x}) if panel.log_x else []
    steps = np.diff(np.log10(values)) if 2 < len(values) <= 12 else np.array([0.0, 1.0])
    even = steps.max() <= 1.5 * steps.min()
    return _written(values[:: 1 + (len(values) - 1) // 8]) if even else {}


def _written(values: Sequence[float]) -> dict[float, str]:
    """Numbers as text: all with the same decimals, or each with its own, or as powers of ten."""
    sizes = [abs(value) for value in values if value] or [1.0]
    if max(sizes) >= 1e6 or min(sizes) < 9e-5:
        return {value: _power(value) for value in values}
    own = [
        next(n for n in range(9) if math.isclose(size, round(size, n), rel_tol=1e-6)) for size in sizes
    ]
    same = max(sizes) < 100 * min(sizes) or max(own) == 0
    texts = [
        f"{value:,.{max(own)}f}" if same else f"{value:,.5f}".rstrip("0").rstrip(".")
        for value in values
    ]
    return dict(zip(values, (text.replace("-", MINUS) for text in texts), strict=True))


def _power(value: float) -> str:
    factor, _, exponent = f"{value:.3e}".partition("e")
    power = "10" + str(int(exponent)).translate(RAISED)
    factor = f"{float(factor):g}".replace("-", MINUS)
    return "0" if factor == "0" else power if factor == "1" else f"{factor}{TIMES}{power}"
