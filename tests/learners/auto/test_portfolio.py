"""The whole portfolio against the oracle, through a growth of trees and their takeover."""

import numpy as np
import pytest

import reference
from costream import Cost, OnlineClassifier
from costream.costs.rows import GivenCosts
from costream.learners import make_learner
from costream.learners.auto import layout, stacking
from costream.learners.auto.members import TEAM
from costream.learners.auto.views import VIEWS, leaves
from costream.model.classifier import core_of
from helpers import places
from helpers.commands import compiled_only
from helpers.portfolios import (
    TAKEN,
    auto,
    clock,
    curved_stream,
    member_costs,
    state_of,
    uneven,
)
from helpers.streams import JIT_OFF, assert_close, dict_rows, feed, stream

pytestmark = pytest.mark.slow  # interpreted, at least
ROWS = int(leaves.TIMES * leaves.FIRST * (1.0 if JIT_OFF else 1.5))


@pytest.fixture(scope="module")
def both():
    """A model and an oracle that have learnt the same rows, and the scores of both."""
    X, y, weight = curved_stream(ROWS)
    model = auto()
    scores = feed(model, X, y, "dense", weight)
    oracle = reference.make("auto", X.shape[1])
    expected = reference.run(oracle, X, 1.0 * y, weight)
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
    model = auto(views=(view,))
    scores = feed(model, X, y, "dense", weight)
    oracle = reference.make("auto", X.shape[1], views=(view,))
    expected = reference.run(oracle, X, 1.0 * y, weight)
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-6)
    found = state_of(model)
    others = [k for k, one in enumerate(TEAM) if one.view != view]
    assert not found.stacker[1:][others].any()
    assert not found.spread[others].any()


def test_half_life_through_a_takeover():
    X, y, weight = curved_stream(TAKEN + 15, seed=4)
    model = auto(half_life=30)
    scores = feed(model, X, y, "dense", weight)
    oracle = reference.make("auto", X.shape[1], half_life=30)
    expected = reference.run(oracle, X, 1.0 * y, weight)
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-6)
    assert oracle.trees.forest is not None


def test_names_make_the_directions():
    """Dicts give the scores of the oracle with their names, and arrays those with numbers."""
    X, y = stream(1, rows=30, width=4)
    for kind, names in (("dict", [f"f{j}" for j in range(4)]), ("dense", None)):
        model = auto(views=("fourier",))
        oracle = reference.make("auto", 4, views=("fourier",), names=names)
        expected = reference.run(oracle, X, 1.0 * y, uneven(y))
        assert_close(feed(model, X, y, kind, uneven(y)), expected)


# --- first rows and costs ---------------------------------------------------------------------------


def test_the_first_row_is_flagged_at_even_odds():
    model = auto()
    assert model.learn_one({"a": 1.0}, 1) == 0.0


@pytest.mark.parametrize("cost_ratio", [1e-3, 0.5, 2.0, 1e3])
def test_the_score_has_the_logarithm_of_the_cost_ratio(cost_ratio):
    X, y, weight = curved_stream(40)
    model = auto()
    feed(model, X, y, "dense", weight)
    plain = model.score_one(X[0])
    found = core_of(model).decide_row(X[0], GivenCosts(cost_ratio))
    assert found == pytest.approx(plain + np.log(cost_ratio))
    assert model.predict_one(X[0], fn_cost=cost_ratio) == (1 if found >= 0 else -1)


def test_the_unit_of_costs_does_not_matter_to_scores():
    X, y = stream(5)
    first = feed(auto(Cost(1, 1)), X, y, weight=uneven(y))
    for unit in (1e-6, 1.0, 1e6):
        model = OnlineClassifier("auto", Cost(unit, unit))
        assert_close(feed(model, X, y, weight=uneven(y)), first)


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
    arrays = [one for one in core_of(model).state if isinstance(one, np.ndarray)]
    assert all(np.isfinite(one).all() for one in arrays)
    assert np.isfinite(model.score_many(X)).all()


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_alone(label):
    rows = TAKEN + 5 if JIT_OFF else 10_000
    X = np.random.default_rng(0).normal(size=(rows, 3))
    model = OnlineClassifier("auto", Cost(1, 1), classes=(0, 1))
    scores = model.prequential(X, np.full(rows, label))
    assert np.isfinite(scores).all()
    assert ((scores[20:] >= 0) == (label == 1)).all()
    state = state_of(model)
    assert np.abs(state.stacker).max() < 50.0
    assert (np.square(state.stacker_root).sum(axis=1) <= state_prior() * 1.01).all()
    assert clock(model, layout.GROWN) == 0


def state_prior():
    return np.append(stacking.BIAS_PRIOR, np.full(places.MEMBERS, stacking.PRIOR))


@compiled_only
def test_a_class_that_was_forgotten_at_a_high_cost_gives_finite_numbers():
    """The count of positive rows fades to 0 before what they have cost."""
    rows = 1180
    labels = np.zeros(rows, int)
    labels[1] = 1
    X = np.ones((rows, 1))
    model = OnlineClassifier(make_learner("auto", half_life=1, views=("linear",)), Cost(1, 1))
    scores = model.prequential(X, labels, fn_cost=np.full(rows, 1e80))
    assert np.isfinite(scores).all()


def test_dict_rows_with_features_that_come_late():
    X, y, weight = curved_stream(TAKEN + 10, seed=7)
    X[: leaves.FIRST + 3, 3] = 0.0
    X[: leaves.FIRST // 2, 4] = 0.0
    rows = dict_rows(X)
    model = auto()
    scores = [model.learn_one(x, label, w) for x, label, w in zip(rows, y, weight, strict=True)]
    order = [int(str(name).removeprefix("f")) for name in model.feature_names]
    names = [f"f{j}" for j in order]
    oracle = reference.make("auto", len(order), names=names)
    expected = reference.run(oracle, X[:, order], 1.0 * y, weight)
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-6)
