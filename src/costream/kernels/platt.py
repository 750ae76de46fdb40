"""Platt scaling on the stream: the probability of a positive row, given its score.

A logistic regression of labels on scores, one Newton step a row. Scores are divided by their mean size
so far, since every learner has its own scale; old rows fade, since a learner's scores change. After the
first rows every fourth is enough, and saves most of the time.
"""

from __future__ import annotations

import numpy as np

from .compile import entry
from .elementary import LIMIT, exponential, logarithm
from .records import Floats

SLOPE, OFFSET, AA, AB, BB, SIZE, ROWS = range(7)  # AA, AB, BB: the curvature that was seen
FADE = 0.9995
FIRST, EVERY = 2000.0, 4.0  # rows
PRIOR = 1.0  # rows' worth of doubt about slope and offset
LEAST_SLOPE = 0.01  # so that a higher score is never less likely
FARTHEST = 20.0  # a score, in mean sizes


def new_platt() -> Floats:
    """A calibration that has seen nothing: a score is taken for log-odds."""
    platt = np.zeros(ROWS + 1)
    platt[SLOPE] = 1.0
    return platt


def scaled(platt: Floats, score: float) -> float:
    z = score / platt[SIZE] if platt[SIZE] > 0.0 else score
    return min(max(z, -FARTHEST), FARTHEST)


def platt_log_odds(platt: Floats, z: float) -> float:
    """Of a positive row, given its scaled score."""
    return min(max(platt[SLOPE] * z + platt[OFFSET], -LIMIT), LIMIT)  # type: ignore[no-any-return]


def calibrate(platt: Floats, score: float, label: float, weight: float) -> None:
    """One Newton step by a row that counts ``weight`` times."""
    z = scaled(platt, score)
    p = 1.0 / (1.0 + exponential(-platt_log_odds(platt, z)))
    error = weight * ((1.0 if label > 0.0 else 0.0) - p)
    curvature = weight * p * (1.0 - p)
    platt[AA] = FADE * platt[AA] + curvature * z * z
    platt[AB] = FADE * platt[AB] + curvature * z
    platt[BB] = FADE * platt[BB] + curvature
    aa, ab, bb = platt[AA] + PRIOR, platt[AB], platt[BB] + PRIOR
    determinant = aa * bb - ab * ab
    if determinant > 0.0:
        slope = platt[SLOPE] + error * (bb * z - ab) / determinant
        platt[SLOPE] = min(max(slope, LEAST_SLOPE), LIMIT)
        offset = error * (aa - ab * z) / determinant - (platt[SLOPE] - slope) * ab / bb
        platt[OFFSET] = min(max(platt[OFFSET] + offset, -LIMIT), LIMIT)
    part = max(1.0 / (platt[ROWS] + 1.0), 1.0 - FADE)
    platt[SIZE] += part * (min(abs(score), 1e150) - platt[SIZE])


@entry
def learn_platt(platt: Floats, scores: Floats, label: Floats, weight: Floats, odds: Floats) -> None:
    """Calibrate on scored rows in turn; ``odds`` receives the log-odds of each as it was before."""
    for t in range(scores.shape[0]):
        odds[t] = platt_log_odds(platt, scaled(platt, scores[t]))
        if weight[t] > 0.0 and abs(scores[t]) < np.inf:
            if platt[ROWS] < FIRST or platt[ROWS] % EVERY == 0.0:
                calibrate(platt, scores[t], label[t], weight[t])
            platt[ROWS] += 1.0


@entry
def platt_odds(platt: Floats, scores: Floats, odds: Floats) -> None:
    for t in range(scores.shape[0]):
        odds[t] = platt_log_odds(platt, scaled(platt, scores[t]))


def margin_of(odds: float, cost_ratio: float) -> float:
    """The margin of a decision: 0 or more where the row is flagged."""
    z = odds + logarithm(abs(cost_ratio))
    return z if cost_ratio > 0.0 else -z


@entry
def decide(odds: Floats, cost_ratio: Floats, margin: Floats) -> None:
    for t in range(odds.shape[0]):
        margin[t] = margin_of(odds[t], cost_ratio[t])


@entry
def decide_one(platt: Floats, score: float, cost_ratio: float) -> float:
    return margin_of(platt_log_odds(platt, scaled(platt, score)), cost_ratio)
