"""The portfolio in dense NumPy, from docs/default.md alone: the oracle of `auto`."""

import numpy as np

from .acog import ACOGDiagonal
from .base import loss_ii, normalise, oracle, sign
from .carow import CAROW, CAROWDiagonal

FADE = 0.9995  # of the rows that the Platt line is drawn through, with each further row


class Past:
    """All rows that were learnt, and what they tell about features."""

    def __init__(self, d):
        self.rows = np.zeros((0, d))

    def size(self, x, learning):
        """The root of the mean square of each feature of x; 0 for one that is to be left out."""
        had = (self.rows != 0).sum(axis=0)
        size = np.sqrt((self.rows**2).sum(axis=0) / np.maximum(had, 1))
        own = np.where(learning | (had > 0), np.abs(x), 0.0)
        return np.where((size > 1e-150) & (size < 1e150), size, own)

    def raw(self, x, size):
        return normalise(np.where(size > 0, x, 0.0)[None])[0]

    def scaled(self, x, size):
        return self.raw(x / np.where(size > 0, size, 1.0), size)

    def standardised(self, x, _):
        """Less the mean, over the deviation, at most 3, over the root of d; 0 where nothing varied."""
        d = np.count_nonzero(self.rows.any(axis=0))
        if d == 0:
            return np.zeros(len(x))
        varied = self.rows.min(axis=0) < self.rows.max(axis=0)
        away = (x - self.rows.mean(axis=0)) / np.where(varied, self.rows.std(axis=0), 1.0)
        return np.where(varied, np.clip(away, -3, 3), 0.0) / np.sqrt(d)


class Member:
    """A learner, the kind of rows it wants, and how many slots wide they may be."""

    def __init__(self, learner, kind, slots, intercept):
        self.learner, self.kind, self.slots, self.intercept = learner, kind, slots, intercept

    def row(self, x, past, size):
        return np.append(getattr(past, self.kind)(x, size), self.intercept)

    def forget(self):
        """Be as unsure as in the beginning, of the same mean."""
        if isinstance(self.learner, CAROW):
            self.learner.Sigma = np.eye(len(self.learner.mu))
        else:
            self.learner.precision = np.ones(len(self.learner.mu))


def team(d):
    """The members in the order of the table, over d features and an intercept."""

    def diagonal(kind, gammas, slots=np.inf):
        return [Member(CAROWDiagonal(d + 1, gamma), kind, slots, 1.0) for gamma in gammas]

    def acog(kind, eta, gammas, slots=np.inf, intercept=1.0):
        learners = [ACOGDiagonal(d + 1, loss_ii, eta, gamma) for gamma in gammas]
        return [Member(one, kind, slots, intercept) for one in learners]

    def full(kind, gammas, slots):
        return [Member(CAROW(d + 1, gamma), kind, slots, 1.0) for gamma in gammas]

    return [
        *diagonal("scaled", [10, 1, 0.1]),
        *diagonal("raw", [1]),
        *acog("raw", 1, [1, 0.1, 0.01], intercept=0.0),
        *acog("raw", 0.1, [0.1], intercept=0.0),
        *diagonal("standardised", [30, 10, 3, 1], 512),
        *acog("standardised", 1, [10, 1], 512),
        *full("scaled", [1, 0.01], 320),
        *full("standardised", [0.1], 320),
        *full("scaled", [0.1], 64),
        *full("standardised", [10], 64),
    ]


