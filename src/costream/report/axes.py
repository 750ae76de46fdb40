"""The axes of a panel: where they end, and which numbers are written beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .line_styles import family_of
from .panel import MANY, Line, Panel
from .ticks import Span, tick_labels

Floats = NDArray[np.float64]

LESS_IS_BETTER = re.compile("cost|regret|loss|error|mistake|missed|alarm|second|time", re.I)


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


def _scaled(values: Sequence[float], log: bool) -> Floats:
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


def measured_ticks(panel: Panel) -> dict[float, str]:
    """The numbers that were measured, as ticks of a log axis, where they are few and evenly spaced."""
    values = sorted({float(x) for line in panel.lines for x in line.x}) if panel.log_x else []
    steps = np.diff(np.log10(values)) if 2 < len(values) <= 12 else np.array([0.0, 1.0])
    even = steps.max() <= 1.5 * steps.min()
    return tick_labels(values[:: 1 + (len(values) - 1) // 8]) if even else {}
