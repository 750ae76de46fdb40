"""The sweeps of the complexity experiment: their sizes and exponents, and the clock around a pass."""

from __future__ import annotations

import pytest

from costream.lab import timing
from costream.lab.timing import Sweep, TimedModel, beginning, measure, random_rows
from helpers.sweeps import TINY

# --- the clock --------------------------------------------------------------------------------------


class Fake:
    """A model whose passes take given times."""

    times: dict[int, list[float]]

    def __init__(self, plan: Sweep, value: int) -> None:
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


def test_a_clock_that_stands_still_is_not_divided_by(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "clock", lambda: 1.0)
    monkeypatch.setattr(timing, "ENTRIES", 64)
    assert len(TimedModel(TINY[0], 8).rows.label) == 32


# --- slopes -----------------------------------------------------------------------------------------
