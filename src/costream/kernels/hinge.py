"""When a row counts: the hinge, by name, and the losses themselves for tests and theory.

Ties are resolved here, once. A loss counts where it is > 0, strictly. Perceptron's test "the predicted
label is wrong" with sign(0) = +1 is a hinge with margin 0 for positives and the smallest positive
number for negatives; PAUM's "y p <= margin" is a closed hinge.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np


class Hinge(NamedTuple):
    """When a row suffers a loss: label * score below the margin (or at it, if ``closed``)."""

    positive: float
    negative: float
    cost_is_margin: bool
    closed: bool


LOSS_I = Hinge(positive=1.0, negative=1.0, cost_is_margin=True, closed=False)
LOSS_II = Hinge(positive=1.0, negative=1.0, cost_is_margin=False, closed=False)
MISTAKE = Hinge(positive=0.0, negative=math.ulp(0.0), cost_is_margin=False, closed=False)


def violation(hinge: Hinge, label: float, cost: float, score: float) -> float:
    """How far label * score lies below the margin; a loss is suffered where this is > 0."""
    if hinge.cost_is_margin:
        margin = cost
    elif label > 0.0:
        margin = hinge.positive
    else:
        margin = hinge.negative
    if hinge.closed:
        margin = np.nextafter(margin, np.inf)
    return margin - label * score


def slope(hinge: Hinge, cost: float) -> float:
    """The cost of the row where it is not the margin."""
    return 1.0 if hinge.cost_is_margin else cost


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
