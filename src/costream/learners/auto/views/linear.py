"""The linear view: members that learn the row itself, as `rows` writes it.

Lanes of scaled and raw rows, lanes of standardised ones, and members with a full covariance of either.
They alone learn the features that a row brings: it is then written, and scored, anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..lanes import (
    learn_dense,
    learn_full,
    learn_sparse,
    plan_steps,
    product_full,
    score_dense,
    score_full,
    score_sparse,
)
from ..layout import (
    ALL,
    DENSE,
    ENTRIES,
    ETA,
    FULL,
    GAMMA,
    NUMBERS,
    RAW,
    SCALED,
    SCORES,
    SPARSE,
    STANDARDISED,
    STEP,
    SX,
    WANTS_SCALED,
    WEIGHT,
    WHOLE,
    WHOLE_WIDEST,
    Portfolio,
)
from ..member import ANY, Member
from ..pausing import is_paused
from ..rows import SCORING
from .family import Family, identities

if TYPE_CHECKING:
    from ..composition import Composition


def score(model: Portfolio, n: int, d: int, last: int, purpose: float) -> None:
    """The scores of the members; of a row that is written again to be learnt, those that change."""
    rows, slots, settings, scores = model.rows, model.slots, model.settings, model.work[SCORES]
    wants, anew, numbers = settings[WANTS_SCALED], purpose == SCORING, model.plan[NUMBERS]
    dense, full = numbers[DENSE], numbers[FULL]
    if not is_paused(model, numbers[SPARSE]):
        score_sparse(model.mu, slots[ENTRIES], n, rows[SCALED], rows[RAW], wants, scores)
    if anew and last > dense and not is_paused(model, dense):
        score_dense(model.standardised_mu, d, rows[STANDARDISED], scores, dense)
    for k in range(model.mean.shape[0]):
        place = full + k
        if place < last:
            scaled = wants[place] > 0.0
            if (scaled or anew) and not is_paused(model, place):
                slot, row = slots[ENTRIES if scaled else ALL], rows[SCALED if scaled else STANDARDISED]
                scores[place] = score_full(model.mean[k], slot, n if scaled else d, row)


def learn(model: Portfolio, n: int, known: int, d: int, last: int, y: float, r: float) -> None:
    """Let the members learn the row; as a standardised one it has the slots that were known before."""
    begin = model.plan[NUMBERS, DENSE]
    if not is_paused(model, model.plan[NUMBERS, SPARSE]):
        _learn_sparse_lanes(model, n, y, r)
    if begin < last and not is_paused(model, begin):
        _learn_dense_lanes(model, begin, known, y, r)
    _learn_full_members(model, n, known, d, last, y, r)


def _learn_sparse_lanes(model: Portfolio, n: int, y: float, r: float) -> None:
    rows, slot, settings, work = model.rows, model.slots[ENTRIES], model.settings, model.work
    lanes = model.mu.shape[1]
    scores, step, weight = work[SCORES, :lanes], work[STEP], work[WEIGHT]
    gamma, eta, wants = settings[GAMMA], settings[ETA], settings[WANTS_SCALED]
    scaled, raw, squares, more = rows[SCALED], rows[RAW], rows[SX], rows[WHOLE]
    for e in range(n):
        squares[e] = scaled[e] * scaled[e]
        more[e] = raw[e] * raw[e]
    score_sparse(model.variance, slot, n, squares, more, wants, step)
    if plan_steps(y, r, scores, gamma, eta, step, weight):
        learn_sparse(model.mu, model.variance, slot, n, scaled, raw, wants, eta, step, weight)


def _learn_dense_lanes(model: Portfolio, begin: int, known: int, y: float, r: float) -> None:
    mu, variance, work = model.standardised_mu, model.standardised_variance, model.work
    end, standardised, squares = begin + mu.shape[0], model.rows[STANDARDISED], model.rows[SX]
    scores, step, weight = work[SCORES, begin:end], work[STEP, begin:end], work[WEIGHT, begin:end]
    gamma, eta = model.settings[GAMMA, begin:end], model.settings[ETA, begin:end]
    for j in range(known):
        squares[j] = standardised[j] * standardised[j]
    score_dense(variance, known, squares, step, 0)
    plan_steps(y, r, scores, gamma, eta, step, weight)
    for k in range(mu.shape[0]):
        if weight[k] > 0.0:
            learn_dense(mu, variance, k, known, standardised, eta[k], step[k], weight[k])


def _learn_full_members(
    model: Portfolio, n: int, known: int, d: int, last: int, y: float, r: float
) -> None:
    rows, slots, settings, full = model.rows, model.slots, model.settings, model.plan[NUMBERS, FULL]
    for k in range(model.mean.shape[0]):
        place = full + k
        if place < last:
            short = 1.0 - y * model.work[SCORES, place]
            if short > 0.0 and not is_paused(model, place):
                scaled, ratio = settings[WANTS_SCALED, place] > 0.0, settings[GAMMA, place] / r
                slot, row = slots[ENTRIES if scaled else ALL], rows[SCALED if scaled else STANDARDISED]
                length = n if scaled else known
                learn_full(
                    model.mean[k], model.Sigma[k], d, slot, length, row, rows[SX], short * y, ratio
                )


def forget(model: Portfolio, d: int, last: int) -> None:
    """Be as unsure as at first."""
    for j in range(d):
        for k in range(model.variance.shape[1]):
            if model.variance[j, k] > 0.0:  # else the slot is not in the lane
                model.variance[j, k] = 1.0
    if d <= model.plan[NUMBERS, WHOLE_WIDEST]:
        for k in range(model.standardised_variance.shape[0]):
            for j in range(d):
                model.standardised_variance[k, j] = 1.0
    for f in range(model.Sigma.shape[0]):
        if model.plan[NUMBERS, FULL] + f < last:
            for i in range(d):
                for j in range(d):
                    model.Sigma[f, i, j] = 0.0
                model.Sigma[f, i, i] = 1.0


def variance(model: Portfolio, n: int, d: int, last: int) -> float:
    """x' Sigma x of the first member with a full covariance of scaled rows, or of a lane."""
    rows, slots = model.rows, model.slots
    if model.plan[NUMBERS, FULL] < last:
        return product_full(model.Sigma[0], d, slots[ENTRIES], n, rows[SCALED], rows[SX])
    total = 0.0
    for e in range(n):
        total += model.variance[slots[ENTRIES, e], 1] * rows[SCALED, e] * rows[SCALED, e]
    return total


