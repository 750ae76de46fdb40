"""The online curves of a comparison, drawn as SVG, and below them who led a portfolio.

A chart is drawn twice, wide and narrow, because the letters of a drawing shrink with it; the style
sheet shows the one that fits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from operator import itemgetter
from typing import ClassVar

from ..evaluate.comparison import Comparison, Entry
from ..evaluate.policies import best_of
from ..portfolio import CONSTANT
from . import numbers
from .numbers import NO_BREAK, decimals_of, number, percent
from .ticks import ticks_of

COLOURS = 6
TONES = 4
WORDS = ("", "", "two", "three", "four", "five", "six")
LARGEST = 1e300  # a chart of larger numbers would overflow
LAYERS = {"other": 0, "policy": 1}  # and the best above them
Point = tuple[float, float]


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
class Frame:
    """Where a chart is drawn, and which numbers its edges stand for."""

    kind: str
    width: int
    height: int
    left: float
    right: int
    limits: tuple[float, float, float]  # the last row, the lowest and the highest value

    TOP: ClassVar[int] = 36
    BOTTOM: ClassVar[int] = 30
    STRIP: ClassVar[int] = 24  # below all that, with a gap above
    GAP: ClassVar[int] = 8

    @property
    def letter(self) -> float:
        """The width of a letter at its largest."""
        return 9.3 if self.kind == "wide" else 7.0

    def x(self, value: float) -> float:
        return self.left + (self.width - self.left - self.right) * value / self.limits[0]

    def y(self, value: float) -> float:
        _, low, high = self.limits
        part = min(max((value - low) / (high - low), -5.0), 5.0)
        return self.height - self.BOTTOM - (self.height - self.TOP - self.BOTTOM) * part


@dataclass(frozen=True)
class Stretch:
    """Rows from one place to another, and who led a portfolio at the latter."""

    begin: int
    end: int
    leader: str


@dataclass(frozen=True)
class Lead:
    """Who led a portfolio: the stretches of rows with one leader each."""

    entry: Entry
    stretches: list[Stretch]

    @classmethod
    def of(cls, comparison: Comparison) -> Lead | None:
        """That of the portfolio that was run, if one was."""
        entry = next((entry for entry in comparison.entries if entry.leaders), None)
        if entry is None:
            return None
        stretches, begin = [], 0
        pairs = zip(comparison.places, entry.leaders, strict=False)
        for leader, places in groupby(pairs, itemgetter(1)):
            end = max(place for place, _ in places)
            stretches.append(Stretch(begin, end, leader))
            begin = end
        return cls(entry, stretches)

    @property
    def rows(self) -> Counter[str]:
        """For how many rows each has led, in the order in which they first did."""
        rows: Counter[str] = Counter()
        for one in self.stretches:
            rows[one.leader] += one.end - one.begin
        return rows

    @property
    def marks(self) -> dict[str, tuple[int, str]]:
        """The number of each leader, and its tone: "t1" for who has led longest."""
        tones = [leader for leader, _ in self.rows.most_common()]
        return {
            leader: (n, f"t{min(tones.index(leader) + 1, TONES)}")
            for n, leader in enumerate(self.rows, 1)
        }


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
        legend = _legend(lead)
        caption += _told(comparison, lead)
    wide = _chart(comparison, curves, Frame("wide", 1000, 430, 0, 204, limits), f"clip{n}")
    narrow = _chart(comparison, curves, Frame("narrow", 400, 360, 0, 112, limits), f"clip{n}n")
    return f"<figure>{wide}{narrow}{legend}<figcaption>{caption}</figcaption></figure>"


def coloured(comparison: Comparison) -> dict[int, str]:
    """The best learners that have a curve: their position among the entries, and their colour."""
    entries = enumerate(comparison.entries)
    found = [n for n, entry in entries if not entry.policy and _points(comparison, entry)]
    return {position: f"k{n}" for n, position in enumerate(found[:COLOURS], 1)}


def _points(comparison: Comparison, entry: Entry) -> list[Point]:
    """The points of a curve that are numbers; a bill starts from nothing."""
    pairs = zip(comparison.places, entry.curve, strict=False)
    points = [(float(x), float(y)) for x, y in pairs if x > 0 and abs(y) < LARGEST]
    return [(0.0, 0.0), *points] if points and comparison.objective == "cost" else points


def _curves(comparison: Comparison) -> list[Curve]:
    """In the order of drawing: the best come last, on top."""
    colours = coloured(comparison)
    curves = [
        Curve(entry.name, colours.get(n, "policy" if entry.policy else "other"), points)
        for n, entry in enumerate(comparison.entries)
        if (points := _points(comparison, entry))
    ]
    curves.reverse()
    return sorted(curves, key=lambda curve: LAYERS.get(curve.kind, 2))


def _limits(comparison: Comparison, curves: Sequence[Curve]) -> tuple[float, float, float]:
    """Room for the best learners, without a wild beginning, and for the better policy if it is near."""
    end = max(x for curve in curves for x, _ in curve.points)
    best = [curve for curve in curves if curve.kind not in LAYERS]
    policies = {curve.name: curve for curve in curves if curve.kind == "policy"}
    name = best_of(comparison.objective, {name: curve.last for name, curve in policies.items()})
    better = [] if name is None else [policies[name]]
    main = best + better if comparison.objective == "cost" else best or [*policies.values()]
    values = [y for curve in main for x, y in curve.points if x >= end / 10] or [0.0]
    low, high = min(values), max(values)
    if comparison.objective == "cost":
        low = 0.0
    elif better and better[0].last > low - (high - low):
        low = min(low, better[0].last)
    room = 0.06 * (high - low) or 0.06 * abs(high) or 1.0
    return end, low if comparison.objective == "cost" else low - room, high + room


def _caption(comparison: Comparison, curves: Sequence[Curve]) -> str:
    more = comparison.objective == "sum"
    what = (
        "The sum over the rows so far; more is better." if more else "The bill so far; less is better."
    )
    kinds = {curve.kind for curve in curves}
    best = len(kinds - set(LAYERS))
    if best > 1:
        what += f" The best {WORDS[best]} learners are in colour."
    if "policy" in kinds:
        what += " Constant policies are dashed."
    if "other" in kinds:
        what += " The other learners are thin and grey; point at a line for its name."
    return what


def _chart(comparison: Comparison, curves: Sequence[Curve], frame: Frame, clip: str) -> str:
    scale = 100.0 if comparison.objective == "sum" else 1.0
    end, low, high = frame.limits
    wide = frame.kind == "wide"
    ticks = ticks_of((low * scale, high * scale), largest=numbers.LARGEST)
    rows = {value / scale: text for value, text in ticks.items()}
    widest = max(map(len, rows.values()), default=0)
    frame = Frame(frame.kind, frame.width, frame.height, 12 + 7 * widest, frame.right, frame.limits)
    unit = "sum so far, %" if comparison.objective == "sum" else "cost so far"
    parts = [
        _grid(frame, rows, ticks_of((0.0, end), count=8 if wide else 3, largest=numbers.LARGEST)),
        f'<text class="axis" x="0" y="14">{unit}</text>',
        _lines(frame, curves, clip),
        _labels(frame, curves, scale),
    ]
    height, lead = frame.height, Lead.of(comparison)
    if lead is not None:
        height += frame.GAP + frame.STRIP
        parts.append(_strip(frame, lead))
    size = f'viewBox="0 0 {frame.width} {height}"'
    title = escape(f"Online curves: {comparison.title}")
    return f'<svg class="{frame.kind}" {size} role="img" aria-label="{title}">{"".join(parts)}</svg>'


def _grid(frame: Frame, rows: Mapping[float, str], columns: Mapping[float, str]) -> str:
    """Lines and numbers of both axes."""
    right, bottom = frame.width - frame.right, frame.height - frame.BOTTOM
    parts = []
    for value, text in rows.items():
        y = f"{frame.y(value):.1f}"
        parts.append(f'<path class="grid" d="M{frame.left:g} {y}H{right}"/>')
        parts.append(f'<text x="{frame.left - 8:g}" y="{y}" dy="4" text-anchor="end">{text}</text>')
    parts.append(f'<path class="grid base" d="M{frame.left:g} {bottom}H{right}"/>')
    for value, text in columns.items():
        x = f"{frame.x(value):.1f}"
        if frame.x(value) < right - 60:
            parts.append(f'<text x="{x}" y="{bottom + 20}" text-anchor="middle">{text}</text>')
    parts.append(f'<text class="axis" x="{right}" y="{bottom + 20}" text-anchor="end">rows</text>')
    return "".join(parts)


def _lines(frame: Frame, curves: Sequence[Curve], clip: str) -> str:
    """The curves, cut at the edges of the frame."""
    width = frame.width - frame.left - frame.right + 4
    height = frame.height - frame.TOP - frame.BOTTOM + 4
    box = f'<rect x="{frame.left - 2:g}" y="{frame.TOP - 2}" width="{width:g}" height="{height}"/>'
    parts = [f'<clipPath id="{clip}">{box}</clipPath><g clip-path="url(#{clip})">']
    for curve in curves:
        path = "L".join(f"{frame.x(x):.1f} {frame.y(y):.1f}" for x, y in curve.points)
        dot = "h0" if len(curve.points) == 1 else ""  # a line of one point has round ends
        title = f"<title>{escape(curve.name)}</title>"
        parts.append(f'<path class="line {curve.kind}" d="M{path}{dot}">{title}</path>')
    return "".join([*parts, "</g>"])


def _labels(frame: Frame, curves: Sequence[Curve], scale: float) -> str:
    """The names of the best learners and of the policies where their lines end."""
    _, low, high = frame.limits
    named = sorted((curve for curve in curves if curve.kind != "other"), key=lambda curve: -curve.last)
    inside = [curve for curve in named if curve.last <= high]
    decimals = 1 if scale > 1 else decimals_of(curve.last for curve in named)
    right, bottom = frame.width - frame.right, frame.height - frame.BOTTOM

    def value(curve: Curve) -> str:
        text = number(curve.last * scale, decimals)
        return f" <tspan>{text}</tspan>" if frame.kind == "wide" else ""

    wanted = [min(frame.y(curve.last), bottom) for curve in inside]
    heights = _spread(wanted, 18 if frame.kind == "wide" else 15, frame.TOP, frame.height - 10)
    parts = [_leaving(frame, curve, value(curve)) for curve in named if curve.last > high]
    for curve, y in zip(inside, heights, strict=True):
        below = curve.last < low
        if not below:
            at_x, at_y = frame.x(curve.points[-1][0]), frame.y(curve.last)
            parts.append(f'<path class="lead" d="M{at_x + 5:.1f} {at_y:.1f}L{right + 12} {y:.1f}"/>')
            parts.append(f'<circle class="dot {curve.kind}" cx="{at_x:.1f}" cy="{at_y:.1f}" r="4"/>')
        place = f'x="{right + 16}" y="{y:.1f}" dy="4"'
        name = ("↓ " if below else "") + _short(curve.name, frame)
        parts.append(f'<text class="name {curve.kind}" {place}>{name}{value(curve)}</text>')
    return "".join(parts)


def _leaving(frame: Frame, curve: Curve, value: str) -> str:
    """The name of a line that leaves the chart at its top, beside the place where it does."""
    x = frame.x(next(x for x, y in curve.points if y > frame.limits[2]))
    before = x > 0.6 * (frame.width - frame.right)
    place = f'x="{x - 8:.1f}" text-anchor="end"' if before else f'x="{x + 8:.1f}"'
    name = _short(curve.name, frame)
    return f'<text class="name {curve.kind}" {place} y="{frame.TOP + 9}">{name}{value} ↑</text>'


def _short(name: str, frame: Frame) -> str:
    room = 18 if frame.kind == "wide" else 15
    return escape(name if len(name) <= room else name[: room - 1] + "…")


def _spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Heights near the wanted ones, in their order, of which no two are closer than ``gap``.

    >>> _spread([10, 12, 50], 8, 0, 52)
    [10, 18, 50]
    """
    placed: list[float] = []
    for y in wanted:
        placed.append(max(y, placed[-1] + gap if placed else low))
    for n in reversed(range(len(placed))):
        placed[n] = min(placed[n], placed[n + 1] - gap if n + 1 < len(placed) else high)
    return placed


