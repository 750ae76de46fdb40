"""Random Fourier features of the standardised row z: cos(W z + b).

Members with a full covariance on them learn what a kernel machine would. The directions of a feature
come from a hash of its name, so that a feature that comes late, or in another order, has the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ....kernels.elementary import cosine
from ....kernels.records import Floats
from ..lanes import learn_full, score_full
from ..layout import (
    ALL,
    FEATURES,
    FOURIER,
    FOURIER_WRITTEN,
    GAMMA,
    NUMBERS,
    SCALE,
    SCORES,
    STANDARDISED,
    SX,
    Portfolio,
)
from ..member import Member
from ..pausing import is_paused
from ..trees import hashed
from .family import Family, identities

if TYPE_CHECKING:
    from ..composition import Composition

SEED = 7
USUAL = 64  # features


@cache
def direction(key: int, scales: tuple[float, ...], features: int) -> Floats:
    """The column of W that belongs to a name: a normal number for each feature, times its scale."""
    k: Any = np.arange(len(scales) * features)
    one, other = (hashed(key, SEED, 2 * k + part) for part in range(2))
    normal = np.sqrt(-2.0 * np.log(1.0 - one)) * np.cos(2.0 * np.pi * other)
    return np.asarray(normal * np.repeat(scales, features))


def phases(count: int) -> Floats:
    """The b of each feature."""
    k: Any = np.arange(count)
    return np.asarray(2.0 * np.pi * hashed(SEED, k, 0))


def scales_of(model: Portfolio) -> tuple[float, ...]:
    """The scale of each member."""
    begin = int(model.plan[NUMBERS, FOURIER])
    return tuple(model.plan[SCALE, begin : begin + len(model.fourier_mean)].view(np.float64).tolist())


def name_slot(model: Portfolio, slot: int, key: int) -> None:
    """Let a slot have the directions of its name."""
    if slot < len(model.directions):
        model.directions[slot] = direction(key, scales_of(model), model.fourier_mean.shape[1])


def write(standardised: Floats, d: int, directions: Floats, features: int, out: Floats) -> None:
    """Write all features of a standardised row; ``directions`` has the phases in its first row."""
    n = out.shape[0]
    for k in range(n):
        out[k] = directions[0, k]
    for j in range(1, d):
        z = standardised[j]
        if z != 0.0:
            for k in range(n):
                out[k] += directions[j, k] * z
    scale = np.sqrt(2.0 / features)
    for k in range(n):
        out[k] = cosine(out[k]) * scale


def score(model: Portfolio, d: int, last: int) -> None:
    """Write the row at hand once, and let each member score its features."""
    begin, mean, slot = model.plan[NUMBERS, FOURIER], model.fourier_mean, model.slots[ALL]
    features = mean.shape[1]
    if begin >= last:
        return
    for k in range(mean.shape[0]):
        if not is_paused(model, begin + k):
            if model.notes[FOURIER_WRITTEN] == 0:
                write(model.rows[STANDARDISED], d, model.directions, features, model.fourier)
                model.notes[FOURIER_WRITTEN] = 1
            row = model.fourier[k * features : (k + 1) * features]
            model.work[SCORES, begin + k] = score_full(mean[k], slot, features, row)


def learn(model: Portfolio, d: int, last: int, y: float, r: float) -> None:
    """Let each member learn its features."""
    begin, mean, slot = model.plan[NUMBERS, FOURIER], model.fourier_mean, model.slots[ALL]
    features = mean.shape[1]
    if begin >= last:
        return
    for k in range(mean.shape[0]):
        loss = 1.0 - y * model.work[SCORES, begin + k]
        if loss > 0.0 and not is_paused(model, begin + k):
            row, Sigma = model.fourier[k * features : (k + 1) * features], model.fourier_covariance[k]
            ratio, Sx = model.settings[GAMMA, begin + k] / r, model.rows[SX]
            if features == USUAL:  # loops of a length that is known are faster
                learn_full(mean[k], Sigma, USUAL, slot, USUAL, row, Sx, loss * y, ratio)
            else:
                learn_full(mean[k], Sigma, features, slot, features, row, Sx, loss * y, ratio)


def forget(model: Portfolio, d: int) -> None:
    """Be as unsure as at first."""
    for f in range(model.fourier_covariance.shape[0]):
        for i in range(model.fourier_covariance.shape[1]):
            for j in range(model.fourier_covariance.shape[1]):
                model.fourier_covariance[f, i, j] = 0.0
            model.fourier_covariance[f, i, i] = 1.0


# --- what it is made of -------------------------------------------------------------------------------


def fits(place: int, members: Sequence[Member], units: Sequence[int]) -> bool:
    """CAROW, each by itself."""
    return all(one.gamma > 0.0 and one.eta == 0.0 and one.scale > 0.0 for one in members)


def arrays(team: Composition, d: int) -> dict[str, Any]:
    members, features = len(team.of(FOURIER)), team.numbers["features"]
    directions = np.zeros((max(team.slots(FOURIER, d), 1), members * features))
    directions[0] = phases(members * features)
    return {
        "fourier_mean": np.zeros((members, features)),
        "fourier_covariance": identities(members, features),
        "directions": directions,
        "fourier": np.zeros(members * features),
    }


def size(team: Composition, d: int) -> int:
    members, features = len(team.of(FOURIER)), team.numbers["features"]
    return 8 * members * features * (features + 1 + team.slots(FOURIER, d))


FAMILY = Family(
    name="fourier",
    members=[
        Member("fourier", 0.3, widest=64, view="fourier", scale=scale) for scale in (0.5, 1.0, 2.0)
    ],
    kinds={"fourier": FOURIER},
    numbers={"features": (FEATURES, USUAL, 512)},
    fits=fits,
    arrays=arrays,
    size=size,
)
