"""SACOG: ACOG with the covariance as Oja's sketch of m directions, in explicit form.

V starts empty by default, so that no seed, width or order of features matters: a row absorbed while the
rank is below m first adds its normalised residual to V. With a seed V starts as Algorithm 3 prints it,
with m orthonormal rows, here over the features that are known when the first row is learnt.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..kernels.hinge import LOSS_I, LOSS_II, Hinge, slope
from ..kernels.primitives import add, squared_norm
from ..kernels.records import Chunk, Floats, Integers, State
from ..kernels.rules import Rule
from .base import PAPER, Learner, register
from .hyper_parameters import count, learning_rate, regularisation

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
    seed: int  # 0: V starts empty


LEHMER, PRIME = 48271, 2**31 - 1  # x <- 48271 x mod 2^31 - 1: the same numbers in every language


def random_numbers(V: Floats, rows: int, size: int, seed: int) -> None:
    """Fill the first columns of V with numbers between -1 and 1, row by row."""
    x = (seed % (PRIME - 1) + 1) * LEHMER % PRIME
    for i in range(rows):
        for j in range(size):
            x = x * LEHMER % PRIME
            V[i, j] = 2.0 * x / PRIME - 1.0


def start_orthonormal(V: Floats, rows: int, size: int, seed: int) -> None:
    """Algorithm 3, line 1 of its initialisation: V is a matrix with orthonormal rows."""
    random_numbers(V, rows, size, seed)
    for i in range(rows):
        rescale(V, i, size, 1.0 / np.sqrt(orthogonalise(V, i, size)))


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
    if model.clock[0] == 1 and model.seed > 0:
        model.clock[1] = min(model.Lambda.shape[0], model.size[0])
        start_orthonormal(model.V, model.clock[1], model.size[0], model.seed)
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


START = (
    "Seed of an orthonormal start of the sketch, as printed in Algorithm 3, over the features known "
    "when the first row is learnt; None for an empty start, which no seed or width affects."
)

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


def is_sketch(model: Any, seed: int = 0) -> bool:
    """Whether a clock from a file fits its sketch."""
    rounds, rank = model.clock.tolist()
    most = len(model.Lambda) if rounds and seed else min(rounds, len(model.Lambda))
    return bool(0 <= rank <= most)


@register
class SACOGI(Learner):
    """SACOG-I: ACOG-I with a sketched covariance, updated every k rounds.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import SACOGI
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
    seed: int | None = count(None, START, (7,), optional=True)

    def bytes_needed(self, d: int, model: Any = None) -> int:
        return sketch_bytes(d, int(self.m))

    def state(self, d: int) -> State:
        numbers = float(self.eta), float(self.gamma), int(self.k), int(self.seed or 0)
        return Oja(*new_sketch(d, int(self.m)), self.hinge, *numbers)

    def is_consistent(self, model: Any) -> bool:
        return is_sketch(model, int(self.seed or 0))


@register
class SACOGII(SACOGI):
    """SACOG-II: ACOG-II with a sketched covariance, updated every k rounds.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import SACOGII
    >>> model = OnlineClassifier(SACOGII(m=2), Cost(fn_cost=9, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), model.score_one({"amount": 1.0})
    (0.0, 4.5)
    """

    name = "sacog-ii"
    hinge = LOSS_II
