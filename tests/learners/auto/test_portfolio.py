"""One portfolio against its oracle, through a growth of trees and their takeover."""

import numpy as np
import pytest

from costream import Cost, OnlineClassifier
from costream.learners.auto.members import TEAM
from costream.learners.auto.views import VIEWS, leaves
from costream.learners.states import arrays_of
from costream.model.classifier import core_of
from helpers.portfolios import (
    TAKEN,
    alone,
    curved_stream,
    member_costs,
    state_of,
)
from helpers.streams import JIT_OFF, assert_close, dict_rows, feed
from reference import run
from reference.auto.portfolio import Portfolio

pytestmark = pytest.mark.slow  # interpreted, at least
ROWS = int(leaves.TIMES * leaves.FIRST * (1.0 if JIT_OFF else 1.5))


@pytest.fixture(scope="module")
def both():
    """A model and an oracle that have learnt the same rows, and the scores of both."""
    X, y, weight = curved_stream(ROWS)
    model = alone()
    scores = feed(model, X, y, "dense", weight)
    oracle = Portfolio(X.shape[1])
    expected = run(oracle, X, 1.0 * y, weight)
    return model, scores, oracle, expected


def test_scores_through_growth_and_takeover(both):
    _, scores, oracle, expected = both
    assert oracle.trees.forest is not None
    assert oracle.trees.grown >= 1
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-6)


def test_costs_and_spreads(both):
    model, _, oracle, _ = both
    assert_close(member_costs(model), oracle.ledger.costs)
    assert_close(state_of(model).spread, oracle.ledger.spread, 1e-6)


def test_stacker(both):
    model, _, oracle, _ = both
    root = state_of(model).stacker_root
    np.testing.assert_allclose(state_of(model).stacker, oracle.stacker.w, atol=1e-6)
    np.testing.assert_allclose(root @ root.T, oracle.stacker.P, atol=1e-8)


def test_sample(both):
    model, _, oracle, _ = both
    sample = oracle.trees.sample
    assert len(state_of(model).sample) == sample.size
    d = 1 + len(model.feature_names)
    np.testing.assert_array_equal(
        state_of(model).sample[: len(sample.rows), 1:d], np.array(sample.rows)[:, 1:]
    )
    assert state_of(model).sample_label[: len(sample.labels)].tolist() == sample.labels


def test_probabilities(both):
    model, _, oracle, _ = both
    X, _, _ = curved_stream(20, seed=9)
    expected = [oracle.probability(x) for x in X]
    np.testing.assert_allclose(model.predict_proba_many(X), expected, rtol=1e-6)
    np.testing.assert_allclose([model.predict_proba_one(x) for x in X], expected, rtol=1e-6)


@pytest.mark.parametrize("view", VIEWS)
def test_each_view_alone(view):
    rows = TAKEN + 10 if view == "leaves" else 40
    X, y, weight = curved_stream(rows, seed=3)
    model = alone(views=(view,))
    scores = feed(model, X, y, "dense", weight)
    oracle = Portfolio(X.shape[1], views=(view,))
    expected = run(oracle, X, 1.0 * y, weight)
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-6)
    found = state_of(model)
    others = [k for k, one in enumerate(TEAM) if one.view != view]
    assert not found.stacker[1:][others].any()
    assert not found.spread[others].any()


def test_half_life_through_a_takeover():
    X, y, weight = curved_stream(TAKEN + 15, seed=4)
    model = alone(half_life=30)
    scores = feed(model, X, y, "dense", weight)
    oracle = Portfolio(X.shape[1], half_life=30)
    expected = run(oracle, X, 1.0 * y, weight)
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-6)
    assert oracle.trees.forest is not None


# --- first rows and costs ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fn", "fp"), [(0.0, None), (None, 0.0), (0.0, 0.0), (1e90, None), (None, 1e90), (1e-90, 1e90)]
)
def test_costs_of_0_and_huge_costs_give_finite_numbers(fn, fp):
    X, y, _ = curved_stream(60, seed=6)
    every = np.arange(len(y)) % 3 == 0
    given = {
        key: None if cost is None else np.where(every, cost, 1.0)
        for key, cost in (("fn_cost", fn), ("fp_cost", fp))
    }
    model = OnlineClassifier("auto", Cost(5, 1))
    assert np.isfinite(feed(model, X, y, "dense", **given)).all()
    kept = arrays_of(model.learner, core_of(model).state).values()
    assert all(np.isfinite(one).all() for one in kept)
    assert np.isfinite(model.score_many(X)).all()


def test_dict_rows_with_features_that_come_late():
    X, y, weight = curved_stream(TAKEN + 10, seed=7)
    X[: leaves.FIRST + 3, 3] = 0.0
    X[: leaves.FIRST // 2, 4] = 0.0
    rows = dict_rows(X)
    model = alone()
    scores = [model.learn_one(x, label, w) for x, label, w in zip(rows, y, weight, strict=True)]
    order = [int(str(name).removeprefix("f")) for name in model.feature_names]
    names = [f"f{j}" for j in order]
    oracle = Portfolio(len(order), names=names)
    expected = run(oracle, X[:, order], 1.0 * y, weight)
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-6)
