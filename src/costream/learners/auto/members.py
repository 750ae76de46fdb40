"""The members of the portfolio, and its model before it has seen a row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...kernels.hinge import LOSS_II
from . import platt, rule
from .record import Portfolio

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


# Members are chosen on the data sets of benchmarks/quality.py alone. Those of benchmarks/aside.py are
# kept aside: they are run for a release only and published whatever they say, and no member is changed
# because of them.
TEAM = (
    *(Member("diagonal, scaled", gamma) for gamma in (10.0, 1.0, 0.1)),
    Member("diagonal, raw", 1.0),
    *(Member("ACOG-II, raw", gamma, 1.0) for gamma in (1.0, 0.1, 0.01)),
    Member("ACOG-II, raw", 0.1, 0.1),
    *(Member("diagonal, standardised", gamma, widest=rule.DENSE) for gamma in (30.0, 10.0, 3.0, 1.0)),
    *(Member("ACOG-II, standardised", gamma, 1.0, rule.DENSE) for gamma in (10.0, 1.0)),
    Member("full, scaled", 1.0, widest=rule.WIDEST),
    Member("full, scaled", 0.01, widest=rule.WIDEST),
    Member("full, standardised", 0.1, widest=rule.WIDEST),
    Member("full, scaled", 0.1, widest=rule.NARROW),
    Member("full, standardised", 10.0, widest=rule.NARROW),
)
SPARSE_MEMBERS = rule.SPARSE_LANES
DENSE_MEMBERS = rule.DENSE_LANES - rule.SPARSE_LANES
FULL_MEMBERS = rule.MEMBERS - rule.DENSE_LANES


def portfolio_bytes(d: int) -> int:
    """The memory of a portfolio of ``d`` features."""
    full, dense = min(d, rule.WIDEST), min(d, rule.DENSE)
    return 8 * (
        FULL_MEMBERS * full * (full + 1) + 2 * dense * DENSE_MEMBERS + d * (2 * SPARSE_MEMBERS + 10)
    )


def new_portfolio(d: int, keep: float, period: float) -> Portfolio:
    """A portfolio that has seen nothing; ``keep`` is what a row leaves of the costs before it."""
    full, dense = min(d, rule.WIDEST), min(d, rule.DENSE)
    Sigma = np.zeros((FULL_MEMBERS, full, full))
    Sigma[:, np.arange(full), np.arange(full)] = 1.0
    settings = np.zeros((3, rule.MEMBERS))
    for k, member in enumerate(TEAM):
        settings[:, k] = member.gamma, member.eta, member.kind.endswith("scaled")
    variance = np.ones((d, SPARSE_MEMBERS))
    variance[0, settings[rule.ETA, :SPARSE_MEMBERS] > 0.0] = 0.0  # ACOG-II of raw rows has no intercept
    clock = np.zeros(5, np.int64)
    clock[rule.SLOTS] = 1
    return Portfolio(
        mean=np.zeros((FULL_MEMBERS, full)),
        Sigma=Sigma,
        mu=np.zeros((d, SPARSE_MEMBERS)),
        variance=variance,
        standardised_mu=np.zeros((DENSE_MEMBERS, dense)),
        standardised_variance=np.ones((DENSE_MEMBERS, dense)),
        stats=np.zeros((4, d)),
        settings=settings,
        costs=np.zeros(rule.COSTS),
        shares=np.eye(1, rule.MEMBERS)[0],
        platt=np.array(platt.START),
        clock=clock,
        rows=np.zeros((5, d + 1)),
        slots=np.tile(np.arange(d + 1, dtype=np.uint32), (2, 1)),
        work=np.zeros((3, rule.MEMBERS)),
        size=np.array([d]),
        hinge=LOSS_II,
        keep=keep,
        period=period,
    )


def is_consistent(model: Portfolio) -> bool:
    """Whether a clock from a file can be right: whom it names must have space for all slots."""
    rows, leader, since, slots, best = model.clock.tolist()
    widest = [*(member.widest for member in TEAM), np.inf, np.inf]
    known = 0 <= leader < len(widest) and 0 <= best < len(TEAM) and 0 <= since <= rows
    return bool(known and 1 <= slots <= min(len(model.mu), widest[leader], widest[best]))
