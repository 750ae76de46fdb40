"""Platt scaling on the stream: how likely a score is that of a positive row."""

from __future__ import annotations

import math

import numpy as np

from ...kernels.records import Floats

START = (2.0, 0.0, 0.0, 0.0, 0.0)  # slope, offset, and three of the curvature that was seen
FADE = 0.9995  # of what the calibration remembers, a row
PRIOR = 1.0  # rows' worth of doubt about it
LEAST_SLOPE = 0.01  # so that a higher score is never less likely
LIMIT = 30.0  # of the log-odds


def exponential(z: float) -> float:
    """e^z for |z| below 700, the same bits compiled and not: e^r 2^k with r at most half of log 2."""
    k = np.floor(z * 1.4426950408889634 + 0.5)
    r = (z - k * 0.6931471803691238) - k * 1.9082149292705877e-10
    total = 1.0
    for n in range(14, 0, -1):
        total = 1.0 + total * r / n
    return math.ldexp(total, int(k))


def log_odds(platt: Floats, score: float) -> float:
    """Of a positive row: a score + b, within the limit."""
    z: float = min(max(platt[0] * score + platt[1], -LIMIT), LIMIT)
    return z


def probability(platt: Floats, score: float) -> float:
    """Of a positive row: 1/(1 + exp(-(a score + b)))."""
    return 1.0 / (1.0 + exponential(-log_odds(platt, score)))


def calibrate(platt: Floats, score: float, label: float) -> None:
    """One Newton step of the logistic regression of labels on scores; old rows fade (Platt scaling)."""
    p = probability(platt, score)
    error = (1.0 if label > 0.0 else 0.0) - p
    weight = p * (1.0 - p)
    for i in range(2, 5):
        platt[i] *= FADE
    platt[2] += weight * score * score
    platt[3] += weight * score
    platt[4] += weight
    aa, ab, bb = platt[2] + PRIOR, platt[3], platt[4] + PRIOR
    determinant = aa * bb - ab * ab
    if determinant > 0.0:
        slope = platt[0] + error * (bb * score - ab) / determinant
        platt[0] = max(slope, LEAST_SLOPE)
        platt[1] += error * (aa - ab * score) / determinant - (platt[0] - slope) * ab / bb


def sigmoid(odds: Floats) -> Floats:
    """Log-odds as probabilities; plain scores, taken for log-odds, are a model without scaling."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(odds, -LIMIT, LIMIT))))
