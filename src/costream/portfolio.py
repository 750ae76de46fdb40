"""The members of a portfolio, and what it tells about itself: who leads, since when, how far behind
the others are, and how proba a score is positive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .kernels import platt
from .kernels import portfolio as kernel
from .kernels.records import Hinge, Portfolio

Floats = NDArray[np.float64]
CONSTANT = ("always positive", "always negative")


@dataclass(frozen=True)
class Member:
    """A learner of a portfolio; without an eta it is CAROW, with one ACOG-II."""

    kind: str
    gamma: float
    eta: float = 0.0
    widest: float = np.inf  # slots that rows may have

    @property
    def name(self) -> str:
        eta = f", eta {self.eta:g}" if self.eta else ""
        return f"{self.kind}{eta}, gamma {self.gamma:g}"


TEAM = (
    *(Member("diagonal, sized", gamma) for gamma in (10.0, 1.0, 0.1)),
    Member("diagonal, raw", 1.0),
    *(Member("ACOG-II, raw", gamma, 1.0) for gamma in (1.0, 0.1, 0.01)),
    Member("ACOG-II, raw", 0.1, 0.1),
    *(Member("diagonal, centred", gamma, widest=kernel.DENSE) for gamma in (30.0, 10.0, 3.0, 1.0)),
    *(Member("ACOG-II, centred", gamma, 1.0, kernel.DENSE) for gamma in (10.0, 1.0)),
    Member("full, sized", 1.0, widest=kernel.WIDEST),
    Member("full, sized", 0.01, widest=kernel.WIDEST),
    Member("full, centred", 0.1, widest=kernel.WIDEST),
    Member("full, sized", 0.1, widest=kernel.NARROW),
    Member("full, centred", 10.0, widest=kernel.NARROW),
)
SPARSE_MEMBERS = kernel.SPARSE_LANES
DENSE_MEMBERS = kernel.DENSE_LANES - kernel.SPARSE_LANES
FULL_MEMBERS = kernel.MEMBERS - kernel.DENSE_LANES


def portfolio_bytes(d: int) -> int:
    """The memory of a portfolio of ``d`` features."""
    full, dense = min(d, kernel.WIDEST), min(d, kernel.DENSE)
    return 8 * (
        FULL_MEMBERS * full * (full + 1) + 2 * dense * DENSE_MEMBERS + d * (2 * SPARSE_MEMBERS + 10)
    )


def new_portfolio(d: int, hinge: Hinge, keep: float, period: float) -> Portfolio:
    """A portfolio that has seen nothing; ``keep`` is what a row leaves of the costs before it."""
    full, dense = min(d, kernel.WIDEST), min(d, kernel.DENSE)
    Sigma = np.zeros((FULL_MEMBERS, full, full))
    Sigma[:, np.arange(full), np.arange(full)] = 1.0
    traits = np.zeros((3, kernel.MEMBERS))
    for k, member in enumerate(TEAM):
        traits[:, k] = member.gamma, member.eta, member.kind.endswith("sized")
    variance = np.ones((d, SPARSE_MEMBERS))
    variance[0, traits[kernel.ETA, :SPARSE_MEMBERS] > 0.0] = 0.0  # ACOG-II of raw rows has no intercept
    clock = np.zeros(5, np.int64)
    clock[kernel.SLOTS] = 1
    return Portfolio(
        mean=np.zeros((FULL_MEMBERS, full)),
        Sigma=Sigma,
        mu=np.zeros((d, SPARSE_MEMBERS)),
        variance=variance,
        centred_mu=np.zeros((DENSE_MEMBERS, dense)),
        centred_variance=np.ones((DENSE_MEMBERS, dense)),
        facts=np.zeros((4, d)),
        traits=traits,
        mistakes=np.zeros(kernel.BILLS),
        shares=np.eye(1, kernel.MEMBERS)[0],
        platt=np.array(platt.START),
        clock=clock,
        rows=np.zeros((5, d + 1)),
        slots=np.tile(np.arange(d + 1, dtype=np.uint32), (2, 1)),
        work=np.zeros((3, kernel.MEMBERS)),
        size=np.array([d]),
        hinge=hinge,
        keep=keep,
        period=period,
    )


@dataclass(frozen=True)
class Standing:
    """A member and what its mistakes have cost so far, in units of the cost of a negative row."""

    name: str
    cost: float
    share: float  # of the decision; while a constant policy leads it decides alone
    leads: bool
    active: bool  # False for a member that takes no part, since rows are too wide for it


@dataclass(frozen=True)
class Standings:
    """All members, the cheapest first; the leader has led since that many rows had been learnt."""

    rows: int
    since: int
    members: list[Standing]

    @property
    def leader(self) -> Standing:
        return next(one for one in self.members if one.leads)


def standings_of(model: Portfolio) -> Standings:
    """Who leads, and how far behind the others are."""
    clock, constant = model.clock, model.clock[kernel.LEADER] >= kernel.MEMBERS
    names = [*(member.name for member in TEAM), *CONSTANT]
    widest = [*(member.widest for member in TEAM), np.inf, np.inf]
    shares = np.zeros(len(names)) if constant else np.append(model.shares, [0.0, 0.0])
    if constant:
        shares[clock[kernel.LEADER]] = 1.0
    found = [
        Standing(
            name,
            cost=float(model.mistakes[k]),
            share=float(shares[k]),
            leads=bool(k == clock[kernel.LEADER]),
            active=bool(clock[kernel.SLOTS] <= widest[k]),
        )
        for k, name in enumerate(names)
    ]
    order = sorted(found, key=lambda one: (not one.leads, not one.active, one.cost))
    return Standings(int(model.clock[kernel.ROWS]), int(model.clock[kernel.SINCE]), order)


def may_be(model: Portfolio) -> bool:
    """Whether a clock from a file can be believed: whom it names must have room for all slots."""
    rows, leader, since, slots, best = model.clock.tolist()
    widest = [*(member.widest for member in TEAM), np.inf, np.inf]
    known = 0 <= leader < len(widest) and 0 <= best < len(TEAM) and 0 <= since <= rows
    return bool(known and 1 <= slots <= min(len(model.mu), widest[leader], widest[best]))


def probabilities(model: Portfolio, scores: Floats) -> Floats:
    """How proba each score is that of a positive row (Platt scaling, calibrated on the stream)."""
    return sigmoid(model.platt[0] * unbent(scores, model.clock[kernel.LEADER]) + model.platt[1])


def unbent(scores: Floats, leader: int) -> Floats:
    """What the members say together, of which a constant policy that leads takes the order alone."""
    if leader == kernel.ALWAYS:
        return np.where(scores >= 1.0, scores - 1.0, 1.0 - 1.0 / scores)
    if leader == kernel.NEVER:
        return np.where(scores <= -1.0, scores + 1.0, -1.0 / scores - 1.0)
    return scores


def sigmoid(odds: Floats) -> Floats:
    """Log-odds as probabilities; plain scores, taken for log-odds, are a model without scaling."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(odds, -platt.LIMIT, platt.LIMIT))))
