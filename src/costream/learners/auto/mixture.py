"""Several portfolios at different half-lives, mixed by their recent loss.

All score and learn one written row. The log-odds of the mixture are those of the portfolio that never
forgets, plus the differences of the others from it (`FARTHEST` at most), each times its share. Shares
come from losses: the log loss of each portfolio, where both classes weigh the same and a row of the
rarer one has the weight 1, at log-odds times a slope, which follows how sure it should have been: who
learns fast is too sure where labels come late. Losses fade by `FADE` a row of that weight, and

    share ~ exp(-RATE loss - preference)

with `PREFERENCE` for all but the first: it takes evidence to forget, always.
"""

from __future__ import annotations

import numpy as np

from ...kernels.elementary import LIMIT, exponential, logarithm
from ...kernels.records import Chunk, Floats, Integers
from .decision import find_leader
from .layout import NEGATIVES, NUMBERS, POSITIVES, ROWS, SLOTS, WHOLE_WIDEST, Portfolio
from .pausing import assess, note_pauses
from .portfolios import (
    CURVATURE,
    FAST,
    LOSS,
    NEGATIVE_CREDIT,
    PHASE,
    POSITIVE_CREDIT,
    RESTS,
    SHARE,
    SLOPE,
    SLOW,
    SQUARES,
    TAKES_PART,
    WAKES,
    WEIGHT,
    Portfolios,
    portfolio,
)
from .rule import (
    active,
    cost_ratio_of,
    decide,
    keep_in_sample,
    learn_entries,
    learn_scores,
    margin_of,
    members_left,
    remember_row,
    rewrite_new,
    score_written,
    slots_with,
    write_row,
)
from .rule import variance as variance_of
from .sampling import keep_row
from .stacking import fold
from .views import forget_views
from .views.linear import forget as forget_linear

RATE, PREFERENCE = 0.6, 3.5
FADE = 0.001
FARTHEST = 6.0  # log-odds
SURE = 6.0  # log-odds beyond which nobody loses or gains
LEAST_EXPONENT = -600.0
FLATTEST, FIRST_CURVATURE = 0.05, 30.0
AT_MOST, SAVED = 2.0, 5.0  # times the usual rate of a class, and rows that may come at once
SHORT_TERM, LONG_TERM = 1.0 / 128.0, 1.0 / 4096.0  # what a row adds to the means of the trend


def score(model: Portfolios, x: Chunk, t: int) -> float:
    """The decision score of a row, at the odds of all portfolios that take part."""
    first = portfolio(model, 0)
    n = write_row(first, x, t)
    cost_ratio = cost_ratio_of(first, x, t)
    said, count = model.said, model.paces.shape[1]
    for g in range(count):
        if model.turns[PHASE, g] != RESTS:
            one = portfolio(model, g)
            said[g] = score_written(one, n)
            decide(one, said[g], cost_ratio)
    said[count] = mixed_odds(model.mixture[SHARE], said, count)
    return margin_of(float(said[count]), cost_ratio)


def mixed_odds(share: Floats, said: Floats, count: int) -> float:
    """The log-odds of the mixture; who takes no part has a share of 0."""
    total = float(said[0])
    for g in range(1, count):
        if share[g] > 0.0:
            total += share[g] * float(min(max(said[g] - said[0], -FARTHEST), FARTHEST))
    return min(max(total, -LIMIT), LIMIT)


def log_odds(model: Portfolios) -> float:
    """That the row that was scored last is positive."""
    return float(model.said[model.paces.shape[1]])


def forecast(model: Portfolios, out: Floats) -> None:
    """What each portfolio that takes part has said of the row, and the mixture last; NaN of others."""
    count = model.paces.shape[1]
    for g in range(count):
        out[g] = model.said[g] if model.turns[PHASE, g] == TAKES_PART else np.nan
    out[count] = model.said[count]


# --- learning -----------------------------------------------------------------------------------------


def update(model: Portfolios, x: Chunk, t: int, score: float, loss: float) -> None:
    """Let all portfolios that do not rest learn the row, which `score` has just written and scored."""
    first, y, cost, class_cost = portfolio(model, 0), x.label[t], x.cost[t], x.class_cost[t]
    phase, count = model.turns[PHASE], model.paces.shape[1]
    known = model.clock[SLOTS]
    d = slots_with(known, x, t)
    weight = model.mixture[WEIGHT]
    recall(model, t)
    judge(model, y)
    for g in range(count):
        one = portfolio(model, g)
        if phase[g] != RESTS:
            weight[g] = take_credit(one.costs, model.mixture, g, y)
            learn_scores(one, known, d, y, cost, class_cost, weight[g])
        elif d > known:
            widen(one, known, d)
    n, anew = rewrite_new(first, x, t)
    for g in range(count):
        one = portfolio(model, g)
        if phase[g] != RESTS:
            learn_entries(one, n, anew, known, y, class_cost, weight[g])
        one.clock[ROWS] += 1
    remember_row(first, x, t)
    if model.clock[SLOTS] <= model.plan[NUMBERS, WHOLE_WIDEST]:
        keep_row(model, model.clock[SLOTS], y)
    for g in range(count):
        one = portfolio(model, g)
        if g == 1:  # the trees of recent rows
            keep_in_sample(one, y)
        if phase[g] != RESTS:
            forget(one, model.turns[WAKES], g, known)


