"""The portfolio: learners at many settings and in several geometries, side by side.

Each of its members wants one kind of row:

* *scaled*: features divided by their running size, then the row by its L2 norm;
* *raw*: the row divided by its L2 norm;
* *standardised*: all features, zeros too, less their running mean and over their running deviation.

Sparse lanes, with a diagonal covariance, learn scaled and raw rows of any width; dense lanes learn
standardised rows of up to ``DENSE`` slots. Members with a full covariance learn scaled or standardised
rows while no row has had more than ``WIDEST`` slots, some only up to ``NARROW``. Two constant policies
stand by their side. Whoever has made the cheapest mistakes so far leads, and decides together with
those that are hardly behind. A row is read once for all of them.
"""

from __future__ import annotations

import numpy as np

from ...kernels.primitives import row_scale
from ...kernels.records import Chunk, Floats, Slots
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
from .platt import calibrate, log_odds
from .record import Portfolio

DENSE, WIDEST, NARROW = 512, 320, 64  # slots of dense lanes, of full members, and of all of these
SMALLEST = 1e-150  # sizes outside of these are none
LARGEST = 1e150
CHEAPEST, DEAREST = 1e-100, 1e100  # a row, in negative ones
LEAST_NOISE = 1e-300
FARTHEST = 3.0  # deviations that a standardised feature may be from its mean
SMALLEST_REST = 1e-9  # so that no score is beyond a thousand millions

# Where the members of each group end: sparse lanes, dense lanes, full ones, narrow full ones.
SPARSE_LANES, DENSE_LANES, WIDER, MEMBERS = 8, 14, 17, 19
# After the costs of the members stand those of the constant policies, the noise in a sum of costs (the
# root of the summed squared costs of our own mistakes), and how many rows were positive and negative;
# all fade.
ALWAYS, NEVER, NOISE, POSITIVES, NEGATIVES = (MEMBERS + k for k in range(5))
COSTS = MEMBERS + 5

# The rows of ``settings``, ``stats``, ``rows``, ``slots`` and ``work``; what the clock tells.
GAMMA, ETA, WANTS_SCALED = 0, 1, 2
SQUARE, SEEN, MEAN, SQUARED_DEVIATIONS = 0, 1, 2, 3
SCALED, RAW, WHOLE, STANDARDISED, SX = 0, 1, 2, 3, 4
ENTRIES, ALL = 0, 1
SCORES, STEP, WEIGHT = 0, 1, 2
ROWS, LEADER, SINCE, SLOTS, BEST = 0, 1, 2, 3, 4

SCORING, LEARNING = 0.0, 1.0  # what a row is written for; floats, see the rules for compiled code


# --- rows -------------------------------------------------------------------------------------------


def write_entries(stats: Floats, rows: Floats, slot: Slots, x: Chunk, t: int, purpose: float) -> int:
    """Write the row twice: each feature over its size, and as it came.

    The size of a feature is the root of its mean square over the rows before that had it. One that was
    in no row before is left out where the row is scored; where it is learnt its size is its own. The
    intercept comes first. Returns the number of entries.
    """
    slot[0] = 0
    n = 1
    for k in range(x.start[t], x.start[t + 1]):
        j = x.index[k]
        value = x.value[k]
        new = stats[SEEN, j] == 0.0
        if j != 0 and value != 0.0 and n < slot.shape[0] and (purpose == LEARNING or not new):
            size = abs(value)
            if not new:
                known = np.sqrt(stats[SQUARE, j] / stats[SEEN, j])
                if SMALLEST < known < LARGEST and size / known < LARGEST:
                    size = known
            slot[n] = j
            rows[SCALED, n] = value / size
            rows[RAW, n] = value
            n += 1
    return n


def normalise_entries(rows: Floats, n: int) -> None:
    """Divide both by their norms, of which the intercept is no part."""
    for kind in range(2):  # SCALED, RAW
        scale = row_scale(rows[kind], 1, n)
        rows[kind, 0] = 1.0
        for e in range(1, n):
            rows[kind, e] *= scale


def old_entries(stats: Floats, most: int, x: Chunk, t: int) -> int:
    """The number of entries that were written to be scored; 0 if the row has a feature that is new."""
    n = 1
    for k in range(x.start[t], x.start[t + 1]):
        j = x.index[k]
        if j != 0 and x.value[k] != 0.0:
            if stats[SEEN, j] == 0.0:
                return 0
            n = min(n + 1, most)
    return n


