"""Who decides: the council, unless a member or a constant policy is clearly cheaper."""

from __future__ import annotations

import numpy as np

from ...kernels.elementary import logarithm
from ...kernels.records import Floats
from .council import LARGEST_SCORE
from .layout import (
    ALWAYS,
    BEST,
    COSTS,
    COUNCIL,
    COUNT,
    DECIDER,
    LARGEST_COST,
    LEADER,
    MARGIN,
    MEMBERS,
    NEGATIVE_FLAT,
    NEGATIVES,
    NEVER,
    OURS,
    POSITIVE_FLAT,
    POSITIVES,
    ROWS,
    SCORES,
    SINCE,
)
from .record import Portfolio
from .resting import is_awake

CHEAPEST, DEAREST = 1e-100, 1e100  # a row, in negative ones
SMALLEST = 1e-150
NOISES = 2.0  # by which another must be ahead of the council to decide
SPREAD_FADE = 0.999
MODERATE = 10.0  # ratio of costs


def as_decided(margin: float, decider: int, scores: Floats) -> float:
    """A score with the sign of a decision that others take, in the order of the council's margin."""
    flags = decider == ALWAYS or (decider < MEMBERS and scores[decider] >= 0.0)
    if flags:
        return 1.0 + margin if margin >= 0.0 else 1.0 / (1.0 - margin)
    return margin - 1.0 if margin <= 0.0 else -1.0 / (1.0 + margin)


def charge(model: Portfolio, k: int, flags: bool, ours: bool, y: float, cost: float) -> None:
    """Charge a member or a policy for its decision, and note where it is not the council's."""
    if flags != (y > 0.0):
        model.costs[k] += cost
    if flags != ours:
        model.noises[k] += cost * cost


def judge(model: Portfolio, y: float, cost: float, flat: float, last: int, active: int) -> None:
    """Charge everyone for the row, and find who decides from now on.

    ``last`` members have seen it, of which ``active`` take part from now on. Another decides than the
    council if the council has cost more by `NOISES` times the noise in that difference: the root of the
    squared costs of the rows that the two decided differently, and of the largest cost.
    """
    costs, noises, clock, scores = model.costs, model.noises, model.clock, model.work[SCORES]
    if model.keep < 1.0:
        for k in range(COSTS):
            if k != COUNT:
                costs[k] *= model.keep
        for k in range(noises.shape[0]):
            noises[k] *= model.keep
    cost = min(cost, DEAREST)
    positive = y > 0.0
    costs[POSITIVES if positive else NEGATIVES] += 1.0
    costs[POSITIVE_FLAT if positive else NEGATIVE_FLAT] += min(flat, DEAREST)
    costs[LARGEST_COST] = max(costs[LARGEST_COST], cost)
    ours = model.now[MARGIN] >= 0.0
    if ours != positive:
        costs[OURS] += cost
    for k in range(last):
        if is_awake(model, k):
            charge(model, k, scores[k] >= 0.0, ours, y, cost)
            size = min(abs(scores[k]), LARGEST_SCORE)
            model.spread[k] = SPREAD_FADE * model.spread[k] + (1.0 - SPREAD_FADE) * size
        else:  # as much as the council, so that nobody wins by resting
            charge(model, k, ours, ours, y, cost)
    charge(model, ALWAYS, True, ours, y, cost)
    charge(model, NEVER, False, ours, y, cost)
    best = 0
    for k in range(1, active):
        if is_awake(model, k) and (costs[k] < costs[best] or not is_awake(model, best)):
            best = k
    leader = best
    for k in range(ALWAYS, NEVER + 1):
        if costs[k] < costs[leader]:
            leader = k
    if leader != clock[LEADER]:
        clock[LEADER] = leader
        clock[SINCE] = clock[ROWS] + 1
    clock[BEST] = best
    largest = costs[LARGEST_COST]
    ahead = costs[OURS] - costs[leader]
    needed = NOISES * np.sqrt(noises[leader] + largest * largest)
    clock[DECIDER] = leader if ahead > needed else COUNCIL


def flat_cost(costs: Floats, y: float, flat: float) -> float:
    """What a row costs on average, over the mean cost of a negative one, in whatever unit weights are.

    Where rows have costs of their own, a positive one costs what positive rows do on average.
    """
    positive = mean_cost(costs[NEVER], costs[POSITIVE_FLAT])
    negative = mean_cost(costs[ALWAYS], costs[NEGATIVE_FLAT])
    ratio = positive / negative if y > 0.0 else 1.0
    unit = mean_cost(costs[NEGATIVE_FLAT], costs[NEGATIVES])
    return min(max(flat / unit * ratio, CHEAPEST), DEAREST)


def first_odds(costs: Floats) -> float:
    """The log-odds where all scores are 0, before the council has learnt its bias.

    Members learn at costs, and so at 0 a mistake of either kind costs the same: the odds are one over
    the ratio of mean costs. Where that is moderate, 1 did as well or better, and is more careful: flag
    what is not known.
    """
    if costs[NEVER] > 0.0 and costs[ALWAYS] > 0.0:
        positive = mean_cost(costs[NEVER], costs[POSITIVES])
        ratio = min(positive / mean_cost(costs[ALWAYS], costs[NEGATIVES]), DEAREST)
        return -logarithm(max(ratio / MODERATE, 1.0))
    return 0.0


def mean_cost(total: float, flat: float) -> float:
    """The costs of the rows of a class over their number or flat costs; 1 for none that count."""
    return total / flat if flat > SMALLEST and total > 0.0 else 1.0