def take_credit(costs: Floats, mixture: Floats, g: int, y: float) -> float:
    """What a row counts for in learning: less where its class comes in a burst.

    Each class gets credit, row by row, for some times as many rows as it has had so far, and may save
    some of it; a row takes one, or what is left.
    """
    rate = (costs[POSITIVES] + 1.0) / (costs[POSITIVES] + costs[NEGATIVES] + 2.0)
    for credit, share in ((NEGATIVE_CREDIT, 1.0 - rate), (POSITIVE_CREDIT, rate)):
        mixture[credit, g] = min(mixture[credit, g] + AT_MOST * share, SAVED)
    own = POSITIVE_CREDIT if y > 0.0 else NEGATIVE_CREDIT
    weight = min(float(mixture[own, g]), 1.0)
    mixture[own, g] -= weight
    return weight


def widen(model: Portfolio, known: int, d: int) -> None:
    """Let a portfolio that rests know of new features, and who leads where some members leave."""
    last = active(model, d)
    if last < active(model, known):
        fold(model.stacker_root, last)
        note_pauses(model)
        find_leader(model, last)
    model.clock[SLOTS] = d


def forget(model: Portfolio, wakes: Integers, g: int, known: int) -> None:
    """Pause members; at the end of a half-life, or after a rest, let all be as unsure as at first."""
    d = model.clock[SLOTS]
    last = members_left(model, known, d)
    assess(model, last)
    if wakes[g] > 0 or (model.period > 0.0 and model.clock[ROWS] % model.period == 0.0):
        wakes[g] = 0
        forget_linear(model, d, last)
        forget_views(model, d)


# --- shares -------------------------------------------------------------------------------------------


def recall(model: Portfolios, t: int) -> None:
    """Note what was said of the row when it was scored, where that is given: all are judged by that.

    A portfolio that rested then is judged by what it says now.
    """
    if t < model.given.shape[0]:
        for g in range(model.said.shape[0]):
            if np.isfinite(model.given[t, g]):
                model.said[g] = model.given[t, g]


def judge(model: Portfolios, y: float) -> None:
    """Charge each portfolio that takes part, and the mixture, for what they said of the row."""
    mixture, count = model.mixture, model.paces.shape[1]
    positives, negatives = model.costs[POSITIVES] + 1.0, model.costs[NEGATIVES] + 1.0
    usual = logarithm(positives / negatives)
    weight = min(positives, negatives) / (positives if y > 0.0 else negatives)
    keep = 1.0 - FADE * weight
    for g in range(count):
        mixture[LOSS, g] *= keep
        if model.turns[PHASE, g] == TAKES_PART:
            odds = float(model.said[g]) - usual
            mixture[LOSS, g] += weight * loss_of(mixture[SLOPE, g] * odds, y)
            calibrate(mixture, g, odds, y, weight, keep)
    share_out(model)
    follow(model.trend, weight * loss_of(float(model.said[count]) - usual, y), model.clock[ROWS])


def calibrate(mixture: Floats, g: int, odds: float, y: float, weight: float, keep: float) -> None:
    """Let the slope of a portfolio follow how sure it should have been."""
    odds = min(max(odds, -SURE), SURE)
    q = 1.0 / (1.0 + exponential(-mixture[SLOPE, g] * odds))
    mixture[CURVATURE, g] = keep * mixture[CURVATURE, g] + weight * q * (1.0 - q) * odds * odds
    step = weight * ((1.0 if y > 0.0 else 0.0) - q) * odds / (FIRST_CURVATURE + mixture[CURVATURE, g])
    mixture[SLOPE, g] = min(max(mixture[SLOPE, g] + step, FLATTEST), 1.0)


def loss_of(odds: float, y: float) -> float:
    """The log loss of log-odds, `FARTHEST` at most."""
    away = min(max(odds, -SURE), SURE)
    return logarithm(1.0 + exponential(-away if y > 0.0 else away))


def share_out(model: Portfolios) -> None:
    """Give each portfolio that takes part its share."""
    mixture, phase, count = model.mixture, model.turns[PHASE], model.paces.shape[1]
    least = mixture[LOSS, 0] * RATE
    for g in range(1, count):
        if phase[g] == TAKES_PART:
            least = min(least, mixture[LOSS, g] * RATE + PREFERENCE)
    total = 0.0
    for g in range(count):
        share = 0.0
        if phase[g] == TAKES_PART:
            against = mixture[LOSS, g] * RATE + (PREFERENCE if g > 0 else 0.0)
            share = exponential(max(least - against, LEAST_EXPONENT))
        mixture[SHARE, g] = share
        total += share
    for g in range(count):
        mixture[SHARE, g] /= total


def follow(trend: Floats, loss: float, rows: int) -> None:
    """Let a loss of the mixture count in its means, lately and for long: plain means at first."""
    plain = 1.0 / (rows + 1.0)
    fast, slow = max(SHORT_TERM, plain), max(LONG_TERM, plain)
    trend[FAST] += fast * (loss - trend[FAST])
    trend[SLOW] += slow * (loss - trend[SLOW])
    trend[SQUARES] += slow * (loss * loss - trend[SQUARES])


def variance(model: Portfolios, x: Chunk, t: int) -> float:
    """That of the portfolio that never forgets."""
    return variance_of(portfolio(model, 0), x, t)