def write_whole(rows: Floats, d: int, x: Chunk, t: int) -> None:
    """Write the first d features of a row, zeros too."""
    for j in range(d):
        rows[WHOLE, j] = 0.0
    for k in range(x.start[t], x.start[t + 1]):
        if x.index[k] < d:
            rows[WHOLE, x.index[k]] = min(max(x.value[k], -LARGEST), LARGEST)


def write_standardised(stats: Floats, rows: Floats, d: int, count: float) -> None:
    """Write each feature less its mean and over its deviation, and all over the root of their number.

    Means and deviations are those of the ``count`` rows before. A feature that has not varied is 0.
    """
    seen = 0
    for j in range(d):
        seen += stats[SEEN, j] > 0.0
    scale = 1.0 / np.sqrt(max(float(seen), 1.0))
    for j in range(d):
        deviation = np.sqrt(stats[SQUARED_DEVIATIONS, j] / max(count, 1.0))
        varied = SMALLEST < deviation < LARGEST
        away = (rows[WHOLE, j] - stats[MEAN, j]) / (deviation if varied else 1.0)
        away = min(max(away, -FARTHEST), FARTHEST)
        rows[STANDARDISED, j] = away * scale if varied else 0.0
    rows[STANDARDISED, 0] = 1.0


def take_stats(stats: Floats, rows: Floats, d: int, count: float, x: Chunk, t: int) -> None:
    """Let the row count in the sizes of its features, and in the means and deviations of all."""
    for k in range(x.start[t], x.start[t + 1]):
        j = x.index[k]
        if j != 0 and x.value[k] != 0.0:
            stats[SQUARE, j] += x.value[k] * x.value[k]
            stats[SEEN, j] += 1.0
    if d <= DENSE:
        write_whole(rows, d, x, t)
        for j in range(d):
            away = rows[WHOLE, j] - stats[MEAN, j]
            middle = stats[MEAN, j] + away / count
            stats[MEAN, j] = middle
            stats[SQUARED_DEVIATIONS, j] += away * (rows[WHOLE, j] - middle)


def slots_with(d: int, x: Chunk, t: int) -> int:
    """How many slots there are once the row is learnt."""
    for k in range(x.start[t], x.start[t + 1]):
        if x.value[k] != 0.0:
            d = max(d, int(x.index[k]) + 1)
    return d


def active(slots: int) -> int:
    """The number of members that take part where rows have that many slots."""
    if slots <= NARROW:
        return MEMBERS
    if slots <= WIDEST:
        return WIDER
    return DENSE_LANES if slots <= DENSE else SPARSE_LANES


# --- scores -----------------------------------------------------------------------------------------


def decided(scores: Floats, shares: Floats, leader: int, last: int) -> float:
    """The mean of the members' scores, each by its share, on a scale on which none is beyond 1.

    While a constant policy leads the score has its sign, and the order of the mean.
    """
    mean = 0.0
    for k in range(last):
        mean += shares[k] * scores[k] / (1.0 + abs(scores[k]))
    score = mean / max(1.0 - abs(mean), SMALLEST_REST)
    if leader == ALWAYS:
        return 1.0 + score if score >= 0.0 else 1.0 / (1.0 - score)
    if leader == NEVER:
        return score - 1.0 if score <= 0.0 else -1.0 / (1.0 + score)
    return score


def member_score(score: float, leader: int) -> float:
    """The mean that `decided` has given the sign of a constant policy."""
    if leader == ALWAYS:
        return score - 1.0 if score >= 1.0 else 1.0 - 1.0 / score
    if leader == NEVER:
        return score + 1.0 if score <= -1.0 else -1.0 / score - 1.0
    return score


def member_log_odds(model: Portfolio, score: float) -> float:
    """The log-odds of a score, whoever leads: what is calibrated is the mean of the members."""
    return log_odds(model.platt, member_score(score, model.clock[LEADER]))


