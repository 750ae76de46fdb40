"""The chart of a comparison: online curves as SVG, and below them who led a portfolio.

A chart is drawn twice, wide and narrow, because the letters of a drawing shrink with it; the style
sheet shows the one that fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from ..costs.policies import best_of
from . import numbers
from .drawing import Axis, Frame, Point, clipped, draw_grid, path_of, shortened, spread_out, ticks_of
from .leaders import STRIP, Lead, draw_strip, half_life_caption, leader_caption, strip_legend

if TYPE_CHECKING:
    from ..evaluation.results import Comparison, Entry

COLOURS = 6
WORDS = ("", "", "two", "three", "four", "five", "six")
LARGEST = 1e300  # a chart of larger numbers would overflow
LAYERS = {"other": 0, "policy": 1, "baseline": 2}  # and the best above them
TOP, BOTTOM = 36, 30  # margins


@dataclass(frozen=True)
class Curve:
    """A line of the chart: ``kind`` is "k1" to "k6" for the best, "policy" or "other" for the rest."""

    name: str
    kind: str
    points: list[Point]

    @property
    def last(self) -> float:
        return self.points[-1][1]


@dataclass(frozen=True)
class Size:
    """A chart with the margin at its right, how long the names there may be, and their distance."""

    kind: str
    width: int
    height: int
    right: int
    room: int
    gap: int
    letter: float  # the width of a letter at its largest


WIDE = Size("wide", 1000, 430, 204, 18, 18, 9.3)
NARROW = Size("narrow", 400, 360, 112, 15, 15, 7.0)


def figure(comparison: Comparison, n: int) -> str:
    """The chart and its caption, or nothing if there is no point to draw; ``n`` is for its ids."""
    curves = _curves(comparison)
    if not curves:
        return ""
    caption = f"<p>{escape(_caption(comparison, curves))}</p>"
    lead = Lead.of(comparison)
    legend = ""
    if lead is not None:
        legend = strip_legend(lead)
        caption += leader_caption(comparison, lead) + half_life_caption(comparison, lead)
    charts = (_chart(comparison, curves, size, f"clip{n}{size.kind}") for size in (WIDE, NARROW))
    return f"<figure>{''.join(charts)}{legend}<figcaption>{caption}</figcaption></figure>"


def coloured(comparison: Comparison) -> dict[int, str]:
    """The best learners that have a curve: their position among the entries, and their colour."""
    entries = enumerate(comparison.entries)
    found = [n for n, entry in entries if entry.learns and _points(comparison, entry)]
    return {position: f"k{n}" for n, position in enumerate(found[:COLOURS], 1)}


def kind_of(entry: Entry) -> str:
    """The kind of line of an entry that is not coloured."""
    return "policy" if entry.policy else "baseline" if entry.baseline else "other"


def _points(comparison: Comparison, entry: Entry) -> list[Point]:
    """The points of a curve that are numbers; a total cost starts from nothing."""
    pairs = zip(comparison.places, entry.curve, strict=False)
    points = [(float(x), float(y)) for x, y in pairs if x > 0 and abs(y) < LARGEST]
    return [(0.0, 0.0), *points] if points and comparison.is_total_cost else points


def _curves(comparison: Comparison) -> list[Curve]:
    """In the order of drawing: the best come last, on top."""
    colours = coloured(comparison)
    curves = [
        Curve(entry.name, colours.get(n, kind_of(entry)), points)
        for n, entry in enumerate(comparison.entries)
        if (points := _points(comparison, entry))
    ]
    curves.reverse()
    return sorted(curves, key=lambda curve: LAYERS.get(curve.kind, len(LAYERS)))


def _limits(comparison: Comparison, curves: Sequence[Curve]) -> tuple[float, float, float]:
    """Room for the best learners, without a wild beginning, and for the better policy if it is near."""
    end = max(x for curve in curves for x, _ in curve.points)
    best = [curve for curve in curves if curve.kind not in ("other", "policy")]
    policies = {curve.name: curve for curve in curves if curve.kind == "policy"}
    name = best_of(comparison.metric.name, {name: curve.last for name, curve in policies.items()})
    better = [] if name is None else [policies[name]]
    main = best + better if comparison.is_total_cost else best or [*policies.values()]
    values = [y for curve in main for x, y in curve.points if x >= end / 10] or [0.0]
    low, high = min(values), max(values)
    if comparison.is_total_cost:
        low = 0.0
    elif better and better[0].last > low - (high - low):
        low = min(low, better[0].last)
    room = 0.06 * (high - low) or 0.06 * abs(high) or 1.0
    return end, low if comparison.is_total_cost else low - room, high + room


def _caption(comparison: Comparison, curves: Sequence[Curve]) -> str:
    metric = comparison.metric
    what = "total cost" if comparison.is_total_cost else f"{metric.title} over the rows"
    what = f"The {what} so far; {metric.better}."
    kinds = {curve.kind for curve in curves}
    best = len(kinds - set(LAYERS))
    if best > 1:
        what += f" The best {WORDS[best]} learners are in colour."
    if "policy" in kinds:
        what += " Constant policies are dashed."
    if "baseline" in kinds:
        what += " Your own rules are rows of dots."
    if "other" in kinds:
        what += " The other learners are thin and grey; point at a line for its name."
    return what


def _chart(comparison: Comparison, curves: Sequence[Curve], size: Size, clip: str) -> str:
    scale = 100.0 if comparison.metric.is_percent else 1.0
    end, low, high = _limits(comparison, curves)
    ticks = ticks_of((low * scale, high * scale), largest=numbers.LARGEST)
    left = 12 + 7 * max(map(len, ticks.values()), default=0)
    across = Axis((0.0, end), (left, size.width - size.right))
    frame = Frame(across, Axis((low, high), (size.height - BOTTOM, TOP)))
    columns = ticks_of(across.span, count=8 if size is WIDE else 3, largest=numbers.LARGEST)
    columns = {row: text for row, text in columns.items() if across(row) < frame.right - 60}
    unit = f"{comparison.metric.title} so far{', %' if comparison.metric.is_percent else ''}"
    at_end = f'x="{frame.right:g}" y="{frame.bottom + 20:g}" text-anchor="end"'
    parts = [
        draw_grid(frame, {value / scale: text for value, text in ticks.items()}, columns),
        f'<text class="axis" {at_end}>rows</text><text class="axis" x="0" y="14">{unit}</text>',
        clipped(frame, clip, (_draw_line(frame, curve) for curve in curves)),
        _draw_names(frame, curves, scale, size),
    ]
    height, lead = size.height, Lead.of(comparison)
    if lead is not None:
        parts.append(draw_strip(across, lead, height, size.letter, size.room))
        height += STRIP
    view = f'viewBox="0 0 {size.width} {height:g}"'
    title = escape(f"Online curves: {comparison.title}")
    return f'<svg class="{size.kind}" {view} role="img" aria-label="{title}">{"".join(parts)}</svg>'


def _draw_line(frame: Frame, curve: Curve) -> str:
    path, title = path_of(frame, curve.points), f"<title>{escape(curve.name)}</title>"
    return f'<path class="line {curve.kind}" d="{path}">{title}</path>'


def _draw_names(frame: Frame, curves: Sequence[Curve], scale: float, size: Size) -> str:
    """The names of the best learners and of the policies where their lines end."""
    low, high = frame.y.span
    named = sorted((curve for curve in curves if curve.kind != "other"), key=lambda curve: -curve.last)
    decimals = 1 if scale > 1 else numbers.decimals_of(curve.last for curve in named)

    def label(curve: Curve, place: str, before: str = "", after: str = "") -> str:
        value = f" <tspan>{numbers.number(curve.last * scale, decimals)}</tspan>"
        text = f"{before}{shortened(curve.name, size.room)}{value if size is WIDE else ''}{after}"
        return f'<text class="name {curve.kind}" {place}>{text}</text>'

    inside = [curve for curve in named if curve.last <= high]
    parts = [label(one, _leaving(frame, one), after=" ↑") for one in named if one.last > high]
    wanted = [min(frame.y(curve.last), frame.bottom) for curve in inside]
    heights = spread_out(wanted, size.gap, frame.top, frame.bottom + BOTTOM - 10)
    for curve, y in zip(inside, heights, strict=True):
        if curve.last >= low:
            x, end = frame.x(curve.points[-1][0]), frame.y(curve.last)
            parts.append(
                f'<path class="lead" d="M{x + 5:.1f} {end:.1f}L{frame.right + 12:g} {y:.1f}"/>'
            )
            parts.append(f'<circle class="dot {curve.kind}" cx="{x:.1f}" cy="{end:.1f}" r="4"/>')
        place = f'x="{frame.right + 16:g}" y="{y:.1f}" dy="4"'
        parts.append(label(curve, place, "" if curve.last >= low else "↓ "))
    return "".join(parts)


def _leaving(frame: Frame, curve: Curve) -> str:
    """Where a line leaves the chart at its top."""
    x = frame.x(next(x for x, y in curve.points if y > frame.y.span[1]))
    before = x > 0.6 * frame.right
    place = f'x="{x - 8:.1f}" text-anchor="end"' if before else f'x="{x + 8:.1f}"'
    return f'{place} y="{frame.top + 9:g}"'
