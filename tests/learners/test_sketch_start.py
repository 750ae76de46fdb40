"""The orthonormal start of the sketch that Algorithm 3 prints, as an option with a seed."""

import numpy as np
import pytest

import costream
import reference
from costream import Cost, OnlineClassifier
from costream.learners import make_learner
from helpers.streams import assert_close, stream

NAMES = ["sacog-i", "sacog-ii", "ssacog-i", "ssacog-ii"]
every_sketch = pytest.mark.parametrize("name", NAMES)


def new(name, **params):
    return OnlineClassifier(make_learner(name, **{"seed": 7, **params}), Cost(9, 1))


@every_sketch
@pytest.mark.parametrize("width", [24, 3], ids=["wide", "fewer features than directions"])
@pytest.mark.parametrize("gamma", [1.0, 0.05])
def test_it_is_the_printed_algorithm(name, width, gamma):
    X, y = stream(3, rows=120, width=width)
    oracle = reference.make(name, width, seed=7, gamma=gamma)
    expected = reference.run(oracle, reference.normalise(X), y, np.where(y > 0, 9.0, 1.0))
    assert_close(new(name, gamma=gamma).prequential(X, y), expected, 1e-9)


def test_the_start_has_orthonormal_rows():
    V = reference.sketch.orthonormal(5, 12, seed=7)
    np.testing.assert_allclose(V @ V.T, np.eye(5), atol=1e-12)


@every_sketch
def test_a_saved_model_goes_on_as_if_it_had_not_stopped(name, tmp_path):
    X, y = stream(5, rows=60, width=12)
    whole, model = new(name).prequential(X, y), new(name)
    model.learn_many(X[:1], y[:1])  # more directions than rounds
    costream.save(model, tmp_path / "model")
    assert list(costream.load(tmp_path / "model").prequential(X[1:], y[1:])) == list(whole[1:])


@every_sketch
def test_another_seed_is_another_start(name):
    X, y = stream(6, rows=60, width=12)
    assert not np.array_equal(new(name).prequential(X, y), new(name, seed=8).prequential(X, y))
