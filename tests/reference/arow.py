"""AROW, by its definition."""

import numpy as np

from .base import Full, oracle


@oracle("arow")
class AROW(Full):
    knows_rho = False

    def update(self, x, y, r, score):
        loss = 1 - y * score
        if loss > 0:
            Sx = self.Sigma @ x
            beta = 1 / (x @ Sx + self.gamma)
            self.mu += r * loss * beta * y * Sx
            self.Sigma -= beta * np.outer(Sx, Sx)
