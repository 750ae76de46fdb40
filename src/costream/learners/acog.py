"""ACOG: adaptive cost-sensitive online gradient descent, with a full or a diagonal covariance."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..kernels.hinge import LOSS_I, LOSS_II, Hinge, slope
from ..kernels.primitives import product, quadratic_form, squared_norm_over, subtract_outer
from ..kernels.records import Chunk, Floats, Integers, State
from ..kernels.rules import Rule
from .base import PAPER, Learner, register
from .hyper_parameters import flag, learning_rate, regularisation


class Full(NamedTuple):
    """ACOG with a full Sigma; ``Sx`` is scratch for Sigma x, ``size`` the features in use."""

    mu: Floats
    Sigma: Floats
    Sx: Floats
    size: Integers
    hinge: Hinge
    eta: float
    gamma: float
    new_sigma: bool


def update_full(model: Full, x: Chunk, t: int, score: float, loss: float) -> None:
    """Algorithm 1, lines 5-6. Sigma_{t+1} x = Sigma_t x gamma/(gamma + v)."""
    if loss > 0.0:
        size = model.size[0]
        v = product(model.Sigma, size, x, t, model.Sx)
        if v > 0.0:  # else x is 0, or all that is left of Sigma x is rounding
            step = model.eta * slope(model.hinge, x.cost[t]) * x.label[t]
            if model.new_sigma:
                step *= model.gamma / (model.gamma + v)
            for i in range(size):
                model.mu[i] += step * model.Sx[i]
            subtract_outer(model.Sigma, size, model.Sx, 1.0 / (model.gamma + v))


def variance_full(model: Any, x: Chunk, t: int) -> float:
    return quadratic_form(model.Sigma, x, t)


class Diagonal(NamedTuple):
    """ACOG with a diagonal Sigma; ``precision`` is 1/Sigma."""

    mu: Floats
    precision: Floats
    hinge: Hinge
    eta: float
    gamma: float
    new_sigma: bool


def update_diagonal(model: Diagonal, x: Chunk, t: int, score: float, loss: float) -> None:
    """Algorithm 1, lines 5-6, each coordinate by itself."""
    if loss > 0.0:
        step = model.eta * slope(model.hinge, x.cost[t]) * x.label[t]
        scale = x.scale[t]
        rate = 1.0 / model.gamma
        for k in range(x.start[t], x.start[t + 1]):
            j = x.index[k]
            value = x.value[k] * scale
            precision = model.precision[j]
            model.precision[j] = precision + value * value * rate
            if model.new_sigma:
                precision += value * value * rate
            model.mu[j] += step * value / precision


def variance_diagonal(model: Any, x: Chunk, t: int) -> float:
    return squared_norm_over(model.precision, x, t)


@register
class ACOGI(Learner):
    """ACOG-I: COG-I with a full covariance, which enlarges steps in directions of high variance.

    Takes d^2 numbers for d features: for narrow rows.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import ACOGI
    >>> model = OnlineClassifier(ACOGI(gamma=0.5), Cost(fn_cost=10, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), round(model.score_one({"amount": 1.0}), 3)
    (0.0, 0.333)
    """

    name = "acog-i"
    reference = f"{PAPER}, Algorithm 1"
    rule = Rule(Full, update_full, variance=variance_full)
    hinge = LOSS_I
    scratch: ClassVar[tuple[str, ...]] = ("Sx",)
    eta: float = learning_rate()
    gamma: float = regularisation()
    new_sigma: bool = flag(
        True, "Whether the mean is updated with the new Sigma (paper) or the old one."
    )

    def bytes_needed(self, d: int, model: Any = None) -> int:
        return 8 * d * (d + 2)

    def state(self, d: int) -> State:
        numbers = float(self.eta), float(self.gamma), bool(self.new_sigma)
        return Full(np.zeros(d), np.eye(d), np.zeros(d), np.array([d]), self.hinge, *numbers)


@register
class ACOGII(ACOGI):
    """ACOG-II: COG-II with a full covariance, which enlarges steps in directions of high variance.

    Takes d^2 numbers for d features: for narrow rows.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import ACOGII
    >>> model = OnlineClassifier(ACOGII(gamma=0.5), Cost(fn_cost=10, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), round(model.score_one({"amount": 1.0}), 3)
    (0.0, 3.333)
    """

    name = "acog-ii"
    hinge = LOSS_II


@register
class ACOGIDiag(ACOGI):
    """ACOG-I with a diagonal covariance: one precision per feature, time linear in the nonzeros.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import ACOGIDiag
    >>> model = OnlineClassifier(ACOGIDiag(), Cost(fn_cost=10, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), model.score_one({"amount": 1.0})
    (0.0, 0.5)
    """

    name = "acog-i-diag"
    rule = Rule(Diagonal, update_diagonal, variance=variance_diagonal)
    scratch = ()

    def bytes_needed(self, d: int, model: Any = None) -> int:
        return 16 * d

    def state(self, d: int) -> State:
        numbers = float(self.eta), float(self.gamma), bool(self.new_sigma)
        return Diagonal(np.zeros(d), np.ones(d), self.hinge, *numbers)


@register
class ACOGIIDiag(ACOGIDiag):
    """ACOG-II with a diagonal covariance: one precision per feature, time linear in the nonzeros.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import ACOGIIDiag
    >>> model = OnlineClassifier(ACOGIIDiag(), Cost(fn_cost=10, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), model.score_one({"amount": 1.0})
    (0.0, 5.0)
    """

    name = "acog-ii-diag"
    hinge = LOSS_II
