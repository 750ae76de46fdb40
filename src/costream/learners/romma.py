"""ROMMA: the relaxed online maximum margin algorithm; ignores costs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..kernels.hinge import MISTAKE, Hinge
from ..kernels.primitives import add, dot, squared_norm
from ..kernels.records import Chunk, Floats
from ..kernels.rules import Rule
from .base import Learner, register


class Romma(NamedTuple):
    """The mean is ``scale[0] * direction``, and ``scale[1]`` is its squared length."""

    direction: Floats
    scale: Floats
    hinge: Hinge


def score(model: Romma, x: Chunk, t: int) -> float:
    return model.scale[0] * dot(model.direction, x, t)  # type: ignore[no-any-return]


def update(model: Romma, x: Chunk, t: int, score: float, loss: float) -> None:
    """The new mean mu* has mu*.x = y and mu*.mu = |mu|^2, hence |mu*|^2 = a |mu|^2 + b y."""
    if loss > 0.0:
        xx = squared_norm(x, t)
        mm = model.scale[1]
        y = x.label[t]
        r = x.cost[t]
        if mm == 0.0:
            if xx > 0.0:
                add(model.direction, r * y / xx, x, t)
                model.scale[1] = r * r / xx
        else:
            D = xx * mm - score * score
            if 1e-12 * xx * mm < D:
                a = (xx * mm - y * score) / D
                b = mm * (y - score) / D
                scale = model.scale[0] * (1.0 + r * (a - 1.0))
                if abs(scale) < 1e-100 or abs(scale) > 1e100:
                    for j in range(model.direction.shape[0]):
                        model.direction[j] *= scale
                    scale = 1.0
                add(model.direction, r * b / scale, x, t)
                model.scale[0] = scale
                model.scale[1] = mm + r * r * (a * mm + b * y - mm)


@register
class ROMMA(Learner):
    """ROMMA: the shortest mean that is right about the last mistake and about the mean before it.

    Examples
    --------
    >>> from costream import OnlineClassifier
    >>> from costream.learners import ROMMA
    >>> model = OnlineClassifier(ROMMA())
    >>> model.learn_one({"amount": 2.0}, 0), model.score_one({"amount": 1.0})
    (0.0, -1.0)
    """

    name = "romma"
    reference = 'Li and Long, "The Relaxed Online Maximum Margin Algorithm", NIPS 2000'
    rule = Rule(Romma, update, score)
    hinge = MISTAKE
    cost_sensitive = False

    def state(self, d: int) -> Romma:
        return Romma(np.zeros(d), np.array([1.0, 0.0]), self.hinge)

    def weights(self, model: Any) -> Floats:
        return np.asarray(model.scale[0] * model.direction)
