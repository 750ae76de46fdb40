"""What a portfolio is made of: its members in their order, and the numbers that its views need.

It is data. A model file has it, the record of a portfolio holds it as ``plan`` and ``settings``, and
compiled code reads it there: a model goes on with the composition that it began with, whatever new ones
are made of by then.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from ...kernels.records import Floats, Integers
from . import layout
from .layout import Portfolio
from .member import ANY, Member
from .portfolios import HALF_LIFE, Portfolios, are_several
from .views import FAMILIES, KINDS

MOST_MEMBERS, MOST_PORTFOLIOS = 128, 16
LONGEST = 10**15  # rows of a half-life
WHOLE, MOST_WHOLE = 512, 4096  # slots up to which rows are written whole
VIEW_OF = {kind: family.name for family in FAMILIES for kind in family.kinds}
TYPES = {name: type(value) for name, value in asdict(Member("", 0.0)).items()}  # of what a file has


@dataclass(frozen=True)
class Pace:
    """One of several portfolios: its half-life in rows, None for never, and the views it learns."""

    half_life: int | None
    views: tuple[str, ...]


@dataclass(frozen=True)
class Composition:
    """The members of a portfolio, the widest first, the numbers of its views, and its revision."""

    members: tuple[Member, ...]
    numbers: Mapping[str, int]
    revision: int
    portfolios: tuple[Pace, ...] = ()  # none: one alone, at the half-life of the learner

    def begin(self, place: int) -> int:
        """Where the members of a kind begin: after all others where there are none."""
        kinds = (k for k, one in enumerate(self.members) if KINDS[one.kind] == place)
        return next(kinds, len(self.members))

    def of(self, place: int) -> list[Member]:
        """The members of a kind."""
        return [one for one in self.members if KINDS[one.kind] == place]

    def slots(self, place: int, d: int) -> int:
        """How many of ``d`` slots the members of a kind have space for."""
        return min(d, max((one.widest for one in self.of(place)), default=0))

    def units(self) -> list[int]:
        """The unit of each member, numbered as they come."""
        names = [one.unit or f"its own, {k}" for k, one in enumerate(self.members)]
        number = {name: k for k, name in enumerate(dict.fromkeys(names))}
        return [number[name] for name in names]


def current(revision: int, portfolios: tuple[Pace, ...] = ()) -> Composition:
    """What a new portfolio is made of: the members of all views, the widest first."""
    members = [member for family in FAMILIES for member in family.members]
    numbers = {name: value for family in FAMILIES for name, (_, value, _) in family.numbers.items()}
    in_order = tuple(sorted(members, key=lambda one: -one.widest))
    return Composition(in_order, {"whole": WHOLE, **numbers}, revision, portfolios)


# --- as arrays ----------------------------------------------------------------------------------------


def settings_of(team: Composition) -> Floats:
    """Gamma, eta, and whether it wants scaled rows, of each member."""
    members = [(one.gamma, one.eta, one.kind.endswith("scaled")) for one in team.members]
    return np.array(members, np.float64).T.copy()


def _places() -> dict[str, int]:
    """Where each number stands in the plan."""
    places = {name: place for family in FAMILIES for name, (place, _, _) in family.numbers.items()}
    return {"whole": layout.WHOLE_WIDEST, **places}


def plan_of(team: Composition) -> Integers:
    """A composition as compiled code reads it."""
    n = len(team.members)
    plan = np.zeros((layout.NUMBERS + 1, max(n, layout.PLACES)), np.int64)
    plan[layout.UNIT, :n] = team.units()
    plan[layout.WIDEST, :n] = [one.widest for one in team.members]
    plan[layout.KIND, :n] = [list(KINDS).index(one.kind) for one in team.members]
    plan[layout.SCALE, :n] = np.array([one.scale for one in team.members]).view(np.int64)
    numbers = plan[layout.NUMBERS]
    numbers[layout.REVISION] = team.revision
    numbers[layout.PRIOR_ODDS] = layout.NO_PRIOR
    for place in KINDS.values():
        numbers[place] = team.begin(place)
    for name, place in _places().items():
        numbers[place] = team.numbers[name]
    return plan


def composition_of(model: Portfolio | Portfolios) -> Composition:
    """What a portfolio is made of."""
    plan, kinds = model.plan, list(KINDS)
    scales = plan[layout.SCALE].view(np.float64)
    members = [
        Member(
            kind=kinds[plan[layout.KIND, k]],
            gamma=float(model.settings[layout.GAMMA, k]),
            eta=float(model.settings[layout.ETA, k]),
            widest=int(plan[layout.WIDEST, k]),
            view=VIEW_OF[kinds[plan[layout.KIND, k]]],
            scale=float(scales[k]),
            unit=str(plan[layout.UNIT, k]),
        )
        for k in range(len(model.spread))
    ]
    numbers = {name: int(plan[layout.NUMBERS, place]) for name, place in _places().items()}
    revision = int(plan[layout.NUMBERS, layout.REVISION])
    found = Composition(tuple(members), numbers, revision)
    return replace(found, portfolios=_paces_of(model, found)) if are_several(model) else found


def _paces_of(model: Portfolios, team: Composition) -> tuple[Pace, ...]:
    """The half-lives of several portfolios, and the views that each learns."""
    until = [model.pauses[layout.UNTIL], *model.other_pauses[:, layout.UNTIL]]
    found = []
    for half_life, never in zip(model.paces[HALF_LIFE], until, strict=True):
        named = zip(team.units(), team.members, strict=True)
        learnt = {one.view for unit, one in named if never[unit] < layout.NO_ROW}
        views = tuple(view.name for view in FAMILIES if view.name in learnt)
        found.append(Pace(int(half_life) or None, views))
    return tuple(found)


# --- in a model file ----------------------------------------------------------------------------------


def header_of(team: Composition) -> dict[str, Any]:
    """A composition as JSON."""
    members = [
        {**asdict(one), "widest": None if one.widest == ANY else one.widest} for one in team.members
    ]
    paces = [{"half_life": one.half_life, "views": [*one.views]} for one in team.portfolios]
    return {
        "members": members,
        "numbers": dict(team.numbers),
        **({"portfolios": paces} if paces else {}),
    }


def restored(header: Any, revision: int) -> Composition:
    """The composition of a model file; a `ValueError` for one that cannot be right."""
    members = [
        Member(**{**one, "widest": ANY if one["widest"] is None else one["widest"]})
        for one in header["members"]
    ]
    paces = (Pace(**{**one, "views": tuple(one["views"])}) for one in header.get("portfolios", ()))
    team = Composition(tuple(members), dict(header["numbers"]), revision, tuple(paces))
    for fine, what in _checks(team):
        if not fine:
            raise ValueError(f"its composition cannot be right: {what}")
    return team


def _checks(team: Composition) -> Iterator[tuple[bool, str]]:
    """All that compiled code takes for granted; a later check may rely on the ones before."""
    members, numbers = team.members, team.numbers
    yield 2 <= len(members) <= MOST_MEMBERS, "the number of members"
    for one in members:
        yield all(type(value) is TYPES[name] for name, value in asdict(one).items()), "a type"
        yield VIEW_OF.get(one.kind) == one.view, "a kind"
        yield all(0.0 <= value < math.inf for value in (one.gamma, one.eta, one.scale)), "a setting"
    most = {name: most for family in FAMILIES for name, (_, _, most) in family.numbers.items()}
    most["whole"] = MOST_WHOLE
    yield numbers.keys() == most.keys(), "the names of numbers"
    for name, value in numbers.items():
        yield type(value) is int and 2 <= value <= most[name], name
    widest = [one.widest for one in members]
    places, units = [KINDS[one.kind] for one in members], team.units()
    yield widest == sorted(widest, reverse=True), "the order of widths"
    for place, width in zip(places, widest, strict=True):
        yield place == layout.SPARSE or 2 <= width <= numbers["whole"], "a width"
    yield len(list(groupby(places))) == len(set(places)), "the order of kinds"
    for family in FAMILIES:
        for place in set(family.kinds.values()):
            found, begin = team.of(place), team.begin(place)
            fits = family.fits(place, found, units[begin : begin + len(found)])
            yield fits, f"the members of {family.name}"
    yield from _pace_checks(team.portfolios)


def _pace_checks(paces: tuple[Pace, ...]) -> Iterator[tuple[bool, str]]:
    """The first never forgets, and the second alone may have trees besides it."""
    yield len(paces) == 0 or 2 <= len(paces) <= MOST_PORTFOLIOS, "the number of portfolios"
    for k, one in enumerate(paces):
        if k == 0:
            yield one.half_life is None, "the first half-life"
        else:
            yield type(one.half_life) is int and 1 <= one.half_life <= LONGEST, "a half-life"
        yield set(one.views) <= {family.name for family in FAMILIES}, "the views of a portfolio"
        yield k < 2 or "leaves" not in one.views, "the trees of a portfolio"
