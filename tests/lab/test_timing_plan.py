"""The sweeps of the complexity experiment: their sizes and exponents, and the clock around a pass."""

from __future__ import annotations

import numpy as np
import pytest

from costream.lab import timing
from costream.lab.timing import SweepPlan, TimedModel, beginning, measure, random_rows
from helpers.sweeps import TINY

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


def test_a_clock_that_stands_still_is_not_divided_by(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "clock", lambda: 1.0)
    monkeypatch.setattr(timing, "ENTRIES", 64)
    assert len(TimedModel(TINY[0], 8).rows.label) == 32


@pytest.mark.usefixtures("ticking")
def test_rates_are_so_small_that_no_score_comes_near_the_margin() -> None:
    timed = TimedModel(SweepPlan("acog-ii", {}, "d", (8,), {"s": 2}, "", "", 2, 1e-4), 8)
    assert np.abs(timed._learn(timed.rows)).max() < 1e-3


def test_rows_have_a_nonzero_in_each_strip_of_the_features() -> None:
    rows = random_rows(400, 12, 3)
    index = rows.index.reshape(400, 3)
    assert (index // 4 == [0, 1, 2]).all()
    assert set(index.ravel()) == set(range(12))
    assert rows.start.tolist() == list(range(0, 1201, 3))
    assert 120 < np.count_nonzero(rows.label > 0) < 280
    assert (rows.cost == 1.0).all()


# --- slopes -----------------------------------------------------------------------------------------