def score_members(model: Portfolio, n: int, d: int, purpose: float) -> None:
    """The score of each member; of a row that is written again to be learnt, those that change."""
    rows, slots, settings, scores = model.rows, model.slots, model.settings, model.work[SCORES]
    wants, anew = settings[WANTS_SCALED], purpose == SCORING
    score_sparse(model.mu, slots[ENTRIES], n, rows[SCALED], rows[RAW], wants, scores)
    if anew and d <= DENSE:
        score_dense(model.standardised_mu, d, rows[STANDARDISED], scores, SPARSE_LANES)
    for k in range(DENSE_LANES, active(d)):
        scaled = wants[k] > 0.0
        if scaled or anew:
            slot, row = slots[ENTRIES if scaled else ALL], rows[SCALED if scaled else STANDARDISED]
            scores[k] = score_full(model.mean[k - DENSE_LANES], slot, n if scaled else d, row)


def score(model: Portfolio, x: Chunk, t: int) -> float:
    """What the leader and those that are hardly behind say together."""
    clock, stats, rows = model.clock, model.stats, model.rows
    n = write_entries(stats, rows, model.slots[ENTRIES], x, t, SCORING)
    normalise_entries(rows, n)
    if clock[SLOTS] <= DENSE:
        write_whole(rows, clock[SLOTS], x, t)
        write_standardised(stats, rows, clock[SLOTS], float(clock[ROWS]))
    score_members(model, n, clock[SLOTS], SCORING)
    return decided(model.work[SCORES], model.shares, clock[LEADER], active(clock[SLOTS]))


# --- learning ---------------------------------------------------------------------------------------


def hypotenuse(a: float, b: float) -> float:
    """The root of a^2 + b^2, whatever their size; never 0."""
    larger, smaller = max(a, b, LEAST_NOISE), min(a, b)
    return larger * np.sqrt(1.0 + (smaller / larger) * (smaller / larger))  # type: ignore[no-any-return]


def judge(model: Portfolio, score: float, y: float, r: float, last: int) -> None:
    """Charge each member for its mistake; the cheapest that takes part from now on leads.

    Members share the decision that are behind the best one by less than the noise in our own costs.
    """
    costs, shares = model.costs, model.shares
    scores, clock = model.work[SCORES], model.clock
    for k in range(COSTS):
        costs[k] *= model.keep if k != NOISE else np.sqrt(model.keep)
    costs[POSITIVES if y > 0.0 else NEGATIVES] += 1.0
    for k in range(active(clock[SLOTS])):
        if (scores[k] >= 0.0) != (y > 0.0):
            costs[k] += r
    costs[NEVER if y > 0.0 else ALWAYS] += r
    if (score >= 0.0) != (y > 0.0):
        costs[NOISE] = hypotenuse(costs[NOISE], r)
    best = 0
    for k in range(1, last):
        if costs[k] < costs[best]:
            best = k
    leader = best
    for k in range(ALWAYS, NEVER + 1):
        if costs[k] < costs[leader]:
            leader = k
    if leader != clock[LEADER]:
        clock[LEADER] = leader
        clock[SINCE] = clock[ROWS]
    clock[BEST] = best
    unit = (costs[ALWAYS] + costs[NEVER]) / (costs[POSITIVES] + costs[NEGATIVES])
    noise = hypotenuse(costs[NOISE], unit)
    total = 0.0
    for k in range(last):
        shares[k] = max(1.0 - (costs[k] - costs[best]) / noise, 0.0)
        total += shares[k]
    for k in range(MEMBERS):
        shares[k] = shares[k] / total if k < last else 0.0


def in_negatives(costs: Floats, r: float) -> float:
    """What a row costs over the mean cost of a negative one, or of a positive if there is no other."""
    if costs[NEGATIVES] > SMALLEST:
        unit = costs[ALWAYS] / costs[NEGATIVES]
    else:
        unit = costs[NEVER] / costs[POSITIVES]
    return min(max(r / unit, CHEAPEST), DEAREST) if unit > 0.0 else 1.0