# Who led.


def _strip(frame: Frame, lead: Lead) -> str:
    """A segment for each stretch of rows, with the name or at least the number of its leader."""
    top = frame.height + frame.GAP
    middle = f'y="{top + frame.STRIP / 2:g}" dy="4.5"'
    marks, parts = lead.marks, []
    for one in lead.stretches:
        n, tone = marks[one.leader]
        x, end = (frame.x(min(row, frame.limits[0])) for row in (one.begin, one.end))
        width = end - x
        box = f'x="{x:.1f}" y="{top}" width="{max(width - 1, 0.5):.1f}" height="{frame.STRIP}"'
        title = f"{one.leader}: rows {one.begin + 1:,} to {one.end:,}"
        texts = [text for text in (one.leader, str(n)) if (len(text) + 1) * frame.letter <= width]
        label = "".join(
            f'<text x="{x + width / 2:.1f}" {middle} text-anchor="middle">{escape(text)}</text>'
            for text in texts[:1]
        )
        parts.append(f'<g><title>{escape(title)}</title><rect class="{tone}" {box}/>{label}</g>')
    name = _short(f"who led {lead.entry.name}", frame)
    place = f'x="{frame.width - frame.right + 16}" {middle}'
    return f'<g class="led">{"".join(parts)}<text class="axis" {place}>{name}</text></g>'


