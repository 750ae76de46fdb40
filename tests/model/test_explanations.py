"""Explanations: what the columns of a row do to its log-odds, and which of it are reasons."""

import copy
import math
from itertools import permutations

import numpy as np
import pytest

from costream import Cost, CostreamError, OnlineClassifier
from costream.model.classifier import core_of
from helpers.commands import compiled_only

pytestmark = compiled_only  # no kernel of its own
ROWS = 150


def numbers(width=4, rows=ROWS):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(rows, width)).round(2)
    X[:, -1] = 3.0
    y = (X[:, 0] - 0.5 * X[:, 1] + rng.normal(size=rows) > 0).astype(int)
    return X, y


def log_odds(model, x):
    p = model.predict_proba_one(x)
    return math.log(p / (1.0 - p))


def as_dict(x):
    return {f"f{j}": float(value) for j, value in enumerate(x)}


def named(width=4, **options):
    X, y = numbers(width)
    model = OnlineClassifier(**options)
    for x, label in zip(X, y, strict=True):
        model.learn_one(as_dict(x), label)
    return model, X


@pytest.fixture(scope="module")
def learnt():
    return named()


def by_orders(model, x, usual):
    """The mean effect of each key over all orders in which they leave their usual values."""
    effects, orders = dict.fromkeys(x, 0.0), [*permutations(x)]
    for order in orders:
        row = dict(usual)
        for name in order:
            before = log_odds(model, row)
            row[name] = x[name]
            effects[name] += (log_odds(model, row) - before) / len(orders)
    return effects


def test_effects_are_shapley_values_of_the_log_odds(learnt):
    model, X = learnt
    x = as_dict(X[3])
    found = model.explain_one(x, top=None)
    usual = {one.feature: one.usual for one in found} | {"f3": 3.0}
    expected = by_orders(model, x, usual)
    assert {one.feature: one.effect for one in found} == pytest.approx(
        {name: expected[name] for name in ("f0", "f1", "f2")}, abs=1e-9
    )
    assert {one.feature: one.value for one in found} == {n: x[n] for n in ("f0", "f1", "f2")}


def test_the_decision_is_that_at_the_costs_given(learnt):
    model, X = learnt
    x = as_dict(X[3])
    flagged = model.explain_one(x, fn_cost=1e6, fp_cost=1e-6)
    passed = model.explain_one(x, fn_cost=1e-6, fp_cost=1e6)
    assert all(one.effect > 0.0 for one in flagged)
    assert all(one.effect < 0.0 for one in passed)
    assert (len(flagged) > 0, len(passed) > 0) == (True, True)


def test_columns_that_say_the_same_do_not_cancel():
    """Without the one the other is still there: by itself, each of them seems to do little."""
    rng = np.random.default_rng(3)
    amount = rng.exponential(50.0, 2000).round(2)
    model = OnlineClassifier(objective=Cost(10, 1))
    for one, age in zip(amount.tolist(), rng.random(2000).tolist(), strict=True):
        model.learn_one({"amount": one, "copy": one, "age": age}, int(one > 150))
    found = model.explain_one({"amount": 400.0, "copy": 400.0, "age": 0.5}, top=None)
    assert {one.feature for one in found[:2]} == {"amount", "copy"}
    assert min(one.effect for one in found[:2]) > 0.2 * found[0].effect > 0.0


def test_a_feature_that_is_not_in_the_row_counts_as_0_and_is_missing(learnt):
    model, _ = learnt
    usual = {one.feature: one.usual for one in model.explain_one({}, top=None)}
    x = usual | {"f0": usual["f0"]}
    del x["f3"]
    [one] = model.explain_one(x, top=None)
    assert (one.feature, one.value, one.usual) == ("f3", None, 3.0)
    assert one.effect == pytest.approx(log_odds(model, x) - log_odds(model, usual), abs=1e-9)
    assert one.effect != 0.0


# --- wide and hashed models -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wide():
    X, y = numbers(width=600, rows=30)
    model = OnlineClassifier()
    model.learn_many(X, y, names=[f"f{j}" for j in range(600)])
    return model


def test_of_a_wide_model_what_is_in_the_row_is_explained_by_its_absence(wide):
    x = {"f7": 1.5, "f0": -2.0}
    found = wide.explain_one(x | {"new": 1.0}, top=None)
    assert {one.feature: (one.value, one.usual) for one in found} == {
        "f7": (1.5, 0.0),
        "f0": (-2.0, 0.0),
    }
    effects = by_orders(wide, x, {})
    assert {one.feature: one.effect for one in found} == pytest.approx(effects, abs=1e-9)


# --- what it leaves alone, and refuses --------------------------------------------------------------


def test_a_model_is_the_same_after_an_explanation():
    X, y = numbers(rows=230)
    model = OnlineClassifier()
    model.learn_many(X[:180], y[:180])
    other = copy.deepcopy(model)
    for t in range(180, 230):
        model.explain_one(X[t - 1])
        assert model.learn_one(X[t], y[t]) == other.learn_one(X[t], y[t])
    for one, two in zip(core_of(model).parts()["state"], core_of(other).parts()["state"], strict=True):
        assert np.array_equal(one, two)


@pytest.mark.parametrize("top", [0, -1, 1.5, True, "5"])
def test_a_bad_number_of_features_is_an_error(learnt, top):
    with pytest.raises(CostreamError, match="top must be a whole number, at least 1"):
        learnt[0].explain_one({}, top=top)