# --- what it is made of -------------------------------------------------------------------------------


def fits(place: int, members: Sequence[Member], units: Sequence[int]) -> bool:
    """Lanes are computed together; two or more take part at any width."""
    lanes, full = len(set(units)) <= 1, all(one.eta == 0.0 for one in members)
    if not all(one.gamma > 0.0 and (one.eta > 0.0) == ("ACOG" in one.kind) for one in members):
        return False
    if place == SPARSE:
        return len(members) >= 2 and lanes and all(one.widest == ANY for one in members)
    return full if place == FULL else lanes


def arrays(team: Composition, d: int) -> dict[str, Any]:
    members, dense = team.of(SPARSE), min(d, team.numbers["whole"])
    variance = np.ones((d, len(members)))
    # ACOG-II of raw rows has no intercept
    variance[0, [one.eta > 0.0 for one in members]] = 0.0
    full = team.slots(FULL, d)
    return {
        "mean": np.zeros((len(team.of(FULL)), full)),
        "Sigma": identities(len(team.of(FULL)), full),
        "mu": np.zeros((d, len(members))),
        "variance": variance,
        "standardised_mu": np.zeros((len(team.of(DENSE)), dense)),
        "standardised_variance": np.ones((len(team.of(DENSE)), dense)),
    }


def size(team: Composition, d: int) -> int:
    full, dense = team.slots(FULL, d), min(d, team.numbers["whole"])
    lanes = d * len(team.of(SPARSE)) + dense * len(team.of(DENSE))
    return 8 * len(team.of(FULL)) * full * (full + 1) + 16 * lanes


FAMILY = Family(
    name="linear",
    members=[
        *(Member("diagonal, scaled", gamma, unit="sparse") for gamma in (10.0, 1.0, 0.1)),
        Member("diagonal, raw", 1.0, unit="sparse"),
        *(Member("ACOG-II, raw", gamma, 1.0, unit="sparse") for gamma in (1.0, 0.1, 0.01)),
        Member("ACOG-II, raw", 0.1, 0.1, unit="sparse"),
        *(
            Member("diagonal, standardised", gamma, widest=512, unit="dense")
            for gamma in (30.0, 10.0, 3.0, 1.0)
        ),
        *(Member("ACOG-II, standardised", gamma, 1.0, 512, unit="dense") for gamma in (10.0, 1.0)),
        Member("full, scaled", 1.0, widest=320),
        Member("full, scaled", 0.01, widest=320),
        Member("full, standardised", 0.1, widest=320),
        Member("full, scaled", 0.1, widest=64),
        Member("full, standardised", 10.0, widest=64),
    ],
    kinds={
        **dict.fromkeys(("diagonal, scaled", "diagonal, raw", "ACOG-II, raw"), SPARSE),
        **dict.fromkeys(("diagonal, standardised", "ACOG-II, standardised"), DENSE),
        **dict.fromkeys(("full, scaled", "full, standardised"), FULL),
    },
    numbers={},
    fits=fits,
    arrays=arrays,
    size=size,
)
