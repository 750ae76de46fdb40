"""Whether the portfolio of a file can be right: compiled code trusts every index in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels.records import Integers
from . import layout
from .layout import Portfolio
from .pausing import LONGEST
from .portfolios import (
    HOLDS_UNTIL,
    LEADING,
    LEARNS,
    LED_SINCE,
    PHASE,
    REST,
    RESTS,
    SQUARES,
    TAKES_PART,
    WAKES,
    Portfolios,
    are_several,
    portfolio,
)
from .trees import Short
from .turns import LONGEST as LONGEST_REST

MOST_ROWS = 2**53
ROUNDING = 1e-9  # of shares
FINITE = ("costs", "stacker", "stacker_root", "spread")


def is_consistent(model: Any, fresh: Any) -> bool:
    """Whether a model may be used; ``fresh`` is one of the same kind that has seen nothing."""
    if not are_several(model):
        return _is_portfolio(model, fresh)
    count = model.paces.shape[1]
    parts = ([portfolio(one, g) for g in range(count)] for one in (model, fresh))
    return all(map(_is_portfolio, *parts)) and _is_mixture(model)


def _is_mixture(model: Portfolios) -> bool:
    """Portfolios are of the same rows, and those that take part share all."""
    turns, (loss, share, slope, curvature, *credit) = model.turns, model.mixture
    phase, rows, others = turns[PHASE], model.clock[layout.ROWS], model.other_clock
    return bool(
        np.isin(phase, (RESTS, LEARNS, TAKES_PART)).all()
        and phase[0] == TAKES_PART
        and (others[:, [layout.ROWS, layout.SLOTS]] == model.clock[[layout.ROWS, layout.SLOTS]]).all()
        and all(np.isfinite(one).all() for one in (model.mixture, model.trend))
        and (loss >= 0.0).all()
        and (np.array(credit) >= 0.0).all()
        and ((slope > 0.0) & (slope <= 1.0) & (curvature >= 0.0)).all()
        and (share >= 0.0).all()
        and abs(share.sum() - 1.0) < ROUNDING
        and not share[phase != TAKES_PART].any()
        and ((turns[HOLDS_UNTIL] >= 0) & (turns[HOLDS_UNTIL] <= MOST_ROWS)).all()
        and ((turns[REST] >= 0) & (turns[REST] <= LONGEST_REST)).all()
        and np.isin(turns[WAKES], (0, 1)).all()
        and int(model.trend[LEADING]) in range(len(phase))
        and 0 <= model.trend[LED_SINCE] <= rows
        and model.trend[SQUARES] >= 0.0
        and _is_sample(model)
    )


def _is_sample(model: Portfolios) -> bool:
    """The sample has a hash for each row, below the threshold of its class."""
    kept, *thresholds = model.sampling.tolist()
    if not (len(model.sample_hash) == len(model.sample) and kept in range(len(model.sample) + 1)):
        return False
    if not all(0.0 < one <= 1.0 for one in thresholds):
        return False
    hashes, labels = model.sample_hash[: int(kept)], model.sample_label[: int(kept)]
    return bool(((hashes >= 0.0) & (hashes < np.array(thresholds)[labels])).all())


def _is_portfolio(model: Portfolio, fresh: Portfolio) -> bool:
    slots = int(model.clock[layout.SLOTS])
    return bool(
        np.array_equal(model.settings, fresh.settings)
        and _is_clock(model)
        and _are_events(model.clock, fresh.clock)
        and _are_pauses(model.pauses, fresh.pauses)
        and _is_forest(model, "", slots)
        and _is_forest(model, "next_", slots)
        and len(model.sample) == len(model.sample_label)
        and np.isin(model.sample_label, (0, 1)).all()
        and all(np.isfinite(getattr(model, name)).all() for name in FINITE)
        and np.isfinite(model.stats[layout.MEAN]).all()
        and model.costs[layout.COUNT] >= 0.0
    )


def _is_clock(model: Portfolio) -> bool:
    """Whom it names must have space for all slots, and what it counts must not have come later."""
    rows, leader, since, slots, best = model.clock[:5].tolist()
    members, size = len(model.spread), len(model.mu)
    widest = [*model.plan[layout.WIDEST, :members].tolist(), size, size]
    return bool(
        0 <= since <= rows < MOST_ROWS
        and 0 <= leader < len(widest)
        and 0 <= best < members
        and 1 <= slots <= min(size, widest[leader], widest[best])
    )


def _are_events(clock: Integers, fresh: Integers) -> bool:
    """Events are in the future; there are none where the view of leaves was not chosen."""
    rows, grow, take = (int(clock[k]) for k in (layout.ROWS, layout.GROW_AT, layout.TAKE_AT))
    began, grown = int(clock[layout.BEGAN]), int(clock[layout.GROWN])
    without = fresh[layout.GROW_AT] == layout.NO_ROW
    return (
        all(rows < at <= layout.NO_ROW for at in (grow, take))
        and 0 <= began <= rows
        and 0 <= grown <= rows
        and not (without and min(grow, take) < layout.NO_ROW)
    )


def _are_pauses(pauses: Integers, fresh: Integers) -> bool:
    """Members of views that were not chosen are paused for ever, and nobody else is."""
    until, length = pauses[layout.UNTIL], pauses[layout.LENGTH]
    never = fresh[layout.UNTIL] == layout.NO_ROW
    return bool(
        np.array_equal(until == layout.NO_ROW, never)
        and ((until >= 0) & (until <= layout.NO_ROW)).all()
        and ((length >= 0) & (length <= LONGEST)).all()
    )


def _is_forest(model: Portfolio, which: str, slots: int) -> bool:
    """Trees lie one after the other; a node's children come after it and belong to its tree."""
    learnt = "leaves_" if which == "" else which
    parts = [f"{which}{name}" for name in ("feature", "threshold", "child")]
    parts += [f"{learnt}{name}" for name in ("mu", "variance", "value")]
    feature, _, child, *_ = arrays = [getattr(model, name) for name in parts]
    if len({len(one) for one in arrays}) > 1:
        return False
    if len(feature) == 0:
        return True
    root: Integers = getattr(model, f"{which}root")
    sizes = np.diff(root)
    if root[0] != 0 or root[-1] != len(feature) or (sizes <= 0).any():
        return False
    return bool(((feature >= 0) & (feature < slots)).all() and _are_trees(child, root, sizes))


def _are_trees(child: Short, root: Integers, sizes: Integers) -> bool:
    """Children come after their parents, so that a row finds a leaf, and before the next tree."""
    place = np.arange(len(child)) - np.repeat(root[:-1], sizes)
    left = child.astype(np.int64)
    return bool(((left == 0) | ((left > place) & (left + 1 < np.repeat(sizes, sizes)))).all())
