"""The stacker in covariance form, from the formulas of `costream.learners.auto.stacking`."""

import numpy as np

from costream.kernels.elementary import LIMIT
from costream.learners.auto import stacking


class Stacker:
    """An online Newton step of logistic regression; P itself, and not its root."""

    def __init__(self, members):
        self.w = np.zeros(members + 1)
        self.prior = np.append(stacking.BIAS_PRIOR, np.full(members, stacking.PRIOR))
        self.P = np.diag(self.prior)

    def open(self, present):
        """Start at the mean of the scores of those who take part."""
        self.w[1:] = np.where(present, stacking.START / max(np.sum(present), 1), 0.0)

    @staticmethod
    def row(scores):
        clipped = np.clip(scores, -stacking.LARGEST_SCORE, stacking.LARGEST_SCORE)
        return np.append(1.0, np.where(np.isfinite(scores), clipped, 0.0))

    def log_odds(self, z, offset):
        return float(np.clip(offset + self.w[: len(z)] @ z, -LIMIT, LIMIT))

    def learn(self, z, odds, y, fade, weight=1.0):
        """One step for the first members, as many as z has; the others stay as they are."""
        n = len(z)
        P, q = self.P[:n, :n], 1 / (1 + np.exp(-odds))
        h = max(q * (1 - q), stacking.LEAST_CURVATURE)
        Pz = P @ z
        P = (P - weight * h / (1 + weight * h * (z @ Pz)) * np.outer(Pz, Pz)) / fade
        self.w[:n] += P @ z * weight * ((y > 0) - q)
        self.P[:n, :n] = P

    def restrain(self, n):
        """Scale the rows and columns of P whose diagonal is beyond that at first."""
        scale = np.sqrt(np.minimum(self.prior[:n] / np.diag(self.P)[:n], 1.0))
        self.P[:n, :n] *= np.outer(scale, scale)
