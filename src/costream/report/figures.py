"""Figures as a journal prints them: panels of lines, as SVG.

Lines differ in dashes, marker and lightness, so a figure can be read without colour; the family of a
learner gives the weight of its line, so that a dozen baselines stay in the background. The learners of
the paper look the same in every figure; other lines are styled in the order in which they come.

The same panels give the same bytes, and several figures can stand in one HTML page.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files

import numpy as np

from ..errors import CostreamError
from .drawing import Axis, Frame, Point, clipped, draw_grid, path_of, plain, spread_out, ticks_of
from .line_styles import MARKERS, LineStyle, line_styles
from .panel import MANY, Line, Panel, checked, limits_of, measured_ticks, x_span

WIDTH, HEIGHT = 450, 290  # of a panel with its margins
ALONE = 640, 370
LEFT, RIGHT, TOP, BOTTOM = 34, 14, 26, 46  # the margins; at the left, that beside the numbers
DIGIT, LETTER, ROW = 6.3, 7.0, 21  # widths of what is written, and the height of a row of the legend
MIDDLE = 'text-anchor="middle"'
STYLE = (files(__package__) / "figure.css").read_text(encoding="utf-8")


def draw(panels: Sequence[Panel], title: str = "") -> str:
    """The SVG text of a figure: panels in two columns (one alone), and one legend below them."""
    if not panels:
        raise CostreamError("a figure needs at least one panel")
    title, panels = plain(title), [checked(panel) for panel in panels]
    styles = line_styles(line.name for panel in panels for line in panel.lines if line.x)
    mark = "f" + hashlib.sha256(repr((title, panels)).encode()).hexdigest()[:10]
    columns = min(len(panels), 2)
    width, height = (WIDTH, HEIGHT) if columns == 2 else ALONE
    rows = [ticks_of(limits_of(panel), panel.log_y) for panel in panels]
    margin = LEFT + DIGIT * max((len(text) for ticks in rows for text in ticks.values()), default=0)
    end, parts = 4, [f"<style>\n{STYLE}</style>"]
    if title:
        end = 30
        parts.append(_text("title", f'x="{columns * width / 2:g}" y="18" {MIDDLE}', title))
    for n, panel in enumerate(panels):
        x, y = n % columns * width, end + n // columns * height
        across = Axis(x_span(panel), (x + margin, x + width - RIGHT), panel.log_x)
        frame = Frame(across, Axis(limits_of(panel), (y + height - BOTTOM, y + TOP), panel.log_y))
        ticks = measured_ticks(panel) or ticks_of(across.span, panel.log_x)
        parts.append(draw_grid(frame, rows[n], ticks))
        parts.append(clipped(frame, f"{mark}-{n}", _draw_lines(frame, panel, styles)))
        parts += [*_draw_levels(frame, panel), *_draw_words(frame, panel, x + 14)]
    end += math.ceil(len(panels) / columns) * height
    for y, part in _draw_legend(styles, columns * width, end + 16):
        end = y + 14
        parts.append(part)
    size = f'width="{columns * width}" height="{end}" viewBox="0 0 {columns * width} {end}"'
    label = escape(title or "; ".join(panel.title for panel in panels))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="figure" {size} role="img"'
    return f'{head} aria-label="{label}">{"".join(parts)}</svg>'


def _draw_legend(styles: Mapping[str, LineStyle], width: int, top: int) -> Iterator[tuple[int, str]]:
    """All lines, row by row, and where each stands."""
    step = 72 + LETTER * max(map(len, styles), default=0)
    rows = math.ceil(len(styles) / max(1, width // step))
    for n, (name, style) in enumerate(styles.items()):
        columns = math.ceil(len(styles) / rows)
        x = max(10.0, (width - step * columns) / 2 + 10) + step * (n % columns)
        y = top + ROW * (n // columns)
        line = _styled(style, f"M{x:.1f} {y}h44", [(x + 22, y)])
        yield y, line + _text("key", f'x="{x + 51:.1f}" y="{y}" dy="4"', name)


def _text(kind: str, place: str, text: str) -> str:
    return f'<text class="{kind}" {place}>{escape(text)}</text>'


def _styled(style: LineStyle, path: str, marked: Iterable[Point]) -> str:
    """A line, and markers at some places."""
    dash = " ".join(f"{n * style.width:.3g}" for n in style.dash) or "none"
    look = f'stroke="{style.colour}" stroke-width="{style.width}" stroke-dasharray="{dash}"'
    line = f'<path class="line" {look} d="{path}"/>'
    if not style.marker:
        return line
    fill, edge, width = ("#fff", style.colour, 1.4) if style.open else (style.colour, "#fff", 0.7)
    look = f'fill="{fill}" stroke="{edge}" stroke-width="{width}"'
    marks = "".join(f"M{x:.1f} {y:.1f}{MARKERS[style.marker]}" for x, y in marked)
    return f'{line}<path class="marks" {look} d="{marks}"/>'


def _draw_lines(frame: Frame, panel: Panel, styles: Mapping[str, LineStyle]) -> Iterator[str]:
    """The lines over all errors, with markers at all points, or at some of a curve, each at its own."""
    lines = sorted((line for line in panel.lines if line.x), key=lambda one: styles[one.name].layer)
    for line in lines:
        yield _draw_error(frame, line, styles[line.name])
    for line in lines:
        points = list(zip(line.x, line.y, strict=True))
        step = max(1, len(points) // 6) if len(points) >= MANY else 1
        first = list(styles).index(line.name) * step // len(styles)
        marked = ((frame.x(x), frame.y(y)) for x, y in points[first::step])
        drawn = _styled(styles[line.name], path_of(frame, points), marked)
        yield f"<g><title>{escape(line.name)}</title>{drawn}</g>"


def _draw_error(frame: Frame, line: Line, style: LineStyle) -> str:
    """One standard error to each side: a band around a curve, bars at measurements."""
    if line.error is None:
        return ""
    y, error = np.asarray(line.y), np.asarray(line.error)
    low = np.maximum(y - error, y / 100) if frame.y.log else y - error
    above = list(zip(line.x, (y + error).tolist(), strict=True))
    below = list(zip(line.x, low.tolist(), strict=True))
    if len(above) >= MANY:
        look = f'fill="{style.colour}" opacity="{0.05 + 0.02 * style.width:.2f}"'
        return f'<path class="band" {look} d="{path_of(frame, above + below[::-1])}z"/>'
    bars = "".join(path_of(frame, ends) for ends in zip(above, below, strict=True))
    return f'<path class="bar" stroke="{style.colour}" d="{bars}"/>'


def _draw_levels(frame: Frame, panel: Panel) -> Iterator[str]:
    """The levels with their names; and at the edge the names of lines and levels that lie beyond."""
    low, high = (10.0**end if panel.log_y else end for end in frame.y.span)
    above = [line.name for line in panel.lines if line.y and min(line.y) > high]
    below = [line.name for line in panel.lines if line.y and max(line.y) < low]
    levels: dict[float, str] = {}
    for name, level in panel.levels.items():
        levels[level] = f"{levels[level]}, {name}" if level in levels else name
    notes = []
    for level, name in levels.items():
        if low <= level <= high:
            y = frame.y(level)
            yield f'<path class="level" d="M{frame.left:g} {y:.1f}H{frame.right:g}"/>'
            notes.append((y - 4, name))
        else:
            (above if level > high else below).append(name)
    for arrow, beyond, y in (("↑", above, frame.top), ("↓", below, frame.bottom)):
        more = f" and {len(beyond) - 3} more" if len(beyond) > 4 else ""
        if beyond:
            notes.append((y, f"{arrow} {', '.join(beyond[:3] if more else beyond)}{more}"))
    notes.sort()
    heights = spread_out([y for y, _ in notes], 13, frame.top - 2, frame.bottom - 4)
    for (_, text), y in zip(notes, heights, strict=True):
        place = f'x="{frame.right - 3:g}" y="{y:.1f}" text-anchor="end"'
        yield _text("note", place, text)


def _draw_words(frame: Frame, panel: Panel, left: float) -> Iterator[str]:
    """The title, and what the axes show."""
    across, up = (frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2
    yield _text("title", f'x="{frame.left:g}" y="{frame.top - 9}"', panel.title)
    yield _text("axis", f'x="{across:g}" y="{frame.bottom + 38}" {MIDDLE}', panel.x_label)
    turned = f'transform="translate({left:g} {up:g}) rotate(-90)" {MIDDLE}'
    yield _text("axis", turned, panel.y_label)
    if not any(line.x for line in panel.lines):
        yield _text("note", f'x="{across:g}" y="{up:g}" {MIDDLE}', "no data")
