"""The standings of a portfolio: who leads, how far behind the others are, and their shares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._html import notebook_table
from ...kernels.records import Floats, Integers
from . import layout
from .composition import composition_of
from .layout import Portfolio
from .members import CONSTANT
from .portfolios import HALF_LIFE, LEADING, LED_SINCE, PHASE, SHARE, TAKES_PART, Portfolios, are_several


@dataclass(frozen=True)
class Standing:
    """A member of a portfolio, and how it has fared.

    Attributes
    ----------
    name : str
        Its geometry, its kind of row and its hyper-parameters.
    view : str
        The view of the row that it learns.
    cost : float
        What its mistakes have cost so far, in units of what flagging a negative row costs more than
        passing it (``objective.unit``: 0.1 where that comes from a column).
    share : float
        Its share of the stacker's log-odds; 0 for a constant policy.
    leads : bool
        Whether it is the leader.
    active : bool
        False for a member that takes no part, since rows are too wide for it.
    paused : bool
        Whether it takes no part for a while, since it hardly matters. Its cost then grows as that of
        the portfolio does, so it may be less than the leader's; it does not lead.

    Examples
    --------
    >>> from costream import OnlineClassifier
    >>> OnlineClassifier().standings().leader.name
    'diagonal, scaled, gamma 10'
    """

    name: str
    view: str
    cost: float
    share: float
    leads: bool
    active: bool
    paused: bool = False


@dataclass(frozen=True)
class HalfLife:
    """One of the half-lives at which a portfolio learns, and what it counts for.

    Attributes
    ----------
    rows : int or None
        The rows after which what was learnt counts half; None for one that never forgets.
    share : float
        Its share of the log-odds lately.
    leads : bool
        Whether its share is the largest.
    paused : bool
        Whether it rests, or learns without a share as yet, since it hardly matters.

    Examples
    --------
    >>> from costream import OnlineClassifier
    >>> OnlineClassifier().standings().half_lives[0]
    HalfLife(rows=None, share=1.0, leads=True, paused=False)
    """

    rows: int | None
    share: float
    leads: bool
    paused: bool


@dataclass(frozen=True)
class Standings:
    """All members of a portfolio: the leader first, then the cheapest, those that are paused later.

    Where a model learns at several half-lives, the members are those that never forget.

    Attributes
    ----------
    rows : int
        How many rows have been learnt.
    since : int
        How many rows had been learnt when the leader took the lead.
    members : list of Standing
        The members, and the two constant policies.
    half_lives : list of HalfLife
        The half-lives at which the model learns: one that has come to lead is a sign of drift.
    half_life_since : int
        How many rows had been learnt when the half-life that leads took the lead.

    Examples
    --------
    >>> from costream import OnlineClassifier
    >>> model = OnlineClassifier()
    >>> for amount, label in [(1.0, 0), (2.0, 0), (9.0, 1), (8.0, 1)]:
    ...     score = model.learn_one({"amount": amount}, label)
    >>> model.standings().rows
    4
    """

    rows: int
    since: int
    members: list[Standing]
    half_lives: list[HalfLife] = field(default_factory=list)
    half_life_since: int = 0

    @property
    def half_life(self) -> int | None:
        """The half-life with the largest share, in rows; None while nothing is forgotten."""
        return next((one.rows for one in self.half_lives if one.leads), None)

    @property
    def leader(self) -> Standing:
        """The member or constant policy that leads."""
        return next(one for one in self.members if one.leads)

    def _repr_html_(self) -> str:
        """The members that take part, as notebooks show them."""
        rows = [
            (one.name, one.view, f"{one.cost:,.6g}", f"{one.share:.1%}", "paused" if one.paused else "")
            for one in self.members
            if one.active
        ]
        header = ("member", "view", "cost", "share", "")
        title = f"Standings after {self.rows:,} rows; {half_life_words(self)}"
        return notebook_table(title, rows, header)


def half_life_words(standings: Standings) -> str:
    """At which half-life a model lives now, and since when.

    >>> from costream import OnlineClassifier
    >>> half_life_words(OnlineClassifier().standings())
    'nothing is forgotten, since the beginning'
    """
    rows, since = standings.half_life, standings.half_life_since
    lives = "nothing is forgotten" if rows is None else f"rows count half after {rows:,} more"
    return f"{lives}, since {f'row {since:,}' if since else 'the beginning'}"


def standings_of(model: Any) -> Standings:
    """Who leads, and how far behind the others are."""
    clock, team = model.clock, composition_of(model)
    names = [*(member.name for member in team.members), *CONSTANT]
    views = [*(member.view for member in team.members), "constant", "constant"]
    active, paused = takes_part(model), are_paused(model)
    shares = shares_of(model, active)
    found = [
        Standing(
            name,
            view=views[k],
            cost=float(model.costs[k]),
            share=float(shares[k]),
            leads=bool(k == clock[layout.LEADER]),
            active=bool(active[k]),
            paused=bool(active[k] and paused[k]),
        )
        for k, name in enumerate(names)
    ]
    order = sorted(found, key=lambda one: (not one.leads, not one.active, one.paused, one.cost))
    rows, since = int(clock[layout.ROWS]), int(clock[layout.SINCE])
    if are_several(model):
        return Standings(rows, since, order, half_lives_of(model), int(model.trend[LED_SINCE]))
    return Standings(rows, since, order, [HalfLife(int(model.period) or None, 1.0, True, False)])


def half_lives_of(model: Portfolios) -> list[HalfLife]:
    """The half-lives of several portfolios, and what each counts for."""
    numbers = zip(model.paces[HALF_LIFE], model.mixture[SHARE], model.turns[PHASE], strict=True)
    return [
        HalfLife(int(rows) or None, float(share), g == model.trend[LEADING], bool(phase != TAKES_PART))
        for g, (rows, share, phase) in enumerate(numbers)
    ]


def takes_part(model: Portfolio | Portfolios) -> list[bool]:
    """Which members take part: rows are not too wide for them, and their view was chosen."""
    units, widest = _units(model), model.plan[layout.WIDEST, : len(model.spread)]
    chosen = model.pauses[layout.UNTIL, units] < layout.NO_ROW
    return [*((model.clock[layout.SLOTS] <= widest) & chosen).tolist(), True, True]


def are_paused(model: Portfolio | Portfolios) -> list[bool]:
    """Which members were paused at the last row, when the leader was found."""
    last = max(model.clock[layout.ROWS] - 1, 0)
    return [*(model.pauses[layout.UNTIL, _units(model)] > last).tolist(), False, False]


def shares_of(model: Portfolio | Portfolios, active: list[bool]) -> Floats:
    """The share of each member in the stacker's log-odds: its weight times the size of its scores.

    Constant policies have none.
    """
    shares, n = np.zeros(len(active)), len(model.spread)
    influence = np.abs(model.stacker[1:]) * model.spread * active[:n]
    shares[:n] = influence / max(influence.sum(), 1e-300)
    return shares


def _units(model: Portfolio | Portfolios) -> Integers:
    """The unit of each member."""
    return model.plan[layout.UNIT, : len(model.spread)]
