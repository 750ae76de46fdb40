"""The hinge of each learner, by name, and the losses themselves for tests and theory.

Ties are settled here, once. A loss counts where it is > 0, strictly. Perceptron's test "the predicted
label is wrong" with sign(0) = +1 is a hinge with margin 0 for positives and the smallest positive
number for negatives; PAUM's "y p <= margin" is a closed hinge.
"""

from __future__ import annotations

import math

from .kernels.records import Hinge

LOSS_I = Hinge(positive=1.0, negative=1.0, cost_is_margin=True, closed=False)
LOSS_II = Hinge(positive=1.0, negative=1.0, cost_is_margin=False, closed=False)
MISTAKE = Hinge(positive=0.0, negative=math.ulp(0.0), cost_is_margin=False, closed=False)


def uneven_margin(margin: float | None) -> Hinge:
    """PAUM's hinge: ``margin`` for positives and 1 for negatives, or the cost of the row."""
    if margin is None:
        return Hinge(1.0, 1.0, cost_is_margin=True, closed=True)
    return Hinge(float(margin), 1.0, cost_is_margin=False, closed=True)


def loss(hinge: Hinge, label: float, cost: float, score: float) -> float:
    """Loss I (Eq. 2) or loss II (Eq. 3) of one row.

    >>> loss(LOSS_I, label=1.0, cost=3.0, score=0.5)
    2.5
    >>> loss(LOSS_II, label=1.0, cost=3.0, score=0.5)
    1.5
    """
    if hinge.cost_is_margin:
        return max(0.0, cost - label * score)
    margin = hinge.positive if label > 0 else hinge.negative
    return cost * max(0.0, margin - label * score)


def gradient(hinge: Hinge, label: float, cost: float, score: float) -> float:
    """The derivative of the loss by the score; 0 at the kink."""
    if loss(hinge, label, cost, score) <= 0.0:
        return 0.0
    return -label if hinge.cost_is_margin else -label * cost
