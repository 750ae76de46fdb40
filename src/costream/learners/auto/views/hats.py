"""Hats: each standardised feature as a piecewise linear function of nine knots.

A feature becomes two entries, the weights of the knots to its left and right, so that a linear member
learns a curve for each feature.
"""

from __future__ import annotations

from ....kernels.records import Floats, Slots
from ..lanes import learn_lanes, score_lanes
from ..layout import GAMMA, HAT_ENTRIES, HATS, SCORES, SEEN, STANDARDISED
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
    slot, value = model.hat_slots, model.hat_values
    n = write_hats(model.rows[STANDARDISED], model.stats[SEEN], d, scale, slot, value)
    model.now[HAT_ENTRIES] = n
    score_lanes(model.hats_mu, slot, n, value, model.work[SCORES], HATS)


def learn_hats(model: Portfolio, y: float, r: float) -> None:
    """Learn the hats that were written to be scored."""
    n, work = int(model.now[HAT_ENTRIES]), model.work
    learn_lanes(
        model.hats_mu,
        model.hats_variance,
        model.hat_slots,
        n,
        model.hat_values,
        model.settings[GAMMA],
        work,
        HATS,
        y,
        r,
    )
