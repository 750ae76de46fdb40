"""The time a row takes: the slopes of the times, those of the paper, and what is clocked."""

import numpy as np
import pytest

from costream.lab import timing
from costream.lab.timing import TimedModel, fitted_slope, random_rows, sweeps
from costream.learners import make_learner
from helpers.sweeps import TINY

IDS = [plan.learner for plan in TINY]


@pytest.fixture(autouse=True)
def few_entries(monkeypatch):
    monkeypatch.setattr(timing, "ENTRIES", 64)


def test_the_slope_is_a_least_squares_fit():
    x = np.array([1.0, 2.0, 3.0])
    points = list(zip(np.exp(x), np.exp([1.0, 4.0, 4.0]), strict=True))
    expected = np.polyfit(x[1:], [4.0, 4.0], 1)[0]
    assert fitted_slope(points) == pytest.approx(expected)


def test_exponents_are_those_of_the_paper():
    claims = {
        (plan.learner, plan.params.get("k"), plan.vary): (plan.claim, plan.expected)
        for plan in sweeps()
    }
    assert claims["acog-ii", None, "d"] == ("O(d^2)", 2)
    assert claims["sacog-ii", 1, "m"] == ("O(m^2 d)", 2)
    assert claims["sacog-ii", "m", "d"] == ("O(m d)", 1)
    assert claims["ssacog-ii", 1, "m"] == ("O(m^3 + m s)", 3)
    assert claims["ssacog-ii", "m", "m"] == ("O(m^2 + m s)", 2)
    assert claims["ssacog-ii", 1, "d"][1] == 0


@pytest.mark.parametrize("plan", TINY, ids=IDS)
def test_every_row_is_an_update(plan):
    timed = TimedModel(plan, plan.values[-1])
    timed.pass_once()
    learner = make_learner(plan.learner)
    before = learner.weights(timed.model).copy()
    for t in range(timed.k):
        row = random_rows(1, len(before), 2)._replace(label=np.array([1.0 if t % 2 else -1.0]))
        timed._learn(row)
        after = learner.weights(timed.model).copy()
        assert (after != before).any()
        before = after
