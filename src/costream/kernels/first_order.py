"""Identity geometry: Perceptron, PAUM and COG; ROMMA; PA-I and CPA_PB."""

from __future__ import annotations

import numpy as np

from .records import Chunk, FirstOrder, PassiveAggressive, PredictionBased, Romma
from .verbs import add, dot, slope, squared_norm


def update_first_order(model: FirstOrder, x: Chunk, t: int, score: float, loss: float) -> None:
    """COG: mu += eta r y x (loss II) or eta y x (loss I)."""
    if loss > 0.0:
        add(model.mu, model.eta * slope(model.hinge, x.cost[t]) * x.label[t], x, t)


def score_romma(model: Romma, x: Chunk, t: int) -> float:
    return model.scale[0] * dot(model.direction, x, t)  # type: ignore[no-any-return]


def update_romma(model: Romma, x: Chunk, t: int, score: float, loss: float) -> None:
    """ROMMA. The new mean mu* has mu*.x = y and mu*.mu = |mu|^2, hence |mu*|^2 = a |mu|^2 + b y."""
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


def update_passive_aggressive(
    model: PassiveAggressive, x: Chunk, t: int, score: float, loss: float
) -> None:
    """PA-I: mu += min(C, loss/|x|^2) y x."""
    if loss > 0.0:
        xx = squared_norm(x, t)
        if xx > 0.0:
            add(model.mu, min(model.C, loss / xx) * x.cost[t] * x.label[t], x, t)


def update_prediction_based(
    model: PredictionBased, x: Chunk, t: int, score: float, loss: float
) -> None:
    """CPA_PB: mu += (sqrt(r) - y p)/|x|^2 y x."""
    if loss > 0.0:
        xx = squared_norm(x, t)
        short = np.sqrt(x.cost[t]) - x.label[t] * score
        if xx > 0.0 and short > 0.0:
            add(model.mu, short / xx * x.label[t], x, t)
