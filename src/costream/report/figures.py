"""Figures as a journal prints them: panels of lines, as SVG.

Lines differ in dashes, marker and lightness, so a figure can be read without colour; the family of a
learner gives the weight of its line, so that a dozen baselines stay in the background. The learners of
the paper look the same in every figure; other lines are styled in the order in which they come.

The same panels give the same bytes, whatever the user's matplotlib settings, and several figures can
stand in one HTML page. Drawing changes matplotlib's global settings for a moment: figures are drawn one
at a time, and other threads should not use matplotlib meanwhile.
"""

from __future__ import annotations

import hashlib
import io
import math
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..errors import CostreamError, extra
from .axes import limits_of, measured_ticks, x_span
from .line_styles import LineStyle, line_styles
from .panel import MANY, Line, Panel, checked
from .svg import plain, tidy
from .ticks import Span, ticks_of

FONT, SMALL = 9.0, 8.0  # points; a figure has 100 pixels an inch, so these are 12.5 and 11 pixels
INK = "#222222"
LOCK = threading.Lock()


def draw(panels: Sequence[Panel], title: str = "") -> str:
    """The SVG text of a figure: panels in two columns (one alone), and one legend below them."""
    if not panels:
        raise CostreamError("a figure needs at least one panel")
    title, panels = plain(title), [checked(panel) for panel in panels]
    styles = line_styles(line.name for panel in panels for line in panel.lines if line.x)
    mark = "f" + hashlib.sha256(repr((title, panels)).encode()).hexdigest()[:10]
    text = io.StringIO()
    with LOCK, _settings(mark):
        _figure(panels, styles, title).savefig(text, format="svg", metadata={"Date": None})
    heading = title or "; ".join(panel.title for panel in panels)
    return tidy(text.getvalue(), [name for name in styles if "_" in name], heading, mark)


def import_matplotlib() -> Any:
    """The library that draws; an error says how to get it."""
    with extra("lab", "figures need matplotlib", "matplotlib"):
        import matplotlib
    return matplotlib


@contextmanager
def _settings(mark: str) -> Iterator[None]:
    """The settings that matplotlib comes with, and a few of our own."""
    matplotlib = import_matplotlib()
    inked = ("axes.edgecolor", "axes.labelcolor", "text.color", "xtick.color", "ytick.color")
    ours = {"svg.fonttype": "none", "svg.hashsalt": mark, "text.parse_math": False}
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # the font of the reader may have it
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(ours | dict.fromkeys(inked, INK))
        matplotlib.rcParams.update({"font.size": FONT, "axes.linewidth": 0.7})
        yield


