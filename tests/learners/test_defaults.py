"""What a learner does that does not define it, and settings at their limits."""

import pytest

from costream import CostreamError, OnlineClassifier
from costream.learners import Learner, make_learner
from costream.learners.auto import layout
from costream.model.classifier import core_of


@pytest.fixture
def perceptron():
    model = OnlineClassifier("perceptron")
    model.learn_many([[1.0, 0.0], [0.0, 1.0]], [1, 0])
    return core_of(model)


def test_a_learner_without_a_state_says_so():
    with pytest.raises(TypeError, match="Learner does not define a state"):
        Learner().state(3)


def test_a_linear_learner_counts_no_rows(perceptron):
    assert perceptron.learner.rows_learnt(perceptron.state) is None


@pytest.mark.parametrize("name", ["usual_values", "sample_rows"])
def test_a_linear_learner_cannot_explain_a_row(perceptron, name):
    with pytest.raises(CostreamError, match='perceptron cannot explain a row\nhint: use "auto"'):
        getattr(perceptron.learner, name)(perceptron.state)


def test_a_linear_learner_has_no_standings(perceptron):
    with pytest.raises(CostreamError, match='perceptron is not a portfolio\nhint: use "auto"'):
        perceptron.learner.standings(perceptron.state)


def test_auto_counts_its_rows():
    model = OnlineClassifier("auto")
    model.learn_many([[2.0, 0.0], [0.0, 1.0]], [1, 0])
    core = core_of(model)
    assert core.learner.rows_learnt(core.state) == 2


def test_a_mean_is_of_the_rows_that_have_the_number():
    learner = make_learner("auto")
    record = learner.state(2)  # nothing in its sample yet
    record.clock[layout.SLOTS] = 2
    record.stats[layout.MEAN, :2] = 2.0, 0.5  # a number, and its missing indicator
    assert learner.usual_values(record)[0] == 2.0
    assert learner.usual_values(record, [(0, 1)])[0] == 4.0


def test_auto_has_no_usual_values_of_very_wide_rows():
    learner = make_learner("auto")
    record = learner.state(4)
    record.clock[layout.SLOTS] = 10**6
    assert learner.usual_values(record) is None


def test_an_integer_beyond_all_floats_is_no_setting():
    with pytest.raises(CostreamError, match="eta"):
        make_learner("cog-ii", eta=10**400)


def test_a_learner_with_probabilities_alone_keeps_no_rows_and_knows_no_usual_values():
    learner = make_learner("perceptron")
    sure = type("Sure", (type(learner),), {"has_probabilities": True})()
    record = learner.state(3)
    assert sure.usual_values(record) is None
    assert sure.sample_rows(record).shape == (0, 3)
