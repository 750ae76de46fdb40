"""CAROW: AROW with its loss weighted by the cost; full, diagonal or sketched; no learning rate."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..kernels.hinge import LOSS_II, Hinge
from ..kernels.primitives import add, squared_norm, squared_norm_over
from ..kernels.records import Chunk, Floats, Integers, State
from ..kernels.rules import Rule
from .acog import variance_diagonal
from .arow import AROW
from .base import Learner, register
from .hyper_parameters import regularisation
from .sketch import absorb, is_sketch, new_sketch, project, rank_of_sketch, sketch_bytes


@register
class CAROW(AROW):
    """CAROW with a full covariance: beta = 1/(v + gamma/r) where AROW has 1/(v + gamma).

    Takes d^2 numbers for d features: for narrow rows.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import CAROW
    >>> model = OnlineClassifier(CAROW(), Cost(fn_cost=9, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), round(model.score_one({"amount": 1.0}), 3)
    (0.0, 0.9)
    """

    name = "carow"
    reference = f"{AROW.reference}, with its loss weighted by the cost (costream, 2025)"
    cost_sensitive = True


class CarowDiagonal(NamedTuple):
    """CAROW with a diagonal Sigma; ``precision`` is 1/Sigma."""

    mu: Floats
    precision: Floats
    hinge: Hinge
    gamma: float


def update_diagonal(model: CarowDiagonal, x: Chunk, t: int, score: float, loss: float) -> None:
    """The step with the old precision, then precision += r x^2/gamma."""
    if loss > 0.0:
        weight = x.cost[t] / model.gamma
        step = loss / (squared_norm_over(model.precision, x, t) + 1.0 / weight) * x.label[t]
        scale = x.scale[t]
        for k in range(x.start[t], x.start[t + 1]):
            j = x.index[k]
            value = x.value[k] * scale
            model.mu[j] += step * value / model.precision[j]
            model.precision[j] += weight * value * value


@register
class CAROWDiag(Learner):
    """CAROW with a diagonal covariance: one precision per feature, time linear in the nonzeros.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import CAROWDiag
    >>> model = OnlineClassifier(CAROWDiag(), Cost(fn_cost=9, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), round(model.score_one({"amount": 1.0}), 3)
    (0.0, 0.9)
    """

    name = "carow-diag"
    reference = CAROW.reference
    rule = Rule(CarowDiagonal, update_diagonal, variance=variance_diagonal)
    hinge = LOSS_II
    gamma: float = regularisation()

    def state(self, d: int) -> State:
        return CarowDiagonal(np.zeros(d), np.ones(d), self.hinge, float(self.gamma))


class CarowSketch(NamedTuple):
    """CAROW with a sketch; ``clock`` holds the round and the rank of V, ``Vx`` is scratch for V x."""

    mu: Floats
    V: Floats
    Lambda: Floats
    Vx: Floats
    clock: Integers
    size: Integers
    hinge: Hinge
    gamma: float


def known_part(model: CarowSketch, i: int) -> float:
    """How much of a direction of V is known: t L/(gamma + t L)."""
    seen = model.clock[0] * model.Lambda[i]
    return seen / (model.gamma + seen)  # type: ignore[no-any-return]


def variance_sketch(model: CarowSketch, x: Chunk, t: int) -> float:
    """x'x - x'V'hVx; leaves V x behind."""
    project(model.V, model.clock[1], x, t, model.Vx)
    total = squared_norm(x, t)
    for i in range(model.clock[1]):
        total -= known_part(model, i) * model.Vx[i] * model.Vx[i]
    return total


def update_sketch(model: CarowSketch, x: Chunk, t: int, score: float, loss: float) -> None:
    """Sigma x = x - V'hVx; after the step the sketch absorbs sqrt(r) x."""
    if loss > 0.0:
        v = max(variance_sketch(model, x, t), 0.0)  # below 0 by rounding alone
        step = loss / (v + model.gamma / x.cost[t]) * x.label[t]
        add(model.mu, step, x, t)
        for i in range(model.clock[1]):
            along = step * known_part(model, i) * model.Vx[i]
            for j in range(model.size[0]):
                model.mu[j] -= along * model.V[i, j]
        model.clock[0] += 1
        absorb(model, x, t, x.cost[t], 1)


@register
class CAROWSketch(Learner):
    """CAROW with its covariance as a sketch of m directions.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import CAROWSketch
    >>> model = OnlineClassifier(CAROWSketch(m=2), Cost(fn_cost=9, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), round(model.score_one({"amount": 1.0}), 3)
    (0.0, 0.9)
    """

    name = "carow-sketch"
    reference = CAROW.reference
    rule = Rule(CarowSketch, update_sketch, variance=variance_sketch)
    hinge = LOSS_II
    scratch = ("Vx",)
    gamma: float = regularisation()
    m: int = rank_of_sketch()

    def bytes_needed(self, d: int, model: Any = None) -> int:
        return sketch_bytes(d, int(self.m))

    def state(self, d: int) -> State:
        return CarowSketch(*new_sketch(d, int(self.m)), self.hinge, float(self.gamma))

    def is_consistent(self, model: Any) -> bool:
        return is_sketch(model)
