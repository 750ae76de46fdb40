"""CAROW, by its definition: full, diagonal and sketched."""

import numpy as np

from .base import Diagonal, Full, loss_ii, oracle
from .sketch import SACOG


@oracle("carow")
class CAROW(Full):
    """AROW's objective weighted by the cost of the row: gamma/r for gamma."""

    def update(self, x, y, r, score):
        loss = 1 - y * score
        if loss > 0:
            Sx = self.Sigma @ x
            beta = 1 / (x @ Sx + self.gamma / r)
            self.mu += loss * beta * y * Sx
            self.Sigma -= beta * np.outer(Sx, Sx)


@oracle("carow-diag")
class CAROWDiagonal(Diagonal):
    def update(self, x, y, r, score):
        loss = 1 - y * score
        if loss > 0:
            beta = 1 / (self.variance(x) + self.gamma / r)
            self.mu += loss * beta * y * x / self.precision
            self.precision = self.precision + r * x * x / self.gamma


@oracle("carow-sketch")
class CAROWSketch(SACOG):
    """CAROW with Sigma x = x - V'hVx; t and the sketch move only where a row is learnt."""

    def __init__(self, d, gamma=1.0, m=5):
        super().__init__(d, loss_ii, gamma=gamma, m=m)

    @property
    def h(self):
        return self.t * self.Lambda / (self.gamma + self.t * self.Lambda)

    def update(self, x, y, r, score):
        loss = 1 - y * score
        if loss > 0:
            Sx = x - self.V.T @ (self.h * (self.V @ x))
            self.mu = self.mu + loss * y * Sx / (x @ Sx + self.gamma / r)
            self.t += 1
            self.absorb(np.sqrt(r) * x, 1 / self.t)
