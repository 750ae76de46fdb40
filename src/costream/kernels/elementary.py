"""Elementary functions out of sums and products, bit-identical compiled and interpreted."""

from __future__ import annotations

import math

import numpy as np

from .records import Floats

LIMIT = 30.0  # of log-odds
TURN = 6.283185307179586


def exponential(z: float) -> float:
    """e^z for |z| below 700: e^r 2^k with r at most half of log 2."""
    k = np.floor(z * 1.4426950408889634 + 0.5)
    r = (z - k * 0.6931471803691238) - k * 1.9082149292705877e-10
    total = 1.0
    for n in range(13, 0, -1):
        total = 1.0 + total * (r * (1.0 / n))
    return math.ldexp(total, int(k))


def logarithm(x: float) -> float:
    """log x for x above 0: m 2^k with m between the roots of 1/2 and 2, and the series of artanh."""
    m, k = math.frexp(x)
    if m < 0.7071067811865476:
        m, k = 2.0 * m, k - 1
    s = (m - 1.0) / (m + 1.0)
    square = s * s
    total = 0.0
    for n in range(21, 0, -2):
        total = total * square + 1.0 / n
    return 2.0 * s * total + k * 0.6931471805599453


def cosine(x: float) -> float:
    """cos x, to twelve digits for |x| below a million."""
    y = abs(x - np.floor(x / TURN + 0.5) * TURN)
    sign = 1.0 if y <= 0.25 * TURN else -1.0
    y = y if y <= 0.25 * TURN else 0.5 * TURN - y
    s = y * y
    total = 1.0 - s * (1.0 / 306.0)
    total = 1.0 - s * (1.0 / 240.0) * total
    total = 1.0 - s * (1.0 / 182.0) * total
    total = 1.0 - s * (1.0 / 132.0) * total
    total = 1.0 - s * (1.0 / 90.0) * total
    total = 1.0 - s * (1.0 / 56.0) * total
    total = 1.0 - s * (1.0 / 30.0) * total
    total = 1.0 - s * (1.0 / 12.0) * total
    return sign * (1.0 - s * 0.5 * total)  # type: ignore[no-any-return]


def probability(odds: float) -> float:
    """Log-odds as a probability, with the bits of `sigmoid`."""
    return 1.0 / (1.0 + float(np.exp(-min(max(odds, -LIMIT), LIMIT))))


def sigmoid(odds: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(odds, -LIMIT, LIMIT))))
