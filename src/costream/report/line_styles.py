"""How lines look: the families of learners with their weights, colours, dashes and markers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files


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


_DATA = tomllib.loads((files(__package__) / "line_styles.toml").read_text(encoding="utf-8"))
WEIGHTS, MARKERS = _DATA["weights"], _DATA["markers"]
DASHES: list[tuple[float, ...]] = [*map(tuple, _DATA["dashes"])]


def _styles(family: str) -> Iterator[tuple[str, LineStyle]]:
    """The styles of a family by name."""
    first = family in ("guide", "policy")
    for n, (name, look) in enumerate(_DATA["styles"][family].items()):
        colour, marker = look.split()
        shape, dash = marker.strip("-"), DASHES[(n + first) % len(DASHES)]
        yield name, LineStyle(colour, dash, shape, shape != marker, *WEIGHTS[family])


STYLES = {family: dict(_styles(family)) for family in WEIGHTS}
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
