"""SSACOG: the sketch of SACOG in implicit form, in time linear in the nonzeros, not the width.

V = F Z with F lower triangular, and mu = w + Z'b. Two corrections to the paper: w also moves in rounds
without a loss, because Z moves there; and Z is re-based to F Z before K = Z Z' overflows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..kernels.hinge import LOSS_II, Hinge, slope
from ..kernels.primitives import add, dot, squared_norm
from ..kernels.records import Chunk, Floats, Integers, State
from ..kernels.rules import Rule
from .base import PAPER, register
from .sketch import SACOGI, SMALLEST_RESIDUAL, oja_step, shrinkage, start_orthonormal

LARGEST_K = 1e3  # past this the implicit sketch loses digits, and is re-based
CLEAR_RESIDUAL = 1e-4  # of |x|^2; below this a residual taken from K is too coarse to go on with


class ImplicitOja(NamedTuple):
    """V = F Z, mu = w + Z'b, K = Z Z'; Z is stored with a row for each feature.

    ``Zx`` and ``work`` are scratch, ``clock`` holds the round t and the rank of V.
    """

    w: Floats
    Z: Floats
    F: Floats
    K: Floats
    b: Floats
    Lambda: Floats
    Zx: Floats
    work: Floats
    clock: Integers
    size: Integers
    hinge: Hinge
    eta: float
    gamma: float
    k: int
    seed: int  # 0: Z starts empty


def project_sparse(Z: Floats, rank: int, x: Chunk, t: int, out: Floats) -> None:
    """out = Z x."""
    scale = x.scale[t]
    for i in range(rank):
        out[i] = 0.0
    for k in range(x.start[t], x.start[t + 1]):
        j = x.index[k]
        value = x.value[k] * scale
        for i in range(rank):
            out[i] += Z[j, i] * value


def row_along(F: Floats, i: int, vector: Floats) -> float:
    """(F vector)_i; F is lower triangular."""
    total = 0.0
    for l in range(i + 1):
        total += F[i, l] * vector[l]
    return total


def decompose_row(F: Floats, K: Floats, row: int, work: Floats) -> float:
    """Algorithm 6, lines 2-5, for one row of F, line 3 taken twice; returns c^2."""
    squared = 0.0
    for turn in range(3):
        squared = 0.0
        for l in range(row + 1):
            total = 0.0
            for i in range(row + 1):
                total += K[l, i] * F[row, i]
            work[l] = total
            squared += total * F[row, l]
        if turn < 2:
            for i in range(row):
                along = row_along(F, i, work)
                for l in range(i + 1):
                    F[row, l] -= along * F[i, l]
    scale = 1.0 / np.sqrt(squared) if squared > 0.0 else 0.0
    for l in range(row + 1):
        F[row, l] *= scale
    return squared


def decompose(F: Floats, K: Floats, rank: int, work: Floats) -> None:
    """Algorithm 6: make the rows of F Z orthonormal. L is never used."""
    for row in range(rank):
        decompose_row(F, K, row, work)


def rebase(model: ImplicitOja, x: Chunk, t: int) -> None:
    """Z <- F Z with Z'b folded into w, K = Z Z' taken anew, F close to I. mu and V stay as they are."""
    Z = model.Z
    F = model.F
    K = model.K
    rank = model.clock[1]
    for i in range(rank):
        for l in range(rank):
            K[i, l] = 0.0
    for j in range(model.size[0]):
        for i in range(rank):
            model.w[j] += Z[j, i] * model.b[i]
        for i in range(rank - 1, -1, -1):
            total = 0.0
            for l in range(i + 1):
                total += F[i, l] * Z[j, l]
            Z[j, i] = total
        for i in range(rank):
            for l in range(rank):
                K[i, l] += Z[j, i] * Z[j, l]
    for i in range(rank):
        model.b[i] = 0.0
        for l in range(rank):
            F[i, l] = 1.0 if i == l else 0.0
    decompose(F, K, rank, model.work)
    project_sparse(Z, rank, x, t, model.Zx)


def add_direction(model: ImplicitOja, x: Chunk, t: int, xx: float) -> bool:
    """x becomes a row of Z and its residual a row of F Z; returns whether F is too coarse for it."""
    rank = model.clock[1]
    for i in range(rank):
        model.K[rank, i] = model.Zx[i]
        model.K[i, rank] = model.Zx[i]
        model.F[rank, i] = 0.0
    model.K[rank, rank] = xx
    model.F[rank, rank] = 1.0
    residual = decompose_row(model.F, model.K, rank, model.work)
    if residual <= SMALLEST_RESIDUAL * xx:
        return False
    for k in range(x.start[t], x.start[t + 1]):
        model.Z[x.index[k], rank] = x.value[k] * x.scale[t]
    model.Zx[rank] = xx
    model.clock[1] = rank + 1
    return residual < CLEAR_RESIDUAL * xx


def absorb_sparse(model: ImplicitOja, x: Chunk, t: int, xx: float) -> bool:
    """Algorithm 5, SketchUpdate, with x^ = x/sqrt(gamma); returns whether K has grown too large."""
    Zx = model.Zx
    rank = model.clock[1]
    step = oja_step(model.clock[0], model.k)
    rate = step / model.gamma
    growth = rate * (2.0 + rate * xx)
    large = False
    dot_b = 0.0
    for i in range(rank):
        along = row_along(model.F, i, Zx)
        model.Lambda[i] = (1.0 - step) * model.Lambda[i] + rate * along * along
        dot_b += Zx[i] * model.b[i]
        for l in range(rank):
            model.K[i, l] += growth * (Zx[i] * Zx[l])
            large |= abs(model.K[i, l]) > LARGEST_K
    scale = x.scale[t]
    for k in range(x.start[t], x.start[t + 1]):
        j = x.index[k]
        value = rate * (x.value[k] * scale)
        model.w[j] -= value * dot_b
        for i in range(rank):
            model.Z[j, i] += value * Zx[i]
    for i in range(rank):
        Zx[i] *= 1.0 + rate * xx
    decompose(model.F, model.K, rank, model.work)
    return large


def start_implicit(model: ImplicitOja, x: Chunk, t: int) -> None:
    """Algorithm 5, initialisation: Z is a matrix with orthonormal rows, F = K = I."""
    size = model.size[0]
    rank = min(model.Lambda.shape[0], size)
    start_orthonormal(model.Z.T, rank, size, model.seed)
    for i in range(rank):
        for l in range(rank):
            model.F[i, l] = model.K[i, l] = 1.0 if i == l else 0.0
    model.clock[1] = rank
    project_sparse(model.Z, rank, x, t, model.Zx)


def score(model: ImplicitOja, x: Chunk, t: int) -> float:
    """mu.x = w.x + b.(Z x). Leaves Z x for the update."""
    project_sparse(model.Z, model.clock[1], x, t, model.Zx)
    total = dot(model.w, x, t)
    for i in range(model.clock[1]):
        total += model.b[i] * model.Zx[i]
    return total


def update(model: ImplicitOja, x: Chunk, t: int, score: float, loss: float) -> None:
    """Algorithm 4, lines 4-8; the score has left Z x."""
    model.clock[0] += 1
    if model.clock[0] == 1 and model.seed > 0:
        start_implicit(model, x, t)
    if (model.clock[0] - 1) % model.k == 0:
        xx = squared_norm(x, t)
        growing = model.clock[1] < model.Lambda.shape[0] and xx > 0.0
        if growing and add_direction(model, x, t, xx):
            rebase(model, x, t)
        if absorb_sparse(model, x, t, xx):
            rebase(model, x, t)
    if loss > 0.0:
        F, Zx = model.F, model.Zx
        step = model.eta * slope(model.hinge, x.cost[t]) * x.label[t]
        add(model.w, step, x, t)
        for i in range(model.clock[1]):
            along = step * shrinkage(model.clock[0], model.Lambda[i]) * row_along(F, i, Zx)
            for l in range(i + 1):
                model.b[l] -= along * F[i, l]


def variance(model: ImplicitOja, x: Chunk, t: int) -> float:
    """x'x - x'S'HSx."""
    project_sparse(model.Z, model.clock[1], x, t, model.Zx)
    total = squared_norm(x, t)
    for i in range(model.clock[1]):
        along = row_along(model.F, i, model.Zx)
        total -= shrinkage(model.clock[0], model.Lambda[i]) * along * along
    return total


