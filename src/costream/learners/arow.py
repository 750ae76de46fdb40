"""AROW: adaptive regularisation of weight vectors; ignores costs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..kernels.hinge import LOSS_II, Hinge
from ..kernels.primitives import product, subtract_outer
from ..kernels.records import Chunk, Floats, Integers, State
from ..kernels.rules import Rule
from .acog import variance_full
from .base import Learner, register
from .hyper_parameters import regularisation


class Arow(NamedTuple):
    """AROW, and CAROW where ``by_cost``; full Sigma, ``Sx`` is scratch for Sigma x."""

    mu: Floats
    Sigma: Floats
    Sx: Floats
    size: Integers
    hinge: Hinge
    gamma: float
    by_cost: bool


def update(model: Arow, x: Chunk, t: int, score: float, loss: float) -> None:
    """beta = 1/(v + gamma); mu += (1 - y p) beta y Sigma x; Sigma -= beta (Sigma x)(Sigma x)'.

    CAROW weights the squared hinge by the cost: gamma/r in place of gamma.
    """
    if loss > 0.0:
        size = model.size[0]
        v = product(model.Sigma, size, x, t, model.Sx)
        if v > 0.0:  # else x is 0, or all that is left of Sigma x is rounding
            if model.by_cost:
                beta = 1.0 / (v + model.gamma / x.cost[t])
                step = loss * beta * x.label[t]
            else:
                beta = 1.0 / (v + model.gamma)
                step = x.cost[t] * loss * beta * x.label[t]
            for i in range(size):
                model.mu[i] += step * model.Sx[i]
            subtract_outer(model.Sigma, size, model.Sx, beta)


@register
class AROW(Learner):
    """AROW with a full covariance; costs of classes are ignored.

    Takes d^2 numbers for d features: for narrow rows.

    Examples
    --------
    >>> from costream import OnlineClassifier
    >>> from costream.learners import AROW
    >>> model = OnlineClassifier(AROW())
    >>> model.learn_one({"amount": 2.0}, 1), model.score_one({"amount": 1.0})
    (0.0, 0.5)
    """

    name = "arow"
    reference = 'Crammer, Kulesza and Dredze, "Adaptive Regularization of Weight Vectors", NIPS 2009'
    rule = Rule(Arow, update, variance=variance_full)
    hinge = LOSS_II
    cost_sensitive = False
    scratch = ("Sx",)
    gamma: float = regularisation()

    def bytes_needed(self, d: int, model: Any = None) -> int:
        return 8 * d * (d + 2)

    def state(self, d: int) -> State:
        arrays = np.zeros(d), np.eye(d), np.zeros(d), np.array([d])
        return Arow(*arrays, self.hinge, float(self.gamma), self.cost_sensitive)
