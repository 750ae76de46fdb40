"""Shapes: the log-odds of a model against the value of its most important features."""

import numpy as np
import pytest

from costream import OnlineClassifier
from costream.evaluation.shapes import shapes_of
from costream.model.classifier import core_of
from helpers.streams import same_bits

COUNT = 320


def rows_of(count=COUNT, width=4):
    """A parabola, a line, noise, and a constant."""
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=(count, width - 1)), np.full(count, 2.0)])
    y = (np.square(X[:, 0]) + 0.7 * X[:, 1] + 0.3 * rng.normal(size=count) > 1.0).astype(int)
    return X, y


@pytest.fixture(scope="module")
def model():
    X, y = rows_of()
    model = OnlineClassifier()
    model.learn_many(X, y, names=["curve", "line", "noise", "constant"])
    return model


@pytest.fixture(scope="module")
def shapes(model):
    return shapes_of(model)


def sample_of(model):
    return core_of(model).state.sample[:COUNT, 1:5].astype(float)


def test_shapes_follow_what_was_learnt(shapes):
    curve, line = (np.array(shape.log_odds) for shape in shapes[:2])
    assert min(curve[0], curve[-1]) > curve[10]
    assert line[0] < line[10] < line[-1]


def test_values_are_quantiles_of_the_sample(model, shapes):
    levels = np.linspace(0.05, 0.95, 21)
    expected = np.quantile(sample_of(model)[:, 0], levels, method="inverted_cdf")
    assert shapes[0].values == expected.tolist()


def test_a_point_is_the_mean_of_the_log_odds_of_rows_with_that_value(model, shapes):
    rows = sample_of(model)[np.linspace(0, COUNT - 1, 200).astype(int)].copy()
    for at in (0, 7, 20):
        rows[:, 0] = shapes[0].values[at]
        p = model.predict_proba_many(rows, names=model.feature_names)
        assert shapes[0].log_odds[at] == pytest.approx(np.log(p / (1.0 - p)).mean(), abs=1e-6)


@pytest.mark.parametrize(("rows", "width"), [(99, 4), (120, 600)])
def test_models_without_a_sample_have_no_shapes(rows, width):
    X, y = rows_of(rows, width)
    model = OnlineClassifier()
    model.learn_many(X, y)
    assert shapes_of(model) == []


def test_a_model_is_the_same_afterwards():
    X, y = rows_of()
    models = [OnlineClassifier(), OnlineClassifier()]
    for one in models:
        one.learn_many(X[:200], y[:200])
    shapes_of(models[0])
    assert same_bits(*(one.prequential(X[200:], y[200:]) for one in models))
