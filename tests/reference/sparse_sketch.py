"""SSACOG, line by line of Algorithms 4 to 6."""

import numpy as np

from .base import loss_i, loss_ii, oracle, widen
from .sketch import Sketch, new_direction

REBASE = 1e3  # the largest entry of K the implicit sketch may reach


def decompose(F, K):
    """Algorithm 6: Q such that QZ is orthonormal; Gram-Schmidt under <a, b> = a'Kb.

    Line 3 is done twice; L is never used; the rows of F are independent (footnote 1).
    """
    Q = np.zeros_like(F)
    for i, f in enumerate(F):
        for _ in range(2):
            alpha = Q @ K @ f
            beta = f - Q.T @ alpha
            f = beta / np.sqrt(beta @ K @ beta)
        Q[i] = f
    return Q


@oracle("ssacog-i", loss=loss_i)
@oracle("ssacog-ii", loss=loss_ii)
class SSACOG(Sketch):
    """Algorithms 4 to 6: V = FZ, mu = w + Z'b and K = ZZ', each moved along x only.

    Two corrections: w follows Z in every round in which Z moves, not only where a loss
    is suffered; and the sketch is re-based before K overflows.
    """

    def __init__(self, d, loss, **params):
        super().__init__(d, loss, **params)
        n = len(self.start)
        self.w, self.b = np.zeros(d), np.zeros(n)
        self.Z, self.F, self.K = self.start, np.eye(n), np.eye(n)

    def vectors(self):
        return self.F @ self.Z

    def weights(self):
        return self.w + self.Z.T @ self.b  # Alg. 4, line 9

    def score(self, x):
        return float(self.w @ x + self.b @ (self.Z @ x))

    def rebase(self):
        """Fold Z'b into w, Z <- FZ, F = K = I, b = 0; mu does not change."""
        n = len(self.Z)
        self.w = self.weights()
        self.Z = self.F @ self.Z
        self.F, self.K, self.b = np.eye(n), np.eye(n), np.zeros(n)

    def absorb(self, x, rate):
        if len(self.Z) < self.m:
            self.rebase()
            if (e := new_direction(self.Z, x)) is not None:
                self.Z = np.vstack([self.Z, e])
                self.Lambda = np.append(self.Lambda, 0.0)
                n = len(self.Z)
                self.F, self.K, self.b = np.eye(n), np.eye(n), np.zeros(n)
        Zx = self.Z @ x
        Vx = self.F @ Zx
        self.Lambda = (1 - rate) * self.Lambda + rate * Vx**2  # Alg. 5, line 2
        delta = rate * Zx  # line 3, where Gamma_t is a multiple of I
        cross = np.outer(Zx, delta)
        self.K = self.K + cross + cross.T + (x @ x) * np.outer(delta, delta)  # line 4
        self.Z = self.Z + np.outer(delta, x)  # line 5
        self.w = self.w - x * (delta @ self.b)  # Alg. 4, line 7: in every round
        self.F = decompose(self.F, self.K)  # Alg. 5, lines 6, 7
        if np.max(np.abs(self.K), initial=0.0) > REBASE:
            self.rebase()

    def step(self, g):
        self.w = self.w - self.eta * g  # Alg. 4, line 7: the rest
        Vg = self.F @ (self.Z @ g)
        self.b = self.b + self.eta * self.F.T @ (self.h * Vg)  # line 8

    def grow(self, d):
        self.Z, self.w = widen(self.Z, d), widen(self.w, d)
        super().grow(d)
