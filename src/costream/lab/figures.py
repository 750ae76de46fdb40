"""Figures as a journal prints them: panels of lines, as SVG.

A line is told from the others by its dashes, its marker and its lightness, so a figure can be read
without colour; its family gives its weight, so that a dozen baselines stay in the background. The
learners of the paper look the same in every figure, other lines by the order in which they come.

The same panels give the same bytes, whatever the settings of the user, and several figures can stand
in one HTML page. While a figure is drawn the global settings of matplotlib are changed; so figures are
drawn one at a time, and other threads had better not use matplotlib meanwhile.
"""

from __future__ import annotations

import hashlib
import io
import math
import re
import threading
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CostreamError

Floats = NDArray[np.float64]
Span = tuple[float, float]

FONTS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
FONT, SMALL = 9.0, 8.0  # points; a figure has 100 pixels an inch, so these are 12.5 and 11 pixels
INK = "#222222"
MANY = 20  # points, from which on a line is a curve and not a series of measurements
LESS_IS_BETTER = re.compile("cost|bill|regret|loss|error|mistake|missed|alarm|second|time", re.I)
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MINUS, TIMES = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}"
SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
LOCK = threading.Lock()


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

    ``better`` is "more" or "less": the better half of the lines is never cut off. Without it the y
    label tells, and less is better of a cost, an error or a time.
    """

    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    log_x: bool = False
    log_y: bool = False
    levels: Mapping[str, float] = field(default_factory=dict)
    better: str = ""


@dataclass(frozen=True)
class Look:
    """How a line is drawn; an open marker is white inside."""

    colour: str
    dash: tuple[float, ...]
    marker: str
    open: bool
    width: float
    layer: int

    def variant(self) -> Look:
        """A look for another setting of the same learner: of its colour, but lighter or darker."""
        parts = [int(self.colour[n : n + 2], 16) for n in (1, 3, 5)]
        end = 255 if 0.2 * parts[0] + 0.7 * parts[1] + 0.1 * parts[2] < 120 else 0
        colour = "#" + "".join(f"{round(0.6 * part + 0.4 * end):02x}" for part in parts)
        dash = DASHES[(DASHES.index(self.dash) + 4) % len(DASHES)]
        return replace(self, colour=colour, dash=dash, open=not self.open)

    def style(self) -> dict[str, Any]:
        """As matplotlib calls it."""
        return {
            "color": self.colour,
            "linewidth": self.width,
            "linestyle": (0, self.dash) if self.dash else "-",
            "marker": self.marker,
            "markersize": (6.2 if self.marker in "*PX" else 4.6) + 0.4 * self.width,
            "markerfacecolor": "white" if self.open else self.colour,
            "markeredgecolor": self.colour if self.open else "white",
            "markeredgewidth": 1.0 if self.open else 0.5,
            "zorder": 2 + self.layer,
        }


# Width and layer of each family; a guide is a line to compare with, named O(...) or slope ...
WEIGHTS = {
    "guide": (0.7, 1),
    "policy": (0.8, 2),
    "baseline": (0.9, 2),
    "cog": (1.3, 3),
    "other": (1.4, 3),
    "sketch": (1.5, 4),
    "acog": (1.5, 5),
    "carow": (2.3, 6),
}
DASHES: tuple[tuple[float, ...], ...] = (
    (),  # solid; in units of the width
    (5, 1.6),
    (1.3, 1.3),
    (6, 1.5, 1.3, 1.5),
    (2.8, 1.4),
    (9, 2),
    (5, 1.3, 1.3, 1.3, 1.3, 1.3),
    (1.3, 2.8),
)
# Family, name, colour, marker ("-" after it: open). Within a family no two are about equally light.
TABLE = """
baseline  perceptron    #949494  o-
baseline  romma         #525252  s
baseline  pa-i          #ababab  ^-
baseline  paum          #6b6b6b  D
baseline  cpa-pb        #808080  v-
baseline  arow          #3d3d3d  P
cog       cog-i         #8a6a12  ^
cog       cog-ii        #dcae2c  s-
acog      acog-i        #08306b  o
acog      acog-ii       #1f6fb5  D-
acog      acog-i-diag   #4f97d3  v
acog      acog-ii-diag  #7fb4de  X
sketch    sacog-i       #00441b  >
sketch    sacog-ii      #1a7f43  <-
sketch    ssacog-i      #4aa564  p
sketch    ssacog-ii     #7cc184  h-
carow     carow         #000000  *
carow     carow-diag    #c51b4a  <
carow     carow-sketch  #ee8fa8  p-
other     1             #000000  o
other     2             #d95f06  s-
other     3             #0b4c89  ^
other     4             #53be97  D-
other     5             #622267  v
other     6             #a79018  P
other     7             #d684b0  X
other     8             #116136  o-
other     9             #e5b04a  s
other     10            #2b7ead  ^-
other     11            #582216  D
other     12            #6a6a6a  v-
other     13            #151f53  *
other     14            #b6203b  h-
policy    always-positive  #222222  None
policy    always-negative  #888888  None
guide     1             #777777  None
guide     2             #a5a5a5  None
guide     3             #555555  None
"""


def _read_table() -> dict[str, dict[str, Look]]:
    """The looks of each family by name."""
    families: dict[str, dict[str, Look]] = {family: {} for family in WEIGHTS}
    for row in TABLE.split("\n")[1:-1]:
        family, name, colour, marker = row.split()
        dash = DASHES[(len(families[family]) + (family in ("guide", "policy"))) % len(DASHES)]
        shape, is_open = marker.removesuffix("-"), marker.endswith("-")
        families[family][name] = Look(colour, dash, shape, is_open, *WEIGHTS[family])
    return families


LOOKS = _read_table()
FAMILY_OF = {name.split("-")[0]: family for family in LOOKS for name in LOOKS[family]}


def draw(panels: Sequence[Panel], title: str = "") -> str:
    """The SVG text of a figure: panels in two columns (one alone), and one legend below them."""
    if not panels:
        raise CostreamError("a figure needs at least one panel")
    title, panels = _plain(title), [_checked(panel) for panel in panels]
    looks = looks_of(line.name for panel in panels for line in panel.lines if line.x)
    mark = "f" + hashlib.sha256(repr((title, panels)).encode()).hexdigest()[:10]
    text = io.StringIO()
    with LOCK, _settings(mark):
        _figure(panels, looks, title).savefig(text, format="svg", metadata={"Date": None})
    heading = title or "; ".join(panel.title for panel in panels)
    return _tidy(text.getvalue(), [name for name in looks if "_" in name], heading, mark)


# --- what is drawn ----------------------------------------------------------------------------------


def _plain(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]", " ", str(text))


def _checked(panel: Panel) -> Panel:
    """The panel with points that can be drawn."""
    if panel.better not in ("", "more", "less"):
        raise CostreamError(f"better is 'more', 'less' or empty, not {panel.better!r}")
    levels = {_plain(name): float(level) for name, level in panel.levels.items()}
    words = {name: _plain(getattr(panel, name)) for name in ("title", "x_label", "y_label")}
    return replace(
        panel,
        **words,  # type: ignore[arg-type]
        lines=[_drawable(panel, line) for line in panel.lines],
        levels={name: level for name, level in levels.items() if _fits(level, panel.log_y)},
    )


def _fits(values: Any, log: bool) -> Any:
    """Which values have a place on an axis."""
    return (np.abs(values) < 1e300) & ((np.asarray(values) > 0) | (not log))


def _drawable(panel: Panel, line: Line) -> Line:
    x, y = np.asarray(line.x, np.float64), np.asarray(line.y, np.float64)
    error = np.zeros(y.shape) if line.error is None else np.asarray(line.error, np.float64)
    if not x.shape == y.shape == error.shape or x.ndim != 1:
        raise CostreamError(f"the line {line.name!r} needs as many x as y, and as many errors")
    keep = _fits(x, panel.log_x) & _fits(y, panel.log_y)
    error = np.nan_to_num(error[keep], nan=0.0, posinf=0.0)
    return Line(
        _plain(line.name), x[keep].tolist(), y[keep].tolist(), error.tolist() if error.any() else None
    )


def looks_of(names: Iterable[str]) -> dict[str, Look]:
    """A look for each line, no two alike: a known learner has its own, others the next free one."""
    names = list(dict.fromkeys(names))
    exact = [name for name in names if _canonical(name) in LOOKS[_family(name)]]
    looks: dict[str, Look] = {}
    for name in dict.fromkeys([*exact, *names]):
        looks[name] = _next_look(name, list(looks.values()))
    return {name: looks[name] for name in names}


def _canonical(name: str) -> str:
    return name.lower().replace("_", "-")


def _family(name: str) -> str:
    word = re.split("[^a-z]", _canonical(name))[0]
    return "guide" if name.startswith(("O(", "slope ")) else FAMILY_OF.get(word, "other")


def _next_look(name: str, taken: Sequence[Look]) -> Look:
    """The look of the learner, or of a variant of it; or else the first whose marker nobody has."""
    family = _family(name)
    own = LOOKS[family].get(_canonical(name.partition(",")[0]))
    mine = [own, own.variant()] if own else []
    others = () if family == "guide" else LOOKS["other"].values()
    choice = [*mine, *LOOKS[family].values(), *others]
    markers = {(look.marker, look.open) for look in taken if look.marker != "None"}
    free = [look for look in choice if look not in taken]
    fresh = [look for look in free if (look.marker, look.open) not in markers]
    again: list[Look] = choice[len(taken) % len(choice) :]
    return (fresh or free or again)[0]


# --- the axes ---------------------------------------------------------------------------------------


def limits_of(panel: Panel) -> Span:
    """The ends of the y axis (their logarithms on a log axis): the better half of the lines, and the
    rest as far as it is near.

    Neither a wild beginning nor a line that diverges may flatten the others.
    """
    curves = [line for line in panel.lines if line.y and _family(line.name) != "guide"]
    levels = _scaled(list(panel.levels.values()), panel.log_y)
    if not curves:
        return _padded((min(levels, default=0.0), max(levels, default=1.0)), panel.log_y)
    less = panel.better == "less" or (not panel.better and LESS_IS_BETTER.search(panel.y_label))
    parts = [_settled(panel, line) for line in curves]
    parts.sort(key=lambda part: float(np.median(part)) * (1 if less else -1))
    best = np.concatenate(parts[: (len(parts) + 1) // 2])
    span = (float(best.min()), float(best.max()))
    room = max(span[1] - span[0], 0.1 if panel.log_y else 0.01 * max(map(abs, span)))
    for part in parts:
        span = _reaching(span, np.percentile(part, [2, 98]), 4.0 * room)
        span = _reaching(span, part, 1.25 * (span[1] - span[0]))
    room = max(room, span[1] - span[0])
    for values in (*(_scaled(line.y, panel.log_y) for line in curves), *levels.reshape(-1, 1)):
        span = _reaching(span, values, 1.3 * room)
    return _padded(span, panel.log_y)


def _scaled(values: Any, log: bool) -> Floats:
    numbers = np.asarray(values, np.float64)
    return np.log10(numbers) if log else numbers


def _settled(panel: Panel, line: Line) -> Floats:
    """The values of a line without those of its first tenth, where it is a curve."""
    x, y = np.asarray(line.x), _scaled(line.y, panel.log_y)
    late = x >= x.min() + 0.1 * (x.max() - x.min())
    return y[late] if len(y) >= MANY and not panel.log_x else y


def _reaching(span: Span, values: Floats, room: float) -> Span:
    """The span and the values, at each end only if it is then no longer than ``room``."""
    low, high = min(span[0], float(values.min())), max(span[1], float(values.max()))
    return (low if span[1] - low <= room else span[0], high if high - span[0] <= room else span[1])


def _padded(span: Span, log: bool, part: float = 0.05) -> Span:
    size, largest = span[1] - span[0], max(map(abs, span))
    room = part * size if size > 1e-9 * largest else 0.15 if log else 0.05 * largest or 1.0
    return span[0] - room, span[1] + room


def _x_span(panel: Panel) -> Span:
    x = np.concatenate([np.zeros(0), *(_scaled(line.x, panel.log_x) for line in panel.lines)])
    if not len(x):
        return 0.0, 1.0
    low, high = _padded((float(x.min()), float(x.max())), panel.log_x, 0.02)
    return (0.0 if not panel.log_x and 0.0 <= x.min() < 0.1 * x.max() else low), high


def ticks_of(span: Span, log: bool) -> dict[float, str]:
    """Round numbers on an axis, and how they are written.

    >>> ticks_of((0.0, 48842.0), log=False)
    {0.0: '0', 10000.0: '10,000', 20000.0: '20,000', 30000.0: '30,000', 40000.0: '40,000'}
    >>> ticks_of((-5.5, 3.2), log=True)
    {1e-05: '10⁻⁵', 0.001: '10⁻³', 0.1: '10⁻¹', 10.0: '10¹', 1000.0: '10³'}
    """
    if log:
        low, high = math.ceil(span[0] - 1e-9), math.floor(span[1] + 1e-9)
        values = [10.0**n for n in range(low, high + 1, 1 + max(0, high - low) // 7)]
        if len(values) < 3:
            every = [n * 10.0**power for power in range(low - 1, high + 1) for n in (1, 2, 5)]
            values = [value for value in every if span[0] <= math.log10(value) <= span[1]]
        if len(values) > 1:
            return _written(values)
        span = (10.0 ** span[0], 10.0 ** span[1])
    rough = (span[1] - span[0]) / 5
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(n for n in (1, 2, 5, 10) if n * unit >= 0.8 * rough) * unit
    return _written(
        [n * step for n in range(math.ceil(span[0] / step), math.floor(span[1] / step) + 1)]
    )


def _measured(panel: Panel) -> dict[float, str]:
    """The numbers that were measured, as ticks of a log axis, where they are few and evenly spaced."""
    values = sorted({float(x) for line in panel.lines for x in line.x}) if panel.log_x else []
    steps = np.diff(np.log10(values)) if 2 < len(values) <= 12 else np.array([0.0, 1.0])
    even = steps.max() <= 1.5 * steps.min()
    return _written(values[:: 1 + (len(values) - 1) // 8]) if even else {}


def _written(values: Sequence[float]) -> dict[float, str]:
    """Numbers as text: all with the same decimals, or each with its own, or as powers of ten."""
    sizes = [abs(value) for value in values if value] or [1.0]
    if max(sizes) >= 1e6 or min(sizes) < 9e-5:
        return {value: _power(value) for value in values}
    own = [
        next(n for n in range(9) if math.isclose(size, round(size, n), rel_tol=1e-6)) for size in sizes
    ]
    same = max(sizes) < 100 * min(sizes) or max(own) == 0
    texts = [
        f"{value:,.{max(own)}f}" if same else f"{value:,.5f}".rstrip("0").rstrip(".")
        for value in values
    ]
    return dict(zip(values, (text.replace("-", MINUS) for text in texts), strict=True))


def _power(value: float) -> str:
    factor, _, exponent = f"{value:.3e}".partition("e")
    power = "10" + str(int(exponent)).translate(RAISED)
    factor = f"{float(factor):g}".replace("-", MINUS)
    return "0" if factor == "0" else power if factor == "1" else f"{factor}{TIMES}{power}"


# --- matplotlib -------------------------------------------------------------------------------------


@contextmanager
def _settings(mark: str) -> Iterator[None]:
    """The settings that matplotlib comes with, and a few of our own."""
    try:
        import matplotlib
    except ImportError:
        raise CostreamError("figures need matplotlib", 'pip install "costream[lab]"') from None
    inked = ("axes.edgecolor", "axes.labelcolor", "text.color", "xtick.color", "ytick.color")
    ours = {"svg.fonttype": "none", "svg.hashsalt": mark, "text.parse_math": False}
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # the font of the reader may have it
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(ours | dict.fromkeys(inked, INK))
        matplotlib.rcParams.update({"font.size": FONT, "axes.linewidth": 0.7})
        yield


def _figure(panels: Sequence[Panel], looks: Mapping[str, Look], title: str) -> Any:
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    columns = min(len(panels), 2)
    rows = math.ceil(len(panels) / columns)
    width, height = (6.4, 3.7) if columns == 1 else (9.0, 2.9 * rows)
    widest = FONT / 72 * (0.62 * max(map(len, looks), default=0) + 5.2)
    legend_rows = math.ceil(len(looks) / max(1, width // widest))
    height += 0.21 * legend_rows + (0.4 if title else 0.1)
    spacing = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.06, wspace=0.03, hspace=0.05)
    figure = Figure((width, height), layout=spacing)
    FigureCanvasSVG(figure)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, panel in zip(grid, panels, strict=False):
        _draw_panel(axes, panel, looks)
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    if title:
        figure.suptitle(title, fontsize=FONT + 2, fontweight="bold")
    if looks:
        _draw_legend(figure, list(looks.items()), math.ceil(len(looks) / legend_rows))
    return figure


def _draw_legend(figure: Any, entries: Sequence[tuple[str, Look]], columns: int) -> None:
    """All lines, row by row (matplotlib would go column by column)."""
    from matplotlib.lines import Line2D

    ordered = [entry for column in range(columns) for entry in entries[column::columns]]
    figure.legend(
        [Line2D([], [], **look.style()) for _, look in ordered],
        [name for name, _ in ordered],
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        handlelength=3.4,
        columnspacing=1.4,
        labelspacing=0.45,
        fontsize=FONT,
    )


def _draw_panel(axes: Any, panel: Panel, looks: Mapping[str, Look]) -> None:
    axes.set_title(panel.title, loc="left", fontsize=FONT + 0.5, fontweight="bold")
    axes.set(xscale="log" if panel.log_x else "linear", yscale="log" if panel.log_y else "linear")
    axes.set(xlabel=panel.x_label, ylabel=panel.y_label)
    _draw_axis(axes.xaxis, _x_span(panel), panel.log_x, _measured(panel))
    _draw_axis(axes.yaxis, limits_of(panel), panel.log_y, {})
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e4e4e4", linewidth=0.6)
    axes.set_axisbelow(True)
    for order, line in enumerate(panel.lines):
        if line.x:
            _draw_line(axes, line, looks[line.name], order / len(panel.lines))
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


def _draw_line(axes: Any, line: Line, look: Look, stagger: float) -> None:
    """A line with its error, and with markers at some of its points that others do not mark."""
    x, y, curve = np.asarray(line.x), np.asarray(line.y), len(line.x) >= MANY
    step = max(1, len(x) // 6)
    every = (int(stagger * step), step) if curve else 1
    axes.plot(x, y, markevery=every, gid=f"line {line.name}", **look.style())
    if line.error is not None:
        error = np.asarray(line.error)
        low = y - error if axes.get_yscale() == "linear" else np.maximum(y - error, y / 100)
        if curve:
            some = np.unique(np.linspace(0, len(x) - 1, 50).astype(np.intp))
            pale = {
                "color": look.colour,
                "alpha": 0.05 + 0.03 * look.width,
                "linewidth": 0,
                "zorder": 2,
            }
            axes.fill_between(x[some], low[some], (y + error)[some], **pale)
        else:
            axes.vlines(x, low, y + error, color=look.colour, linewidth=0.8, zorder=1.5 + look.layer)


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
        said = [note.xy[1] - (tall if note.get_va() == "top" else 0.0) for note in notes]
        return not -0.01 < low < 1.01 - tall, any(abs(low - one) < tall for one in said), hits

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


# --- the text of the figure -------------------------------------------------------------------------


def _tidy(text: str, indexed: Sequence[str], heading: str, mark: str) -> str:
    """The SVG without what a page does not need, with a title, and with indices of some names."""
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', text))
    root = _clean(ET.fromstring(text), used)[0]
    for element in list(root.iter("text")):
        _set_indices(element, indexed)
    width, height = map(float, root.attrib["viewBox"].split()[2:])
    root.attrib = {
        "xmlns": SVG,
        "xmlns:xlink": XLINK,
        "width": f"{width / 0.72:.0f}",
        "height": f"{height / 0.72:.0f}",
        "viewBox": f"0 0 {width:g} {height:g}",
        "role": "img",
        "aria-labelledby": f"{mark}-title",
        "style": f"font-family:{FONTS};stroke-linejoin:round",
    }
    root.insert(0, ET.Element("title", id=f"{mark}-title"))
    root[0].text = heading
    return ET.tostring(root, encoding="unicode")


def _clean(element: ET.Element, used: set[str]) -> list[ET.Element]:
    """The element, short, with an id only if that is used; its children if it merely wraps them."""
    tag = element.tag = element.tag.rpartition("}")[2]
    name = element.get("id", "")
    kept = [part for child in element for part in _clean(child, used)]
    attributes = {
        key.replace(f"{{{XLINK}}}", "xlink:"): _short(key, value)
        for key, value in element.items()
        if (key != "id" or name in used) and not value.startswith("rotate(-0 ")
    }
    styles = {part.get("style") for part in kept}
    if tag == "g" and len(kept) > 1 and len(styles) == 1 and None not in styles:
        attributes["style"] = styles.pop() or ""
        for part in kept:
            del part.attrib["style"]
    if tag in ("metadata", "style") or (tag in ("g", "defs") and not kept):
        return []
    if name.startswith("line "):
        kept.insert(0, ET.Element("title"))
        kept[0].text = name.removeprefix("line ")
    elif tag == "g" and not attributes:
        return kept
    element[:], element.attrib, element.tail = kept, attributes, None
    element.text = element.text if tag in ("text", "title") else None
    return [element]


def _short(key: str, value: str) -> str:
    """The value of an attribute in hundredths of a point; the points of a long path in tenths."""
    if key == "d" and len(value) > 400 and not re.search(r"[^MLz\d. \n-]", value):
        return "".join(_steps(part) for part in value.split("M")[1:])
    value = re.sub(r"-?\d+\.\d{3,}", lambda found: f"{round(float(found.group()), 2):g}", value)
    if key == "d":
        return re.sub(r"\s*([A-Za-z])\s*", r"\1", re.sub(r"\s+", " ", value)).strip()
    if key == "style":
        parts = [part.strip() for part in value.split(";")]
        needless = ("font-family", "stroke-dashoffset: 0")
        return ";".join(part for part in parts if not part.startswith(needless)).replace(": ", ":")
    return value


def _steps(text: str) -> str:
    """A line as steps from point to point, which are shorter to write than the points."""
    numbers = np.array(re.findall(r"[-\d.]+", text), np.float64)
    points = np.rint(10 * numbers).astype(np.int64).reshape(-1, 2)
    steps = np.diff(points, axis=0)
    begin, way = (
        " ".join(f"{n / 10:g}" for n in part.ravel()) for part in (points[0], steps[steps.any(axis=1)])
    )
    path = f"M{begin}l{way}" if way else f"M{begin}"
    return re.sub(r"(?<!\d)0\.", ".", path.replace(" -", "-")) + ("z" if "z" in text else "")


def _set_indices(element: ET.Element, names: Sequence[str]) -> None:
    """CPA_PB as the paper writes it, wherever it is named."""
    words = re.split("(" + "|".join(map(re.escape, names)) + ")", element.text or "") if names else []
    if len(words) < 2:
        return
    pieces = [part for n, word in enumerate(words) for part in _with_index(word, n % 2 == 1)]
    element.text, sunk = None, 0
    for text, depth in pieces:
        if text:
            part = ET.SubElement(element, "tspan", {"font-size": "75%"} if depth else {})
            part.text = text
            if depth != sunk:
                part.set("dy", str(depth - sunk))
            sunk = depth


def _with_index(word: str, named: bool) -> list[tuple[str, int]]:
    """The parts of a name, and how deep they stand."""
    parts = re.split("_([A-Za-z0-9]+)", word) if named else [word]
    return [(part, 2 * (n % 2)) for n, part in enumerate(parts)]
