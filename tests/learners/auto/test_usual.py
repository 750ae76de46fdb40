"""What rows usually look like: medians of the sample, means without one, and neither of wide rows."""

import numpy as np
import pytest

from costream.learners.auto import layout
from helpers.portfolios import auto, state_of

ROWS = np.array([[0.1, 5.0], [0.1, 5.0], [4.0, 5.0], [-2.0, 5.0], [0.1, 9.0]])
LABELS = [1, -1, 1, -1, 1]


def usual(model, state):
    """The usual value of each slot in use, that of the intercept left out."""
    return model.learner.usual_values(state)[1 : state.clock[layout.SLOTS]]


def test_medians_of_the_sample_as_they_were_written():
    """The sample is kept in single precision, which has no 0.1."""
    model = auto()
    model.learn_many(ROWS, LABELS)
    assert len(state_of(model).sample) > 0
    assert usual(model, state_of(model)).tolist() == [0.1, 5.0]


def test_means_where_there_is_no_sample():
    """As after many rows of which trees would learn nothing more."""
    model = auto()
    model.learn_many(ROWS, LABELS)
    without = state_of(model)._replace(sample=state_of(model).sample[:0])
    assert usual(model, without) == pytest.approx(ROWS.mean(axis=0))


def with_gaps():
    """A number that two of five rows have not, and its missing indicator."""
    rows = np.array([[0.0, 1.0], [3.0, 0.0], [0.0, 1.0], [5.0, 0.0], [4.0, 0.0]])
    model = auto()
    model.learn_many(rows, LABELS)
    return model, state_of(model)


def test_rows_without_a_number_do_not_count_in_its_median():
    model, state = with_gaps()
    assert model.learner.usual_values(state)[1] == 3.0
    assert model.learner.usual_values(state, [(1, 2)])[1:3].tolist() == [4.0, 0.0]
