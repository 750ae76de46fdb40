"""Splines: each standardised feature as a piecewise linear function of some knots.

A feature becomes two entries, the weights of the knots to its left and right, so that a linear member
learns a curve for each feature.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....kernels.records import Floats, Slots
from ..layout import (
    GAMMA,
    KNOTS,
    NUMBERS,
    SCORES,
    SEEN,
    SPLINE_ENTRIES,
    SPLINES,
    STANDARDISED,
    STEP,
    WEIGHT,
    WHOLE_WIDEST,
    Portfolio,
)
from ..member import Member
from ..pausing import is_paused
from .family import Family

if TYPE_CHECKING:
    from ..composition import Composition

FARTHEST = 2.5  # deviations of the first and of the last knot from the mean


def write(
    standardised: Floats, seen: Floats, d: int, scale: float, knots: int, slot: Slots, value: Floats
) -> int:
    """Write a standardised row, of which all was multiplied by ``scale``, and so are the entries.

    Features that no row has had are left out. Returns how many entries there are.
    """
    n, stride = 0, 2.0 * FARTHEST / (knots - 1)
    for j in range(1, d):
        if seen[j] == 0.0:
            continue
        away = min(max(standardised[j] / scale, -FARTHEST), FARTHEST)
        place = (away + FARTHEST) / stride
        left = min(int(place), knots - 2)
        part = place - left
        slot[n] = knots * j + left
        value[n] = (1.0 - part) * scale
        slot[n + 1] = knots * j + left + 1
        value[n + 1] = part * scale
        n += 2
    return n


def score(model: Portfolio, d: int, last: int) -> None:
    """Write the row at hand once, and score it, if the lanes are among the ``last`` that take part."""
    begin = model.plan[NUMBERS, SPLINES]
    if begin >= last or is_paused(model, begin):
        return
    seen = 0
    for j in range(d):
        seen += model.stats[SEEN, j] > 0.0
    scale, knots = 1.0 / np.sqrt(max(float(seen), 1.0)), model.plan[NUMBERS, KNOTS]
    slot, value, scores = model.spline_slots, model.spline_values, model.work[SCORES, begin:]
    if model.notes[SPLINE_ENTRIES] == 0:
        entries = write(model.rows[STANDARDISED], model.stats[SEEN], d, scale, knots, slot, value)
        model.notes[SPLINE_ENTRIES] = entries
    n = model.notes[SPLINE_ENTRIES]
    lanes = model.splines_mu.shape[1]
    for k in range(lanes):
        scores[k] = 0.0
    for e in range(n):
        j, a = slot[e], value[e]
        for k in range(lanes):
            scores[k] += model.splines_mu[j, k] * a


def learn(model: Portfolio, d: int, last: int, y: float, r: float) -> None:
    """Let the lanes, which are CAROW, learn the row that was written to be scored."""
    begin = model.plan[NUMBERS, SPLINES]
    if begin >= last or is_paused(model, begin):
        return
    mu, variance = model.splines_mu, model.splines_variance
    slot, value, gamma = model.spline_slots, model.spline_values, model.settings[GAMMA, begin:]
    work = model.work
    scores, step, weight = work[SCORES, begin:], work[STEP, begin:], work[WEIGHT, begin:]
    n, lanes = model.notes[SPLINE_ENTRIES], mu.shape[1]
    for k in range(lanes):
        step[k] = 0.0
    for e in range(n):
        j, square = slot[e], value[e] * value[e]
        for k in range(lanes):
            step[k] += variance[j, k] * square
    found = False
    for k in range(lanes):
        loss = 1.0 - y * scores[k]
        found |= loss > 0.0
        step[k] = loss / (step[k] + gamma[k] / r) * y if loss > 0.0 else 0.0
        weight[k] = r / gamma[k] if loss > 0.0 else 0.0
    if found:
        for e in range(n):
            j, a = slot[e], value[e]
            for k in range(lanes):
                old = variance[j, k]
                mu[j, k] += step[k] * a * old
                variance[j, k] = old / (1.0 + old * weight[k] * a * a)


def forget(model: Portfolio, d: int) -> None:
    """Be as unsure as at first."""
    if d <= model.plan[NUMBERS, WHOLE_WIDEST]:
        for j in range(model.splines_variance.shape[0]):
            for k in range(model.splines_variance.shape[1]):
                model.splines_variance[j, k] = 1.0


# --- what it is made of -------------------------------------------------------------------------------


def fits(place: int, members: Sequence[Member], units: Sequence[int]) -> bool:
    """Lanes are computed together."""
    return len(set(units)) <= 1 and all(one.gamma > 0.0 and one.eta == 0.0 for one in members)


def arrays(team: Composition, d: int) -> dict[str, Any]:
    dense, lanes = min(d, team.numbers["whole"]), len(team.of(SPLINES))
    entries = team.numbers["knots"] * dense
    return {
        "splines_mu": np.zeros((entries, lanes)),
        "splines_variance": np.ones((entries, lanes)),
        "spline_slots": np.zeros(2 * dense, np.uint32),
        "spline_values": np.zeros(2 * dense),
    }


def size(team: Composition, d: int) -> int:
    return 16 * min(d, team.numbers["whole"]) * team.numbers["knots"] * len(team.of(SPLINES))


FAMILY = Family(
    name="splines",
    members=[
        Member("splines", gamma, widest=512, view="splines", unit="splines") for gamma in (1.0, 0.1)
    ],
    kinds={"splines": SPLINES},
    numbers={"knots": (KNOTS, 9, 255)},
    fits=fits,
    arrays=arrays,
    size=size,
)
