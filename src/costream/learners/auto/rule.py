"""The portfolio: members learn views of a row, the council weighs what they say, costs decide.

A row is written once for all members. The council makes one probability of their scores, and a row is
flagged where that costs no more on average than not to flag it.
"""

from __future__ import annotations

import numpy as np

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
from .lanes import (
    learn_dense,
    learn_full,
    learn_sparse,
    plan_steps,
    product_full,
    score_dense,
    score_full,
    score_sparse,
)
from .layout import (
    ALL,
    COUNT,
    DENSE,
    DENSE_LANES,
    DENSE_WIDEST,
    ENTRIES,
    ETA,
    FULL,
    FULL_MEMBERS,
    FULL_WIDEST,
    GAMMA,
    HATS,
    LEAVES,
    LOG_ODDS,
    MARGIN,
    MEMBERS,
    NARROW_FULL,
    NARROWEST,
    PRODUCTS,
    RAW,
    ROWS,
    SCALED,
    SCORES,
    SEATS,
    SEEN,
    SLOTS,
    SPARSE,
    SPARSE_LANES,
    STANDARDISED,
    STEP,
    SX,
    UNIT,
    UNTIL,
    WANTS_SCALED,
    WAVES,
    WEIGHT,
    WHOLE,
)
from .record import Portfolio
from .resting import assess, is_awake
from .views.hats import learn_hats, score_hats
from .views.leaves import KINDS, learn_leaves, score_leaves, take_sample
from .views.linear import (
    LEARNING,
    SCORING,
    fade_stats,
    normalise_entries,
    old_entries,
    take_stats,
    write_entries,
    write_standardised,
    write_whole,
)
from .views.waves import SCALES, learn_waves, score_waves, write_waves


def slots_with(d: int, x: Chunk, t: int) -> int:
    """How many slots there are once the row is learnt."""
    for k in range(x.start[t], x.start[t + 1]):
        if x.value[k] != 0.0:
            d = max(d, int(x.index[k]) + 1)
    return d


def active(slots: int) -> int:
    """The number of members that take part where rows have that many slots."""
    if slots <= NARROWEST:
        return MEMBERS
    if slots <= FULL_WIDEST:
        return NARROW_FULL
    return FULL if slots <= DENSE_WIDEST else DENSE


# --- scores -----------------------------------------------------------------------------------------


def score_linear(model: Portfolio, n: int, d: int, purpose: float) -> None:
    """The scores of linear members; of a row that is written again to be learnt, those that change."""
    rows, slots, settings, scores = model.rows, model.slots, model.settings, model.work[SCORES]
    wants, anew, last = settings[WANTS_SCALED], purpose == SCORING, active(d)
    if is_awake(model, SPARSE):
        score_sparse(model.mu, slots[ENTRIES], n, rows[SCALED], rows[RAW], wants, scores)
    if last > DENSE and anew and is_awake(model, DENSE):
        score_dense(model.standardised_mu, d, rows[STANDARDISED], scores, DENSE)
    for k in range(FULL_MEMBERS):
        place = FULL + k
        scaled = wants[place] > 0.0
        if place < last and (scaled or anew) and is_awake(model, place):
            slot, row = slots[ENTRIES if scaled else ALL], rows[SCALED if scaled else STANDARDISED]
            scores[place] = score_full(model.mean[k], slot, n if scaled else d, row)


def score_curves(model: Portfolio, d: int) -> None:
    """The scores of the members of other views."""
    last = active(d)
    if last > HATS and is_awake(model, HATS):
        seen = 0
        for j in range(d):
            seen += model.stats[SEEN, j] > 0.0
        score_hats(model, d, 1.0 / np.sqrt(max(float(seen), 1.0)))
    if last > LEAVES and model.feature.shape[0] > 0:
        boosted, random = is_awake(model, LEAVES), is_awake(model, LEAVES + 1)
        if boosted or random:
            score_leaves(model, d, 0 if boosted else 1, KINDS if random else 1)
    if last > WAVES:
        found = False
        for k in range(len(SCALES)):
            if is_awake(model, WAVES + k):
                if not found:
                    write_waves(model.rows[STANDARDISED], d, model.directions, model.waves)
                    found = True
                score_waves(model, k)