@oracle("auto")
class Auto:
    """Members and the two constant policies; the lowest bill leads.

    Rows are raw: the portfolio makes its own of them. In `member_costs` the members come first, in
    the order of the table, then "flag every row" and "flag none". `platt` is (a, b).
    """

    knows_rho = True

    def __init__(self, d, half_life=None):
        self.members, self.past = team(d), Past(d)
        self.awake = list(range(len(self.members)))
        self.member_costs = np.zeros(len(self.members) + 2)
        self.half_life, self.rounds = half_life or np.inf, 0
        self.squares = 0.0  # of what our own mistakes have cost
        self.counts = np.zeros(2)  # of negative and of positive rows
        self.platt, self.hessian = np.array([2.0, 0.0]), np.zeros((2, 2))

    @property
    def unit(self):
        """The mean cost of a row; the constant policies have paid for all rows between them."""
        return self.member_costs[-2:].sum() / self.counts.sum()

    @property
    def best(self):
        """The cheapest member; min takes the first of equals."""
        return min(self.awake, key=lambda i: self.member_costs[i])

    @property
    def leader(self):
        """The same with the constant policies."""
        n = len(self.members)
        return min([*self.awake, n, n + 1], key=lambda i: self.member_costs[i])

    def scores(self, x):
        """What each member says, and the constant policies."""
        size = self.past.size(x, learning=False)
        return [*(one.learner.score(one.row(x, self.past, size)) for one in self.members), 1.0, -1.0]

    @property
    def shares(self):
        """How much each member has to say."""
        if self.rounds == 0:
            return np.eye(1, len(self.members))[0]
        noise = np.sqrt(self.squares + self.unit**2)
        weights = np.zeros(len(self.members))
        behind = self.member_costs[self.awake] - self.member_costs[self.best]
        weights[self.awake] = np.maximum(0, 1 - behind / noise)
        return weights / weights.sum()

    def mean(self, x):
        """What the members say together."""
        p = np.array(self.scores(x)[:-2])
        m = self.shares @ (p / (1 + np.abs(p)))
        return m / max(1 - abs(m), 1e-9)

    def score(self, x):
        s, n = self.mean(x), len(self.members)
        if self.leader == n:
            return 1 + s if s >= 0 else 1 / (1 - s)
        if self.leader == n + 1:
            return s - 1 if s <= 0 else -1 / (1 + s)
        return s

    def update(self, x, y, r, score):
        scores, n, together = self.scores(x), len(self.members), self.mean(x)
        keep = 0.5 ** (1 / self.half_life)
        self.member_costs *= keep
        self.squares = keep * self.squares + r**2 * (sign(score) != y)
        self.counts = keep * self.counts + [y < 0, y > 0]
        for i in [*self.awake, n, n + 1]:
            self.member_costs[i] += r * (sign(scores[i]) != y)
        width = 2 + np.flatnonzero(x).max(initial=-1)  # the intercept has the first slot
        self.awake = [i for i in self.awake if self.members[i].slots >= width]
        size = self.past.size(x, learning=True)
        side = 0 if self.counts[0] else 1
        mean_cost = self.member_costs[-2:][side] / self.counts[side]
        for member in (self.members[i] for i in self.awake):
            row = member.row(x, self.past, size)
            cost = np.clip(r / mean_cost, 1e-100, 1e100)
            member.learner.update(row, y, cost, member.learner.score(row))
        self.past.rows = np.vstack([self.past.rows, x])
        self.calibrate(y, together)
        self.rounds += 1
        if self.rounds % self.half_life == 0:
            for member in self.members:
                member.forget()

    def calibrate(self, y, s):
        """A Newton step of logistic regression, with a ridge of 1 and no costs."""
        z = np.array([s, 1.0])
        q = self.likelihood(s)
        self.hessian = FADE * self.hessian + q * (1 - q) * np.outer(z, z)
        error = (1.0 if y > 0 else 0.0) - q
        ridge = np.eye(2) + self.hessian
        self.platt = self.platt + np.linalg.solve(ridge, error * z)
        if self.platt[0] < 0.01:  # a higher score is never less proba
            self.platt[1] -= (0.01 - self.platt[0]) * ridge[0, 1] / ridge[1, 1]
            self.platt[0] = 0.01

    def likelihood(self, s):
        return 1 / (1 + np.exp(-np.clip(self.platt @ [s, 1.0], -30, 30)))

    def probability(self, x):
        """That of a positive row, of what the members say together, whoever leads."""
        return self.likelihood(self.mean(x))

    def weights(self):
        """Those of the best member; the intercept is the last."""
        return self.members[self.best].learner.weights()

    def variance(self, x):
        """That of the best member, for its kind of row."""
        member = self.members[self.best]
        return member.learner.variance(member.row(x, self.past, self.past.size(x, learning=False)))
