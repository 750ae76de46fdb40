"""What can be claimed of full CAROW (docs/default.md), measured, and the steps of its proof."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from costream import Cost, OnlineClassifier
from costream.learners import make_learner
from costream.model.classifier import core_of
from helpers.streams import feed, same_bits, stream
from reference import normalise

seeds = st.integers(0, 2**32 - 1)
gammas = st.sampled_from([0.001, 0.1, 1.0, 10.0, 1000.0])
SLACK = 1e-9  # of the numbers that are compared, for rounding


class Run:
    """What CAROW has made of rows of four features, with a cost each."""

    def __init__(self, X, y, r, gamma):
        self.x, self.y, self.r, self.gamma = normalise(X), y, r, gamma
        model = OnlineClassifier(make_learner("carow", gamma=gamma), Cost(1, 1))
        self.margin = y * feed(model, X, y, weight=r)
        self.learnt = self.margin < 1
        self.mu, self.Sigma = model.coef_, core_of(model).state.Sigma[:4, :4]

    @property
    def paid(self):
        """The cost of all mistakes; a score of 0 is one here, whatever the label."""
        return np.sum(self.r[self.margin <= 0])

    @property
    def weighted(self):
        """X_r."""
        x, r = self.x[self.learnt], self.r[self.learnt]
        return (r[:, None] * x).T @ x

    def bound(self, u):
        """The right-hand side, from the text."""
        x, y, r = self.x[self.learnt], self.y[self.learnt], self.r[self.learnt]
        lost = r @ np.maximum(0, 1 - y * (x @ u))
        R_U = np.sum(self.r[(self.margin > 0) & self.learnt])
        log_det = -np.linalg.slogdet(self.Sigma)[1]
        length = self.gamma * (u @ u) + u @ self.weighted @ u
        return lost + np.sqrt(length) * np.sqrt(np.max(self.r) * log_det + R_U) - R_U

    def rivals(self, rng):
        """Random vectors of many lengths, the model's own, and weighted least squares."""
        random = rng.normal(size=(6, 4)) * 10.0 ** rng.uniform(-2, 1, (6, 1))
        target = (self.r * self.y)[self.learnt] @ self.x[self.learnt]
        fitted = np.linalg.solve(self.weighted + self.gamma * np.eye(4), target)
        return [*random, self.mu, fitted, 3 * fitted]


def run_of(seed, gamma):
    """Random rows of random costs, and vectors to compare with."""
    X, y = stream(seed, rows=25, width=4, density=0.8)
    rng = np.random.default_rng(seed)
    r = rng.choice([0.01, 0.5, 1.0, 3.0, 20.0], len(y)) * rng.uniform(0.5, 2.0, len(y))
    run = Run(X, y, r, gamma)
    return run, run.rivals(rng)


@given(seed=seeds, gamma=gammas)
def test_mistakes_cost_no_more_than_the_bound(seed, gamma):
    run, rivals = run_of(seed, gamma)
    assert run.paid <= run.bound(rivals[0]) * (1 + SLACK)


def test_bound_says_something():
    """Where a vector is right by a margin it is far below the cost of being always wrong."""
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], 200)
    X = np.column_stack([y, 0.2 * rng.normal(size=(200, 3))])
    run = Run(X, y, np.ones(200), 1.0)
    assert run.paid <= run.bound(np.array([1.2, 0, 0, 0])) < 40


# --- the steps of the proof ---------------------------------------------------------------------------


@given(seed=seeds, gamma=st.sampled_from([0.1, 1.0, 10.0]))
def test_recursion(seed, gamma):
    """How Sigma^-1 mu and mu' Sigma^-1 mu grow in each round, and by how much at most."""
    X, y = stream(seed, 15, 3, density=0.8)
    r = np.random.default_rng(seed).uniform(0.2, 5.0, len(y))
    model = OnlineClassifier(make_learner("carow", gamma=gamma), Cost(1, 1))
    model.learn_one(np.zeros(3), 1)  # it has its three features now, and has learnt nothing
    assert same_bits(core_of(model).state.Sigma[:3, :3], np.eye(3))
    rounds = zip(normalise(X), y, r, strict=True)
    for x, label, cost in rounds:
        before, v = pair(model), model.variance_one(x)
        m = label * model.learn_one(x, label, cost)
        after = pair(model)
        if m >= 1:
            continue
        w = v * cost / gamma
        grown = (2 * m - m * m + w) / (v + gamma / cost)
        most = cost / gamma * (np.log1p(w) if m <= 0 else 1.0)
        np.testing.assert_allclose(after[0] - before[0], cost * label * x / gamma, atol=1e-7)
        assert after[1] - before[1] == pytest.approx(grown, rel=1e-7, abs=1e-7)
        assert grown <= most * (1 + SLACK)


def pair(model):
    """Sigma^-1 mu and mu' Sigma^-1 mu."""
    mu = model.coef_
    half = np.linalg.solve(core_of(model).state.Sigma[:3, :3], mu)
    return half, mu @ half
