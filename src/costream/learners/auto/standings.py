"""The standings of a portfolio: who leads, how far behind the others are, and their shares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._html import notebook_table
from ...kernels.records import Floats, Integers
from . import layout
from .composition import composition_of
from .layout import Portfolio
from .members import CONSTANT


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
class Standings:
    """All members of a portfolio: the leader first, then the cheapest, those that are paused later.

    Attributes
    ----------
    rows : int
        How many rows have been learnt.
    since : int
        How many rows had been learnt when the leader took the lead.
    members : list of Standing
        The members, and the two constant policies.

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
        return notebook_table(f"Standings after {self.rows:,} rows", rows, header)


def standings_of(model: Portfolio) -> Standings:
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
    return Standings(int(clock[layout.ROWS]), int(clock[layout.SINCE]), order)


def takes_part(model: Portfolio) -> list[bool]:
    """Which members take part: rows are not too wide for them, and their view was chosen."""
    units, widest = _units(model), model.plan[layout.WIDEST, : len(model.spread)]
    chosen = model.pauses[layout.UNTIL, units] < layout.NO_ROW
    return [*((model.clock[layout.SLOTS] <= widest) & chosen).tolist(), True, True]


def are_paused(model: Portfolio) -> list[bool]:
    """Which members were paused at the last row, when the leader was found."""
    last = max(model.clock[layout.ROWS] - 1, 0)
    return [*(model.pauses[layout.UNTIL, _units(model)] > last).tolist(), False, False]


def shares_of(model: Portfolio, active: list[bool]) -> Floats:
    """The share of each member in the stacker's log-odds: its weight times the size of its scores.

    Constant policies have none.
    """
    shares, n = np.zeros(len(active)), len(model.spread)
    influence = np.abs(model.stacker[1:]) * model.spread * active[:n]
    shares[:n] = influence / max(influence.sum(), 1e-300)
    return shares


def _units(model: Portfolio) -> Integers:
    """The unit of each member."""
    return model.plan[layout.UNIT, : len(model.spread)]
