"""The chart of a comparison: online curves as SVG, and below them who led a portfolio.

A chart is drawn twice, wide and narrow, because the letters of a drawing shrink with it; the style
sheet shows the one that fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from ..costs.policies import best_of
from . import numbers
from .drawing import Curve, Frame, Point, draw_grid, draw_lines, draw_names
from .leaders import Lead, draw_strip, leader_caption, strip_legend
from .ticks import ticks_of

if TYPE_CHECKING:
    from ..evaluation.results import Comparison, Entry

COLOURS = 6
WORDS = ("", "", "two", "three", "four", "five", "six")
LARGEST = 1e300  # a chart of larger numbers would overflow
LAYERS = {"other": 0, "policy": 1, "baseline": 2}  # and the best above them


def figure(comparison: Comparison, n: int) -> str:
    """The chart and its caption, or nothing if there is no point to draw; ``n`` is for its ids."""
    curves = _curves(comparison)
    if not curves:
        return ""
    limits = _limits(comparison, curves)
    caption = f"<p>{escape(_caption(comparison, curves))}</p>"
    lead = Lead.of(comparison)
    legend = ""
    if lead is not None:
        legend = strip_legend(lead)
        caption += leader_caption(comparison, lead)
    wide = _chart(comparison, curves, Frame("wide", 1000, 430, 0, 204, limits), f"clip{n}")
    narrow = _chart(comparison, curves, Frame("narrow", 400, 360, 0, 112, limits), f"clip{n}n")
    return f"<figure>{wide}{narrow}{legend}<figcaption>{caption}</figcaption></figure>"


def coloured(comparison: Comparison) -> dict[int, str]:
    """The best learners that have a curve: their position among the entries, and their colour."""
    entries = enumerate(comparison.entries)
    found = [n for n, entry in entries if entry.learns and _points(comparison, entry)]
    return {position: f"k{n}" for n, position in enumerate(found[:COLOURS], 1)}


def kind_of(entry: Entry) -> str:
    """The kind of line of an entry that is not coloured."""
    return "policy" if entry.policy else "baseline" if entry.baseline else "other"


def _points(comparison: Comparison, entry: Entry) -> list[Point]:
    """The points of a curve that are numbers; a bill starts from nothing."""
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
    what = "The bill so far" if comparison.is_total_cost else f"The {metric.title} over the rows so far"
    what = f"{what}; {metric.better}."
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


def _chart(comparison: Comparison, curves: Sequence[Curve], frame: Frame, clip: str) -> str:
    scale = 100.0 if comparison.metric.is_percent else 1.0
    end, low, high = frame.limits
    wide = frame.kind == "wide"
    ticks = ticks_of((low * scale, high * scale), largest=numbers.LARGEST)
    rows = {value / scale: text for value, text in ticks.items()}
    widest = max(map(len, rows.values()), default=0)
    frame = replace(frame, left=12 + 7 * widest)
    unit = f"{comparison.metric.title} so far{', %' if comparison.metric.is_percent else ''}"
    parts = [
        draw_grid(frame, rows, ticks_of((0.0, end), count=8 if wide else 3, largest=numbers.LARGEST)),
        f'<text class="axis" x="0" y="14">{unit}</text>',
        draw_lines(frame, curves, clip),
        draw_names(frame, curves, scale),
    ]
    height, lead = frame.height, Lead.of(comparison)
    if lead is not None:
        height += frame.GAP + frame.STRIP
        parts.append(draw_strip(frame, lead))
    size = f'viewBox="0 0 {frame.width} {height}"'
    title = escape(f"Online curves: {comparison.title}")
    return f'<svg class="{frame.kind}" {size} role="img" aria-label="{title}">{"".join(parts)}</svg>'
