"""Features of a model that is bounded: at most so many, or hashed into a fixed number of columns."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

from costream import OnlineClassifier
from helpers.streams import SOME, dict_rows, same_bits, stream

X, y = stream(seed=4, rows=40, width=20)
COLUMNS = [f"f{j}" for j in range(X.shape[1])]


def quiet(call, *args, **kwargs):
    """The call without the warning that the model is full."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return call(*args, **kwargs)


# --- at most so many features -----------------------------------------------------------------------


def test_one_warning_when_the_model_is_full():
    model = OnlineClassifier(max_features=2)
    model.learn_one({"a": 1.0, "b": 1.0}, 1)
    with pytest.warns(UserWarning, match="2 features") as caught:
        model.learn_one({"c": 1.0}, 1)
    assert len(caught) == 1
    model.learn_one({"d": 1.0}, 1)
    model.learn_many(np.ones((2, 9)), [1, 0])


@pytest.mark.parametrize("name", SOME)
def test_features_past_the_bound_are_not_part_of_the_row(name):
    bounded, plain = OnlineClassifier(name, max_features=3), OnlineClassifier(name)
    few = [{key: row[key] for key in row if key in ("f0", "f1", "f2")} for row in dict_rows(X)]
    for model in (bounded, plain):
        model.learn_one({"f0": 1.0, "f1": 1.0, "f2": 1.0}, 1)
    for row, less, label in zip(dict_rows(X), few, y > 0, strict=True):
        assert bounded.score_one(row) == plain.score_one(less)
        assert quiet(bounded.learn_one, row, label) == plain.learn_one(less, label)
    assert bounded.feature_names == ["f0", "f1", "f2"]


@pytest.mark.parametrize("kind", [np.asarray, csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("names", [None, COLUMNS], ids=["numbers", "names"])
def test_a_bounded_batch_is_its_rows(names, kind):
    batch, rows = (OnlineClassifier(max_features=7) for _ in range(2))
    quiet(batch.learn_many, kind(X), y, names=names)
    for x, label in zip(X, y, strict=True):
        quiet(rows.learn_one, x if names is None else dict(zip(names, x, strict=True)), label)
    assert batch.feature_names == rows.feature_names
    assert same_bits(batch.coef_, rows.coef_)


# --- hashing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "column"),
    [("amount", 706), ("é", 326), (7, 346), ("7", 346), ("a", 907), ((1, "x"), 811), ("", 0)],
    ids=str,
)
def test_hashing_is_the_same_everywhere(name, column):
    model = OnlineClassifier("perceptron", hash_slots=1000)
    model.learn_one({name: 1.0}, 0)
    assert np.flatnonzero(model.coef_).tolist() == [column]


@pytest.mark.parametrize("slots", [1, 3, 8, 1000])
@pytest.mark.parametrize("kind", [np.asarray, csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("name", ["perceptron", "carow", "ssacog-ii"])
def test_a_hashed_batch_is_its_rows(name, kind, slots):
    rng = np.random.default_rng(0)
    values = rng.normal(size=X.shape) * 10.0 ** rng.integers(-3, 4, X.shape)  # sums depend on the order
    batch, rows = (OnlineClassifier(name, hash_slots=slots, fit_intercept=True) for _ in range(2))
    found = batch.prequential(kind(values), y, names=COLUMNS)
    expected = [rows.learn_one(x, label) for x, label in zip(dict_rows(values), y, strict=True)]
    assert same_bits(found, expected)
    assert same_bits(batch.coef_, rows.coef_)
