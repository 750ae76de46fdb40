"""The parts of a chart of curves as SVG: its frame, grid, lines, and the names beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import ClassVar

from .numbers import decimals_of, number

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


def draw_grid(frame: Frame, rows: Mapping[float, str], columns: Mapping[float, str]) -> str:
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


def draw_lines(frame: Frame, curves: Sequence[Curve], clip: str) -> str:
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


def draw_names(frame: Frame, curves: Sequence[Curve], scale: float) -> str:
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
    heights = spread_out(wanted, 18 if frame.kind == "wide" else 15, frame.TOP, frame.height - 10)
    parts = [_leaving(frame, curve, value(curve)) for curve in named if curve.last > high]
    for curve, y in zip(inside, heights, strict=True):
        below = curve.last < low
        if not below:
            at_x, at_y = frame.x(curve.points[-1][0]), frame.y(curve.last)
            parts.append(f'<path class="lead" d="M{at_x + 5:.1f} {at_y:.1f}L{right + 12} {y:.1f}"/>')
            parts.append(f'<circle class="dot {curve.kind}" cx="{at_x:.1f}" cy="{at_y:.1f}" r="4"/>')
        place = f'x="{right + 16}" y="{y:.1f}" dy="4"'
        name = ("↓ " if below else "") + shortened(curve.name, frame)
        parts.append(f'<text class="name {curve.kind}" {place}>{name}{value(curve)}</text>')
    return "".join(parts)


def _leaving(frame: Frame, curve: Curve, value: str) -> str:
    """The name of a line that leaves the chart at its top, beside the place where it does."""
    x = frame.x(next(x for x, y in curve.points if y > frame.limits[2]))
    before = x > 0.6 * (frame.width - frame.right)
    place = f'x="{x - 8:.1f}" text-anchor="end"' if before else f'x="{x + 8:.1f}"'
    name = shortened(curve.name, frame)
    return f'<text class="name {curve.kind}" {place} y="{frame.TOP + 9}">{name}{value} ↑</text>'


def shortened(name: str, frame: Frame) -> str:
    """A name as HTML, cut where it is too long to stand beside the chart."""
    room = 18 if frame.kind == "wide" else 15
    return escape(name if len(name) <= room else name[: room - 1] + "…")


def spread_out(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Heights near the wanted ones, in their order, of which no two are closer than ``gap``.

    >>> spread_out([10, 12, 50], 8, 0, 52)
    [10, 18, 50]
    """
    placed: list[float] = []
    for y in wanted:
        placed.append(max(y, placed[-1] + gap if placed else low))
    for n in reversed(range(len(placed))):
        placed[n] = min(placed[n], placed[n + 1] - gap if n + 1 < len(placed) else high)
    return placed
