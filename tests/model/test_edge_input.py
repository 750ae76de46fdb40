"""Input at the edge: columns and memory that do not fit, and rows that are empty."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from costream import OnlineClassifier
from helpers.refusals import everything, fresh, hashed, named, numbered, refused
from helpers.streams import PLAIN, SOME

# --- columns and memory -----------------------------------------------------------------------------


def csr_of_one(column, kind=np.int64, width=2**40):
    """One row with one entry, whatever SciPy thinks of its column."""
    X = csr_array((np.ones(1), np.zeros(1, kind), np.array([0, 1], kind)), shape=(1, width))
    X.indices = np.array([column], kind)
    X.indptr = X.indptr.astype(kind)
    return X


@pytest.mark.parametrize("column", [2**32 - 3, 2**32 - 1, 2**32, 2**33 + 5, 2**39])
@pytest.mark.parametrize("call", ["learn_many", "score_many"])
def test_a_column_beyond_32_bits(call, column):
    model = OnlineClassifier(classes=(0, 1))
    with refused(model, match=rf"row 0: feature index {column} is beyond"):
        getattr(model, call)(csr_of_one(column), *([[1]] if call == "learn_many" else []))


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("column", [-1, 3, 1000])
@pytest.mark.parametrize("make", [fresh, named, numbered, hashed])
def test_a_csr_matrix_that_breaks_its_own_width(make, column, kind):
    model = make()
    with refused(model, match=r"row 0"):
        model.learn_many(csr_of_one(column, kind, width=3), [1])


@pytest.mark.parametrize(
    "row", [{f"x{j}": 1.0 for j in range(100)}, np.ones(100)], ids=["dict", "array"]
)
def test_a_row_whose_covariance_does_not_fit(row, monkeypatch):
    model = OnlineClassifier("acog-ii", classes=(0, 1))
    model.learn_one({"a": 1.0}, 1)
    monkeypatch.setattr("costream.learners.states.memory", lambda: 10_000)
    with refused(model, match="memory"):
        model.learn_one(row, 1)


# --- not so bad -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("kind", [np.asarray, csr_array], ids=["dense", "csr"])
def test_an_empty_batch(kind, name):
    model = OnlineClassifier(name, fit_intercept=True)
    model.learn_many(np.eye(3), [1, 0, 1])
    before = everything(model)
    assert model.prequential(kind(np.empty((0, 3))), []).shape == (0,)
    assert model.score_many(kind(np.empty((0, 3)))).shape == (0,)
    assert model.predict_many(kind(np.empty((0, 3)))).shape == (0,)
    assert everything(model) == before


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("row", [{}, [], [0.0, 0.0], {"a": 0.0}, {"unseen": 0.0}], ids=str)
def test_an_empty_row_scores_the_intercept(row, name):
    model = OnlineClassifier(name, fit_intercept=True)
    model.learn_one({"a": 1.0}, 0)
    assert model.intercept_ < 0.0
    assert model.score_one(row) == model.intercept_
