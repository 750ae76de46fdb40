"""COG: cost-sensitive online gradient descent, with the cost as margin (I) or as slope (II)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kernels.hinge import LOSS_I, LOSS_II, Hinge, slope
from ..kernels.primitives import add
from ..kernels.records import Chunk, Floats
from ..kernels.rules import Rule
from .base import Learner, register
from .hyper_parameters import learning_rate


class FirstOrder(NamedTuple):
    """Identity geometry and a fixed rate: COG, the Perceptron and PAUM."""

    mu: Floats
    hinge: Hinge
    eta: float


def update(model: FirstOrder, x: Chunk, t: int, score: float, loss: float) -> None:
    """mu += eta y x (loss I), or eta r y x (loss II)."""
    if loss > 0.0:
        add(model.mu, model.eta * slope(model.hinge, x.cost[t]) * x.label[t], x, t)


@register
class COGI(Learner):
    """COG-I: the cost of a row is its margin; a row counts while r - y p > 0.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import COGI
    >>> model = OnlineClassifier(COGI(eta=0.5), Cost(fn_cost=10, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), model.predict_one({"amount": 1.0})
    (0.0, 1)
    """

    name = "cog-i"
    reference = 'Wang, Zhao and Hoi, "Cost-Sensitive Online Classification", ICDM 2012'
    rule = Rule(FirstOrder, update)
    hinge = LOSS_I
    eta: float = learning_rate()

    def state(self, d: int) -> FirstOrder:
        return FirstOrder(np.zeros(d), self.hinge, float(self.eta))


@register
class COGII(COGI):
    """COG-II: the cost of a row scales its step; a row counts while 1 - y p > 0.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.learners import COGII
    >>> model = OnlineClassifier(COGII(), Cost(fn_cost=10, fp_cost=1))
    >>> model.learn_one({"amount": 2.0}, 1), model.score_one({"amount": 1.0})
    (0.0, 10.0)
    """

    name = "cog-ii"
    hinge = LOSS_II
