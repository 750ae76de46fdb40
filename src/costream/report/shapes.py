"""Small charts of what a model has learnt: the log-odds against the value of each feature."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from .drawing import Axis, Frame, Span, draw_grid, path_of, plain, shortened, ticks_of
from .numbers import number, short_number

if TYPE_CHECKING:
    from ..evaluation.results import Comparison, Entry
    from ..evaluation.shapes import Shape

WIDTH, HEIGHT = 320, 190
LEFT, RIGHT, TOP, BOTTOM = 44, 28, 30, 26
LONGEST = 34  # letters of a title


def shapes_figure(comparison: Comparison) -> str:
    """The charts of the portfolio that was run, if one was and has shapes."""
    entry = next((entry for entry in comparison.entries if entry.shapes), None)
    if entry is None:
        return ""
    limits = _limits(entry.shapes)
    charts = "".join(_chart(shape, limits) for shape in entry.shapes)
    caption = f"<p>{escape(_caption(comparison, entry))}</p>"
    return (
        f'<h3 class="shapes">What {escape(entry.name)} has learnt</h3>'
        f'<figure class="shapes"><div>{charts}</div><figcaption>{caption}</figcaption></figure>'
    )


def _caption(comparison: Comparison, entry: Entry) -> str:
    run = ", first run" if comparison.runs > 1 else ""
    return (
        f"The log-odds that {entry.name} gives a row, against the value of one feature, all others "
        f"as they are in rows of the data (mean{run}). The most important features come first, each "
        "from its 5 % to its 95 % quantile; all charts have the same scale."
    )


def _limits(shapes: Sequence[Shape]) -> Span:
    """The lowest and the highest log-odds of all charts, and some space."""
    values = [value for shape in shapes for value in shape.log_odds]
    low, high = min(values), max(values)
    space = 0.06 * (high - low) or 1.0
    return low - space, high + space


def _chart(shape: Shape, limits: Span) -> str:
    """One feature: a grid, the curve, and a dot for each value if there are few."""
    points = sorted(set(zip(shape.values, shape.log_odds, strict=True)))
    first, last = points[0][0], points[-1][0]
    across = Axis((first, last), (LEFT, WIDTH - RIGHT))
    frame = Frame(across, Axis(limits, (HEIGHT - BOTTOM, TOP)))
    ends = {value: short_number(value) for value in (first, last)}
    grid = draw_grid(frame, ticks_of(limits, count=3), ends)
    parts = [grid, f'<path class="line k1" d="{path_of(frame, points)}"/>']
    if len(points) < 5:
        dots = (f'cx="{frame.x(value):.1f}" cy="{frame.y(odds):.1f}"' for value, odds in points)
        parts.extend(f'<circle class="dot k1" {dot} r="4"/>' for dot in dots)
    name = plain(str(shape.feature))
    title = f"{name}: importance {number(shape.importance, '.3g')}"
    short = shortened(name, LONGEST)
    return (
        f'<svg class="shape" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">'
        f'<title>{escape(title)}</title><text class="axis" x="0" y="14">{short}</text>'
        f"{''.join(parts)}</svg>"
    )
