"""Which column a feature has: growth, names, numbers, bounds and hashing."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array

from costream import CostreamError, OnlineClassifier
from helpers.streams import NAMES, PLAIN, dict_rows, has_variance, same_bits, stream

X, y = stream(seed=4, rows=40, width=20)
COLUMNS = [f"f{j}" for j in range(X.shape[1])]
SECOND_ORDER = [name for name in NAMES if has_variance(name)]


# --- growth -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_unseen_features_grow_the_model(name):
    """Rows of few features at a time end where a model ends that knew all of them from the start."""
    grown, wide = OnlineClassifier(name), OnlineClassifier(name)
    for x, row, label in zip(X, dict_rows(X), y, strict=True):
        grown.learn_one(row, label)
        wide.learn_one(dict(zip(COLUMNS, x, strict=True)), label)
    assert set(grown.feature_names) == set(wide.feature_names)
    scores = [[model.score_one(row) for row in dict_rows(X)] for model in (grown, wide)]
    np.testing.assert_allclose(*scores, rtol=1e-9, atol=1e-9)


def test_features_come_in_the_order_in_which_they_are_seen():
    model = OnlineClassifier()
    model.learn_one({"b": 1.0, "a": 2.0}, 1)
    model.learn_one({"c": 1.0, "a": 2.0}, 0)
    model.learn_many(np.eye(3), [1, 0, 1], names=["d", "a", "e"])
    assert model.feature_names == ["b", "a", "c", "d", "e"]


def test_coef_is_in_the_order_of_the_names():
    model = OnlineClassifier("perceptron")
    model.learn_one({"b": 3.0, "a": 4.0}, 0)
    assert model.feature_names == ["b", "a"]
    assert model.coef_ == pytest.approx([-0.6, -0.8])


def test_names_are_told_apart_by_what_they_equal():
    model = OnlineClassifier("perceptron")
    model.learn_one({1: 1.0, "1": 1.0, (1,): 1.0, 1.5: 1.0, None: 1.0}, 0)
    model.learn_one({True: 1.0, np.int64(1): 1.0}, 0)
    assert model.feature_names == [1, "1", (1,), 1.5, None]


def test_growth_past_every_size_at_hand():
    model = OnlineClassifier("acog-ii")
    for t in range(200):
        model.learn_one({t: 1.0}, t % 2)
    assert model.feature_names == list(range(200))
    assert [model.score_one({t: 1.0}) > 0 for t in range(4)] == [False, True, False, True]


@pytest.mark.parametrize("length", [0, 1, 2, 31, 32, 33, 64, 65, 500])
def test_dict_rows_of_any_length(length):
    row = {f"f{j}": 1.0 + j for j in range(length)}
    model = OnlineClassifier("perceptron", fit_intercept=True)
    for _ in range(2):  # with new names, then with known ones
        model.learn_one(row, 0)
    batch = OnlineClassifier("perceptron", fit_intercept=True)
    batch.learn_many(np.array([list(row.values())] * 2), [0, 0], names=list(row))
    assert same_bits(model.coef_, batch.coef_)
    assert model.intercept_ == batch.intercept_


def test_a_short_row_after_a_long_one():
    model = OnlineClassifier("perceptron")
    model.learn_one({"a": 1.0}, 0)
    assert model.score_one({f"x{j}": 1.0 for j in range(100)} | {"a": 1.0}) == pytest.approx(
        -(101**-0.5)
    )
    assert model.score_one({"a": 1.0}) == -1.0


# --- scoring ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLAIN)
def test_unseen_features_count_in_the_norm(name):
    model = OnlineClassifier(name)
    model.learn_one({"a": 1.0}, 0)
    alone = model.score_one({"a": 1.0})
    assert model.score_one({"a": 3.0, "unseen": 4.0}) == pytest.approx(0.6 * alone, rel=1e-12)
    batch = model.score_many(np.array([[3.0, 4.0]]), names=["a", "unseen"])
    assert batch == pytest.approx(0.6 * alone, rel=1e-12)


def test_columns_past_the_last_count_in_the_norm():
    model = OnlineClassifier("perceptron")
    model.learn_many(np.ones((1, 1)), [0])
    assert model.score_many(np.array([[3.0, 0.0, 4.0]])) == pytest.approx([-0.6])
    assert model.score_one(np.array([3.0, 0.0, 4.0])) == pytest.approx(-0.6)


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


def test_scoring_does_not_change_how_the_model_learns_later():
    models = [OnlineClassifier(), OnlineClassifier()]
    models[0].score_one({"a": 1.0})
    for model in models:
        model.learn_many(np.array([[1.0, 0.0, 0.0]]), [1])
    assert models[0].feature_names == models[1].feature_names


# --- variance ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in SECOND_ORDER if name in PLAIN])
def test_the_model_knows_nothing_of_unseen_features(name):
    model = OnlineClassifier(name)
    for x, label in zip(dict_rows(X), y > 0, strict=True):
        model.learn_one(x, label)
    assert model.variance_one({"unseen": 2.0}) == pytest.approx(1.0)
    seen = model.variance_one({"f1": 1.0})
    assert seen < 1.0
    mixed = model.variance_one({"f1": 3.0, "unseen": 4.0})
    assert mixed == pytest.approx(0.36 * seen + 0.64, rel=1e-9)


@pytest.mark.parametrize("name", SECOND_ORDER)
def test_confidence_falls_with_learning(name):
    model = OnlineClassifier(name)
    model.learn_one({"a": 1.0}, 0)
    before = model.variance_one({"a": 1.0})
    model.learn_one({"a": 1.0}, 1)
    assert model.variance_one({"a": 1.0}) < before


@pytest.mark.parametrize("name", SECOND_ORDER)
@pytest.mark.parametrize("hash_slots", [None, 5])
def test_confidence_of_a_row_is_that_in_a_batch(hash_slots, name):
    model = OnlineClassifier(name, hash_slots=hash_slots, fit_intercept=True)
    model.learn_many(X, y, names=COLUMNS)
    batch = model.variance_many(X, names=COLUMNS)
    rows = [model.variance_one(dict(zip(COLUMNS, x, strict=True))) for x in X]
    assert same_bits(batch, rows)


@pytest.mark.parametrize(
    "kind", [np.asarray, list, lambda x: csr_array(x[None])], ids=["array", "list", "csr"]
)
def test_confidence_of_rows_of_all_kinds(kind):
    model = OnlineClassifier("carow")
    model.learn_many(X, y)
    assert model.variance_one(kind(X[0])) == model.variance_many(X)[0]


def test_confidence_without_a_covariance_is_an_error():
    with pytest.raises(CostreamError, match="perceptron keeps no covariance"):
        OnlineClassifier("perceptron").variance_one({"a": 1.0})


# --- names and numbers ------------------------------------------------------------------------------


def test_a_column_is_the_feature_named_by_its_number():
    model = OnlineClassifier("perceptron")
    model.learn_many(np.array([[1.0, 0.0, 0.0]]), [0])
    model.learn_one({2: 1.0, "a": 0.0}, 0)
    model.learn_many(np.array([[0.0, 1.0, 0.0]]), [0])
    assert sorted(model.feature_names, key=str) == [0, 1, 2, "a"]
    found = dict(zip(model.feature_names, model.coef_.tolist(), strict=True))
    assert found == {0: -1.0, 1: -1.0, 2: -1.0, "a": 0.0}


@pytest.mark.parametrize("name", [1, True, 1.0, np.int64(1), np.uint8(1), np.float32(1.0)], ids=repr)
def test_a_number_of_any_type_names_its_column(name):
    model = OnlineClassifier("perceptron")
    model.learn_many(np.eye(2), [0, 0])
    assert model.score_one({name: 1.0}) == -1.0
    model.learn_one({name: 1.0}, 1)
    assert model.feature_names == [0, 1]
    assert model.coef_.tolist() == [-1.0, 0.0]


@pytest.mark.parametrize("name", NAMES)
def test_arrays_then_dicts_then_arrays(name):
    mixed, plain = OnlineClassifier(name), OnlineClassifier(name)
    mixed.learn_many(X[:15], y[:15])
    for x, label in zip(X[15:25], y[15:25], strict=True):
        mixed.learn_one(dict(enumerate(x)), label)
    mixed.learn_many(csr_array(X[25:]), y[25:])
    plain.learn_many(X, y)
    assert mixed.feature_names == plain.feature_names
    assert same_bits(mixed.coef_, plain.coef_)


def test_numbers_after_names_come_after_them():
    model = OnlineClassifier("perceptron")
    model.learn_one({"a": 1.0}, 0)
    model.learn_many(np.array([[0.0, 1.0]]), [0])
    assert "a" in model.feature_names
    assert dict(zip(model.feature_names, model.coef_.tolist(), strict=True))[1] == -1.0


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


def test_names_in_another_order():
    model = OnlineClassifier("carow")
    model.learn_many(X, y, names=COLUMNS)
    turned = model.score_many(X[:, ::-1], names=COLUMNS[::-1])
    np.testing.assert_allclose(turned, model.score_many(X, names=COLUMNS), rtol=1e-9, atol=1e-12)


def test_feature_names_are_a_copy():
    model = OnlineClassifier()
    model.learn_one({"a": 1.0}, 1)
    model.feature_names.append("b")
    model.coef_[0] = 7.0
    assert model.feature_names == ["a"]
    assert model.coef_[0] != 7.0


# --- rows without weight ----------------------------------------------------------------------------


@pytest.mark.parametrize("names", [None, COLUMNS], ids=["numbers", "names"])
def test_a_row_without_weight_admits_no_features(names):
    weights = np.zeros(len(y))
    weights[:2] = 1.0
    weighted, plain = OnlineClassifier(), OnlineClassifier()
    weighted.learn_many(csr_array(X), y, weights, names=names)
    plain.learn_many(csr_array(X[:2]), y[:2], names=names)
    assert weighted.feature_names == plain.feature_names
    assert same_bits(weighted.coef_, plain.coef_)


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
