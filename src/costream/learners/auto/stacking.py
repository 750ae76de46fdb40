"""Stacking: one online logistic regression over the scores of all members.

The inputs z of the stacker are a 1 for the bias, and the members' scores, clipped. Each row is an
online Newton step:

    q = 1/(1 + exp(-w.z));  h = max(q (1 - q), 1e-4)
    P -= h/(1 + h z'Pz) (Pz)(Pz)';  P /= 0.9999;  w += P z (t - q)

with the label t in {0, 1}; the log-odds at first (`decision.first_odds`) are added to w.z. P is kept as
S S', and S is updated (Potter's square root filter): P itself loses its sign by rounding on long
streams, since the scores of members are nearly the same. What is forgotten makes P grow; where its
diagonal is beyond what it was at first, its row and column are scaled down to that, so that inputs that
are paused, repeat or never vary do not blow it up.
"""

from __future__ import annotations

import math

import numpy as np

from ...kernels.elementary import LIMIT, exponential
from ...kernels.records import Floats, Integers

FADE = 0.9999  # of what it remembers, a row
LARGEST_SCORE = 2.0
LEAST_CURVATURE = 1e-4
START = 3.0  # the sum of the weights at first
PRIOR, BIAS_PRIOR = 0.2, 1.0  # the diagonal of P at first
RESTRAINED = 16  # rows after which P is looked at


def first_root(members: int) -> Floats:
    """S before any row."""
    return np.diag(np.sqrt(np.append(BIAS_PRIOR, np.full(members, PRIOR))))


def first_weights(w: Floats, members: int, until: Integers, unit: Integers) -> None:
    """The weights before any row: the mean of the scores of those that take part, times `START`."""
    present = 0
    for k in range(members):
        present += until[unit[k]] == 0
    for k in range(members):
        w[k + 1] = START / present if until[unit[k]] == 0 else 0.0


def write_inputs(z: Floats, scores: Floats, members: int) -> None:
    """Write the inputs of the stacker; a score that is not finite counts as 0."""
    z[0] = 1.0
    for k in range(members):
        known = math.isfinite(scores[k])
        z[k + 1] = min(max(scores[k], -LARGEST_SCORE), LARGEST_SCORE) if known else 0.0


def stacked_log_odds(w: Floats, z: Floats, members: int, offset: float) -> float:
    """Of a positive row, within the limit; ``offset`` is what they are at scores of 0."""
    total = offset
    for k in range(members + 1):
        total += w[k] * z[k]
    return min(max(total, -LIMIT), LIMIT)


def learn_stacker(
    w: Floats,
    S: Floats,
    z: Floats,
    work: Floats,
    members: int,
    odds: float,
    y: float,
    fade: float,
    weight: float,
) -> None:
    """One step from the log-odds that the row had; ``work`` has two rows of scratch."""
    n, f, Pz = members + 1, work[0], work[1]
    q = 1.0 / (1.0 + exponential(-odds))
    h = max(q * (1.0 - q), LEAST_CURVATURE)
    for j in range(n):
        f[j] = 0.0
    for i in range(n):
        if z[i] != 0.0:
            for j in range(n):
                f[j] += S[i, j] * z[i]
    zPz = 0.0
    for j in range(n):
        zPz += f[j] * f[j]
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += S[i, j] * f[j]
        Pz[i] = total
    alpha = 1.0 / (1.0 / (weight * h) + zPz)
    step = ((1.0 if y > 0.0 else 0.0) - q) * alpha / (h * fade)
    along, grown = alpha / (1.0 + np.sqrt(alpha / (weight * h))), 1.0 / np.sqrt(fade)
    for i in range(n):
        w[i] += Pz[i] * step
        left = along * Pz[i]
        for j in range(n):
            S[i, j] = (S[i, j] - left * f[j]) * grown


def fold(S: Floats, members: int) -> None:
    """Make S triangular, when only these members stay: their rows then hold all of their P.

    Columns are rotated in pairs, which leaves S S' as it is, until a row is 0 beyond its diagonal.
    """
    size = S.shape[0]
    for i in range(members + 1):
        for j in range(i + 1, size):
            if S[i, j] != 0.0:
                length = np.sqrt(S[i, i] * S[i, i] + S[i, j] * S[i, j])
                c, s = S[i, i] / length, S[i, j] / length
                for k in range(i, members + 1):
                    one, other = S[k, i], S[k, j]
                    S[k, i] = c * one + s * other
                    S[k, j] = c * other - s * one
                S[i, j] = 0.0


def restrain(S: Floats, members: int) -> None:
    """Scale rows and columns of P whose diagonal has grown beyond that at first."""
    for i in range(members + 1):
        prior, diagonal = PRIOR if i > 0 else BIAS_PRIOR, 0.0
        for j in range(members + 1):
            diagonal += S[i, j] * S[i, j]
        if diagonal > prior:
            scale = np.sqrt(prior / diagonal)
            for j in range(members + 1):
                S[i, j] *= scale