@register
class SSACOGI(SACOGI):
    """SSACOG-I: SACOG-I for wide, sparse rows.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import SSACOGI
    >>> model = OnlineClassifier(SSACOGI(m=2), Cost(fn_cost=9, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), model.score_one({"amount": 1.0})
    (0.0, 0.5)
    """

    name = "ssacog-i"
    reference = f"{PAPER}, Algorithms 4 to 6"
    rule = Rule(ImplicitOja, update, score, variance=variance)
    scratch = ("Zx", "work")

    def state(self, d: int) -> State:
        m = int(self.m)
        return ImplicitOja(
            w=np.zeros(d),
            Z=np.zeros((d, m)),
            F=np.zeros((m, m)),
            K=np.zeros((m, m)),
            b=np.zeros(m),
            Lambda=np.zeros(m),
            Zx=np.zeros(m),
            work=np.zeros(m),
            clock=np.zeros(2, np.int64),
            size=np.array([d]),
            hinge=self.hinge,
            eta=float(self.eta),
            gamma=float(self.gamma),
            k=int(self.k),
            seed=int(self.seed or 0),
        )

    def weights(self, model: Any) -> Floats:
        # No BLAS: bit-identical on every machine.
        weights: Floats = model.w.copy()
        for i in range(len(model.b)):
            weights += model.Z[:, i] * model.b[i]
        return weights


@register
class SSACOGII(SSACOGI):
    """SSACOG-II: SACOG-II for wide, sparse rows.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import SSACOGII
    >>> model = OnlineClassifier(SSACOGII(m=2), Cost(fn_cost=9, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), model.score_one({"amount": 1.0})
    (0.0, 4.5)
    """

    name = "ssacog-ii"
    hinge = LOSS_II
