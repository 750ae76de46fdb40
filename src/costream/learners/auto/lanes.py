"""Members of a portfolio: lanes with a diagonal covariance, next to each other, and full ones.

A sparse row is a list of slots with a value for each, a dense one has a value for every slot. Sparse
lanes stand side by side in memory, so that one instruction serves several lanes; dense lanes lie one
after the other, and it serves several slots. A loop that shall be done so must begin at 0 and end at a
number that is not known before it runs.
"""

from __future__ import annotations

from ...kernels.primitives import subtract_outer
from ...kernels.records import Floats, Slots


def score_sparse(
    mu: Floats, slot: Slots, n: int, one: Floats, other: Floats, wants_one: Floats, out: Floats
) -> None:
    """mu.x in each sparse lane, some of which want one kind of values, some the other."""
    lanes = mu.shape[1]
    for k in range(lanes):
        out[k] = 0.0
    for e in range(n):
        j, a, b = slot[e], one[e], other[e]
        for k in range(lanes):
            out[k] += mu[j, k] * (a if wants_one[k] > 0.0 else b)


def learn_sparse(
    mu: Floats,
    variance: Floats,
    slot: Slots,
    n: int,
    one: Floats,
    other: Floats,
    wants_one: Floats,
    eta: Floats,
    step: Floats,
    weight: Floats,
) -> None:
    """CAROW steps by the old variance; ACOG-II, which has an eta, by the new one."""
    lanes = mu.shape[1]
    for e in range(n):
        j, a, b = slot[e], one[e], other[e]
        for k in range(lanes):
            value = a if wants_one[k] > 0.0 else b
            old = variance[j, k]
            new = old / (1.0 + old * weight[k] * value * value)
            mu[j, k] += step[k] * value * (new if eta[k] > 0.0 else old)
            variance[j, k] = new


def score_dense(weights: Floats, n: int, row: Floats, out: Floats, place: int) -> None:
    """weights.row in each dense lane; the first six at a time, which hides what an addition takes."""
    first, lanes = 0, weights.shape[0]
    if lanes >= 6:
        first = 6
        a = b = c = d = e = f = 0.0
        for j in range(n):
            a += weights[0, j] * row[j]
            b += weights[1, j] * row[j]
            c += weights[2, j] * row[j]
            d += weights[3, j] * row[j]
            e += weights[4, j] * row[j]
            f += weights[5, j] * row[j]
        out[place] = a
        out[place + 1] = b
        out[place + 2] = c
        out[place + 3] = d
        out[place + 4] = e
        out[place + 5] = f
    for k in range(first, lanes):
        a = 0.0
        for j in range(n):
            a += weights[k, j] * row[j]
        out[place + k] = a


def learn_dense(
    mu: Floats, variance: Floats, k: int, n: int, row: Floats, eta: float, step: float, weight: float
) -> None:
    """One dense lane: CAROW, or with an eta ACOG-II."""
    for j in range(n):
        old = variance[k, j]
        new = old / (1.0 + old * weight * row[j] * row[j])
        mu[k, j] += step * row[j] * (new if eta > 0.0 else old)
        variance[k, j] = new


def plan_steps(
    y: float, r: float, scores: Floats, gamma: Floats, eta: Floats, step: Floats, weight: Floats
) -> bool:
    """What a row does in each lane: the step, and what the precision gains; whether it does anything.

    What stands in ``step`` is the variance of the score, which ACOG-II does not ask for.
    """
    found = False
    for k in range(scores.shape[0]):
        loss = 1.0 - y * scores[k]
        if loss > 0.0:
            found = True
            if eta[k] > 0.0:
                step[k] = eta[k] * r * y
                weight[k] = 1.0 / gamma[k]
            else:
                step[k] = loss / (step[k] + gamma[k] / r) * y
                weight[k] = r / gamma[k]
        else:
            step[k] = 0.0
            weight[k] = 0.0
    return found


def score_full(mean: Floats, slot: Slots, n: int, value: Floats) -> float:
    total = 0.0
    for e in range(n):
        total += mean[slot[e]] * value[e]
    return total


def product_full(Sigma: Floats, size: int, slot: Slots, n: int, value: Floats, Sx: Floats) -> float:
    """Sx = Sigma x; returns x' Sigma x."""
    for i in range(size):
        Sx[i] = 0.0
    for e in range(n):
        j, a = slot[e], value[e]
        for i in range(size):
            Sx[i] += Sigma[j, i] * a
    return score_full(Sx, slot, n, value)


def learn_full(
    mean: Floats,
    Sigma: Floats,
    size: int,
    slot: Slots,
    n: int,
    value: Floats,
    Sx: Floats,
    step: float,
    ratio: float,
) -> None:
    """CAROW: beta = 1/(v + gamma/r); mu += step beta Sigma x; Sigma -= beta (Sigma x)(Sigma x)'."""
    v = product_full(Sigma, size, slot, n, value, Sx)
    if v > 0.0:  # else all that is left of Sigma x is rounding
        beta = 1.0 / (v + ratio)
        for i in range(size):
            mean[i] += step * beta * Sx[i]
        subtract_outer(Sigma, size, Sx, beta)
