"""Complexity: what is drawn of the times, and what is kept of them."""

import json
import math

import pytest

from costream.lab import timing
from costream.lab.experiment import Experiment
from costream.lab.kinds import complexity
from costream.lab.kinds.complexity import ComplexityKind, measured, panels
from costream.lab.loader import Loader
from costream.lab.plan import Plan
from costream.lab.store import RESULTS, Store
from helpers.sweeps import TINY, powers, sweep


@pytest.fixture(autouse=True)
def few_entries(monkeypatch):
    monkeypatch.setattr(timing, "ENTRIES", 64)


def plan_of(experiment, folder):
    return Plan(experiment, Loader(download=False), Store(folder))


def run(experiment, folder, done=lambda _: None):
    return ComplexityKind().run(plan_of(experiment, folder), jobs=1, done=done)


def test_guides_have_the_slopes_that_are_expected():
    (panel,) = panels([sweep(powers(3), 3.0, "m", "ssacog-ii", k=1), sweep(powers(0), 0.0, "m", k=1)])
    (guide,) = [line for line in panel.lines if line.name.startswith("slope")]
    assert guide.name == "slope 3"
    assert math.log(guide.y[1] / guide.y[0], guide.x[1] / guide.x[0]) == pytest.approx(3.0)


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


def test_sizes_that_are_no_longer_asked_for_are_forgotten(few_sweeps, tmp_path, monkeypatch):
    run(few_sweeps, tmp_path)
    monkeypatch.setattr(complexity, "sweeps", lambda _: TINY[1:2])
    assert run(few_sweeps, tmp_path) == 0
    lines = (tmp_path / f"speed{RESULTS}").read_text().splitlines()
    assert [json.loads(line)["s"] for line in lines] == [1, 2, 4]


def test_results_hold_no_times(few_sweeps, tmp_path):
    for folder in ("one", "two"):
        run(few_sweeps, tmp_path / folder)
    one, two = ((tmp_path / folder / f"speed{RESULTS}").read_bytes() for folder in ("one", "two"))
    assert one == two


def test_a_time_that_is_lost_is_measured_again(few_sweeps, tmp_path):
    run(few_sweeps, tmp_path)
    (tmp_path / "speed.times.jsonl").unlink()
    assert run(few_sweeps, tmp_path) == 5
    assert all(one.points for one in measured(plan_of(few_sweeps, tmp_path)))