def _legend(lead: Lead) -> str:
    """The numbers of the strip, and the part of the rows for which each has led."""
    rows = lead.rows
    items = []
    for leader, (n, tone) in lead.marks.items():
        share = percent(rows[leader] / max(rows.total(), 1), 0, f"{NO_BREAK}%")
        items.append(f'<li><b class="{tone}">{n}</b>{escape(leader)} <small>({share})</small></li>')
    return f'<ul class="led">{"".join(items)}</ul>'


def _told(comparison: Comparison, lead: Lead) -> str:
    """Who led at the end, and how far behind the next one and the constant policies were."""
    entry, leader = lead.entry, lead.stretches[-1].leader
    others = len(lead.rows) - 1
    after = f"at the end, after {others} other{'s' * (others > 1)}" if others else "all the way"
    run = " (first run)" if comparison.runs > 1 else ""
    text = f"Who led {escape(entry.name)}{run}: {_name(leader)} {after}."
    if leader not in entry.member_costs:
        return f"<p>{text}</p>"
    member_costs, own = entry.member_costs, entry.member_costs[leader]
    decimals = decimals_of(member_costs.values())
    rest = [name for name in member_costs if name != leader]
    half = entry.settings.get("half_life")
    fading = f", which count half after {half:,} rows," if half else ""
    unit = " (a false alarm costs 1)" if comparison.objective == "sum" else ""
    bill = [f" The mistakes of that one{fading} have cost {number(own, decimals)}{unit}"]
    for name in rest:
        if name in (rest[0], *CONSTANT):
            who = f"the next, {_name(name)}," if name == rest[0] else _name(name)
            bill.append(f"those of {who} {number(member_costs[name] - own, decimals)} more")
    return f"<p>{text}{'; '.join(bill)}.</p>"


def _name(member: str) -> str:
    return f"<em>{escape(member)}</em>"
