"""What all charts and figures share: axes, the frame between them, its grid, and lines, as SVG."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from .ticks import Span

Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """Numbers in a drawing: those of ``span`` lie between the pixels ``ends``.

    The span of a log axis is given in logarithms.

    >>> Axis((0.0, 4.0), (100.0, 200.0))(1.0), Axis((-1.0, 1.0), (50.0, 0.0), log=True)(1.0)
    (125.0, 25.0)
    """

    span: Span
    ends: Span
    log: bool = False

    def __call__(self, value: float) -> float:
        """The pixel of a value, at most five drawings away from this one: there are wild curves."""
        low, high = self.span
        part = ((math.log10(value) if self.log else value) - low) / ((high - low) or 1.0)
        return self.ends[0] + (self.ends[1] - self.ends[0]) * min(max(part, -5.0), 5.0)


@dataclass(frozen=True)
class Frame:
    """The area between two axes."""

    x: Axis
    y: Axis

    @property
    def left(self) -> float:
        return self.x.ends[0]

    @property
    def right(self) -> float:
        return self.x.ends[1]

    @property
    def top(self) -> float:
        return self.y.ends[1]

    @property
    def bottom(self) -> float:
        return self.y.ends[0]


def draw_grid(frame: Frame, rows: Mapping[float, str], columns: Mapping[float, str]) -> str:
    """Lines with numbers at the left, and ticks with numbers below."""
    left, right, bottom = frame.left, frame.right, frame.bottom
    parts = []
    for value, text in rows.items():
        y = f"{frame.y(value):.1f}"
        parts.append(f'<path class="grid" d="M{left:g} {y}H{right:g}"/>')
        parts.append(f'<text x="{left - 8:g}" y="{y}" dy="4" text-anchor="end">{text}</text>')
    parts.append(f'<path class="grid base" d="M{left:g} {bottom:g}H{right:g}"/>')
    for value, text in columns.items():
        x = f"{frame.x(value):.1f}"
        parts.append(f'<path class="grid base" d="M{x} {bottom:g}v5"/>')
        parts.append(f'<text x="{x}" y="{bottom + 20:g}" text-anchor="middle">{text}</text>')
    return "".join(parts)


def path_of(frame: Frame, points: Iterable[Point]) -> str:
    """The way from point to point."""
    places = [f"{frame.x(x):.1f} {frame.y(y):.1f}" for x, y in points]
    return f"M{'L'.join(places)}{'h0' if len(places) == 1 else ''}"  # a dot, if line ends are round


def clipped(frame: Frame, name: str, parts: Iterable[str]) -> str:
    """Parts of a drawing, cut at the edges of its frame; ``name`` is an id."""
    width, height = frame.right - frame.left + 4, frame.bottom - frame.top + 4
    box = f'x="{frame.left - 2:g}" y="{frame.top - 2:g}" width="{width:g}" height="{height:g}"'
    clip = f'<clipPath id="{name}"><rect {box}/></clipPath>'
    return f'{clip}<g clip-path="url(#{name})">{"".join(parts)}</g>'


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


def shortened(name: str, room: int) -> str:
    """A name as HTML, cut where it has more letters than there is room for."""
    return escape(name if len(name) <= room else name[: room - 1] + "…")


def plain(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]", " ", str(text))
