"""The portfolio: CAROW at many gammas and in several geometries, side by side; the leader decides.

Its members are

* a few with a full covariance, of rows whose features are divided by their running size, with an
  intercept; they take part while no row has had more than ``WIDEST`` slots;
* lanes with a diagonal covariance, next to each other: of such rows; of rows as they came, with an
  intercept; and without one.

All rows are divided by their L2 norm. Two constant policies stand beside them. Whoever has the lowest
cost of mistakes so far decides; ties go to the first. A row is read once for all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import verb
from .platt import calibrate
from .records import Chunk, Floats, Portfolio
from .rows import row_scale

WIDEST = 320  # slots of the full members
FULL = 5  # members with a full covariance
SIZED, RAW, BARE = 4, 8, 13  # where the lanes of each kind end
SMALLEST = 1e-150  # sizes outside of these are none
LARGEST = 1e150

# What the clock tells.
ROWS, LEADER, SINCE, SLOTS, BEST = 0, 1, 2, 3, 4


@verb
def write_row(model: Portfolio, x: Chunk, t: int, learning: bool) -> None:
    """Write the row twice, each divided by its norm: by the size of its features, and as it came.

    The size of a feature is the root of its mean square over the rows before that had it. One that was
    in no row before is left out where the row is scored; where it is learnt its size is its own. Slot 0
    is the intercept, which is neither sized nor part of the norm.
    """
    sized, raw = model.sized, model.raw
    first = x.start[t]
    n = x.start[t + 1] - first
    for e in range(n):
        j = x.index[first + e]
        value = x.value[first + e]
        if j == 0:
            value = 0.0
        size = abs(value)
        if model.seen[j] > 0.0:
            known = np.sqrt(model.square[j] / model.seen[j])
            if SMALLEST < known < LARGEST:
                size = known
        elif not learning:
            value = 0.0
        sized[e] = value / size if size > 0.0 else 0.0
        raw[e] = value
    by_size = row_scale(sized, 0, n)
    by_value = row_scale(raw, 0, n)
    for e in range(n):
        if x.index[first + e] == 0:
            sized[e] = 1.0
            raw[e] = 1.0
        else:
            sized[e] *= by_size
            raw[e] *= by_value


@verb
def has_new_feature(model: Portfolio, x: Chunk, t: int) -> bool:
    found = False
    for k in range(x.start[t], x.start[t + 1]):
        j = x.index[k]
        found |= j != 0 and model.seen[j] == 0.0 and x.value[k] != 0.0
    return found


@verb
def is_narrow(model: Portfolio, x: Chunk, t: int) -> bool:
    """Whether the full members have room for all slots of the row, and of all rows before."""
    narrow: bool = model.clock[SLOTS] <= WIDEST
    for k in range(x.start[t], x.start[t + 1]):
        narrow &= x.index[k] < WIDEST
    return narrow


@verb
def score_members(model: Portfolio, x: Chunk, t: int, narrow: bool) -> None:
    """The score of each member; 0 for full ones that take no part."""
    first = x.start[t]
    n = x.start[t + 1] - first
    for f in range(FULL):
        total = 0.0
        if narrow:
            for e in range(n):
                total += model.mean[f, x.index[first + e]] * model.sized[e]
        model.scores[f] = total
    for k in range(BARE):
        model.scores[FULL + k] = 0.0
    for e in range(n):
        j = x.index[first + e]
        sized, raw = model.sized[e], model.raw[e]
        for k in range(SIZED):
            model.scores[FULL + k] += model.mu[j, k] * sized
        for k in range(SIZED, RAW):
            model.scores[FULL + k] += model.mu[j, k] * raw
        if j != 0:
            for k in range(RAW, BARE):
                model.scores[FULL + k] += model.mu[j, k] * raw


@verb
def first_of(mistakes: Floats, begin: int, end: int) -> int:
    """The place of the lowest, the first of equals."""
    found = begin
    for k in range(begin + 1, end):
        if mistakes[k] < mistakes[found]:
            found = k
    return found


@verb
def decided(score: float, leader: int) -> float:
    """The score of a member; for a constant policy one of its sign, in the order of the member's."""
    if leader == FULL + BARE:  # always positive
        return 1.0 + score if score >= 0.0 else 1.0 / (1.0 - score)
    if leader == FULL + BARE + 1:
        return score - 1.0 if score <= 0.0 else -1.0 / (1.0 + score)
    return score


def score_portfolio(model: Portfolio, x: Chunk, t: int) -> float:
    """The score of the leader."""
    write_row(model, x, t, False)
    score_members(model, x, t, model.clock[SLOTS] <= WIDEST)
    return decided(model.scores[model.clock[BEST]], model.clock[LEADER])


@verb
def half_product(Sigma: Floats, size: int, model: Portfolio, x: Chunk, t: int) -> float:
    """Sx = Sigma x, where the upper half of Sigma is kept; returns x' Sigma x."""
    Sx, value = model.Sx, model.sized
    first = x.start[t]
    n = x.start[t + 1] - first
    for i in range(size):
        Sx[i] = 0.0
    for e in range(n):
        j: Any = np.int64(x.index[first + e])
        for i in range(j):
            Sx[i] += Sigma[i, j] * value[e]
        for i in range(size - j):
            Sx[j + i] += Sigma[j, j + i] * value[e]
    total = 0.0
    for e in range(n):
        total += Sx[x.index[first + e]] * value[e]
    return total


