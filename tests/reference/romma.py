"""ROMMA, by its definition."""

from .base import Linear, oracle, sign


@oracle("romma")
class ROMMA(Linear):
    knows_rho = False

    def update(self, x, y, r, score):
        xx, mm = x @ x, self.mu @ self.mu
        if sign(score) == y or xx == 0:
            return
        if mm == 0:  # the first step
            self.mu = r * y * x / xx
            return
        D = xx * mm - score * score
        if 1e-12 * xx * mm >= D:  # x is parallel to mu
            return
        a = (xx * mm - y * score) / D
        b = mm * (y - score) / D
        self.mu += r * (a * self.mu + b * x - self.mu)
