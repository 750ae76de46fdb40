"""SCW: soft confidence-weighted learning, with its loss linear (I) or squared (II), weighted by cost.

A row counts while the probability that it is classified correctly, under N(mu, Sigma), is below the
wanted confidence: phi sqrt(v) - y p > 0. Each round solves min KL(N | N_t) + C loss. A row of cost r
has r times the loss, hence C r in place of C, and the closed forms of the paper hold as they are. In
SCW-I the cost therefore matters where the step is bounded, and in SCW-II always.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..kernels.primitives import product, squared_norm_over, subtract_outer
from ..kernels.records import Chunk, Floats, Integers, State
from ..kernels.rules import Rule
from .acog import variance_diagonal, variance_full
from .base import Learner, register
from .hyper_parameters import aggressiveness, number

LARGEST_VARIANCE = 1e100


def margin_loss(phi: float, v: float, label: float, score: float) -> float:
    """phi sqrt(v) - y p; 0 for a row that is zero, or too large to learn from."""
    return phi * np.sqrt(v) - label * score if 0.0 < v < LARGEST_VARIANCE else 0.0


def step_of(m: float, v: float, phi: float, C: float, squared: bool) -> float:
    """alpha of Proposition 1 (SCW-I) or 2 (SCW-II), for a margin m = y p."""
    pp = phi * phi
    if squared:
        n = v + 0.5 / C
        root = phi * np.sqrt(pp * m * m * v * v + 4.0 * n * v * (n + v * pp))
        alpha = (root - m * (2.0 * n + pp * v)) / (2.0 * n * (n + v * pp))
    else:
        root = np.sqrt(0.25 * m * m * pp * pp + v * pp * (1.0 + pp))
        alpha = min(C, (root - m * (1.0 + 0.5 * pp)) / (v * (1.0 + pp)))
    return float(max(0.0, alpha))


def gain_of(alpha: float, v: float, phi: float) -> float:
    """What Sigma^-1 gains along x x': alpha phi / sqrt(u)."""
    a = alpha * v * phi
    return alpha * phi * (np.sqrt(a * a + 4.0 * v) + a) / (2.0 * v)  # type: ignore[no-any-return]


class ScwFull(NamedTuple):
    """SCW with a full Sigma; ``Sx`` is scratch for Sigma x, ``size`` the features in use."""

    mu: Floats
    Sigma: Floats
    Sx: Floats
    size: Integers
    C: float
    phi: float
    squared: bool


def trigger_full(model: ScwFull, x: Chunk, t: int, score: float) -> float:
    return margin_loss(model.phi, variance_full(model, x, t), x.label[t], score)


def update_full(model: ScwFull, x: Chunk, t: int, score: float, loss: float) -> None:
    """mu += alpha y Sigma x; Sigma -= beta (Sigma x)(Sigma x)', beta = 1/(sqrt(u)/(alpha phi) + v)."""
    if loss > 0.0:
        size = model.size[0]
        v = product(model.Sigma, size, x, t, model.Sx)
        if v > 0.0:  # else all that is left of Sigma x is rounding
            y = x.label[t]
            alpha = step_of(y * score, v, model.phi, model.C * x.cost[t], model.squared)
            gain = gain_of(alpha, v, model.phi)
            if gain < np.inf:
                for i in range(size):
                    model.mu[i] += alpha * y * model.Sx[i]
                subtract_outer(model.Sigma, size, model.Sx, gain / (1.0 + gain * v))


class ScwDiagonal(NamedTuple):
    """SCW with a diagonal Sigma; ``precision`` is 1/Sigma."""

    mu: Floats
    precision: Floats
    C: float
    phi: float
    squared: bool


def trigger_diagonal(model: ScwDiagonal, x: Chunk, t: int, score: float) -> float:
    return margin_loss(model.phi, variance_diagonal(model, x, t), x.label[t], score)


def update_diagonal(model: ScwDiagonal, x: Chunk, t: int, score: float, loss: float) -> None:
    """The step with the old precision, then precision += alpha phi/sqrt(u) x^2, each by itself."""
    if loss > 0.0:
        v = squared_norm_over(model.precision, x, t)
        y = x.label[t]
        alpha = step_of(y * score, v, model.phi, model.C * x.cost[t], model.squared)
        gain = gain_of(alpha, v, model.phi)
        if gain < np.inf:
            for k in range(x.start[t], x.start[t + 1]):
                j = x.index[k]
                value = x.value[k] * x.scale[t]
                model.mu[j] += alpha * y * value / model.precision[j]
                model.precision[j] += gain * value * value


@register
class SCWI(Learner):
    """SCW-I: the smallest change of N(mu, Sigma) that makes a row right with the wanted confidence.

    The step is at most C times the cost of the row. Takes d^2 numbers for d features: for narrow rows.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import SCWI
    >>> model = OnlineClassifier(SCWI(confidence=0.9), Cost(fn_cost=10, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), round(model.score_one({"amount": 1.0}), 3)
    (0.0, 0.788)
    """

    name = "scw-i"
    reference = 'Wang, Zhao and Hoi, "Exact Soft Confidence-Weighted Learning", ICML 2012'
    rule = Rule(ScwFull, update_full, trigger=trigger_full, variance=variance_full)
    squared: ClassVar[bool] = False
    scratch: ClassVar[tuple[str, ...]] = ("Sx",)
    C: float = aggressiveness()
    confidence: float = number(
        0.75, "Target probability of classifying a row correctly.", (0.6, 0.95), above=0.5, below=1.0
    )

    def bytes_needed(self, d: int, model: Any = None) -> int:
        return 8 * d * (d + 2)

    def state(self, d: int) -> State:
        phi = NormalDist().inv_cdf(float(self.confidence))
        start = np.zeros(d), np.eye(d), np.zeros(d), np.array([d])
        return ScwFull(*start, float(self.C), phi, self.squared)


@register
class SCWII(SCWI):
    """SCW-II: SCW-I with a squared loss, weighted by C and the cost of the row.

    Takes d^2 numbers for d features: for narrow rows.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import SCWII
    >>> model = OnlineClassifier(SCWII(confidence=0.9), Cost(fn_cost=10, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), round(model.score_one({"amount": 1.0}), 3)
    (0.0, 0.762)
    """

    name = "scw-ii"
    squared = True


@register
class SCWIDiag(SCWI):
    """SCW-I with a diagonal covariance: one precision per feature, time linear in the nonzeros.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import SCWIDiag
    >>> model = OnlineClassifier(SCWIDiag(confidence=0.9), Cost(fn_cost=10, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), round(model.score_one({"amount": 1.0}), 3)
    (0.0, 0.788)
    """

    name = "scw-i-diag"
    rule = Rule(ScwDiagonal, update_diagonal, trigger=trigger_diagonal, variance=variance_diagonal)
    scratch = ()

    def bytes_needed(self, d: int, model: Any = None) -> int:
        return 16 * d

    def state(self, d: int) -> State:
        phi = NormalDist().inv_cdf(float(self.confidence))
        return ScwDiagonal(np.zeros(d), np.ones(d), float(self.C), phi, self.squared)


@register
class SCWIIDiag(SCWIDiag):
    """SCW-II with a diagonal covariance: one precision per feature, time linear in the nonzeros.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import SCWIIDiag
    >>> model = OnlineClassifier(SCWIIDiag(confidence=0.9), Cost(fn_cost=10, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), round(model.score_one({"amount": 1.0}), 3)
    (0.0, 0.762)
    """

    name = "scw-ii-diag"
    squared = True