@verb
def learn_full(model: Portfolio, f: int, size: int, x: Chunk, t: int) -> None:
    """beta = 1/(v + gamma/r); mu += (1 - y p) beta y Sigma x; Sigma -= beta (Sigma x)(Sigma x)'."""
    loss = 1.0 - x.label[t] * model.scores[f]
    if loss > 0.0:
        Sigma, mean, Sx = model.Sigma[f], model.mean[f], model.Sx
        v = half_product(Sigma, size, model, x, t)
        if v > 0.0:
            beta = 1.0 / (v + model.gamma[f] / x.cost[t])
            step = loss * beta * x.label[t]
            for i in range(size):
                mean[i] += step * Sx[i]
            for i in range(size):
                left = beta * Sx[i]
                if left != 0.0:
                    for j in range(size - i):
                        Sigma[i, i + j] -= left * Sx[i + j]


@verb
def weigh_lanes(model: Portfolio, y: float, r: float) -> bool:
    """What the row weighs in each lane, r/gamma, or 0 where it suffers no loss; whether any does."""
    found = False
    for k in range(BARE):
        loss = 1.0 - y * model.scores[FULL + k]
        model.weight[k] = r / model.gamma[FULL + k] if loss > 0.0 else 0.0
        found |= loss > 0.0
    return found


@verb
def learn_lanes(model: Portfolio, x: Chunk, t: int) -> None:
    """CAROW with a diagonal Sigma in each lane: the step by the old variance, which then shrinks."""
    first = x.start[t]
    n = x.start[t + 1] - first
    step, weight = model.step, model.weight
    for k in range(BARE):
        step[k] = 0.0  # the variance of the score, for now
    for e in range(n):
        j = x.index[first + e]
        sized, raw = model.sized[e] * model.sized[e], model.raw[e] * model.raw[e]
        for k in range(SIZED):
            step[k] += model.variance[j, k] * sized
        for k in range(SIZED, BARE if j != 0 else RAW):
            step[k] += model.variance[j, k] * raw
    for k in range(BARE):
        if weight[k] > 0.0:
            loss = 1.0 - x.label[t] * model.scores[FULL + k]
            step[k] = loss / (step[k] + 1.0 / weight[k]) * x.label[t]
    for e in range(n):
        j = x.index[first + e]
        for k in range(BARE if j != 0 else RAW):
            if weight[k] > 0.0:
                value = model.sized[e] if k < SIZED else model.raw[e]
                variance = model.variance[j, k]
                model.mu[j, k] += step[k] * value * variance
                model.variance[j, k] = variance / (1.0 + variance * weight[k] * value * value)


@verb
def judge(model: Portfolio, y: float, r: float, narrow: bool) -> None:
    """Charge each member for its mistake, and let the cheapest lead that takes part from now on."""
    mistakes = model.mistakes
    for k in range(FULL + BARE + 2):
        mistakes[k] *= model.keep
    for k in range(0 if model.clock[SLOTS] <= WIDEST else FULL, FULL + BARE):
        if (model.scores[k] >= 0.0) != (y > 0.0):
            mistakes[k] += r
    if y > 0.0:
        mistakes[FULL + BARE + 1] += r
    else:
        mistakes[FULL + BARE] += r
    first = 0 if narrow else FULL
    leader = first_of(mistakes, first, FULL + BARE + 2)
    model.clock[BEST] = first_of(mistakes, first, FULL + BARE)
    if leader != model.clock[LEADER]:
        model.clock[LEADER] = leader
        model.clock[SINCE] = model.clock[ROWS]


@verb
def take_sizes(model: Portfolio, x: Chunk, t: int) -> None:
    """Let the row count in the sizes of its features, and in how many slots there are."""
    for k in range(x.start[t], x.start[t + 1]):
        j = x.index[k]
        if j != 0 and x.value[k] != 0.0:
            model.square[j] += x.value[k] * x.value[k]
            model.seen[j] += 1.0
        if j >= model.clock[SLOTS]:
            model.clock[SLOTS] = j + 1


@verb
def unlearn(model: Portfolio, narrow: bool) -> None:
    """Make every member as unsure as it was at first, so that it can learn what has changed."""
    if narrow:
        size = min(model.size[0], WIDEST)
        for f in range(FULL):
            for i in range(size):
                for j in range(i, size):
                    model.Sigma[f, i, j] = 0.0
                model.Sigma[f, i, i] = 1.0
    for j in range(model.size[0]):
        for k in range(BARE):
            model.variance[j, k] = 1.0


def update_portfolio(model: Portfolio, x: Chunk, t: int, score: float, loss: float) -> None:
    """Let all members learn the row, which `score_portfolio` has just written and scored."""
    narrow = is_narrow(model, x, t)
    model.clock[ROWS] += 1
    judge(model, x.label[t], x.cost[t], narrow)
    calibrate(model.platt, score, x.label[t])
    if has_new_feature(model, x, t):
        write_row(model, x, t, True)
        score_members(model, x, t, narrow)
    if narrow:
        size = min(model.size[0], WIDEST)
        for f in range(FULL):
            learn_full(model, f, size, x, t)
    if weigh_lanes(model, x.label[t], x.cost[t]):
        learn_lanes(model, x, t)
    take_sizes(model, x, t)
    if model.period > 0.0 and model.clock[ROWS] % model.period == 0.0:
        unlearn(model, narrow)


def variance_portfolio(model: Portfolio, x: Chunk, t: int) -> float:
    """x' Sigma x of the best member."""
    write_row(model, x, t, False)
    best = model.clock[BEST]
    if best < FULL and is_narrow(model, x, t):
        return half_product(model.Sigma[best], min(model.size[0], WIDEST), model, x, t)
    lane = first_of(model.mistakes, FULL, FULL + BARE) - FULL
    first = x.start[t]
    total = 0.0
    for e in range(x.start[t + 1] - first):
        j = x.index[first + e]
        value = model.sized[e] if lane < SIZED else model.raw[e]
        if j != 0 or lane < RAW:
            total += model.variance[j, lane] * value * value
    return total
