"""SACOG: Oja's sketch of Sigma in explicit form (Algorithms 2 and 3).

V starts empty, so that no seed, width or order of features matters: a row absorbed while the rank is
below m first adds its normalised residual to V.
"""

from __future__ import annotations

import numpy as np

from .compile import verb
from .records import ArowOja, Chunk, Floats, Oja
from .verbs import add, dot, slope, squared_norm

SMALLEST_RESIDUAL = 1e-12  # of |x|^2, below which a row adds no direction


@verb
def oja_step(t: int, k: int) -> float:
    """The step of round t, when the sketch is updated every k rounds."""
    return min(1.0, k / t)


@verb
def shrinkage(t: int, eigenvalue: float) -> float:
    """The diagonal of t Lambda H."""
    return t * eigenvalue / (1.0 + t * eigenvalue)


@verb
def project(V: Floats, rank: int, x: Chunk, t: int, out: Floats) -> None:
    """out = V x."""
    scale = x.scale[t]
    for i in range(rank):
        total = 0.0
        for k in range(x.start[t], x.start[t + 1]):
            total += V[i, x.index[k]] * (x.value[k] * scale)
        out[i] = total


@verb
def orthogonalise(V: Floats, row: int, size: int) -> float:
    """Take from a row of V its part along the rows above, twice; returns its squared length."""
    for _ in range(2):
        for i in range(row):
            along = 0.0
            for j in range(size):
                along += V[i, j] * V[row, j]
            for j in range(size):
                V[row, j] -= along * V[i, j]
    total = 0.0
    for j in range(size):
        total += V[row, j] * V[row, j]
    return total


@verb
def rescale(V: Floats, row: int, size: int, scale: float) -> None:
    for j in range(size):
        V[row, j] *= scale


@verb
def absorb(model: Oja | ArowOja, x: Chunk, t: int, weight: float, k: int) -> None:
    """Algorithm 3, SketchUpdate, with x^ = sqrt(weight) x."""
    V = model.V
    scale = x.scale[t]
    size = model.size[0]
    rank = model.clock[1]
    xx = squared_norm(x, t)
    if rank < model.Lambda.shape[0] and xx > 0.0:
        for e in range(x.start[t], x.start[t + 1]):
            V[rank, x.index[e]] = x.value[e] * scale
        residual = orthogonalise(V, rank, size)
        if residual > SMALLEST_RESIDUAL * xx:
            rescale(V, rank, size, 1.0 / np.sqrt(residual))
            rank += 1
            model.clock[1] = rank
        else:
            rescale(V, rank, size, 0.0)
    step = oja_step(model.clock[0], k)
    project(V, rank, x, t, model.Vx)
    for i in range(rank):
        along = model.Vx[i]
        model.Lambda[i] = (1.0 - step) * model.Lambda[i] + step * along * along * weight
        along *= step * weight
        for e in range(x.start[t], x.start[t + 1]):
            V[i, x.index[e]] += along * (x.value[e] * scale)
    for i in range(rank):
        rescale(V, i, size, 1.0 / np.sqrt(orthogonalise(V, i, size)))


def update_oja(model: Oja, x: Chunk, t: int, score: float, loss: float) -> None:
    """Algorithm 2, lines 4-7."""
    model.clock[0] += 1
    if (model.clock[0] - 1) % model.k == 0:
        absorb(model, x, t, 1.0 / model.gamma, model.k)
    if loss > 0.0:
        step = model.eta * slope(model.hinge, x.cost[t]) * x.label[t]
        project(model.V, model.clock[1], x, t, model.Vx)
        add(model.mu, step, x, t)
        for i in range(model.clock[1]):
            along = step * shrinkage(model.clock[0], model.Lambda[i]) * model.Vx[i]
            for j in range(model.size[0]):
                model.mu[j] -= along * model.V[i, j]


def variance_oja(model: Oja, x: Chunk, t: int) -> float:
    """x'x - x'S'HSx."""
    project(model.V, model.clock[1], x, t, model.Vx)
    total = squared_norm(x, t)
    for i in range(model.clock[1]):
        total -= shrinkage(model.clock[0], model.Lambda[i]) * model.Vx[i] * model.Vx[i]
    return total


@verb
def share(model: ArowOja, i: int) -> float:
    """How much of a direction of V is known: t L/(gamma + t L)."""
    seen = model.clock[0] * model.Lambda[i]
    return seen / (model.gamma + seen)  # type: ignore[no-any-return]


def update_arow_oja(model: ArowOja, x: Chunk, t: int, score: float, loss: float) -> None:
    """CAROW with Sigma x = x - V'hVx; after the step the sketch absorbs sqrt(r) x."""
    if loss > 0.0:
        v = max(unknown_part(model, x, t), 0.0)  # below 0 by rounding alone
        step = loss / (v + model.gamma / x.cost[t]) * x.label[t]
        add(model.mu, step, x, t)
        for i in range(model.clock[1]):
            along = step * share(model, i) * model.Vx[i]
            for j in range(model.size[0]):
                model.mu[j] -= along * model.V[i, j]
        model.clock[0] += 1
        absorb(model, x, t, x.cost[t], 1)


@verb
def unknown_part(model: ArowOja, x: Chunk, t: int) -> float:
    """x'x - x'V'hVx; leaves V x behind."""
    project(model.V, model.clock[1], x, t, model.Vx)
    total = squared_norm(x, t)
    for i in range(model.clock[1]):
        total -= share(model, i) * model.Vx[i] * model.Vx[i]
    return total


def variance_arow_oja(model: ArowOja, x: Chunk, t: int) -> float:
    return unknown_part(model, x, t)


def score_mu(model: Oja, x: Chunk, t: int) -> float:
    """The score of every record that keeps its mean as ``mu``."""
    return dot(model.mu, x, t)
