"""Waves: random Fourier features, cos(W z + b) of the standardised row z.

Members with a full covariance on them learn what a kernel machine would. The directions of a feature
come from a hash of its name, so that a feature that comes late, or in another order, has the same ones.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ....kernels.elementary import cosine
from ....kernels.records import Floats
from ..lanes import learn_full, score_full
from ..layout import ALL, GAMMA, SCORES, SX, WAVES
from ..record import Portfolio
from ..trees import hashed

NUMBER = 64  # of each scale
SCALES = (0.5, 1.0, 2.0)
SEED = 7


@cache
def direction(key: int) -> Floats:
    """The column of W that belongs to a feature: a normal number for each wave, times its scale."""
    k: Any = np.arange(len(SCALES) * NUMBER)
    one, other = (hashed(key, SEED, 2 * k + part) for part in range(2))
    normal = np.sqrt(-2.0 * np.log(1.0 - one)) * np.cos(2.0 * np.pi * other)
    return np.asarray(normal * np.repeat(SCALES, NUMBER))


def phases() -> Floats:
    """The b of each wave."""
    k: Any = np.arange(len(SCALES) * NUMBER)
    return np.asarray(2.0 * np.pi * hashed(SEED, k, 0))


def write_waves(standardised: Floats, d: int, directions: Floats, out: Floats) -> None:
    """Write all waves of a standardised row; ``directions`` has the phases in its first row."""
    n = out.shape[0]
    for k in range(n):
        out[k] = directions[0, k]
    for j in range(1, d):
        z = standardised[j]
        if z != 0.0:
            for k in range(n):
                out[k] += directions[j, k] * z
    scale = np.sqrt(2.0 / NUMBER)
    for k in range(n):
        out[k] = cosine(out[k]) * scale


def score_waves(model: Portfolio, k: int) -> None:
    """The score of the member of one scale."""
    row, slot = model.waves[k * NUMBER : (k + 1) * NUMBER], model.slots[ALL]
    model.work[SCORES, WAVES + k] = score_full(model.waves_mean[k], slot, NUMBER, row)


def learn_waves(model: Portfolio, k: int, y: float, r: float) -> None:
    """Let the member of one scale learn."""
    loss = 1.0 - y * model.work[SCORES, WAVES + k]
    if loss > 0.0:
        row, slot = model.waves[k * NUMBER : (k + 1) * NUMBER], model.slots[ALL]
        mean, Sigma, ratio = (
            model.waves_mean[k],
            model.waves_covariance[k],
            model.settings[GAMMA, WAVES + k] / r,
        )
        learn_full(mean, Sigma, NUMBER, slot, NUMBER, row, model.rows[SX], loss * y, ratio)
