"""What the oracles share: data, costs, the protocol, and the three plain geometries."""

from functools import partial

import numpy as np

LEARNERS = {}


def oracle(name, **fixed):
    """Enter a class as the oracle of the learner called ``name``, with some arguments fixed."""

    def enter(cls):
        LEARNERS[name] = partial(cls, **fixed) if fixed else cls
        return cls

    return enter


def make(name, d, **params):
    """The oracle called name over d features, e.g. make("acog-ii", 24, eta=0.1)."""
    return LEARNERS[name](d, **params)


def normalise(X):
    """Divide each row by its L2 norm; a zero row stays zero."""
    norm = np.sqrt((X * X).sum(axis=1, keepdims=True))
    return X / np.where(norm > 0, norm, 1.0)


def sign(p):
    return 1.0 if p >= 0 else -1.0


def known(y, alpha_p=0.5):
    """r of each row, for WeightedAccuracy: alpha_p T_n / (alpha_n T_p) for positives, else 1."""
    T_p, T_n = np.sum(y > 0), np.sum(y < 0)
    return np.where(y > 0, alpha_p * T_n / ((1 - alpha_p) * T_p), 1.0)


def laplace(y, alpha_p=0.5):
    """The same with (t_n + 1)/(t_p + 1), counted before the row, for T_n/T_p."""
    t_p = np.cumsum(y > 0) - (y > 0)
    t_n = np.cumsum(y < 0) - (y < 0)
    return np.where(y > 0, alpha_p / (1 - alpha_p) * (t_n + 1) / (t_p + 1), 1.0)


def run(oracle, X, y, r, **others):
    """One pass: predict, then update. A row of cost 0 is scored, nothing more.

    ``others`` are further arguments of an update, one number a row each, of which the cost ratio of a
    row is known when it is scored. Where there are class costs, those decide whether a row is learnt.
    """
    scores = np.zeros(len(y))
    for i in range(len(y)):
        more = {key: one[i] for key, one in others.items()}
        scores[i] = oracle.score(X[i], **{key: more[key] for key in more if key == "cost_ratio"})
        if more.get("class_cost", r[i]) > 0:
            oracle.update(X[i], y[i], r[i], scores[i], **more)
    return scores


def loss_i(y, p, r):
    """Loss I, max(0, r - y p): the cost is the margin. Returns (hinge, slope)."""
    return r - y * p, 1.0


def loss_ii(y, p, r):
    """Loss II, r max(0, 1 - y p): the cost is the slope. Returns (hinge, slope)."""
    return 1.0 - y * p, r


def widen(a, d):
    """Append zero columns up to a width of d."""
    return np.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, d - a.shape[-1])])


# ---------------------------------------- geometries


class Linear:
    """A weight vector mu, which starts at 0."""

    knows_rho = True

    def __init__(self, d):
        self.mu = np.zeros(d)

    def score(self, x):
        return float(self.mu @ x)

    def weights(self):
        return self.mu.copy()

    def grow(self, d):
        """Append features nobody has seen yet, up to a width of d."""
        self.mu = widen(self.mu, d)


class Full(Linear):
    """A full covariance Sigma, which starts at I."""

    def __init__(self, d, gamma=1.0):
        super().__init__(d)
        self.gamma, self.Sigma = gamma, np.eye(d)

    def variance(self, x):
        return float(x @ self.Sigma @ x)

    def grow(self, d):
        old = len(self.mu)
        Sigma = np.eye(d)
        Sigma[:old, :old] = self.Sigma
        self.Sigma = Sigma
        super().grow(d)


class Diagonal(Linear):
    """The diagonal of Sigma^-1, which starts at 1: one precision a coordinate."""

    def __init__(self, d, gamma=1.0):
        super().__init__(d)
        self.gamma, self.precision = gamma, np.ones(d)

    def variance(self, x):
        return float(np.sum(x * x / self.precision))

    def grow(self, d):
        self.precision = np.append(self.precision, np.ones(d - len(self.mu)))
        super().grow(d)
