"""Explanations: how the log-odds of a row change if a feature is at its usual value."""

import copy
import math

import numpy as np
import pytest
from scipy.sparse import csr_array

from costream import CostreamError, OnlineClassifier
from costream.classifier import core_of
from costream.explain import _changes
from helpers.commands import compiled_only
from helpers.streams import same_bits

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


def test_changes_are_those_of_the_log_odds_with_one_value_replaced(learnt):
    model, X = learnt
    x = as_dict(X[3])
    found = model.explain_one(x, top=10)
    assert {one.feature for one in found} == set(x)
    for one in found:
        assert one.value == x[one.feature]
        expected = log_odds(model, x | {one.feature: one.usual}) - log_odds(model, x)
        assert one.change == pytest.approx(expected, abs=1e-9)


def test_the_largest_changes_stand_first(learnt):
    model, X = learnt
    found = model.explain_one(as_dict(X[3]), top=10)
    sizes = [abs(one.change) for one in found]
    assert sizes == sorted(sizes, reverse=True)
    assert model.explain_one(as_dict(X[3]), top=2) == found[:2]


def test_five_features_are_explained_by_default():
    model, X = named(width=8)
    assert len(model.explain_one(as_dict(X[0]))) == 5


def test_usual_values_are_medians_of_the_sample(learnt):
    model, X = learnt
    usual = {one.feature: one.usual for one in model.explain_one({}, top=10)}
    sample = core_of(model).state.sample[:ROWS]
    for j in range(4):
        assert usual[f"f{j}"] == round(float(np.median(sample[:, j + 1])), 3)
        assert usual[f"f{j}"] == pytest.approx(np.median(X[:, j]), abs=0.2)


def test_usual_values_are_means_where_there_is_no_sample():
    rng = np.random.default_rng(0)  # wide rows of categories and a linear rule: no trees, no sample
    X = (rng.random((900, 100)) < 0.1).astype(float)
    model = OnlineClassifier()
    model.learn_many(X, (X @ rng.normal(size=100) > 0.0).astype(int))
    for one in model.explain_one(X[0], top=3):
        assert one.usual == pytest.approx(X[:, one.feature].mean())


def test_a_feature_at_its_usual_value_changes_nothing(learnt):
    model, X = learnt
    found = {one.feature: one for one in model.explain_one(as_dict(X[3]), top=10)}
    assert (found["f3"].value, found["f3"].usual, found["f3"].change) == (3.0, 3.0, 0.0)


def test_a_feature_that_is_not_in_the_row_counts_as_0(learnt):
    model, _ = learnt
    found = {one.feature: one for one in model.explain_one({"f0": 0.1}, top=10)}
    assert (found["f3"].value, found["f3"].usual) == (0.0, 3.0)
    change = log_odds(model, {"f0": 0.1, "f3": 3.0}) - log_odds(model, {"f0": 0.1})
    assert found["f3"].change == pytest.approx(change, abs=1e-9)
    assert change != 0.0


def test_a_feature_that_the_model_does_not_have_explains_nothing(learnt):
    model, X = learnt
    x = as_dict(X[3])
    assert model.explain_one(x | {"new": 1e3}, top=10) == model.explain_one(x, top=10)


@pytest.mark.parametrize("kind", [list, np.array, lambda x: csr_array([x])])
def test_rows_of_any_kind(kind, learnt):
    X, y = numbers()
    model = OnlineClassifier()
    model.learn_many(X, y)
    first = model.explain_one(kind(X[5]), top=4)
    model_of_names, _ = learnt
    second = model_of_names.explain_one(as_dict(X[5]), top=4)
    assert {one.feature for one in first} == set(range(4))
    values = {f"f{one.feature}": (one.value, one.usual) for one in first}
    assert values == {one.feature: (one.value, one.usual) for one in second}


# --- wide and hashed models -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wide():
    X, y = numbers(width=600, rows=30)
    model = OnlineClassifier()
    model.learn_many(X, y, names=[f"f{j}" for j in range(600)])
    return model


def test_of_a_wide_model_what_is_in_the_row_is_explained_by_its_absence(wide):
    x = {"f7": 1.5, "f0": -2.0, "new": 1.0}
    found = wide.explain_one(x)
    assert {one.feature for one in found} == {"f7", "f0"}
    for one in found:
        rest = {name: value for name, value in x.items() if name != one.feature}
        assert one.usual == 0.0
        assert one.change == pytest.approx(log_odds(wide, rest) - log_odds(wide, x), abs=1e-9)


def test_many_features_are_explained_in_parts(wide, monkeypatch):
    core = core_of(wide)
    columns, values = np.arange(40), np.linspace(-1.0, 1.0, 40)
    whole = _changes(core, columns, values, np.zeros(40))
    monkeypatch.setattr("costream.explain.ENTRIES_AT_ONCE", 70)
    assert same_bits(_changes(core, columns, values, np.zeros(40)), whole)


def test_features_that_share_a_slot_are_called_by_its_number():
    model, X = named(hash_slots=3)
    x = as_dict(X[3])
    columns = core_of(model).features.columns(x, learn=False).tolist()
    by_column = {c: [name for name, at in zip(x, columns, strict=True) if at == c] for c in range(3)}
    expected = {names[0] if len(names) == 1 else c for c, names in by_column.items()}
    assert any(len(names) > 1 for names in by_column.values())
    assert {one.feature for one in model.explain_one(x)} == expected


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


def test_a_model_that_has_learnt_nothing_has_nothing_to_explain():
    assert OnlineClassifier().explain_one({"a": 1.0}) == []


def test_learners_without_probabilities_have_no_explanations():
    with pytest.raises(CostreamError, match="carow cannot explain a row"):
        OnlineClassifier("carow").explain_one({"a": 1.0})


@pytest.mark.parametrize("top", [0, -1, 1.5, True, "5"])
def test_a_bad_number_of_features_is_an_error(learnt, top):
    with pytest.raises(CostreamError, match="top must be a whole number, at least 1"):
        learnt[0].explain_one({}, top=top)


@pytest.mark.parametrize("x", [{"f0": math.inf}, {"f0": object()}, [[1.0]]])
def test_a_bad_row_is_an_error(learnt, x):
    with pytest.raises(CostreamError) as found:
        learnt[0].explain_one(x)
    with pytest.raises(CostreamError) as expected:
        learnt[0].score_one(x)
    assert str(found.value) == str(expected.value)
