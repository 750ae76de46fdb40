"""What a figure shows: panels of lines, and which of their points can be drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import CostreamError
from .drawing import plain

Floats = NDArray[np.float64]

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


def _fits(values: Floats, log: bool) -> NDArray[np.bool_]:
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
