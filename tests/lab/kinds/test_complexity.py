"""Complexity: what is drawn of the times, and what is kept of them."""

import pytest

from costream.lab import timing
from costream.lab.experiment import Experiment
from costream.lab.kinds import complexity
from costream.lab.kinds.complexity import ComplexityKind, measured
from costream.lab.loader import Loader
from costream.lab.plan import Plan
from costream.lab.store import RESULTS, Store
from helpers.sweeps import TINY


@pytest.fixture(autouse=True)
def few_entries(monkeypatch):
    monkeypatch.setattr(timing, "ENTRIES", 64)


def plan_of(experiment, folder):
    return Plan(experiment, Loader(download=False), Store(folder))


def run(experiment, folder, done=lambda _: None):
    return ComplexityKind().run(plan_of(experiment, folder), jobs=1, done=done)


@pytest.fixture
def few_sweeps(monkeypatch):
    monkeypatch.setattr(complexity, "sweeps", lambda _: TINY[:2])
    return Experiment("speed", "Speed", "complexity")


def test_what_is_measured_is_kept(few_sweeps, tmp_path):
    called = []
    assert run(few_sweeps, tmp_path, called.append) == 5
    assert len(called) == 2
    assert run(few_sweeps, tmp_path) == 0
    found = measured(plan_of(few_sweeps, tmp_path))
    assert [[size for size, _ in one.points] for one in found] == [[4, 8], [1, 2, 4]]


def test_results_hold_no_times(few_sweeps, tmp_path):
    for folder in ("one", "two"):
        run(few_sweeps, tmp_path / folder)
    one, two = ((tmp_path / folder / f"speed{RESULTS}").read_bytes() for folder in ("one", "two"))
    assert one == two
