"""The members of the portfolio, and its model before it has seen a row."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...kernels.hinge import LOSS_II
from ...kernels.records import Floats, Integers
from . import council, layout
from .record import Portfolio
from .views import hats, leaves, waves

CONSTANT = ("always positive", "always negative")
VIEWS = ("linear", "hats", "waves", "leaves")


@dataclass(frozen=True)
class Member:
    """A learner of a portfolio: CAROW, with an eta ACOG-II, without a gamma neither."""

    kind: str
    gamma: float
    eta: float = 0.0
    widest: float = np.inf  # slots that rows may have
    view: str = "linear"

    @property
    def name(self) -> str:
        eta = f", eta {self.eta:g}" if self.eta else ""
        return f"{self.kind}{eta}, gamma {self.gamma:g}" if self.gamma else self.kind


# Members are chosen on the data sets of benchmarks/quality.py alone. Those of benchmarks/aside.py are
# kept aside: they are run for a release only and published whatever they say, and no member is changed
# because of them. Those that take wider rows stand first.
TEAM = (
    *(Member("diagonal, scaled", gamma) for gamma in (10.0, 1.0, 0.1)),
    Member("diagonal, raw", 1.0),
    *(Member("ACOG-II, raw", gamma, 1.0) for gamma in (1.0, 0.1, 0.01)),
    Member("ACOG-II, raw", 0.1, 0.1),
    *(
        Member("diagonal, standardised", gamma, widest=layout.DENSE_WIDEST)
        for gamma in (30.0, 10.0, 3.0, 1.0)
    ),
    *(Member("ACOG-II, standardised", gamma, 1.0, layout.DENSE_WIDEST) for gamma in (10.0, 1.0)),
    *(Member("hats", gamma, widest=layout.DENSE_WIDEST, view="hats") for gamma in (1.0, 0.1)),
    Member("leaves of boosted trees", leaves.GAMMA, widest=layout.DENSE_WIDEST, view="leaves"),
    Member("leaves of random trees", leaves.GAMMA, widest=layout.DENSE_WIDEST, view="leaves"),
    Member("boosted trees", 0.0, widest=layout.DENSE_WIDEST, view="leaves"),
    Member("full, scaled", 1.0, widest=layout.FULL_WIDEST),
    Member("full, scaled", 0.01, widest=layout.FULL_WIDEST),
    Member("full, standardised", 0.1, widest=layout.FULL_WIDEST),
    Member("full, scaled", 0.1, widest=layout.NARROWEST),
    Member("full, standardised", 10.0, widest=layout.NARROWEST),
    *(Member(f"waves {scale:g}", 0.3, widest=layout.NARROWEST, view="waves") for scale in waves.SCALES),
)


def portfolio_bytes(d: int) -> int:
    """The memory of a portfolio of ``d`` features, its sample and trees as large as they get."""
    full, dense = min(d, layout.FULL_WIDEST), min(d, layout.DENSE_WIDEST)
    nodes = 2 * (
        leaves.BOOSTED_TREES * leaves.BOOSTED_LEAVES + leaves.RANDOM_TREES * leaves.RANDOM_LEAVES
    )
    trees, sample = 2 * 36 * nodes, 4 * leaves.ENTRIES
    return (
        8 * layout.FULL_MEMBERS * full * (full + 1)
        + 8 * dense * (2 * layout.DENSE_LANES + 4 * hats.KNOTS + 5)
        + 4 * dense * leaves.FIRST
        + 8 * d * (2 * layout.SPARSE_LANES + 10)
        + (trees + sample if d <= layout.DENSE_WIDEST else 0)
    )


def _settings() -> Floats:
    """Gamma, eta, and whether it wants scaled rows, of each member."""
    members = [(one.gamma, one.eta, one.kind.endswith("scaled")) for one in TEAM]
    return np.array(members, np.float64).T.copy()


def _identities(count: int, size: int) -> Floats:
    """So many unit matrices."""
    found = np.zeros((count, size, size))
    found[:, np.arange(size), np.arange(size)] = 1.0
    return found


def _no_trees(weights: str, nodes: str) -> dict[str, Any]:
    """The arrays of trees before any has grown; their names begin like that."""
    return {
        **{f"{weights}{name}": np.zeros(0) for name in ("mu", "variance", "value")},
        **{f"{nodes}{name}": np.zeros(0, np.int32) for name in ("feature", "child")},
        f"{nodes}threshold": np.zeros(0, np.float32),
        f"{nodes}root": np.zeros(leaves.TREES + 1, np.int64),
    }


def _first_clock(views: Collection[str]) -> Integers:
    clock = np.zeros(layout.TIMES, np.int64)
    clock[layout.SLOTS] = 1
    clock[layout.GROW_AT] = leaves.FIRST if "leaves" in views else layout.NO_ROW
    clock[layout.TAKE_AT] = layout.NO_ROW
    return clock


def _first_rests(views: Collection[str]) -> Integers:
    """Nobody rests but those whose view was not chosen."""
    rests = np.zeros((2, layout.UNITS), np.int64)
    for k, member in enumerate(TEAM):
        if member.view not in views:
            rests[layout.UNTIL, layout.UNIT[k]] = layout.NO_ROW
    return rests


def new_portfolio(d: int, views: Collection[str], keep: float, period: float) -> Portfolio:
    """A portfolio that has seen nothing; ``keep`` is what a row leaves of the costs before it."""
    full, dense = min(d, layout.FULL_WIDEST), min(d, layout.DENSE_WIDEST)
    knots, space = hats.KNOTS * dense, max(d, waves.NUMBER) + 1
    settings = _settings()
    variance = np.ones((d, layout.SPARSE_LANES))
    # ACOG-II of raw rows has no intercept
    variance[0, settings[layout.ETA, : layout.SPARSE_LANES] > 0.0] = 0.0
    directions = np.zeros((min(d, layout.NARROWEST), len(waves.SCALES) * waves.NUMBER))
    directions[0] = waves.phases()
    return Portfolio(
        mean=np.zeros((layout.FULL_MEMBERS, full)),
        Sigma=_identities(layout.FULL_MEMBERS, full),
        mu=np.zeros((d, layout.SPARSE_LANES)),
        variance=variance,
        standardised_mu=np.zeros((layout.DENSE_LANES, dense)),
        standardised_variance=np.ones((layout.DENSE_LANES, dense)),
        hats_mu=np.zeros((knots, layout.HAT_LANES)),
        hats_variance=np.ones((knots, layout.HAT_LANES)),
        waves_mean=np.zeros((len(waves.SCALES), waves.NUMBER)),
        waves_covariance=_identities(len(waves.SCALES), waves.NUMBER),
        **_no_trees("leaves_", ""),
        **_no_trees("next_", "next_"),
        sample=np.zeros((leaves.FIRST, dense), np.float32),
        sample_label=np.zeros(leaves.FIRST, np.int32),
        stats=np.zeros((4, d)),
        settings=settings,
        costs=np.zeros(layout.COSTS),
        council=np.zeros(layout.MEMBERS + 1),
        council_root=council.first_root(layout.MEMBERS),
        spread=np.zeros(layout.MEMBERS),
        rests=_first_rests(views),
        clock=_first_clock(views),
        directions=directions,
        keys=np.zeros(dense, np.int64),
        rows=np.zeros((5, space)),
        slots=np.tile(np.arange(space, dtype=np.uint32), (2, 1)),
        hat_slots=np.zeros(2 * dense, np.uint32),
        hat_values=np.zeros(2 * dense),
        waves=np.zeros(len(waves.SCALES) * waves.NUMBER),
        single=np.zeros(dense, np.float32),
        leaf=np.zeros(leaves.TREES, np.int32),
        work=np.zeros((6, layout.MEMBERS + 1)),
        now=np.zeros(layout.FACTS),
        size=np.array([d]),
        hinge=LOSS_II,
        keep=keep,
        period=period,
    )
