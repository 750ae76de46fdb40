"""What all charts and figures share: axes, the frame between them, its grid, and lines, as SVG."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from .numbers import number, power_of_ten

Span = tuple[float, float]

# --- ticks: round numbers between two others, and how they are written ------------------------------

LARGEST, SMALLEST = 1e6, 9e-5  # beyond these, ticks are written as powers of ten


def ticks_of(
    span: Span, log: bool = False, count: int = 5, largest: float = LARGEST
) -> dict[float, str]:
    """About ``count`` round numbers on an axis, and their labels; a log axis has its own count.

    The span of a log axis is given in logarithms. Labels from ``largest`` on are powers of ten.

    >>> ticks_of((0.0, 48842.0))
    {0.0: '0', 10000.0: '10,000', 20000.0: '20,000', 30000.0: '30,000', 40000.0: '40,000'}
    >>> ticks_of((-5.5, 3.2), log=True)
    {1e-05: '10⁻⁵', 0.001: '10⁻³', 0.1: '10⁻¹', 10.0: '10¹', 1000.0: '10³'}
    """
    if log:
        values = _log_ticks(span)
        if len(values) > 1:
            return tick_labels(values)
        span = (10.0 ** span[0], 10.0 ** span[1])
    rough = (span[1] - span[0]) / count
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(n for n in (1, 2, 5, 10) if n * unit >= 0.8 * rough) * unit
    values = [n * step for n in range(math.ceil(span[0] / step), math.floor(span[1] / step) + 1)]
    return tick_labels(values, max(0, -math.floor(math.log10(step) + 1e-9)), largest)


def _log_ticks(span: Span) -> list[float]:
    """Powers of ten, or 1, 2 and 5 times these where there are few of them."""
    low, high = math.ceil(span[0] - 1e-9), math.floor(span[1] + 1e-9)
    values = [10.0**n for n in range(low, high + 1, 1 + max(0, high - low) // 7)]
    if len(values) < 3:
        every = [n * 10.0**power for power in range(low - 1, high + 1) for n in (1, 2, 5)]
        values = [value for value in every if span[0] <= math.log10(value) <= span[1]]
    return values


def tick_labels(
    values: Sequence[float], decimals: int | None = None, largest: float = LARGEST
) -> dict[float, str]:
    """Numbers as text: all with the same decimals, or each with its own, or as powers of ten."""
    sizes = [abs(value) for value in values if value] or [1.0]
    if max(sizes) >= largest or min(sizes) < SMALLEST:
        return {value: power_of_ten(value) for value in values}
    if decimals is None and max(sizes) < 100 * min(sizes):
        decimals = max(map(_decimals, sizes))
    own = (_decimals(value) if decimals is None else decimals for value in values)
    return {value: number(value, n) for value, n in zip(values, own, strict=True)}


def _decimals(value: float) -> int:
    """How many decimals a value has, up to six digits that count."""
    return next((n for n in range(9) if math.isclose(value, round(value, n), rel_tol=1e-6)), 9)


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
