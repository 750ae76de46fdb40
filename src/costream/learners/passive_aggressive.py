"""Passive-aggressive: the smallest step that corrects a row, bounded (PA-I) or by cost (CPA_PB)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kernels.hinge import LOSS_II, Hinge
from ..kernels.primitives import add, squared_norm
from ..kernels.records import Chunk, Floats
from ..kernels.rules import Rule
from .base import Learner, register
from .hyper_parameters import aggressiveness

CRAMMER = (
    "Crammer, Dekel, Keshet, Shalev-Shwartz and Singer, "
    '"Online Passive-Aggressive Algorithms", JMLR 2006'
)


class PassiveAggressive(NamedTuple):
    """PA-I."""

    mu: Floats
    hinge: Hinge
    C: float


def update(model: PassiveAggressive, x: Chunk, t: int, score: float, loss: float) -> None:
    """mu += min(C, loss/|x|^2) y x."""
    if loss > 0.0:
        xx = squared_norm(x, t)
        if xx > 0.0:
            add(model.mu, min(model.C, loss / xx) * x.cost[t] * x.label[t], x, t)


@register
class PAI(Learner):
    """PA-I: the smallest step after which a row has margin 1, at most C; costs of classes are ignored.

    Examples
    --------
    >>> from costream import OnlineClassifier
    >>> from costream.learners import PAI
    >>> model = OnlineClassifier(PAI(C=0.5))
    >>> model.learn_one({"amount": 2.0}, 1), model.score_one({"amount": 1.0})
    (0.0, 0.5)
    """

    name = "pa-i"
    reference = CRAMMER
    rule = Rule(PassiveAggressive, update)
    hinge = LOSS_II
    cost_sensitive = False
    C: float = aggressiveness()

    def state(self, d: int) -> PassiveAggressive:
        return PassiveAggressive(np.zeros(d), self.hinge, float(self.C))


class PredictionBased(NamedTuple):
    """CPA_PB."""

    mu: Floats
    hinge: Hinge


def update_by_cost(model: PredictionBased, x: Chunk, t: int, score: float, loss: float) -> None:
    """mu += (sqrt(r) - y p)/|x|^2 y x."""
    if loss > 0.0:
        xx = squared_norm(x, t)
        short = np.sqrt(x.cost[t]) - x.label[t] * score
        if xx > 0.0 and short > 0.0:
            add(model.mu, short / xx * x.label[t], x, t)


@register
class CPAPB(Learner):
    """CPA_PB: the smallest step after which a row has the square root of its cost as margin.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import CPAPB
    >>> model = OnlineClassifier(CPAPB(), Cost(fn_cost=9, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), model.score_one({"amount": 1.0})
    (0.0, 3.0)
    """

    name = "cpa-pb"
    reference = f"{CRAMMER}: the prediction-based, cost-sensitive variant"
    rule = Rule(PredictionBased, update_by_cost)
    hinge = LOSS_II

    def state(self, d: int) -> PredictionBased:
        return PredictionBased(np.zeros(d), self.hinge)
