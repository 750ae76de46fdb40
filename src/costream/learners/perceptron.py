"""Perceptron: a step along every misclassified row; ignores costs."""

from __future__ import annotations

import numpy as np

from ..kernels.hinge import MISTAKE
from .base import Learner, register
from .cog import COGI, FirstOrder


@register
class Perceptron(Learner):
    """The Perceptron: mu += y x where the predicted label is wrong, with sign(0) = +1.

    Examples
    --------
    >>> from costream import OnlineClassifier
    >>> from costream.learners import Perceptron
    >>> model = OnlineClassifier(Perceptron())
    >>> model.learn_one({"amount": 2.0}, 0), model.score_one({"amount": 1.0})
    (0.0, -1.0)
    """

    name = "perceptron"
    reference = (
        'Rosenblatt, "The Perceptron: a Probabilistic Model for Information Storage and Organization '
        'in the Brain", Psychological Review, 1958'
    )
    rule = COGI.rule
    hinge = MISTAKE
    cost_sensitive = False

    def state(self, d: int) -> FirstOrder:
        return FirstOrder(np.zeros(d), self.hinge, 1.0)
