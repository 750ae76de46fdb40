"""The portfolio: members learn views of a row, the council weighs what they say, costs decide.

A row is written once for all members. The council makes one probability of their scores, and a row is
flagged where that costs no more on average than not to flag it.
"""

from __future__ import annotations

from ...kernels.elementary import logarithm
from ...kernels.records import Chunk
from .council import (
    FADE,
    RESTRAINED,
    council_log_odds,
    first_weights,
    fold,
    learn_council,
    restrain,
    sit,
)
from .decision import first_odds, flat_cost, judge, mean_stake
from .layout import (
    ACTIVE,
    AWAKE_UNTIL,
    COUNT,
    ENTRIES,
    LOG_ODDS,
    MARGIN,
    NOW,
    NUMBERS,
    PRODUCTS,
    ROWS,
    SCORES,
    SEATS,
    SLOTS,
    UNIT,
    UNTIL,
    WHOLE_WIDEST,
    WIDEST,
    Portfolio,
)
from .resting import assess, wake
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
    """The council's margin: its log-odds plus the logarithm of the stake, negated for benefits.

    A stake that is not known is taken as the mean stake of the rows so far.
    """
    stats, rows, now, d = model.stats, model.rows, model.work[NOW], model.clock[SLOTS]
    if model.clock[ROWS] >= now[AWAKE_UNTIL]:
        wake(model)
    n = write_entries(stats, rows, model.slots[ENTRIES], x, t, SCORING)
    normalise_entries(rows, n)
    last, scores, seats = active(model, d), model.work[SCORES], model.work[SEATS]
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
    sit(seats, scores, last)
    now[LOG_ODDS] = council_log_odds(model.stacker, seats, last, first_odds(model.costs))
    stake = x.stake[t] if x.stake[t] != 0.0 else mean_stake(model.costs)
    margin = now[LOG_ODDS] + logarithm(abs(stake))
    now[MARGIN] = margin if stake > 0.0 else -margin
    return now[MARGIN]  # type: ignore[no-any-return]


def log_odds(model: Portfolio) -> float:
    """That the row that was scored last is positive."""
    return model.work[NOW, LOG_ODDS]  # type: ignore[no-any-return]


def update(model: Portfolio, x: Chunk, t: int, score: float, loss: float) -> None:
    """Let the council and all members learn the row, which `score` has just written and scored."""
    clock, stats, rows, slots, work = model.clock, model.stats, model.rows, model.slots, model.work
    y, costs, root = x.label[t], model.costs, model.stacker_root
    known = clock[SLOTS]
    d = slots_with(known, x, t)
    before = int(work[NOW, ACTIVE])
    last = active(model, d) if d > known else before
    if clock[ROWS] == 0:
        first_weights(model.stacker, last, model.pauses[UNTIL], model.plan[UNIT])
    judge(model, y, x.cost[t], x.flat[t], before, last)
    if last < before:
        fold(root, last)
    odds, fade = work[NOW, LOG_ODDS], min(FADE, model.keep)
    learn_council(model.stacker, root, work[SEATS], work[PRODUCTS:NOW], last, odds, y, fade)
    if clock[ROWS] % RESTRAINED == 0:
        restrain(root, last)
    r = flat_cost(costs, y, x.flat[t])
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
