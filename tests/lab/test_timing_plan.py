"""The sweeps of the complexity experiment: their sizes and exponents, and the clock around a pass."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from costream.lab import timing
from costream.lab.timing import SweepPlan, TimedModel, beginning, measure, random_rows, sweeps
from helpers.sweeps import TINY, sweep

# By learner, k and what varies: its first and last value, the factor between two, the other sizes, and
# the exponent that our code should show.
PLANNED = {
    ("acog-ii", None, "d"): (32, 4096, 2, {"s": 16}, 2),
    ("acog-ii-diag", None, "d"): (256, 2**22, 4, {"s": 16}, 0),
    ("sacog-ii", 1, "d"): (64, 65536, 4, {"s": 16, "m": 5}, 1),
    ("sacog-ii", "m", "d"): (64, 65536, 4, {"s": 16, "m": 5}, 1),
    ("ssacog-ii", 1, "d"): (256, 2**20, 4, {"s": 16, "m": 5}, 0),
    ("ssacog-ii", "m", "d"): (256, 2**20, 4, {"s": 16, "m": 5}, 0),
    ("acog-ii", None, "s"): (2, 512, 2, {"d": 512}, None),
    ("acog-ii-diag", None, "s"): (2, 4096, 2, {"d": 4096}, 1),
    ("sacog-ii", 1, "s"): (2, 512, 2, {"d": 512, "m": 5}, 0),
    ("sacog-ii", "m", "s"): (2, 512, 2, {"d": 512, "m": 5}, None),
    ("ssacog-ii", 1, "s"): (2, 4096, 2, {"d": 4096, "m": 5}, 1),
    ("ssacog-ii", "m", "s"): (2, 4096, 2, {"d": 4096, "m": 5}, 1),
    ("sacog-ii", 1, "m"): (1, 64, 2, {"d": 1024, "s": 4}, 2),
    ("sacog-ii", "m", "m"): (1, 64, 2, {"d": 1024, "s": 4}, 1),
    ("ssacog-ii", 1, "m"): (1, 128, 2, {"d": 1024, "s": 4}, 3),
    ("ssacog-ii", "m", "m"): (1, 128, 2, {"d": 1024, "s": 4}, 2),
}


def key_of(plan: SweepPlan) -> tuple[str, object, str]:
    return plan.learner, plan.params.get("k"), plan.vary


@pytest.mark.parametrize("plan", sweeps(), ids=lambda plan: " ".join(map(str, key_of(plan))))
def test_sizes_and_exponents_are_those_of_the_published_figure(plan: SweepPlan) -> None:
    first, last, factor, fixed, expected = PLANNED[key_of(plan)]
    assert (plan.values[0], plan.values[-1]) == (first, last)
    assert {later / earlier for earlier, later in pairwise(plan.values)} == {factor}
    assert (plan.fixed, plan.expected) == (fixed, expected)


def test_a_quick_plan_stops_below_a_quarter_of_the_largest_size() -> None:
    quick = {key_of(plan): plan.values[-1] for plan in sweeps(quick=True)}
    wanted = {key: last // 8 if key[2] != "d" or key[0] == "acog-ii" else last // 16
              for key, (_, last, *_) in PLANNED.items()}  # fmt: skip
    assert quick == wanted


def test_a_pass_of_a_quick_plan_is_ten_times_as_short() -> None:
    assert {plan.seconds for plan in sweeps()} == {0.01}
    assert {plan.seconds for plan in sweeps(quick=True)} == {0.001}


# --- the clock --------------------------------------------------------------------------------------


class Fake:
    """A model whose passes take given times."""

    times: dict[int, list[float]]

    def __init__(self, plan: SweepPlan, value: int) -> None:
        self.left = list(self.times[value])

    def pass_once(self) -> float:
        return self.left.pop(0)


def test_the_best_of_five_passes_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    Fake.times = {4: [5.0, 3.0, 4.0, 9.0, 2.0, 1.0], 8: [6.0, 7.0, 8.0, 9.0, 9.0, 1.0]}
    monkeypatch.setattr(timing, "TimedModel", Fake)
    assert measure(TINY[0]).points == [(4, 2.0), (8, 6.0)]


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on by 6 seconds whenever it is read."""
    ticks = iter(range(0, 10**9, 6))
    monkeypatch.setattr(timing, "clock", lambda: next(ticks))
    monkeypatch.setattr(timing, "ENTRIES", 64)


