"""Which column a feature has: growth, names, numbers, bounds and hashing."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array

from costream import OnlineClassifier
from helpers.streams import SOME, dict_rows, same_bits, stream

X, y = stream(seed=4, rows=40, width=20)
COLUMNS = [f"f{j}" for j in range(X.shape[1])]


# --- growth -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOME)
def test_unseen_features_grow_the_model(name):
    """Rows of few features at a time end where a model ends that knew all of them from the start."""
    grown, wide = OnlineClassifier(name), OnlineClassifier(name)
    for x, row, label in zip(X, dict_rows(X), y, strict=True):
        grown.learn_one(row, label)
        wide.learn_one(dict(zip(COLUMNS, x, strict=True)), label)
    assert set(grown.feature_names) == set(wide.feature_names)
    scores = [[model.score_one(row) for row in dict_rows(X)] for model in (grown, wide)]
    np.testing.assert_allclose(*scores, rtol=1e-9, atol=1e-9)


# --- scoring ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("hash_slots", [None, 8])
@pytest.mark.parametrize("first", ["nothing", "names", "numbers"])
@pytest.mark.parametrize(
    "call",
    [
        lambda model: model.score_one({"unseen": 1.0}),
        lambda model: model.score_one(np.ones(9)),
        lambda model: model.score_one(csr_array(np.ones((1, 9)))),
        lambda model: model.predict_one({"unseen": 1.0}),
        lambda model: model.score_many(np.ones((2, 9))),
        lambda model: model.score_many(np.ones((2, 1)), names=["unseen"]),
        lambda model: model.predict_many(csr_array(np.ones((2, 9)))),
        lambda model: model.variance_one({"unseen": 1.0}),
        lambda model: model.variance_many(np.ones((2, 1)), names=["unseen"]),
    ],
    ids=["dict", "array", "csr row", "predict", "batch", "names", "csr", "variance", "variances"],
)
def test_scoring_changes_nothing(call, first, hash_slots, fit_intercept):
    model = OnlineClassifier(hash_slots=hash_slots, fit_intercept=fit_intercept)
    if first == "names":
        model.learn_one({"a": 1.0, "b": 1.0}, 1)
    if first == "numbers":
        model.learn_many(np.ones((2, 3)), [1, 0])
    model.predict_one([])
    before = pickle.dumps(model)
    call(model)
    model.predict_one([])
    assert pickle.dumps(model) == before


# --- names and numbers ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [1, True, 1.0, np.int64(1), np.uint8(1), np.float32(1.0)], ids=repr)
def test_a_number_of_any_type_names_its_column(name):
    model = OnlineClassifier("perceptron")
    model.learn_many(np.eye(2), [0, 0])
    assert model.score_one({name: 1.0}) == -1.0
    model.learn_one({name: 1.0}, 1)
    assert model.feature_names == [0, 1]
    assert model.coef_.tolist() == [-1.0, 0.0]


@pytest.mark.parametrize("name", SOME)
def test_arrays_then_dicts_then_arrays(name):
    mixed, plain = OnlineClassifier(name), OnlineClassifier(name)
    mixed.learn_many(X[:15], y[:15])
    for x, label in zip(X[15:25], y[15:25], strict=True):
        mixed.learn_one(dict(enumerate(x)), label)
    mixed.learn_many(csr_array(X[25:]), y[25:])
    plain.learn_many(X, y)
    assert mixed.feature_names == plain.feature_names
    assert same_bits(mixed.coef_, plain.coef_)


@pytest.mark.parametrize("kind", [np.asarray, csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("first", [{"a": 1.0}, {3: 1.0}], ids=str)
def test_a_batch_admits_the_features_that_its_rows_admit(first, kind):
    rows = np.array([[0.0, 0.0, 1.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
    batch, single = OnlineClassifier(), OnlineClassifier()
    for model in (batch, single):
        model.learn_one(first, 1)
    batch.learn_many(kind(rows), [1, 0])
    for row, label in zip(rows, [1, 0], strict=True):
        single.learn_one(row, label)
    assert set(batch.feature_names) == set(single.feature_names)


@pytest.mark.parametrize(
    "kind", [list, tuple, iter, np.array], ids=["list", "tuple", "iterator", "array"]
)
def test_names_of_columns(kind):
    batch, rows = OnlineClassifier("carow"), OnlineClassifier("carow")
    batch.learn_many(X, y, names=kind(COLUMNS))
    for x, label in zip(X, y, strict=True):
        rows.learn_one(dict(zip(COLUMNS, x, strict=True)), label)
    assert batch.feature_names == rows.feature_names == COLUMNS
    assert same_bits(batch.coef_, rows.coef_)
    assert same_bits(batch.score_many(X, names=kind(COLUMNS)), rows.score_many(X, names=COLUMNS))
    assert same_bits(batch.variance_many(X, names=kind(COLUMNS)), rows.variance_many(X, names=COLUMNS))


# --- rows without weight ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.asarray, csr_array], ids=["dense", "csr"])
def test_a_batch_with_rows_without_weight_is_its_rows(kind):
    """Four rows, of which the last two have no weight; the last column is theirs alone."""
    few = np.array([[1.0, 2.0, 0.0], [2.0, -1.0, 0.0], [0.0, 1.0, 3.0], [1.0, 0.0, 1.0]])
    batch, rows = OnlineClassifier(), OnlineClassifier()
    batch.learn_many(kind(few), [1, 0, 1, 0], [1.0, 2.0, 0.0, 0.0])
    for row, label, weight in zip(few, [1, 0, 1, 0], [1.0, 2.0, 0.0, 0.0], strict=True):
        rows.learn_one(row if kind is np.asarray else kind(row[None]), label, weight)
    assert batch.feature_names == rows.feature_names
    assert same_bits(batch.coef_, rows.coef_)
