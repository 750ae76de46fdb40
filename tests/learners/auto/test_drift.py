"""Streams that change: the class ratio and the leader forget, and members learn anew."""

import numpy as np
import pytest

from costream import OnlineClassifier, WeightedAccuracy
from costream.learners import make_learner
from costream.model.classifier import core_of
from helpers.commands import compiled_only

CHANGE = 8000  # the row at which the rare rate jumps tenfold and the concept flips
HALF_LIFE = 1000
RECOVERED = 3 * HALF_LIFE  # rows after which it must be as good as it can be


def changing_stream():
    rng = np.random.default_rng(0)
    y = np.r_[rng.random(CHANGE) < 0.01, rng.random(CHANGE) < 0.1]
    X = rng.normal(size=(2 * CHANGE, 10))
    X[:, :5] += np.where(np.arange(2 * CHANGE) < CHANGE, 1.2, -1.2)[:, None] * y[:, None]
    return X, y


def balanced_accuracy(scores, y):
    flagged = scores >= 0.0
    return 0.5 * (flagged[y].mean() + (~flagged[~y]).mean())


@compiled_only
@pytest.mark.slow
@pytest.mark.parametrize("half_life", [HALF_LIFE, None])
def test_a_jump_of_the_rate_and_a_flip_of_the_concept_are_overcome(half_life):
    X, y = changing_stream()
    model = OnlineClassifier(
        make_learner("auto", half_life=half_life), WeightedAccuracy(half_life=half_life)
    )
    scores = model.prequential(X, y)
    late = slice(CHANGE + RECOVERED, None)
    alone = OnlineClassifier("auto").prequential(X[CHANGE:], y[CHANGE:])[RECOVERED:]
    assert balanced_accuracy(scores[late], y[late]) > balanced_accuracy(alone, y[late]) - 0.03


@pytest.mark.parametrize("weight", [None, np.tile([1.0, 0.0, 2.5], 20)])
def test_a_batch_fades_as_its_rows_do(weight):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 4)), rng.random(60) < 0.3
    whole = OnlineClassifier("carow-diag", WeightedAccuracy(half_life=7.0))
    scores = whole.prequential(X, y, weight)
    single = OnlineClassifier("carow-diag", WeightedAccuracy(half_life=7.0))
    weights = np.ones(60) if weight is None else weight
    rows = [single.learn_one(x, bool(t), float(w)) for x, t, w in zip(X, y, weights, strict=True)]
    assert scores.tolist() == rows
    assert core_of(whole).row_costs.recent == core_of(single).row_costs.recent


def test_rho_is_that_of_recent_rows():
    """Fifty negatives, then five positives: what was rare is so no longer."""
    labels = [0] * 50 + [1] * 5
    never, soon = (
        OnlineClassifier("perceptron"),
        OnlineClassifier("perceptron", WeightedAccuracy(half_life=2.0)),
    )
    for model in (never, soon):
        model.learn_many(np.ones((55, 1)), labels)
    assert never.rho == 51 / 6
    assert soon.rho < 1.0
