"""What a figure shows: panels of lines, which of their points can be drawn, and their axes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from .._typing import Bools, Floats
from ..errors import CostreamError
from .drawing import Span, plain, tick_labels
from .line_styles import family_of

MANY = 20  # points, from which on a line is a curve and not a series of measurements


@dataclass(frozen=True)
class Line:
    """A line of a panel; ``error`` is one standard error of each point. NaN points are left out."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    error: Sequence[float] | None = None


@dataclass(frozen=True)
class Panel:
    """Lines over the same axes; ``levels`` are constants by name, such as the constant policies.

    ``better`` is "more" or "less": the better half of the lines is never cut off. If it is empty, the
    y label decides: lower is better for a cost, an error or a time.
    """

    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    log_x: bool = False
    log_y: bool = False
    levels: Mapping[str, float] = field(default_factory=dict)
    better: str = ""


def checked(panel: Panel) -> Panel:
    """The panel with points that can be drawn."""
    if panel.better not in ("", "more", "less"):
        raise CostreamError(f"better is 'more', 'less' or empty, not {panel.better!r}")
    levels = {plain(name): float(level) for name, level in panel.levels.items()}
    words = {name: plain(getattr(panel, name)) for name in ("title", "x_label", "y_label")}
    return replace(
        panel,
        **words,  # type: ignore[arg-type]
        lines=[_drawable(panel, line) for line in panel.lines],
        levels={name: level for name, level in levels.items() if _fits(np.array(level), panel.log_y)},
    )


def _fits(values: Floats, log: bool) -> Bools:
    """Which values have a place on an axis."""
    return (np.abs(values) < 1e300) & ((values > 0) | (not log))


def _drawable(panel: Panel, line: Line) -> Line:
    x, y = np.asarray(line.x, np.float64), np.asarray(line.y, np.float64)
    error = np.zeros(y.shape) if line.error is None else np.asarray(line.error, np.float64)
    if not x.shape == y.shape == error.shape or x.ndim != 1:
        raise CostreamError(f"the line {line.name!r} needs as many x as y, and as many errors")
    keep = _fits(x, panel.log_x) & _fits(y, panel.log_y)
    error = np.nan_to_num(error[keep], nan=0.0, posinf=0.0)
    return Line(
        plain(line.name), x[keep].tolist(), y[keep].tolist(), error.tolist() if error.any() else None
    )


# --- axes: where they end, and which numbers are written beside them --------------------------------

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
