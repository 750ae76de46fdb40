"""The members of the portfolio, and its model before it has seen a row.

Members are chosen on the data sets of benchmarks/quality.py alone. Those of benchmarks/aside.py are
kept aside: they are run for a release only and published whatever the results are, and no member is
changed because of them.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np

from ...kernels.hinge import LOSS_II
from ...kernels.records import Integers
from . import growth, layout, stacking, turns
from .composition import Composition, Pace, current, plan_of, settings_of
from .layout import Portfolio
from .mixture import SAVED
from .portfolios import (
    HOLDS_UNTIL,
    JUDGEMENTS,
    NEGATIVE_CREDIT,
    OF_TREES,
    OTHERS,
    PHASE,
    POSITIVE_CREDIT,
    SHARE,
    SLOPE,
    TAKES_PART,
    TRENDS,
    Portfolios,
)
from .views import FAMILIES, VIEWS, leaves

CONSTANT = ("always positive", "always negative")
REVISION = 1
FAST = ("linear", "splines")  # views that learn from few rows
PACES = (Pace(None, VIEWS), Pace(320, VIEWS), Pace(3000, FAST), Pace(30, FAST))
CURRENT = current(REVISION)
ADAPTIVE = current(REVISION + 1, PACES)  # what comes next, once it is measured
TEAM = CURRENT.members


def portfolio_bytes(team: Composition, d: int) -> int:
    """The memory of portfolios of ``d`` features, as large as they get; two of them have trees."""
    portfolios, whole = max(len(team.portfolios), 1), min(d, team.numbers["whole"])
    views = 0
    for family in FAMILIES:
        copies = min(portfolios, 2) if family.name == leaves.FAMILY.name else portfolios
        views += copies * family.size(team, d)
    sample = 4 * whole * _recent_rows(team.portfolios[1]) if team.portfolios else 0
    return views + sample + 8 * 5 * whole + 80 * d


def _recent_rows(pace: Pace) -> int:
    """How many rows the sample of recent rows has, all at once: it may rest while it would grow."""
    return growth.sample_size(1, float(pace.half_life or 0))


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
        notes=np.zeros(layout.NOTES, np.int64),
        hinge=LOSS_II,
        keep=keep,
        period=period,
    )


def new_portfolios(team: Composition, d: int, views: Collection[str]) -> Portfolios:
    """Several portfolios that have seen nothing, each with the views that it learns."""
    parts = []
    for pace in team.portfolios:
        learnt = [view for view in views if view in pace.views]
        keep = 0.5 ** (1.0 / (pace.half_life or math.inf))
        parts.append(new_portfolio(team, d, learnt, keep, float(pace.half_life or 0)))
    first, second, count = parts[0], parts[1], len(parts)
    of_first: dict[str, Any] = first._asdict()
    paces = [[one.keep, one.period] for one in parts]
    del of_first["keep"], of_first["period"]
    of_first["sample"] = np.zeros((turns.EVERY, first.sample.shape[1]), np.float32)
    of_first["sample_label"] = np.zeros(turns.EVERY, np.int32)
    others: dict[str, Any] = {
        f"other_{name}": np.array([getattr(one, name) for one in parts[1:]]) for name in OTHERS
    }
    trees: dict[str, Any] = {f"recent_{name}": getattr(second, name) for name in OF_TREES}
    rows = _recent_rows(team.portfolios[1])
    trees["recent_sample"] = np.zeros((rows, second.sample.shape[1]), np.float32)
    trees["recent_sample_label"] = np.zeros(rows, np.int32)
    taking = np.zeros((4, count), np.int64)
    taking[PHASE], taking[HOLDS_UNTIL] = TAKES_PART, turns.FIRST
    mixture = np.zeros((JUDGEMENTS, count))
    mixture[SHARE, 0], mixture[SLOPE] = 1.0, 1.0
    mixture[[NEGATIVE_CREDIT, POSITIVE_CREDIT]] = SAVED
    return Portfolios(
        **of_first,
        **others,
        **trees,
        paces=np.array(paces).T.copy(),
        mixture=mixture,
        turns=taking,
        trend=np.zeros(TRENDS),
        sample_hash=np.zeros(turns.EVERY),
        sampling=np.array([0.0, 1.0, 1.0]),
        said=np.full(count + 1, np.nan),
        given=np.full((1, count + 1), np.nan),
    )
