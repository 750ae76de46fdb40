"""SACOG: ACOG with the covariance as Oja's sketch of m directions, in explicit form.

V starts empty, so that no seed, width or order of features matters: a row absorbed while the rank is
below m first adds its normalised residual to V.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..kernels.hinge import LOSS_I, LOSS_II, Hinge, slope
from ..kernels.primitives import add, squared_norm
from ..kernels.records import Chunk, Floats, Integers, State
from ..kernels.rules import Rule
from .base import PAPER, Learner, count, learning_rate, register, regularisation

SMALLEST_RESIDUAL = 1e-12  # of |x|^2, below which a row adds no direction


class Oja(NamedTuple):
    """``clock`` holds the round t and the rank of V, ``Vx`` is scratch for V x."""

    mu: Floats
    V: Floats
    Lambda: Floats
    Vx: Floats
    clock: Integers
    size: Integers
    hinge: Hinge
    eta: float
    gamma: float
    k: int


def oja_step(t: int, k: int) -> float:
    """The step of round t, when the sketch is updated every k rounds."""
    return min(1.0, k / t)


def shrinkage(t: int, eigenvalue: float) -> float:
    """The diagonal of t Lambda H."""
    return t * eigenvalue / (1.0 + t * eigenvalue)


def project(V: Floats, rank: int, x: Chunk, t: int, out: Floats) -> None:
    """out = V x."""
    scale = x.scale[t]
    for i in range(rank):
        total = 0.0
        for k in range(x.start[t], x.start[t + 1]):
            total += V[i, x.index[k]] * (x.value[k] * scale)
        out[i] = total


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


def rescale(V: Floats, row: int, size: int, scale: float) -> None:
    for j in range(size):
        V[row, j] *= scale


def absorb(model: Any, x: Chunk, t: int, weight: float, k: int) -> None:
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


def update(model: Oja, x: Chunk, t: int, score: float, loss: float) -> None:
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


def variance(model: Oja, x: Chunk, t: int) -> float:
    """x'x - x'S'HSx."""
    project(model.V, model.clock[1], x, t, model.Vx)
    total = squared_norm(x, t)
    for i in range(model.clock[1]):
        total -= shrinkage(model.clock[0], model.Lambda[i]) * model.Vx[i] * model.Vx[i]
    return total


# --- what sketched learners share ---------------------------------------------------------------------


def rank_of_sketch() -> Any:
    return count(5, "Number of directions of the sketch.", (2,))


def new_sketch(d: int, m: int) -> tuple[Floats, Floats, Floats, Floats, Integers, Integers]:
    """The mean and an empty sketch: mu, V, Lambda, Vx, clock, size."""
    start = np.zeros(d), np.zeros((m, d)), np.zeros(m), np.zeros(m)
    return *start, np.zeros(2, np.int64), np.array([d])


def sketch_bytes(d: int, m: int) -> int:
    """The memory of a sketch of m directions over d features."""
    return 8 * (d * (m + 1) + 2 * m * m)


def is_sketch(model: Any) -> bool:
    """Whether a clock from a file fits its sketch."""
    rounds, rank = model.clock.tolist()
    return bool(0 <= rank <= min(rounds, len(model.Lambda)))


@register
class SACOGI(Learner):
    """SACOG-I: ACOG-I with a sketched covariance, updated every k rounds.

    Examples
    --------
    >>> from costream import SACOGI, Cost, OnlineClassifier
    >>> model = OnlineClassifier(SACOGI(m=2), Cost(fn_cost=9, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), model.score_one({"amount": 1.0})
    (0.0, 0.5)
    """

    name = "sacog-i"
    reference = f"{PAPER}, Algorithms 2 and 3"
    rule = Rule(Oja, update, variance=variance)
    hinge = LOSS_I
    scratch: ClassVar[tuple[str, ...]] = ("Vx",)
    eta: float = learning_rate()
    gamma: float = regularisation()
    m: int = rank_of_sketch()
    k: int = count(1, "The sketch is updated every k rounds.", (5,))

    def bytes_needed(self, d: int) -> int:
        return sketch_bytes(d, int(self.m))

    def state(self, d: int) -> State:
        numbers = float(self.eta), float(self.gamma), int(self.k)
        return Oja(*new_sketch(d, int(self.m)), self.hinge, *numbers)

    def is_consistent(self, model: Any) -> bool:
        return is_sketch(model)


@register
class SACOGII(SACOGI):
    """SACOG-II: ACOG-II with a sketched covariance, updated every k rounds.

    Examples
    --------
    >>> from costream import SACOGII, Cost, OnlineClassifier
    >>> model = OnlineClassifier(SACOGII(m=2), Cost(fn_cost=9, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), model.score_one({"amount": 1.0})
    (0.0, 4.5)
    """

    name = "sacog-ii"
    hinge = LOSS_II
