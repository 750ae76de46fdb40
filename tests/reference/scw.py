"""SCW, from Propositions 1 and 2 of its paper, with C r in place of C: full and diagonal."""

from statistics import NormalDist

import numpy as np

from .base import Diagonal, Full, oracle


def alpha_i(m, v, phi, C):
    """Proposition 1."""
    psi, zeta = 1 + phi**2 / 2, 1 + phi**2
    root = np.sqrt(m**2 * phi**4 / 4 + v * phi**2 * zeta)
    return min(C, max(0.0, (-m * psi + root) / (v * zeta)))


def alpha_ii(m, v, phi, C):
    """Proposition 2."""
    n = v + 1 / (2 * C)
    root = phi * np.sqrt(phi**2 * m**2 * v**2 + 4 * n * v * (n + v * phi**2))
    return max(0.0, (-(2 * m * n + phi**2 * m * v) + root) / (2 * (n**2 + n * v * phi**2)))


class SCW:
    """The two numbers of a row: the step alpha, and what is added to Sigma^-1 along x x'."""

    def __init__(self, d, alpha, C=1.0, confidence=0.75):
        super().__init__(d)
        self.alpha, self.C, self.phi = alpha, C, NormalDist().inv_cdf(confidence)

    def update(self, x, y, r, score):
        v, phi = self.variance(x), self.phi
        if phi * np.sqrt(v) - y * score > 0:
            alpha = self.alpha(y * score, v, phi, self.C * r)
            root_u = (-alpha * v * phi + np.sqrt((alpha * v * phi) ** 2 + 4 * v)) / 2
            self.move(x, alpha * y, alpha * phi / root_u)


@oracle("scw-i", alpha=alpha_i)
@oracle("scw-ii", alpha=alpha_ii)
class SCWFull(SCW, Full):
    def move(self, x, step, gain):
        self.mu = self.mu + step * self.Sigma @ x
        self.Sigma = np.linalg.inv(np.linalg.inv(self.Sigma) + gain * np.outer(x, x))


@oracle("scw-i-diag", alpha=alpha_i)
@oracle("scw-ii-diag", alpha=alpha_ii)
class SCWDiagonal(SCW, Diagonal):
    def move(self, x, step, gain):
        self.mu = self.mu + step * x / self.precision
        self.precision = self.precision + gain * x * x
