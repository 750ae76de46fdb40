"""ACOG, line by line of Algorithm 1."""

import numpy as np

from .base import Diagonal, Full, loss_i, loss_ii, oracle


@oracle("acog-i", loss=loss_i)
@oracle("acog-ii", loss=loss_ii)
class ACOG(Full):
    """Algorithm 1. With new_sigma=False the mean moves by Sigma_t, as AROW's does."""

    def __init__(self, d, loss, eta=1.0, gamma=1.0, new_sigma=True):
        super().__init__(d, gamma)
        self.loss, self.eta, self.new_sigma = loss, eta, new_sigma

    def update(self, x, y, r, score):
        loss, slope = self.loss(y, score, r)  # line 3
        if loss > 0:  # line 4
            old, Sx = self.Sigma, self.Sigma @ x
            self.Sigma = old - np.outer(Sx, Sx) / (self.gamma + x @ Sx)  # line 5
            g = -slope * y * x
            self.mu -= self.eta * (self.Sigma if self.new_sigma else old) @ g  # line 6


@oracle("acog-i-diag", loss=loss_i)
@oracle("acog-ii-diag", loss=loss_ii)
class ACOGDiagonal(Diagonal):
    """Algorithm 1, each coordinate by itself."""

    def __init__(self, d, loss, eta=1.0, gamma=1.0, new_sigma=True):
        super().__init__(d, gamma)
        self.loss, self.eta, self.new_sigma = loss, eta, new_sigma

    def update(self, x, y, r, score):
        loss, slope = self.loss(y, score, r)
        if loss > 0:
            old = self.precision
            self.precision = old + x * x / self.gamma
            sigma = 1 / (self.precision if self.new_sigma else old)
            self.mu += self.eta * slope * y * sigma * x
