"""The members of the portfolio, and its model before it has seen a row.

Members are chosen on the data sets of benchmarks/quality.py alone. Those of benchmarks/aside.py are
kept aside: they are run for a release only and published whatever the results are, and no member is
changed because of them.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ...kernels.hinge import LOSS_II
from ...kernels.records import Integers
from . import layout, stacking
from .composition import Composition, current, plan_of, settings_of
from .layout import Portfolio
from .views import FAMILIES, leaves

CONSTANT = ("always positive", "always negative")
REVISION = 1
CURRENT = current(REVISION)
TEAM = CURRENT.members


def portfolio_bytes(team: Composition, d: int) -> int:
    """The memory of a portfolio of ``d`` features, as large as it gets."""
    views = sum(family.size(team, d) for family in FAMILIES)
    return views + 8 * 5 * min(d, team.numbers["whole"]) + 80 * d


def _first_clock(team: Composition, views: Collection[str]) -> Integers:
    """Trees grow where there are members to ask them."""
    asked = "leaves" in views and bool(team.of(layout.LEAVES))
    clock = np.zeros(layout.TIMES, np.int64)
    clock[layout.SLOTS] = 1
    clock[layout.GROW_AT] = leaves.FIRST if asked else layout.NO_ROW
    clock[layout.TAKE_AT] = layout.NO_ROW
    return clock


def _first_pauses(team: Composition, views: Collection[str]) -> Integers:
    """Nobody is paused but those whose view was not chosen."""
    units = team.units()
    pauses = np.zeros((2, max(units) + 1), np.int64)
    for unit, member in zip(units, team.members, strict=True):
        if member.view not in views:
            pauses[layout.UNTIL, unit] = layout.NO_ROW
    return pauses


def new_portfolio(
    team: Composition, d: int, views: Collection[str], keep: float, period: float
) -> Portfolio:
    """A portfolio that has seen nothing; ``keep`` is what a row leaves of the costs before it."""
    n, space = len(team.members), max(d, team.numbers["features"]) + 1
    arrays = {}
    for family in FAMILIES:
        arrays.update(family.arrays(team, d))
    return Portfolio(
        **arrays,
        stats=np.zeros((4, d)),
        settings=settings_of(team),
        plan=plan_of(team),
        costs=np.zeros(n + layout.AFTER_MEMBERS),
        stacker=np.zeros(n + 1),
        stacker_root=stacking.first_root(n),
        spread=np.zeros(n),
        pauses=_first_pauses(team, views),
        clock=_first_clock(team, views),
        rows=np.zeros((5, space)),
        slots=np.tile(np.arange(space, dtype=np.uint32), (2, 1)),
        work=np.zeros((8, max(n, layout.FACTS) + 1)),
        hinge=LOSS_II,
        keep=keep,
        period=period,
    )
