"""PA-I and CPA_PB, by their definitions."""

import numpy as np

from .base import Linear, oracle


@oracle("pa-i")
class PAI(Linear):
    knows_rho = False

    def __init__(self, d, C=1.0):
        super().__init__(d)
        self.C = C

    def update(self, x, y, r, score):
        loss, xx = 1 - y * score, x @ x
        if loss > 0 and xx > 0:
            self.mu += r * min(self.C, loss / xx) * y * x


@oracle("cpa-pb")
class CPAPB(Linear):
    def update(self, x, y, r, score):
        loss, xx = 1 - y * score, x @ x
        if loss > 0 and np.sqrt(r) - y * score > 0 and xx > 0:
            self.mu += (np.sqrt(r) - y * score) / xx * y * x
