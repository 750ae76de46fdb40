"""What the scikit-learn adapter takes: frames, sparse matrices, and weights and costs of rows."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError

from costream import Cost, CostreamError, OnlineClassifier
from costream.learners import make_learner
from costream.sklearn import CostSensitiveClassifier
from helpers.streams import NAMES, same_bits, stream

PRICING = [name for name in NAMES if make_learner(name).cost_sensitive]
BY_WEIGHT = [name for name in PRICING if not make_learner(name).has_probabilities]
BY_STAKE = [name for name in NAMES if make_learner(name).has_probabilities]
X, y = stream(seed=1, rows=60, width=8)
COLUMNS = list("abcdefgh")
COSTS = ["fn_cost", "fp_cost", "tp_cost", "tn_cost"]


# --- frames and sparse matrices ---------------------------------------------------------------------


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames(frame):
    rows = frame(dict(zip(COLUMNS, X.T, strict=True)))
    adapter = CostSensitiveClassifier(shuffle=False).fit(rows, y)
    named = OnlineClassifier(positive=1)
    named.learn_many(X, y, names=COLUMNS)
    assert adapter.feature_names_in_.tolist() == COLUMNS
    assert same_bits(adapter.decision_function(rows), named.score_many(X, names=COLUMNS))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize("names", [COLUMNS[::-1], [*COLUMNS[:-1], "z"]], ids=["order", "name"])
def test_other_columns_are_an_error_and_change_nothing(frame, names):
    adapter = CostSensitiveClassifier().fit(frame(dict(zip(COLUMNS, X.T, strict=True))), y)
    before = pickle.dumps(adapter)
    rows = frame(dict(zip(names, X.T, strict=True)))
    for call in (lambda: adapter.predict(rows), lambda: adapter.partial_fit(rows, y)):
        with pytest.raises(ValueError, match="feature names"):
            call()
    assert pickle.dumps(adapter) == before


def test_another_width_is_an_error_and_changes_nothing():
    adapter = CostSensitiveClassifier().fit(X, y)
    before = pickle.dumps(adapter)
    for call in (lambda: adapter.predict(X[:, :3]), lambda: adapter.partial_fit(X[:, :3], y)):
        with pytest.raises(ValueError, match="features"):
            call()
    assert pickle.dumps(adapter) == before


def with_indices(kind):
    rows = csr_array(X)
    rows.indices = rows.indices.astype(kind)
    rows.indptr = rows.indptr.astype(kind)
    assert rows.indices.dtype == kind
    return rows


@pytest.mark.parametrize("name", NAMES)
def test_csr_with_64_bit_indices_is_csr_with_32_bit_indices(name):
    short = CostSensitiveClassifier(name).fit(with_indices(np.int32), y)
    long = CostSensitiveClassifier(name).fit(with_indices(np.int64), y)
    scores = short.decision_function(with_indices(np.int32))
    assert same_bits(long.decision_function(with_indices(np.int64)), scores)


@pytest.mark.parametrize("kind", ["tocsr", "tocsc", "tocoo", "tolil"])
def test_sparse_rows_are_dense_rows(kind):
    rows = getattr(csr_array(X), kind)()
    sparse = CostSensitiveClassifier().fit(rows, y)
    dense = CostSensitiveClassifier().fit(X, y)
    assert same_bits(sparse.decision_function(rows), dense.decision_function(X))


def test_input_is_not_written_to():
    rows, labels, weights = csr_array(X), y.copy(), np.ones(len(y))
    before = rows.data.copy()
    for array in (rows.data, rows.indices, rows.indptr, labels, weights):
        array.flags.writeable = False
    CostSensitiveClassifier().fit(rows, labels, weights).decision_function(rows)
    assert same_bits(rows.data, before)


# --- explanations -----------------------------------------------------------------------------------


def test_explanations_name_the_columns_of_a_frame():
    frame = pd.DataFrame(dict(zip(COLUMNS, X.T, strict=True)))
    adapter = CostSensitiveClassifier(shuffle=False).fit(frame, y)
    found = adapter.explain(frame[:3], top=8)
    model = OnlineClassifier()
    model.learn_many(X, y, names=COLUMNS)
    for x, own in zip(X, found, strict=False):
        inside = model.explain_one(dict(zip(COLUMNS, x, strict=True)), top=8)
        assert own == inside
    assert len(found) == 3


def test_explanations_of_arrays_and_sparse_matrices_number_their_columns():
    adapter = CostSensitiveClassifier().fit(X, y)
    found = adapter.explain(X[:2], top=3)
    assert found == adapter.explain(csr_array(X)[:2], top=3)
    assert all(one.feature in range(8) for each in found for one in each)


def test_learners_without_probabilities_explain_nothing():
    assert not hasattr(CostSensitiveClassifier("carow"), "explain")


# --- weights and costs ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRICING)
def test_the_class_cost_of_every_row_is_no_news(name):
    plain = CostSensitiveClassifier(name, Cost(8.0, 2.0)).fit(X, y)
    costs = {"fn_cost": np.full(len(y), 8.0), "fp_cost": np.full(len(y), 2.0)}
    with_costs = CostSensitiveClassifier(name, Cost(8.0, 2.0)).fit(X, y, **costs)
    assert same_bits(with_costs.decision_function(X), plain.decision_function(X))


@pytest.mark.parametrize("name", BY_WEIGHT)
def test_twice_the_cost_is_twice_the_weight(name):
    weighted = CostSensitiveClassifier(name, Cost(8.0, 1.0))
    weighted.fit(X, y, sample_weight=np.where(y > 0, 2.0, 0.5))
    with_costs = CostSensitiveClassifier(name, Cost(8.0, 1.0))
    with_costs.fit(X, y, fn_cost=np.full(len(y), 16.0), fp_cost=np.full(len(y), 0.5))
    assert same_bits(with_costs.decision_function(X), weighted.decision_function(X))


@pytest.mark.parametrize("cost", ["fn_cost", "fp_cost"])
@pytest.mark.parametrize("name", PRICING)
def test_costs_of_single_rows_change_the_model(name, cost):
    plain = CostSensitiveClassifier(name, Cost(1.0, 1.0)).fit(X, y)
    costs = np.where(np.arange(len(y)) % 2, 20.0, 0.01)
    with_costs = CostSensitiveClassifier(name, Cost(1.0, 1.0)).fit(X, y, **{cost: costs})
    assert not np.allclose(with_costs.decision_function(X), plain.decision_function(X))


def with_costs_of_the_other_class(name, cost):
    """A classifier at plain costs, and one for which every other row of the other class costs 1,000."""
    other = (y < 0 if cost == "fn_cost" else y > 0) & (np.arange(len(y)) % 2 > 0)
    plain = CostSensitiveClassifier(name, "cost").fit(X, y)
    own = {"fn_cost": 0.9, "fp_cost": 0.1}[cost]
    costs = np.where(other, 1000.0, own)
    return plain, CostSensitiveClassifier(name, "cost").fit(X, y, **{cost: costs})


@pytest.mark.parametrize("cost", ["fn_cost", "fp_cost"])
@pytest.mark.parametrize("name", BY_WEIGHT)
def test_a_cost_matters_to_its_own_class_alone(name, cost):
    plain, with_costs = with_costs_of_the_other_class(name, cost)
    assert same_bits(with_costs.decision_function(X), plain.decision_function(X))


@pytest.mark.parametrize("cost", ["fn_cost", "fp_cost"])
@pytest.mark.parametrize("name", BY_STAKE)
def test_a_cost_matters_to_the_probabilities_of_its_own_class_alone(name, cost):
    plain, with_costs = with_costs_of_the_other_class(name, cost)
    assert same_bits(with_costs.predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize("name", BY_STAKE)
def test_fitting_at_the_costs_of_rows_is_learning_at_them(name):
    fn, fp = np.random.default_rng(0).uniform(0.1, 5.0, (2, len(y)))
    adapter = CostSensitiveClassifier(name, Cost(2.0, 1.0), shuffle=False)
    adapter.fit(X, y, fn_cost=fn, fp_cost=fp)
    model = OnlineClassifier(name, Cost(2.0, 1.0))
    model.learn_many(X, y, fn_cost=fn, fp_cost=fp)
    assert same_bits(adapter.decision_function(X), model.score_many(X))


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_weight_changes_the_model(name):
    plain = CostSensitiveClassifier(name).fit(X, y)
    weights = np.where(np.arange(len(y)) % 2, 3.0, 0.1)
    weighted = CostSensitiveClassifier(name).fit(X, y, weights)
    assert not np.allclose(weighted.decision_function(X), plain.decision_function(X))


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_weight_of_0_leaves_the_row_out(name):
    kept = np.arange(len(y)) % 3 > 0
    without = CostSensitiveClassifier(name).fit(X[kept], y[kept])
    weighted = CostSensitiveClassifier(name).fit(X, y, sample_weight=kept.astype(float))
    assert same_bits(weighted.decision_function(X), without.decision_function(X))


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_a_bad_weight_names_its_row(bad):
    weights = np.ones(len(y))
    weights[3] = bad
    with pytest.raises(CostreamError, match="row 3: sample_weight must be finite and not negative"):
        CostSensitiveClassifier().fit(X, y, weights)


@pytest.mark.parametrize("key", COSTS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_bad_cost_names_its_row(key, bad):
    costs = np.ones(len(y))
    costs[3] = bad
    with pytest.raises(CostreamError, match=f"row 3: {key} must be a finite number, not {bad}"):
        CostSensitiveClassifier(objective=Cost(8.0, 2.0)).fit(X, y, **{key: costs})
    costs[3] = -1.0  # a finite number, and a benefit
    CostSensitiveClassifier(objective=Cost(8.0, 2.0)).fit(X, y, **{key: costs})


@pytest.mark.parametrize("key", ["sample_weight", *COSTS])
def test_a_fit_that_fails_leaves_nothing_to_predict_with(key):
    adapter = CostSensitiveClassifier(objective="cost")
    with pytest.raises(CostreamError):
        adapter.fit(X, y, **{key: [1.0]})
    with pytest.raises(NotFittedError):
        adapter.predict(X)


@pytest.mark.parametrize("key", ["sample_weight", *COSTS])
def test_a_fit_that_fails_keeps_the_old_model(key):
    adapter = CostSensitiveClassifier(objective="cost").fit(X, y)
    before = adapter.decision_function(X)
    with pytest.raises(CostreamError):
        adapter.fit(X, y, **{key: [1.0]})
    assert same_bits(adapter.decision_function(X), before)


def test_fit_on_one_class_says_that_partial_fit_may():
    with pytest.raises(ValueError, match="partial_fit"):
        CostSensitiveClassifier().fit(X, np.ones(len(y)))
