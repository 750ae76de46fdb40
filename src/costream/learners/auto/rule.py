"""The portfolio: members learn views of a row, the stacker weighs their scores, costs decide.

A row is written once for all members. The stacker makes one probability of their scores, and a row is
flagged where that costs no more on average than not to flag it.
"""

from __future__ import annotations

from ...kernels.elementary import logarithm
from ...kernels.records import Chunk
from .decision import charge, first_odds, mean_cost_ratio, relative_cost
from .layout import (
    ACTIVE,
    COUNT,
    ENTRIES,
    INPUTS,
    LOG_ODDS,
    MARGIN,
    NOW,
    NUMBERS,
    PRODUCTS,
    ROWS,
    SCORES,
    SLOTS,
    UNCHANGED_UNTIL,
    UNIT,
    UNTIL,
    WHOLE_WIDEST,
    WIDEST,
    Portfolio,
)
from .pausing import assess, note_pauses
from .rows import (
    LEARNING,
    SCORING,
    fade_stats,
    normalise_entries,
    old_entries,
    take_moments,
    take_sizes,
    write_entries,
    write_standardised,
    write_whole,
)
from .stacking import (
    FADE,
    RESTRAINED,
    first_weights,
    fold,
    learn_stacker,
    restrain,
    stacked_log_odds,
    write_inputs,
)
from .views import forget_views, learn_views, score_views
from .views.leaves import take_sample
from .views.linear import forget as forget_linear
from .views.linear import learn as learn_linear
from .views.linear import score as score_linear
from .views.linear import variance as variance_linear


def slots_with(d: int, x: Chunk, t: int) -> int:
    """How many slots there are once the row is learnt."""
    for k in range(x.start[t], x.start[t + 1]):
        if x.value[k] != 0.0:
            d = max(d, int(x.index[k]) + 1)
    return d


def active(model: Portfolio, slots: int) -> int:
    """The number of members that take part where rows have that many slots."""
    n: int = model.spread.shape[0]
    while n > 0 and model.plan[WIDEST, n - 1] < slots:
        n -= 1
    return n


def score(model: Portfolio, x: Chunk, t: int) -> float:
    """The decision score: the stacker's log-odds plus the logarithm of the cost ratio.

    It is negated for benefits. A cost ratio that is not known is the mean one of the rows so far.
    """
    stats, rows, now, d = model.stats, model.rows, model.work[NOW], model.clock[SLOTS]
    if model.clock[ROWS] >= now[UNCHANGED_UNTIL]:
        note_pauses(model)
    n = write_entries(stats, rows, model.slots[ENTRIES], x, t, SCORING)
    normalise_entries(rows, n)
    last, scores, inputs = active(model, d), model.work[SCORES], model.work[INPUTS]
    now[ACTIVE] = last
    for k in range(last):
        scores[k] = 0.0
    whole = d <= model.plan[NUMBERS, WHOLE_WIDEST]
    if whole:
        write_whole(rows, d, x, t)
        write_standardised(stats, rows, d, model.costs[COUNT])
    score_linear(model, n, d, last, SCORING)
    if whole:
        score_views(model, d, last)
    write_inputs(inputs, scores, last)
    now[LOG_ODDS] = stacked_log_odds(model.stacker, inputs, last, first_odds(model.costs))
    cost_ratio = x.cost_ratio[t] if x.cost_ratio[t] != 0.0 else mean_cost_ratio(model.costs)
    margin = now[LOG_ODDS] + logarithm(abs(cost_ratio))
    now[MARGIN] = margin if cost_ratio > 0.0 else -margin
    return now[MARGIN]  # type: ignore[no-any-return]


def log_odds(model: Portfolio) -> float:
    """That the row that was scored last is positive."""
    return model.work[NOW, LOG_ODDS]  # type: ignore[no-any-return]


def update(model: Portfolio, x: Chunk, t: int, score: float, loss: float) -> None:
    """Let the stacker and all members learn the row, which `score` has just written and scored."""
    clock, stats, rows, slots, work = model.clock, model.stats, model.rows, model.slots, model.work
    y, costs, root = x.label[t], model.costs, model.stacker_root
    known = clock[SLOTS]
    d = slots_with(known, x, t)
    before = int(work[NOW, ACTIVE])
    last = active(model, d) if d > known else before
    if clock[ROWS] == 0:
        first_weights(model.stacker, last, model.pauses[UNTIL], model.plan[UNIT])
    charge(model, y, x.cost[t], x.class_cost[t], before, last)
    if last < before:
        fold(root, last)
    odds, fade = work[NOW, LOG_ODDS], min(FADE, model.keep)
    learn_stacker(model.stacker, root, work[INPUTS], work[PRODUCTS:NOW], last, odds, y, fade)
    if clock[ROWS] % RESTRAINED == 0:
        restrain(root, last)
    r = relative_cost(costs, y, x.class_cost[t])
    clock[SLOTS] = d
    learn_views(model, known, min(before, last), y, r)
    n = old_entries(stats, slots.shape[1], x, t)
    if n == 0:
        n = write_entries(stats, rows, slots[ENTRIES], x, t, LEARNING)
        normalise_entries(rows, n)
        score_linear(model, n, d, last, LEARNING)
    learn_linear(model, n, known, d, last, y, r)
    clock[ROWS] += 1
    costs[COUNT] += 1.0
    take_sizes(stats, x, t)
    if d <= model.plan[NUMBERS, WHOLE_WIDEST]:
        write_whole(rows, d, x, t)
        take_moments(stats, rows, d, costs[COUNT])
        take_sample(model, d, y)
    assess(model, last)
    if model.period > 0.0 and clock[ROWS] % model.period == 0.0:
        forget_linear(model, d, last)
        forget_views(model, d)
        fade_stats(stats, d)
        costs[COUNT] *= 0.5


def variance(model: Portfolio, x: Chunk, t: int) -> float:
    """x' Sigma x of a member with a full covariance of scaled rows, or of a lane."""
    d = model.clock[SLOTS]
    n = write_entries(model.stats, model.rows, model.slots[ENTRIES], x, t, SCORING)
    normalise_entries(model.rows, n)
    return variance_linear(model, n, d, active(model, d))