@pytest.mark.usefixtures("ticking")
def test_a_pass_is_timed_by_the_row() -> None:
    timed = TimedModel(TINY[0], 8)
    timed.rows = beginning(random_rows(12, 8, 2), 12)
    assert timed.pass_once() == 0.5


@pytest.mark.usefixtures("ticking")
@pytest.mark.parametrize(("seconds", "rows"), [(1.0, 1), (9.0, 3), (30.0, 10), (1e9, 32)])
def test_a_pass_has_the_rows_for_its_seconds(seconds: float, rows: int) -> None:
    """Two rows take 6 seconds here, so one takes 3; there are 64 / 2 rows."""
    plan = SweepPlan("acog-ii", {}, "d", (4, 8), {"s": 2}, "", "", 2, seconds)
    assert len(TimedModel(plan, 8).rows.label) == rows


@pytest.mark.usefixtures("ticking")
@pytest.mark.parametrize(("seconds", "rows"), [(0.1, 3), (5.0, 6), (1e9, 33)])
def test_a_pass_of_a_sketch_has_full_rounds(seconds: float, rows: int) -> None:
    """Six rows take 6 seconds here, k = 3; 32 rows are 11 rounds, about."""
    plan = SweepPlan("ssacog-ii", {"k": "m"}, "m", (1, 3), {"d": 8, "s": 2}, "", "", 2, seconds)
    assert len(TimedModel(plan, 3).rows.label) == rows


def test_a_clock_that_stands_still_is_not_divided_by(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "clock", lambda: 1.0)
    monkeypatch.setattr(timing, "ENTRIES", 64)
    assert len(TimedModel(TINY[0], 8).rows.label) == 32


@pytest.mark.usefixtures("ticking")
def test_rates_are_so_small_that_no_score_comes_near_the_margin() -> None:
    timed = TimedModel(SweepPlan("acog-ii", {}, "d", (8,), {"s": 2}, "", "", 2, 1e-4), 8)
    assert np.abs(timed._learn(timed.rows)).max() < 1e-3


def test_the_first_rows_of_a_stream() -> None:
    rows = random_rows(5, 6, 2)
    first = beginning(rows, 3)
    assert first.start.tolist() == [0, 2, 4, 6]
    assert [len(part) for part in (first.scale, first.label, first.cost)] == [3, 3, 3]
    assert len(beginning(rows, 9).label) == 5


def test_rows_have_a_nonzero_in_each_strip_of_the_features() -> None:
    rows = random_rows(400, 12, 3)
    index = rows.index.reshape(400, 3)
    assert (index // 4 == [0, 1, 2]).all()
    assert set(index.ravel()) == set(range(12))
    assert rows.start.tolist() == list(range(0, 1201, 3))
    assert 120 < np.count_nonzero(rows.label > 0) < 280
    assert (rows.cost == 1.0).all()


# --- slopes -----------------------------------------------------------------------------------------


def test_the_excess_is_the_time_over_the_expected_power_at_its_best_1() -> None:
    found = sweep([(2, 8.0), (4, 16.0), (8, 256.0)], 2.0).excess()
    assert found == [2.0, 1.0, 4.0]


def test_the_excess_where_nothing_is_expected_is_that_over_the_least_time() -> None:
    assert sweep([(2, 8.0), (4, 16.0)], None).excess() == [1.0, 2.0]


def test_the_middle_of_the_sizes_counts_among_the_upper_half() -> None:
    """On a log scale: 1, 10, 100; the slope of the last two."""
    assert timing.fitted_slope([(1, 5.0), (10, 1.0), (100, 1000.0)]) == pytest.approx(3.0)
    assert math.isnan(timing.fitted_slope([(8, 1.0)] * 3))
