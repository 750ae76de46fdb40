"""Hats: each standardised feature as a piecewise linear function of nine knots.

A feature becomes two entries, the weights of the knots to its left and right, so that a linear member
learns a curve for each feature.
"""

from __future__ import annotations

from ....kernels.records import Floats, Slots
from ..layout import GAMMA, HAT_ENTRIES, HATS, SCORES, SEEN, STANDARDISED, STEP, WEIGHT
from ..record import Portfolio

KNOTS = 9
FARTHEST = 2.5  # deviations of the first and of the last knot from the mean
STRIDE = 2.0 * FARTHEST / (KNOTS - 1)


def write_hats(
    standardised: Floats, seen: Floats, d: int, scale: float, slot: Slots, value: Floats
) -> int:
    """Write the hats of a standardised row, of which all was multiplied by ``scale``, and so are they.

    Features that no row has had are left out. Returns how many entries there are.
    """
    n = 0
    for j in range(1, d):
        if seen[j] == 0.0:
            continue
        away = min(max(standardised[j] / scale, -FARTHEST), FARTHEST)
        place = (away + FARTHEST) / STRIDE
        left = min(int(place), KNOTS - 2)
        part = place - left
        slot[n] = KNOTS * j + left
        value[n] = (1.0 - part) * scale
        slot[n + 1] = KNOTS * j + left + 1
        value[n + 1] = part * scale
        n += 2
    return n


def score_hats(model: Portfolio, d: int, scale: float) -> None:
    """Write the hats of the row at hand, and score them."""
    slot, value, scores = model.hat_slots, model.hat_values, model.work[SCORES]
    n = write_hats(model.rows[STANDARDISED], model.stats[SEEN], d, scale, slot, value)
    model.now[HAT_ENTRIES] = n
    lanes = model.hats_mu.shape[1]
    for k in range(lanes):
        scores[HATS + k] = 0.0
    for e in range(n):
        j, a = slot[e], value[e]
        for k in range(lanes):
            scores[HATS + k] += model.hats_mu[j, k] * a


def learn_hats(model: Portfolio, y: float, r: float) -> None:
    """Let the lanes, which are CAROW, learn the hats that were written to be scored."""
    mu, variance, slot, value = model.hats_mu, model.hats_variance, model.hat_slots, model.hat_values
    scores, step, weight = model.work[SCORES], model.work[STEP], model.work[WEIGHT]
    n, lanes, gamma = int(model.now[HAT_ENTRIES]), mu.shape[1], model.settings[GAMMA]
    for k in range(lanes):
        step[HATS + k] = 0.0
    for e in range(n):
        j, square = slot[e], value[e] * value[e]
        for k in range(lanes):
            step[HATS + k] += variance[j, k] * square
    found = False
    for k in range(HATS, HATS + lanes):
        loss = 1.0 - y * scores[k]
        found |= loss > 0.0
        step[k] = loss / (step[k] + gamma[k] / r) * y if loss > 0.0 else 0.0
        weight[k] = r / gamma[k] if loss > 0.0 else 0.0
    if found:
        for e in range(n):
            j, a = slot[e], value[e]
            for k in range(lanes):
                old = variance[j, k]
                mu[j, k] += step[HATS + k] * a * old
                variance[j, k] = old / (1.0 + old * weight[HATS + k] * a * a)
