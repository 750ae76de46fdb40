"""How lines look: the families of learners with their weights, colours, dashes and markers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class LineStyle:
    """How a line is drawn; an open marker is white inside."""

    colour: str
    dash: tuple[float, ...]
    marker: str
    open: bool
    width: float
    layer: int

    def variant(self) -> LineStyle:
        """A style for another setting of the same learner: of its colour, but lighter or darker."""
        parts = [int(self.colour[n : n + 2], 16) for n in (1, 3, 5)]
        end = 255 if 0.2 * parts[0] + 0.7 * parts[1] + 0.1 * parts[2] < 120 else 0
        colour = "#" + "".join(f"{round(0.6 * part + 0.4 * end):02x}" for part in parts)
        dash = DASHES[(DASHES.index(self.dash) + 4) % len(DASHES)]
        return replace(self, colour=colour, dash=dash, open=not self.open)


# Width and layer of each family; a guide is a line to compare with, named O(...) or slope ...
WEIGHTS = {
    "guide": (1.0, 1),
    "policy": (1.1, 2),
    "baseline": (1.3, 2),
    "cog": (1.8, 3),
    "other": (2.0, 3),
    "sketch": (2.1, 4),
    "acog": (2.1, 5),
    "carow": (3.2, 6),
}
MARKERS = {  # as paths around a point
    "o": "m-3.7 0a3.7 3.7 0 1 0 7.4 0a3.7 3.7 0 1 0-7.4 0z",
    "s": "m-3.4-3.4h6.8v6.8h-6.8z",
    "^": "m0-4l3.8 7.4h-7.6z",
    "v": "m0 4l3.8-7.4h-7.6z",
    "<": "m-4 0l7.4-3.8v7.6z",
    ">": "m4 0l-7.4-3.8v7.6z",
    "D": "m0-4.8l4.8 4.8l-4.8 4.8l-4.8-4.8z",
    "P": "m-1.6-4.6h3.2v3h3v3.2h-3v3h-3.2v-3h-3v-3.2h3z",
    "X": "m0-2l2-2l2 2l-2 2l2 2l-2 2l-2-2l-2 2l-2-2l2-2l-2-2l2-2z",
    "*": "m0-5.2l1.2 3.6h3.8l-3.1 2.2l1.2 3.6l-3.1-2.2l-3.1 2.2l1.2-3.6l-3.1-2.2h3.8z",
    "p": "m0-4.3l4.1 3l-1.6 4.8h-5l-1.6-4.8z",
    "h": "m0-4.2l3.6 2.1v4.2l-3.6 2.1l-3.6-2.1v-4.2z",
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
# Family, name, colour, marker ("-" after it: open; alone: none). Within a family no two are about
# equally light.
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
policy    always-positive  #222222  -
policy    always-negative  #888888  -
guide     1             #777777  -
guide     2             #a5a5a5  -
guide     3             #555555  -
"""


def _read_table() -> dict[str, dict[str, LineStyle]]:
    """The styles of each family by name."""
    families: dict[str, dict[str, LineStyle]] = {family: {} for family in WEIGHTS}
    for row in TABLE.split("\n")[1:-1]:
        family, name, colour, marker = row.split()
        dash = DASHES[(len(families[family]) + (family in ("guide", "policy"))) % len(DASHES)]
        shape = marker.strip("-")
        families[family][name] = LineStyle(colour, dash, shape, shape != marker, *WEIGHTS[family])
    return families


STYLES = _read_table()
FAMILY_OF = {name.split("-")[0]: family for family in STYLES for name in STYLES[family]}


def line_styles(names: Iterable[str]) -> dict[str, LineStyle]:
    """A style for each line, no two alike: a known learner has its own, others the next free one."""
    names = list(dict.fromkeys(names))
    exact = [name for name in names if _canonical(name) in STYLES[family_of(name)]]
    styles: dict[str, LineStyle] = {}
    for name in dict.fromkeys([*exact, *names]):
        styles[name] = _next_style(name, list(styles.values()))
    return {name: styles[name] for name in names}


def _canonical(name: str) -> str:
    return name.lower().replace("_", "-")


def family_of(name: str) -> str:
    """The family of a line, by the first word of its name."""
    word = re.split("[^a-z]", _canonical(name))[0]
    return "guide" if name.startswith(("O(", "slope ")) else FAMILY_OF.get(word, "other")


def _next_style(name: str, taken: Sequence[LineStyle]) -> LineStyle:
    """The style of the learner, or of a variant of it; or else the first whose marker nobody has."""
    family = family_of(name)
    own = STYLES[family].get(_canonical(name.partition(",")[0]))
    mine = [own, own.variant()] if own else []
    others = () if family == "guide" else STYLES["other"].values()
    choice = [*mine, *STYLES[family].values(), *others]
    markers = {(style.marker, style.open) for style in taken if style.marker}
    free = [style for style in choice if style not in taken]
    fresh = [style for style in free if (style.marker, style.open) not in markers]
    again: list[LineStyle] = choice[len(taken) % len(choice) :]
    return (fresh or free or again)[0]
