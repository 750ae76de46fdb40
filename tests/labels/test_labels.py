"""Which label is the positive one, and what comes back from predictions."""

import numpy as np
import pandas as pd
import pytest

from costream import CostreamError, OnlineClassifier
from costream.model.classifier import core_of

POSITIVE, NEGATIVE = {"p": 1.0}, {"n": 1.0}


def trained(plus, minus, **settings):
    """A model that has seen both labels, one row at a time."""
    model = OnlineClassifier(**settings)
    for _ in range(3):
        model.learn_one(POSITIVE, plus)
        model.learn_one(NEGATIVE, minus)
    return model


def trained_at_once(plus, minus, **settings):
    """The same in one batch."""
    model = OnlineClassifier(**settings)
    labels = np.empty(6, object)
    labels[:] = [plus, minus] * 3
    model.learn_many(np.tile(np.eye(2), (3, 1)), labels, names=["p", "n"])
    return model


WAYS = pytest.mark.parametrize("teach", [trained, trained_at_once])


def predictions(model):
    return [model.predict_one(POSITIVE), model.predict_one(NEGATIVE)]


def types(labels):
    return [type(label) for label in labels]


# --- without names ----------------------------------------------------------------------------------


@WAYS
@pytest.mark.parametrize("labels", [(1, 0), (1, -1), (True, False), (1.0, 0.0), (1.0, -1.0)], ids=str)
def test_labels_that_need_no_name(labels, teach):
    model = teach(*labels)
    assert predictions(model) == list(labels)
    assert types(predictions(model)) == types(labels)
    assert model.score_one(POSITIVE) > 0 > model.score_one(NEGATIVE)


@WAYS
@pytest.mark.parametrize(
    "labels", [("1", "0"), ("yes", "no"), (2, 1), (2, 0), (1, 2), (0.5, 0)], ids=str
)
def test_other_labels_need_a_name(labels, teach):
    with pytest.raises(CostreamError, match=r"not clear whether the label .*\nhint: .*positive="):
        teach(*labels)


# --- with names -------------------------------------------------------------------------------------


@WAYS
@pytest.mark.parametrize(
    "labels",
    [("bad", "good"), (0, 1), (False, True), (-1, 1), (2, 7), (2.5, "x")],
    ids=str,
)
def test_positive_names_the_positive_label(labels, teach):
    model = teach(*labels, positive=labels[0])
    assert predictions(model) == list(labels)
    assert types(predictions(model)) == types(labels)
    assert model.score_one(POSITIVE) > 0 > model.score_one(NEGATIVE)


@WAYS
def test_a_third_label_of_two_classes_is_an_error(teach):
    model = teach("bad", "good", classes=("good", "bad"))
    with pytest.raises(CostreamError, match="unknown label 'ugly'; the labels are 'good' and 'bad'"):
        model.learn_one(NEGATIVE, "ugly")


@pytest.mark.parametrize(
    "settings",
    [
        {"classes": ["a"]},
        {"classes": ["a", "b", "c"]},
        {"classes": ["a", "a"]},
        {"classes": [0, False]},
        {"classes": 5},
        {"classes": [[1], []]},
        {"classes": [None, 1]},
        {"classes": [0, float("nan")]},
        {"classes": [(1, 2), (2, 4)]},
        {"classes": [[[1]], [2]]},
        {"positive": []},
        {"positive": [[1]]},
        {"positive": {None}},
        {"positive": {"a": 1}},
        {"positive": (1, float("nan"))},
        {"positive": float("nan")},
        {"classes": ["a", "b"], "positive": "c"},
    ],
    ids=str,
)
def test_names_that_cannot_be_labels(settings):
    with pytest.raises(CostreamError, match=r"classes|positive|label"):
        OnlineClassifier(**settings)


# --- batches ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [
        [1, 0],
        (1, 0),
        np.array([1, 0]),
        np.array([1.0, -1.0]),
        np.array([True, False]),
        np.array([1, 0], object),
        pd.Series([1, 0], index=[7, 3]),
        pd.Series([True, False], dtype="boolean"),
        pd.Series([1, 0], dtype="Int64"),
        pd.Series([1, 0], dtype="category"),
    ],
    ids=lambda labels: type(labels).__name__ + str(getattr(labels, "dtype", "")),
)
def test_batches_of_all_kinds(labels):
    model = OnlineClassifier()
    model.learn_many(np.eye(2), labels)
    assert model.predict_many(np.eye(2)).tolist() == list(labels)


def test_a_label_of_a_row_without_weight_is_not_kept():
    model = OnlineClassifier()
    before = core_of(model).labels
    model.learn_one(POSITIVE, 1, weight=0.0)
    assert core_of(model).labels is before
    model.learn_one(POSITIVE, 1)
    assert core_of(model).labels is not before