def score(model: Portfolio, x: Chunk, t: int) -> float:
    """The council's margin: its log-odds plus the logarithm of the stake, negated for benefits.

    A stake that is not known is taken as the mean stake of the rows so far.
    """
    stats, rows, now, d = model.stats, model.rows, model.now, model.clock[SLOTS]
    n = write_entries(stats, rows, model.slots[ENTRIES], x, t, SCORING)
    normalise_entries(rows, n)
    last, scores, seats = active(d), model.work[SCORES], model.work[SEATS]
    for k in range(last):
        scores[k] = 0.0
    if d <= DENSE_WIDEST:
        write_whole(rows, d, x, t)
        write_standardised(stats, rows, d, model.costs[COUNT])
    score_linear(model, n, d, SCORING)
    if d <= DENSE_WIDEST:
        score_curves(model, d)
    sit(seats, scores, last)
    now[LOG_ODDS] = council_log_odds(model.council, seats, last, first_odds(model.costs))
    stake = x.stake[t] if x.stake[t] != 0.0 else mean_stake(model.costs)
    margin = now[LOG_ODDS] + logarithm(abs(stake))
    now[MARGIN] = margin if stake > 0.0 else -margin
    return now[MARGIN]  # type: ignore[no-any-return]


def log_odds(model: Portfolio) -> float:
    """That the row that was scored last is positive."""
    return model.now[LOG_ODDS]  # type: ignore[no-any-return]


# --- learning ---------------------------------------------------------------------------------------


def learn_linear_lanes(model: Portfolio, n: int, known: int, y: float, r: float) -> None:
    """Let the lanes learn the row; as a standardised one it has the slots that were known before."""
    rows, slot, settings, work = model.rows, model.slots[ENTRIES], model.settings, model.work
    scores, step, weight = work[SCORES], work[STEP], work[WEIGHT]
    gamma, eta, wants = settings[GAMMA], settings[ETA], settings[WANTS_SCALED]
    scaled, raw, standardised, squares, more = (
        rows[SCALED],
        rows[RAW],
        rows[STANDARDISED],
        rows[SX],
        rows[WHOLE],
    )
    n = n if is_awake(model, SPARSE) else 0
    for e in range(n):
        squares[e] = scaled[e] * scaled[e]
        more[e] = raw[e] * raw[e]
    score_sparse(model.variance, slot, n, squares, more, wants, step)
    last = SPARSE_LANES
    if model.clock[SLOTS] <= DENSE_WIDEST and is_awake(model, DENSE):
        for j in range(known):
            squares[j] = standardised[j] * standardised[j]
        score_dense(model.standardised_variance, known, squares, step, DENSE)
        last = DENSE + DENSE_LANES
    if plan_steps(y, r, last, SPARSE_LANES, scores, gamma, eta, step, weight):
        learn_sparse(model.mu, model.variance, slot, n, scaled, raw, wants, eta, step, weight)
    mu, variance = model.standardised_mu, model.standardised_variance
    for k in range(last - SPARSE_LANES):
        lane = DENSE + k
        if weight[lane] > 0.0:
            learn_dense(mu, variance, k, known, standardised, eta[lane], step[lane], weight[lane])


def learn_full_members(model: Portfolio, n: int, known: int, y: float, r: float) -> None:
    """Let the full members of linear views learn the row."""
    rows, slots, settings, d = model.rows, model.slots, model.settings, model.clock[SLOTS]
    for k in range(FULL_MEMBERS):
        place = FULL + k
        short = 1.0 - y * model.work[SCORES, place]
        if place < active(d) and short > 0.0 and is_awake(model, place):
            scaled, ratio = settings[WANTS_SCALED, place] > 0.0, settings[GAMMA, place] / r
            slot, row = slots[ENTRIES if scaled else ALL], rows[SCALED if scaled else STANDARDISED]
            length = n if scaled else known
            learn_full(model.mean[k], model.Sigma[k], d, slot, length, row, rows[SX], short * y, ratio)


