"""PAUM: the Perceptron with uneven margins for the two classes."""

from __future__ import annotations

import numpy as np

from ..kernels.hinge import Hinge
from .base import Learner, register
from .cog import COGI, FirstOrder
from .hyper_parameters import learning_rate, number


@register
class PAUM(Learner):
    """The Perceptron with uneven margins: mu += eta y x where y p is at or below the margin.

    Negatives have a margin of 1, or of their cost where no margin is set.

    Examples
    --------
    >>> from costream import OnlineClassifier
    >>> from costream.learners import PAUM
    >>> model = OnlineClassifier(PAUM(margin=2.0))
    >>> model.learn_one({"amount": 2.0}, 1), model.score_one({"amount": 1.0})
    (0.0, 1.0)
    """

    name = "paum"
    reference = (
        "Li, Zaragoza, Herbrich, Shawe-Taylor and Kandola, "
        '"The Perceptron Algorithm with Uneven Margins", ICML 2002'
    )
    rule = COGI.rule
    eta: float = learning_rate()
    margin: float | None = number(
        None, "Margin of the positives; None for the cost of each row.", (0.5, 3), optional=True
    )

    @property
    def cost_sensitive(self) -> bool:  # type: ignore[override]
        """Whether the costs of the classes count: not where the margin is set."""
        return self.margin is None

    def state(self, d: int) -> FirstOrder:
        return FirstOrder(np.zeros(d), uneven_margin(self.margin), float(self.eta))


def uneven_margin(margin: float | None) -> Hinge:
    """The closed hinge: ``margin`` for positives and 1 for negatives, or the cost of the row."""
    if margin is None:
        return Hinge(1.0, 1.0, cost_is_margin=True, closed=True)
    return Hinge(float(margin), 1.0, cost_is_margin=False, closed=True)
