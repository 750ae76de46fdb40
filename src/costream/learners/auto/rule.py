"""The portfolio: members learn views of a row, the stacker weighs their scores, costs decide.

A row is written once for all members. The stacker makes one probability of their scores, and a row is
flagged where that costs no more on average than not to flag it.
"""

from __future__ import annotations

from ...kernels.elementary import logarithm
from ...kernels.records import Chunk
from .decision import charge, first_odds, is_begun, mean_cost_ratio, prior_odds, relative_cost
from .layout import (
    ACTIVE,
    COUNT,
    ENTRIES,
    INPUTS,
    LOG_ODDS,
    MARGIN,
    NEGATIVES,
    NOTES,
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


def write_row(model: Portfolio, x: Chunk, t: int) -> int:
    """Write the row to be scored, once for all members; returns the number of its entries."""
    stats, rows, d = model.stats, model.rows, model.clock[SLOTS]
    n = write_entries(stats, rows, model.slots[ENTRIES], x, t, SCORING)
    normalise_entries(rows, n)
    if d <= model.plan[NUMBERS, WHOLE_WIDEST]:
        write_whole(rows, d, x, t)
        write_standardised(stats, rows, d, model.costs[COUNT])
    for k in range(NOTES):
        model.notes[k] = 0
    return n


def score_written(model: Portfolio, n: int) -> float:
    """The stacker's log-odds of the row that was written, which has ``n`` entries."""
    now, d = model.work[NOW], model.clock[SLOTS]
    if model.clock[ROWS] >= now[UNCHANGED_UNTIL]:
        note_pauses(model)
    last, scores, inputs = active(model, d), model.work[SCORES], model.work[INPUTS]
    now[ACTIVE] = last
    for k in range(last):
        scores[k] = 0.0
    score_linear(model, n, d, last, SCORING)
    if d <= model.plan[NUMBERS, WHOLE_WIDEST]:
        score_views(model, d, last)
    write_inputs(inputs, scores, last)
    if is_begun(model):
        now[LOG_ODDS] = stacked_log_odds(model.stacker, inputs, last, first_odds(model.costs))
    else:
        now[LOG_ODDS] = prior_odds(model)
    return now[LOG_ODDS]  # type: ignore[no-any-return]


def cost_ratio_of(model: Portfolio, x: Chunk, t: int) -> float:
    """The cost ratio of a row; the mean one of the rows so far where it is not known."""
    if x.cost_ratio[t] != 0.0:
        return x.cost_ratio[t]  # type: ignore[no-any-return]
    return mean_cost_ratio(model.costs)


def margin_of(odds: float, cost_ratio: float) -> float:
    """The decision score: log-odds plus the logarithm of the cost ratio, negated for benefits."""
    margin = odds + logarithm(abs(cost_ratio))
    return margin if cost_ratio > 0.0 else -margin


def decide(model: Portfolio, odds: float, cost_ratio: float) -> float:
    """The decision score, noted."""
    margin = margin_of(odds, cost_ratio)
    model.work[NOW, MARGIN] = margin
    return margin


def score(model: Portfolio, x: Chunk, t: int) -> float:
    """The decision score of a row."""
    odds = score_written(model, write_row(model, x, t))
    return decide(model, odds, cost_ratio_of(model, x, t))


def log_odds(model: Portfolio) -> float:
    """That the row that was scored last is positive."""
    return model.work[NOW, LOG_ODDS]  # type: ignore[no-any-return]


def members_left(model: Portfolio, known: int, d: int) -> int:
    """How many of the members that scored the row take part once it is learnt."""
    before = int(model.work[NOW, ACTIVE])
    return active(model, d) if d > known else before


def learn_scores(
    model: Portfolio,
    known: int,
    d: int,
    y: float,
    cost: float,
    class_cost: float,
    weight: float,
) -> None:
    """Charge everyone for the row that was scored; the stacker and all but linear members learn it.

    Rows had ``known`` slots before, and have ``d`` from now on. The ``weight`` is that of the row.
    """
    clock, work, costs, root = model.clock, model.work, model.costs, model.stacker_root
    before, last = int(work[NOW, ACTIVE]), members_left(model, known, d)
    if clock[ROWS] == 0:
        first_weights(model.stacker, last, model.pauses[UNTIL], model.plan[UNIT])
    charge(model, y, cost, class_cost, before, last)
    if last < before:
        fold(root, last)
    odds, fade = work[NOW, LOG_ODDS], min(FADE, model.keep)
    if (
        is_begun(model) or costs[NEGATIVES] > 0.0
    ):  # positive rows alone say nothing of how rare they are
        learn_stacker(
            model.stacker, root, work[INPUTS], work[PRODUCTS:NOW], last, odds, y, fade, weight
        )
    if clock[ROWS] % RESTRAINED == 0:
        restrain(root, last)
    clock[SLOTS] = d
    learn_views(model, known, min(before, last), y, relative_cost(costs, y, class_cost) * weight)


def rewrite_new(model: Portfolio, x: Chunk, t: int) -> tuple[int, bool]:
    """The number of entries of the row, and whether it had to be written again: it has new features."""
    n = old_entries(model.stats, model.slots.shape[1], x, t)
    if n > 0:
        return n, False
    n = write_entries(model.stats, model.rows, model.slots[ENTRIES], x, t, LEARNING)
    normalise_entries(model.rows, n)
    return n, True


def learn_entries(
    model: Portfolio, n: int, anew: bool, known: int, y: float, class_cost: float, weight: float
) -> None:
    """Let linear members learn the entries of the row, which are scored once more if they are new."""
    d = model.clock[SLOTS]
    last = members_left(model, known, d)
    if anew:
        score_linear(model, n, d, last, LEARNING)
    learn_linear(model, n, known, d, last, y, relative_cost(model.costs, y, class_cost) * weight)


def remember_row(model: Portfolio, x: Chunk, t: int) -> None:
    """Let the row, which is learnt, count in what is known of features."""
    d = model.clock[SLOTS]
    model.costs[COUNT] += 1.0
    take_sizes(model.stats, x, t)
    if d <= model.plan[NUMBERS, WHOLE_WIDEST]:
        write_whole(model.rows, d, x, t)
        take_moments(model.stats, model.rows, d, model.costs[COUNT])


def keep_in_sample(model: Portfolio, y: float) -> None:
    """Let the row, which is learnt and counted, take its place in the sample that trees grow on."""
    if model.clock[SLOTS] <= model.plan[NUMBERS, WHOLE_WIDEST]:
        take_sample(model, model.clock[SLOTS], y)


def update(model: Portfolio, x: Chunk, t: int, score: float, loss: float) -> None:
    """Let the stacker and all members learn the row, which `score` has just written and scored."""
    clock, y, class_cost = model.clock, x.label[t], x.class_cost[t]
    known = clock[SLOTS]
    d = slots_with(known, x, t)
    learn_scores(model, known, d, y, x.cost[t], class_cost, 1.0)
    n, anew = rewrite_new(model, x, t)
    learn_entries(model, n, anew, known, y, class_cost, 1.0)
    clock[ROWS] += 1
    remember_row(model, x, t)
    keep_in_sample(model, y)
    last = members_left(model, known, d)
    assess(model, last)
    if model.period > 0.0 and clock[ROWS] % model.period == 0.0:
        forget_linear(model, d, last)
        forget_views(model, d)
        fade_stats(model.stats, d)
        model.costs[COUNT] *= 0.5


def variance(model: Portfolio, x: Chunk, t: int) -> float:
    """x' Sigma x of a member with a full covariance of scaled rows, or of a lane."""
    d = model.clock[SLOTS]
    n = write_entries(model.stats, model.rows, model.slots[ENTRIES], x, t, SCORING)
    normalise_entries(model.rows, n)
    return variance_linear(model, n, d, active(model, d))