def learn_curves(model: Portfolio, known: int, y: float, r: float) -> None:
    """Let the members of other views learn the row, as it was scored: without new features."""
    last, scores = min(active(known), active(model.clock[SLOTS])), model.work[SCORES]
    if last > HATS and is_awake(model, HATS):
        learn_hats(model, y, r)
    if last > LEAVES and model.feature.shape[0] > 0:
        for kind in range(KINDS):
            k = LEAVES + kind
            if is_awake(model, k):
                ratio = model.settings[GAMMA, k] / r
                learn_leaves(
                    model.leaves_mu, model.leaves_variance, model.leaf, kind, scores[k], y, ratio
                )
    if last > WAVES:
        for k in range(len(SCALES)):
            if is_awake(model, WAVES + k):
                learn_waves(model, k, y, r)


def reset_variances(model: Portfolio) -> None:
    """Make every member as unsure as it was at first, so that it can learn what has changed."""
    d = model.clock[SLOTS]
    for j in range(d):
        for k in range(SPARSE_LANES):
            if model.variance[j, k] > 0.0:  # else the slot is no part of the lane
                model.variance[j, k] = 1.0
    if d <= DENSE_WIDEST:
        for k in range(DENSE_LANES):
            for j in range(d):
                model.standardised_variance[k, j] = 1.0
        for j in range(model.hats_variance.shape[0]):
            for k in range(model.hats_variance.shape[1]):
                model.hats_variance[j, k] = 1.0
    for j in range(model.leaves_variance.shape[0]):
        model.leaves_variance[j] = 1.0
    for f in range(FULL_MEMBERS):
        if FULL + f < active(d):
            for i in range(d):
                for j in range(d):
                    model.Sigma[f, i, j] = 0.0
                model.Sigma[f, i, i] = 1.0
    for f in range(len(SCALES)):
        for i in range(model.waves_covariance.shape[1]):
            for j in range(model.waves_covariance.shape[1]):
                model.waves_covariance[f, i, j] = 0.0
            model.waves_covariance[f, i, i] = 1.0


def update(model: Portfolio, x: Chunk, t: int, score: float, loss: float) -> None:
    """Let the council and all members learn the row, which `score` has just written and scored."""
    clock, stats, rows, slots, work = model.clock, model.stats, model.rows, model.slots, model.work
    y, costs = x.label[t], model.costs
    known = clock[SLOTS]
    d = slots_with(known, x, t)
    if clock[ROWS] == 0:
        first_weights(model.council, active(d), model.rests[UNTIL], UNIT)
    judge(model, y, x.cost[t], x.flat[t], active(known), active(d))
    if active(d) < active(known):
        fold(model.council_root, active(d))
    fade = min(FADE, model.keep)
    seats, odds = work[SEATS], model.now[LOG_ODDS]
    learn_council(model.council, model.council_root, seats, work[PRODUCTS:], active(d), odds, y, fade)
    if clock[ROWS] % RESTRAINED == 0:
        restrain(model.council_root, active(d))
    r = flat_cost(costs, y, x.flat[t])
    clock[SLOTS] = d
    learn_curves(model, known, y, r)
    n = old_entries(stats, slots.shape[1], x, t)
    if n == 0:
        n = write_entries(stats, rows, slots[ENTRIES], x, t, LEARNING)
        normalise_entries(rows, n)
        score_linear(model, n, d, LEARNING)
    if is_awake(model, SPARSE) or is_awake(model, DENSE):
        learn_linear_lanes(model, n, known, y, r)
    learn_full_members(model, n, known, y, r)
    clock[ROWS] += 1
    costs[COUNT] += 1.0
    take_stats(stats, rows, d, costs[COUNT], x, t)
    take_sample(model, d, y)
    assess(model, active(d))
    if model.period > 0.0 and clock[ROWS] % model.period == 0.0:
        reset_variances(model)
        fade_stats(stats, d)
        costs[COUNT] *= 0.5


def variance(model: Portfolio, x: Chunk, t: int) -> float:
    """x' Sigma x of a member with a full covariance of scaled rows, or of the first lane."""
    rows, slots, d = model.rows, model.slots, model.clock[SLOTS]
    n = write_entries(model.stats, rows, slots[ENTRIES], x, t, SCORING)
    normalise_entries(rows, n)
    if d <= FULL_WIDEST:
        return product_full(model.Sigma[0], d, slots[ENTRIES], n, rows[SCALED], rows[SX])
    total = 0.0
    for e in range(n):
        total += model.variance[slots[ENTRIES, e], 1] * rows[SCALED, e] * rows[SCALED, e]
    return total
