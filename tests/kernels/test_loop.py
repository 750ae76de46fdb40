"""The loop over rows, where log-odds are asked for."""

import numpy as np
import pytest

from costream import OnlineClassifier
from costream.kernels.elementary import sigmoid
from costream.kernels.loop import score_rows
from costream.model.classifier import core_of
from costream.tables.arrays import as_batch

X = np.random.default_rng(0).normal(size=(12, 3))
Y = X[:, 0] > 0.0


def test_log_odds_of_a_pass_are_those_of_each_row_before_it_is_learnt():
    model, single = OnlineClassifier(), OnlineClassifier()
    odds = np.empty(len(X))
    core_of(model).learn_rows(as_batch(X), Y, log_odds=odds)
    for x, label, expected in zip(X, Y, odds, strict=True):
        assert single.predict_proba_one(x) == sigmoid(np.array(expected))
        single.learn_one(x, bool(label))


@pytest.mark.parametrize("name", ["perceptron", "carow"])
def test_learners_without_probabilities_have_log_odds_of_0(name):
    model = OnlineClassifier(name)
    model.learn_many(X, Y)
    core, odds = core_of(model), np.ones(len(X))
    x = core.encoder.chunk(as_batch(X), None)
    score_rows(core.state, x, np.empty(len(X)), odds)
    assert not odds.any()
