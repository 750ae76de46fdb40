"""What a portfolio tells about itself: who leads, since when, how far behind the others are, and how
likely a row with some score is positive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...kernels.records import Floats
from . import platt, rule
from .members import CONSTANT, TEAM
from .record import Portfolio


@dataclass(frozen=True)
class Standing:
    """A member of a portfolio, and how it has fared.

    Attributes
    ----------
    name : str
        Its geometry, its kind of row and its hyper-parameters.
    cost : float
        What its mistakes have cost so far, in units of the cost of a negative row.
    share : float
        Its share of the decision; a constant policy that leads decides alone.
    leads : bool
        Whether it is the leader.
    active : bool
        False for a member that takes no part, since rows are too wide for it.

    Examples
    --------
    >>> from costream import OnlineClassifier
    >>> OnlineClassifier().standings().leader.name
    'diagonal, scaled, gamma 10'
    """

    name: str
    cost: float
    share: float
    leads: bool
    active: bool


@dataclass(frozen=True)
class Standings:
    """All members of a portfolio: the leader first, then the cheapest.

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


def standings_of(model: Portfolio) -> Standings:
    """Who leads, and how far behind the others are."""
    clock, constant = model.clock, model.clock[rule.LEADER] >= rule.MEMBERS
    names = [*(member.name for member in TEAM), *CONSTANT]
    widest = [*(member.widest for member in TEAM), np.inf, np.inf]
    shares = np.zeros(len(names)) if constant else np.append(model.shares, [0.0, 0.0])
    if constant:
        shares[clock[rule.LEADER]] = 1.0
    found = [
        Standing(
            name,
            cost=float(model.costs[k]),
            share=float(shares[k]),
            leads=bool(k == clock[rule.LEADER]),
            active=bool(clock[rule.SLOTS] <= widest[k]),
        )
        for k, name in enumerate(names)
    ]
    order = sorted(found, key=lambda one: (not one.leads, not one.active, one.cost))
    return Standings(int(model.clock[rule.ROWS]), int(model.clock[rule.SINCE]), order)


def probabilities(model: Portfolio, scores: Floats) -> Floats:
    """The probability of the positive label of each score (Platt scaling, calibrated on the stream)."""
    return platt.sigmoid(
        model.platt[0] * member_score(scores, model.clock[rule.LEADER]) + model.platt[1]
    )


def member_score(scores: Floats, leader: int) -> Floats:
    """What the members say together, of which a constant policy that leads takes the order alone."""
    if leader == rule.ALWAYS:
        return np.where(scores >= 1.0, scores - 1.0, 1.0 - 1.0 / scores)
    if leader == rule.NEVER:
        return np.where(scores <= -1.0, scores + 1.0, -1.0 / scores - 1.0)
    return scores
