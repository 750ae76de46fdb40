"""Models with features of all kinds, and what it means that they refuse something."""

import pickle
from contextlib import contextmanager

import numpy as np
import pytest

from costream import CostreamError, OnlineClassifier

NAN, INF = float("nan"), float("inf")
NOT_FINITE = [NAN, INF, -INF]


def fresh():
    return OnlineClassifier("acog-ii-diag", "cost", classes=(0, 1))


def named():
    """A model that knows features by name."""
    model = fresh()
    model.learn_one({"a": 1.0, "b": 2.0}, 1)
    model.learn_one({"b": 1.0, "c": -1.0}, 0)
    return model


def numbered():
    """A model that knows features by their number."""
    model = fresh()
    model.learn_many(np.array([[1.0, 2.0, 0.0], [0.0, 1.0, -1.0]]), [1, 0])
    return model


def hashed():
    model = OnlineClassifier("acog-ii-diag", "cost", classes=(0, 1), hash_slots=4, fit_intercept=True)
    model.learn_one({"a": 1.0, "b": 2.0}, 1)
    return model


MODELS = pytest.mark.parametrize("make", [fresh, named, numbered, hashed])


def everything(model):
    model.predict_one({})  # whatever is worked out once and kept
    return pickle.dumps(model), model.feature_names


@contextmanager
def refused(model, match):
    """The error is ours, says what is wrong, and has changed nothing."""
    before = everything(model)
    with pytest.raises(CostreamError, match=match):
        yield
    assert everything(model) == before
    other = pickle.loads(before[0])
    for row in (np.array([1.0, -2.0, 0.5]), {"a": 1.0, "b": -2.0}):
        assert model.score_one(row) == other.score_one(row)


def rows_with(value):
    """Four rows; the value is in the third."""
    X = np.ones((4, 3))
    X[2, 1] = value
    return X
