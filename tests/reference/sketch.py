"""SACOG, line by line of Algorithms 2 and 3."""

import numpy as np

from .base import Linear, loss_i, loss_ii, oracle, widen

TINY = 1e-12  # below this |residual|^2 / |x|^2 a row is no new direction


def orthonormalise(V):
    """Gram-Schmidt on the rows, in order, twice."""
    Q = np.zeros_like(V)
    for i, v in enumerate(V):
        v = v - Q.T @ (Q @ v)
        v = v / np.sqrt(v @ v)
        v = v - Q.T @ (Q @ v)
        Q[i] = v / np.sqrt(v @ v)
    return Q


def new_direction(V, x):
    """The normalised residual of x against V's orthonormal rows; None if tiny."""
    e = x - V.T @ (V @ x)
    e = e - V.T @ (V @ e)
    return e / np.sqrt(e @ e) if e @ e > TINY * (x @ x) else None


def orthonormal(rows, d, seed):
    """An m x d matrix with orthonormal rows, from the numbers of Lehmer's generator."""
    x, numbers = (seed % (2**31 - 2) + 1) * 48271 % (2**31 - 1), []
    for _ in range(rows * d):
        x = x * 48271 % (2**31 - 1)
        numbers.append(2 * x / (2**31 - 1) - 1)
    return orthonormalise(np.array(numbers).reshape(rows, d))


class Sketch(Linear):
    """What SACOG and SSACOG share: the round t and the eigenvalues Lambda, first none.

    The sketch absorbs x in the rounds with (t - 1) mod k = 0, whatever the loss. While
    it has fewer than m rows, a row absorbed first adds its residual, with eigenvalue 0.
    With a seed it has m orthonormal rows before the first round, with eigenvalues 0.
    """

    def __init__(self, d, loss, eta=1.0, gamma=1.0, m=5, k=1, seed=None):
        super().__init__(d)
        self.loss, self.eta, self.gamma, self.m, self.k = loss, eta, gamma, m, k
        self.t = 0
        self.start = np.zeros((0, d)) if seed is None else orthonormal(min(m, d), d, seed)
        self.Lambda = np.zeros(len(self.start))

    @property
    def h(self):
        """The diagonal of t Lambda H."""
        return self.t * self.Lambda / (1 + self.t * self.Lambda)

    def variance(self, x):
        Vx = self.vectors() @ x
        return float(x @ x - np.sum(self.h * Vx**2))

    def update(self, x, y, r, score):
        loss, slope = self.loss(y, score, r)  # Alg. 2 and 4, line 3
        self.t += 1  # Alg. 3 and 5, line 1
        if (self.t - 1) % self.k == 0:
            rate = min(1.0, self.k / self.t)  # Gamma_t = rate I
            self.absorb(x / np.sqrt(self.gamma), rate)  # Alg. 2 and 4, lines 4, 5
        if loss > 0:  # Alg. 2 and 4, line 6
            self.step(-slope * y * x)


@oracle("sacog-i", loss=loss_i)
@oracle("sacog-ii", loss=loss_ii)
class SACOG(Sketch):
    """Algorithms 2 and 3."""

    def __init__(self, d, loss, **params):
        super().__init__(d, loss, **params)
        self.V = self.start

    def vectors(self):
        return self.V

    def absorb(self, x, rate):
        if len(self.V) < self.m and (e := new_direction(self.V, x)) is not None:
            self.V = np.vstack([self.V, e])
            self.Lambda = np.append(self.Lambda, 0.0)
        Vx = self.V @ x
        self.Lambda = (1 - rate) * self.Lambda + rate * Vx**2  # Alg. 3, line 2
        self.V = orthonormalise(self.V + rate * np.outer(Vx, x))  # line 3

    def step(self, g):
        S = np.sqrt(self.t * self.Lambda)[:, None] * self.V  # Alg. 3, line 4
        H = np.diag(1 / (1 + self.t * self.Lambda))  # line 5
        self.mu -= self.eta * (g - S.T @ H @ S @ g)  # Alg. 2, line 7

    def grow(self, d):
        self.V = widen(self.V, d)
        super().grow(d)
