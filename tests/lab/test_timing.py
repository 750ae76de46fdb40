"""The time a row takes: what is planned, how it is clocked, and the slopes of the times."""

import math

import numpy as np
import pytest

from costream.lab import timing
from costream.lab.timing import (
    TimedModel,
    fitted_slope,
    measure,
    random_rows,
    sweeps,
)
from costream.learners import make_learner
from helpers.sweeps import TINY, powers, sweep

IDS = [plan.learner for plan in TINY]


@pytest.fixture(autouse=True)
def few_entries(monkeypatch):
    monkeypatch.setattr(timing, "ENTRIES", 64)


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.5])
def test_the_slope_of_a_power_is_its_exponent(exponent):
    assert sweep(powers(exponent)).slope == pytest.approx(exponent)


def test_the_slope_is_a_least_squares_fit():
    x = np.array([1.0, 2.0, 3.0])
    points = list(zip(np.exp(x), np.exp([1.0, 4.0, 4.0]), strict=True))
    expected = np.polyfit(x[1:], [4.0, 4.0], 1)[0]
    assert fitted_slope(points) == pytest.approx(expected)


@pytest.mark.parametrize("quick", [False, True])
def test_the_plan_covers_what_is_claimed(quick):
    found = {(plan.learner, plan.params.get("k"), plan.vary): plan for plan in sweeps(quick)}
    sketches = [(name, k) for name in ("sacog-ii", "ssacog-ii") for k in (1, "m")]
    learners = [("acog-ii", None), ("acog-ii-diag", None), *sketches]
    wanted = {(*one, vary) for vary in "ds" for one in learners} | {(*one, "m") for one in sketches}
    assert set(found) == wanted


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
def test_measuring_gives_a_time_for_each_size(plan):
    found = measure(plan, repeat=2)
    assert [size for size, _ in found.points] == list(plan.values)
    assert all(0 < seconds < math.inf for _, seconds in found.points)
    assert (found.learner, found.params, found.vary) == (plan.learner, plan.params, plan.vary)
    assert (found.claim, found.expected, found.fixed) == (plan.claim, plan.expected, plan.fixed)


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


def test_sigma_is_dense_before_the_clock_starts():
    assert TimedModel(TINY[0], 8).model.Sigma.all()


@pytest.mark.parametrize(("plan", "k"), [(TINY[2], 1), (TINY[3], 3)], ids=["k = 1", "k = m"])
def test_a_sketch_is_full_before_the_clock_starts(plan, k):
    timed = TimedModel(plan, plan.values[-1])
    assert (timed.model.clock[1], timed.model.k) == (3, k)


def test_an_implicit_sketch_is_not_rebased():
    """A re-base would leave F close to I."""
    timed = TimedModel(TINY[3], 3)
    for _ in range(5):
        timed.pass_once()
        assert np.abs(timed.model.F - np.eye(3)).max() > 0.01
