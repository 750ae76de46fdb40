"""The portfolio in dense NumPy, from docs/default.md alone: the oracle of `auto`."""

import numpy as np

from reference import CAROW, CAROWDiagonal, normalise, sign

WIDEST = 320  # slots, that of the intercept among them, as far as the full members go
FADE = 0.9995  # of the rows that the Platt line is drawn through, with each further row


class Member:
    """A CAROW, and which rows it wants: divided by the sizes of the features, with a 1."""

    def __init__(self, carow, sized, intercept):
        self.carow, self.sized, self.intercept = carow, sized, intercept

    def row(self, x, size):
        """The raw row x as the member sees it; a feature of size 0 is left out."""
        x = np.where(size > 0, x, 0.0)
        if self.sized:
            x = x / np.where(size > 0, size, 1.0)
        return np.append(normalise(x[None])[0], float(self.intercept))

    def forget(self):
        """Be as unsure as in the beginning, of the same mean."""
        fresh = type(self.carow)(len(self.carow.mu), self.carow.gamma)
        fresh.mu, self.carow = self.carow.mu, fresh


class Auto:
    """CAROWs and the two constant policies; the one with the lowest bill decides.

    Rows are raw: the portfolio makes its own of them. In `bills` the members come first, in
    the order of the table, then "flag every row" and "flag none". `platt` is (a, b).
    """

    knows_rho = True

    def __init__(self, d, half_life=None):
        full = [Member(CAROW(d + 1, gamma), True, True) for gamma in (0.001, 0.01, 0.1, 1, 10)]
        self.members = full + [
            Member(CAROWDiagonal(d + 1, gamma), sized, intercept)
            for sized, intercept, gammas in (
                (True, True, (0.01, 0.1, 1, 10)),
                (False, True, (0.01, 0.1, 1, 10)),
                (False, False, (0.1, 1, 10, 100, 1000)),
            )
            for gamma in gammas
        ]
        self.awake = list(range(len(self.members)))
        self.wide = self.awake[len(full) :]
        self.bills = np.zeros(len(self.members) + 2)
        self.half_life, self.rounds = half_life or np.inf, 0
        self.squares, self.seen = np.zeros(d), np.zeros(d)
        self.platt, self.hessian = np.array([1.0, 0.0]), np.zeros((2, 2))

    @property
    def size(self):
        """The root of the mean square of each feature, over the rows that had it."""
        return np.sqrt(self.squares / np.maximum(self.seen, 1))

    @property
    def best(self):
        """The cheapest member; min takes the first of equals."""
        return min(self.awake, key=lambda i: self.bills[i])

    @property
    def leader(self):
        """The same with the constant policies."""
        n = len(self.members)
        return min([*self.awake, n, n + 1], key=lambda i: self.bills[i])

    def scores(self, x):
        """What each member says, and the constant policies."""
        mine = [member.carow.score(member.row(x, self.size)) for member in self.members]
        return [*mine, 1.0, -1.0]

    def score(self, x):
        scores = self.scores(x)
        p, n = scores[self.best], len(self.members)
        if self.leader == n:
            return 1 + p if p >= 0 else 1 / (1 - p)
        if self.leader == n + 1:
            return p - 1 if p <= 0 else -1 / (1 + p)
        return p

    def update(self, x, y, r, score):
        mistaken = np.array([sign(p) != y for p in self.scores(x)])
        self.bills = 0.5 ** (1 / self.half_life) * self.bills + r * mistaken
        if x[WIDEST - 1 :].any():  # the intercept has the first slot
            self.awake = self.wide
        size = np.where(self.size > 0, self.size, np.abs(x))
        for i in self.awake:
            carow, row = self.members[i].carow, self.members[i].row(x, size)
            carow.update(row, y, r, carow.score(row))
        self.squares += x * x
        self.seen += x != 0
        self.calibrate(y, score)
        self.rounds += 1
        if self.rounds % self.half_life == 0:
            for member in self.members:
                member.forget()

    def calibrate(self, y, score):
        """A Newton step of logistic regression, with a ridge of 1 and no costs."""
        z = np.array([score, 1.0])
        q = self.probability(score)
        self.hessian = FADE * self.hessian + q * (1 - q) * np.outer(z, z)
        error = (1.0 if y > 0 else 0.0) - q
        self.platt = self.platt + np.linalg.solve(np.eye(2) + self.hessian, error * z)
        self.platt[0] = max(self.platt[0], 0.01)  # a higher score is never less likely

    def probability(self, score):
        return 1 / (1 + np.exp(-np.clip(self.platt @ [score, 1.0], -30, 30)))

    def weights(self):
        """Those of the best member; the intercept is the last."""
        return self.members[self.best].carow.weights()

    def variance(self, x):
        """That of the best member, for its kind of row."""
        member = self.members[self.best]
        return member.carow.variance(member.row(x, self.size))
