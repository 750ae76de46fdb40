"""What everyone's decisions have cost, and what rows cost on average."""

from __future__ import annotations

from ...kernels.elementary import exponential, logarithm
from ...kernels.records import Floats
from .layout import (
    ALWAYS,
    BEST,
    LEADER,
    MARGIN,
    NEGATIVE_CLASS_COST,
    NEGATIVES,
    NEVER,
    NO_PRIOR,
    NOW,
    NUMBERS,
    PAUSED,
    POSITIVE_CLASS_COST,
    POSITIVES,
    PRIOR_ODDS,
    ROWS,
    SCORES,
    SINCE,
    Portfolio,
)
from .stacking import LARGEST_SCORE

CHEAPEST, DEAREST = 1e-100, 1e100  # a row, in negative ones
SMALLEST = 1e-150
SPREAD_FADE = 0.999
MODERATE = 10.0  # ratio of costs
BILLIONTH = 1e-9


def charge(model: Portfolio, y: float, cost: float, class_cost: float, last: int, active: int) -> None:
    """Charge everyone for the row, and find who leads: who has cost least so far.

    ``last`` members have seen it, of which ``active`` take part from now on.
    """
    costs, scores = model.costs, model.work[SCORES]
    if model.keep < 1.0:
        for k in range(costs.shape[0] - 1):  # all but the count
            costs[k] *= model.keep
    cost = min(cost, DEAREST)
    positive = y > 0.0
    costs[POSITIVES if positive else NEGATIVES] += 1.0
    costs[POSITIVE_CLASS_COST if positive else NEGATIVE_CLASS_COST] += min(class_cost, DEAREST)
    costs[NEVER if positive else ALWAYS] += cost
    paused = model.work[PAUSED]
    for k in range(last):
        flags = (
            model.work[NOW, MARGIN] >= 0.0
        )  # a paused member decides as all do: nobody wins by a pause
        if paused[k] == 0.0:
            flags = scores[k] >= 0.0
            size = min(abs(scores[k]), LARGEST_SCORE)
            model.spread[k] = SPREAD_FADE * model.spread[k] + (1.0 - SPREAD_FADE) * size
        if flags != positive:
            costs[k] += cost
    find_leader(model, active)


def find_leader(model: Portfolio, active: int) -> None:
    """Find who leads after the row at hand: a member that is still ``active``, or a constant policy."""
    costs, clock, paused = model.costs, model.clock, model.work[PAUSED]
    best = 0
    for k in range(1, active):
        if paused[k] == 0.0 and (costs[k] < costs[best] or paused[best] > 0.0):
            best = k
    leader, members = best, model.spread.shape[0]
    for k in range(members, members + 2):  # the constant policies
        if costs[k] < costs[leader]:
            leader = k
    if leader != clock[LEADER]:
        clock[LEADER] = leader
        clock[SINCE] = clock[ROWS] + 1
    clock[BEST] = best


def relative_cost(costs: Floats, y: float, class_cost: float) -> float:
    """The class cost of a row, relative to that of a negative one, in whatever unit weights are.

    Where rows have costs of their own, a positive one costs what positive rows do on average.
    """
    positive = mean_cost(costs[NEVER], costs[POSITIVE_CLASS_COST])
    negative = mean_cost(costs[ALWAYS], costs[NEGATIVE_CLASS_COST])
    ratio = positive / negative if y > 0.0 else 1.0
    unit = mean_cost(costs[NEGATIVE_CLASS_COST], costs[NEGATIVES])
    return min(max(class_cost / unit * ratio, CHEAPEST), DEAREST)


def first_odds(costs: Floats) -> float:
    """The log-odds where all scores are 0, before the stacker has learnt its bias.

    Members learn at costs, and so at 0 a mistake of either kind costs the same: the odds are one over
    the ratio of mean costs. Where that is moderate, 1 did as well or better, and is more careful: flag
    what is not known.
    """
    if costs[NEVER] > 0.0 and costs[ALWAYS] > 0.0:
        return -logarithm(max(mean_cost_ratio(costs) / MODERATE, 1.0))
    return 0.0


def is_begun(model: Portfolio) -> bool:
    """Whether rows of both classes were learnt, or there is no prior to go by until then."""
    costs = model.costs
    without_prior = model.plan[NUMBERS, PRIOR_ODDS] == NO_PRIOR
    return bool(without_prior or (costs[POSITIVES] > 0.0 and costs[NEGATIVES] > 0.0))


def prior_odds(model: Portfolio) -> float:
    """The log-odds of any row where one class alone was learnt.

    Each negative row counts against the prior, which is worth one positive row. Positive ones do not
    count for it: labels of fraud come first, and say nothing of how rare it is.
    """
    against = exponential(-BILLIONTH * model.plan[NUMBERS, PRIOR_ODDS])
    return -logarithm(against + model.costs[NEGATIVES])


def mean_cost_ratio(costs: Floats) -> float:
    """The ratio of the mean costs of positive and of negative rows so far."""
    positive = mean_cost(costs[NEVER], costs[POSITIVES])
    negative = mean_cost(costs[ALWAYS], costs[NEGATIVES])
    return min(max(positive / negative, CHEAPEST), DEAREST)


def mean_cost(total: float, over: float) -> float:
    """The costs of the rows of a class over their number or class costs; 1 for none that count."""
    return total / over if over > SMALLEST and total > 0.0 else 1.0