def _figure(panels: Sequence[Panel], styles: Mapping[str, LineStyle], title: str) -> Any:
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    columns = min(len(panels), 2)
    rows = math.ceil(len(panels) / columns)
    width, height = (6.4, 3.7) if columns == 1 else (9.0, 2.9 * rows)
    widest = FONT / 72 * (0.62 * max(map(len, styles), default=0) + 5.2)
    legend_rows = math.ceil(len(styles) / max(1, width // widest))
    height += 0.21 * legend_rows + (0.4 if title else 0.1)
    spacing = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.06, wspace=0.03, hspace=0.05)
    figure = Figure((width, height), layout=spacing)
    FigureCanvasSVG(figure)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, panel in zip(grid, panels, strict=False):
        _draw_panel(axes, panel, styles)
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    if title:
        figure.suptitle(title, fontsize=FONT + 2, fontweight="bold")
    if styles:
        _draw_legend(figure, list(styles.items()), math.ceil(len(styles) / legend_rows))
    return figure


def _draw_legend(figure: Any, entries: Sequence[tuple[str, LineStyle]], columns: int) -> None:
    """All lines, row by row (matplotlib would go column by column)."""
    from matplotlib.lines import Line2D

    ordered = [entry for column in range(columns) for entry in entries[column::columns]]
    figure.legend(
        [Line2D([], [], **style.as_matplotlib()) for _, style in ordered],
        [name for name, _ in ordered],
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        handlelength=3.4,
        columnspacing=1.4,
        labelspacing=0.45,
        fontsize=FONT,
    )


def _draw_panel(axes: Any, panel: Panel, styles: Mapping[str, LineStyle]) -> None:
    axes.set_title(panel.title, loc="left", fontsize=FONT + 0.5, fontweight="bold")
    axes.set(xscale="log" if panel.log_x else "linear", yscale="log" if panel.log_y else "linear")
    axes.set(xlabel=panel.x_label, ylabel=panel.y_label)
    _draw_axis(axes.xaxis, x_span(panel), panel.log_x, measured_ticks(panel))
    _draw_axis(axes.yaxis, limits_of(panel), panel.log_y, {})
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e4e4e4", linewidth=0.6)
    axes.set_axisbelow(True)
    for order, line in enumerate(panel.lines):
        if line.x:
            _draw_line(axes, line, styles[line.name], order / len(panel.lines))
    _draw_levels(axes, panel)
    if not any(line.x for line in panel.lines):
        axes.text(0.5, 0.5, "no data", ha="center", transform=axes.transAxes)


def _draw_axis(axis: Any, span: Span, log: bool, ticks: dict[float, str]) -> None:
    from matplotlib.ticker import FixedLocator, NullFormatter

    low, high = (10.0 ** span[0], 10.0 ** span[1]) if log else span
    axis.axes.set(**{f"{axis.axis_name}lim": (low, high)})
    powers = range(math.floor(span[0]), math.ceil(span[1])) if log and not ticks else range(0)
    fine = [n * 10.0**power for power in powers for n in range(1, 10) if len(powers) < 7]
    ticks = ticks or ticks_of(span, log)
    axis.set_ticks(list(ticks), list(ticks.values()))
    axis.set_minor_locator(FixedLocator([tick for tick in fine if low <= tick <= high]))
    axis.set_minor_formatter(NullFormatter())
    axis.set_tick_params(length=3.5, width=0.7, labelsize=SMALL)
    axis.set_tick_params(which="minor", length=2, width=0.5)


def _draw_line(axes: Any, line: Line, style: LineStyle, stagger: float) -> None:
    """A line with its error, and with markers at some of its points that others do not mark."""
    x, y, curve = np.asarray(line.x), np.asarray(line.y), len(line.x) >= MANY
    step = max(1, len(x) // 6)
    every = (int(stagger * step), step) if curve else 1
    axes.plot(x, y, markevery=every, gid=f"line {line.name}", **style.as_matplotlib())
    if line.error is not None:
        error = np.asarray(line.error)
        low = y - error if axes.get_yscale() == "linear" else np.maximum(y - error, y / 100)
        if curve:
            some = np.unique(np.linspace(0, len(x) - 1, 50).astype(np.intp))
            pale = {
                "color": style.colour,
                "alpha": 0.05 + 0.03 * style.width,
                "linewidth": 0,
                "zorder": 2,
            }
            axes.fill_between(x[some], low[some], (y + error)[some], **pale)
        else:
            axes.vlines(x, low, y + error, color=style.colour, linewidth=0.8, zorder=1.5 + style.layer)


def _draw_levels(axes: Any, panel: Panel) -> None:
    """The levels with their names; and at the edge the names of lines and levels that lie beyond."""
    bottom, top = axes.get_ylim()
    above = [line.name for line in panel.lines if line.y and min(line.y) > top]
    below = [line.name for line in panel.lines if line.y and max(line.y) < bottom]
    names: dict[float, str] = {}
    for name, level in panel.levels.items():
        names[level] = f"{names[level]}, {name}" if level in names else name
    for level, name in sorted(names.items()):
        if bottom <= level <= top:
            axes.axhline(level, color=INK, linewidth=0.7, dashes=(7, 4), zorder=2.5)
            _write(axes, panel, name, level)
        else:
            (above if level > top else below).append(name)
    for arrow, beyond, level in (("↑", above, top), ("↓", below, bottom)):
        if beyond:
            more = f" and {len(beyond) - 3} more" if len(beyond) > 4 else ""
            _write(axes, panel, f"{arrow} {', '.join(beyond[:3] if more else beyond)}{more}", level)


def _write(axes: Any, panel: Panel, text: str, level: float) -> None:
    """A text just above a level or just below it, right or left, where it meets the fewest lines."""
    to_axes = axes.transData + axes.transAxes.inverted()
    places = np.linspace(0.0, 1.0, 80)
    lines = [to_axes.transform(np.column_stack([line.x, line.y])) for line in panel.lines if line.x]
    others = [other for other in panel.levels.values() if other != level]
    lines += [to_axes.transform([(end, other) for end in axes.get_xlim()]) for other in others]
    heights = [np.interp(places, *line[np.argsort(line[:, 0])].T) for line in lines]
    size = SMALL * axes.get_figure().dpi / 72
    wide, tall = 0.52 * size * len(text) / axes.bbox.width, 1.3 * size / axes.bbox.height
    height = to_axes.transform((axes.get_xlim()[1], level))[1]

    sides = {"right": (1.0, -3), "left": (0.0, 3), "center": (0.5, 0)}

    def crowd(spot: tuple[str, str]) -> tuple[bool, bool, int]:
        low = height - (tall if spot[1] == "top" else 0.0)
        begin = sides[spot[0]][0] * (1.0 - wide)
        under = (begin <= places) & (places <= begin + wide)
        hits = sum(int(((low < line) & (line < low + tall) & under).sum()) for line in heights)
        notes = [note for note in axes.texts if note.get_ha() == spot[0]]
        taken = [note.xy[1] - (tall if note.get_va() == "top" else 0.0) for note in notes]
        return not -0.01 < low < 1.01 - tall, any(abs(low - one) < tall for one in taken), hits

    side, edge = min(((side, edge) for side in sides for edge in ("bottom", "top")), key=crowd)
    axes.annotate(
        text,
        (sides[side][0], height),
        (sides[side][1], 2 if edge == "bottom" else -2),
        xycoords="axes fraction",
        textcoords="offset points",
        ha=side,
        va=edge,
        fontsize=SMALL,
        color="#444444",
        bbox={"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.8},
        zorder=20,
    )