def learn_lanes(model: Portfolio, n: int, known: int, y: float, r: float) -> None:
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
    for e in range(n):
        squares[e] = scaled[e] * scaled[e]
        more[e] = raw[e] * raw[e]
    score_sparse(model.variance, slot, n, squares, more, wants, step)
    last = SPARSE_LANES
    if model.clock[SLOTS] <= DENSE:
        for j in range(known):
            squares[j] = standardised[j] * standardised[j]
        score_dense(model.standardised_variance, known, squares, step, SPARSE_LANES)
        last = DENSE_LANES
    if plan_steps(y, r, last, SPARSE_LANES, scores, gamma, eta, step, weight):
        learn_sparse(model.mu, model.variance, slot, n, scaled, raw, wants, eta, step, weight)
    mu, variance = model.standardised_mu, model.standardised_variance
    for k in range(last - SPARSE_LANES):
        lane = SPARSE_LANES + k
        if weight[lane] > 0.0:
            learn_dense(mu, variance, k, known, standardised, eta[lane], step[lane], weight[lane])


def reset_variances(model: Portfolio) -> None:
    """Make every member as unsure as it was at first, so that it can learn what has changed."""
    d = model.clock[SLOTS]
    for j in range(d):
        for k in range(SPARSE_LANES):
            if model.variance[j, k] > 0.0:  # else the slot is no part of the lane
                model.variance[j, k] = 1.0
    if d <= DENSE:
        for k in range(DENSE_LANES - SPARSE_LANES):
            for j in range(d):
                model.standardised_variance[k, j] = 1.0
    for f in range(active(d) - DENSE_LANES):
        for i in range(d):
            for j in range(d):
                model.Sigma[f, i, j] = 0.0
            model.Sigma[f, i, i] = 1.0


def update(model: Portfolio, x: Chunk, t: int, score: float, loss: float) -> None:
    """Let all members learn the row, which `score` has just written and scored.

    It costs as many negative ones as it is worth, so that it does not matter in which unit costs are.
    """
    clock, stats, rows, slots, settings = (
        model.clock,
        model.stats,
        model.rows,
        model.slots,
        model.settings,
    )
    y, scores = x.label[t], model.work[SCORES]
    clock[ROWS] += 1
    known = clock[SLOTS]
    d = slots_with(known, x, t)
    calibrate(model.platt, member_score(score, clock[LEADER]), y)
    judge(model, score, y, x.cost[t], active(d))
    r = in_negatives(model.costs, x.cost[t])
    clock[SLOTS] = d
    n = old_entries(stats, slots.shape[1], x, t)
    if n == 0:
        n = write_entries(stats, rows, slots[ENTRIES], x, t, LEARNING)
        normalise_entries(rows, n)
        score_members(model, n, d, LEARNING)
    learn_lanes(model, n, known, y, r)
    for k in range(DENSE_LANES, active(d)):
        short = 1.0 - y * scores[k]
        if short > 0.0:
            mean, Sigma = model.mean[k - DENSE_LANES], model.Sigma[k - DENSE_LANES]
            scaled, ratio = settings[WANTS_SCALED, k] > 0.0, settings[GAMMA, k] / r
            slot, row = slots[ENTRIES if scaled else ALL], rows[SCALED if scaled else STANDARDISED]
            length = n if scaled else known
            learn_full(mean, Sigma, d, slot, length, row, rows[SX], short * y, ratio)
    take_stats(stats, rows, d, float(clock[ROWS]), x, t)
    if model.period > 0.0 and clock[ROWS] % model.period == 0.0:
        reset_variances(model)


def variance(model: Portfolio, x: Chunk, t: int) -> float:
    """x' Sigma x of the best member."""
    rows, slots, best, d = model.rows, model.slots, model.clock[BEST], model.clock[SLOTS]
    n = write_entries(model.stats, rows, slots[ENTRIES], x, t, SCORING)
    normalise_entries(rows, n)
    scaled = model.settings[WANTS_SCALED, best] > 0.0
    total = 0.0
    if best < SPARSE_LANES:
        for e in range(n):
            value = rows[SCALED if scaled else RAW, e]
            total += model.variance[slots[ENTRIES, e], best] * value * value
        return total
    write_whole(rows, d, x, t)
    write_standardised(model.stats, rows, d, float(model.clock[ROWS]))
    if best < DENSE_LANES:
        for j in range(d):
            value = rows[STANDARDISED, j]
            total += model.standardised_variance[best - SPARSE_LANES, j] * value * value
        return total
    slot, row = slots[ENTRIES if scaled else ALL], rows[SCALED if scaled else STANDARDISED]
    length = n if scaled else d
    return product_full(model.Sigma[best - DENSE_LANES], d, slot, length, row, rows[SX])
