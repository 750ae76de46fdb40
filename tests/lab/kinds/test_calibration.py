"""Calibration as an experiment: its trials, and the lines that are drawn of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from costream import Cost, OnlineClassifier
from costream.errors import CostreamError
from costream.evaluation.calibration import Reliability, expected_calibration_error, prequential_proba
from costream.evaluation.runs import order_of
from costream.lab.kinds.calibration import make_calibrations, reliability_line
from costream.lab.lab import Lab
from helpers.experiments import lab_of, mine, nobody

MINE = """
title = "Mine"
kind = "calibration"
datasets = ["rows"]
files.rows = {path = "rows.libsvm"}
metrics = ["sum", "cost"]
runs = 2
learners = ["auto"]
"""


@pytest.fixture
def done(tmp_path: Path) -> Lab:
    lab = lab_of(tmp_path / "out", mine(tmp_path, MINE))
    lab.run(nobody)
    return lab


def test_a_trial_has_the_error_of_a_prequential_pass(done: Lab) -> None:
    made = make_calibrations(done.plans["mine"])
    one = next(row for row in made.rows if row.metric.name == "cost")
    data = done.loader.data(made.experiment, "rows")
    data = data.take(order_of(len(data), 0, 1))
    _, proba = prequential_proba(OnlineClassifier("auto", Cost()), data)
    found = expected_calibration_error(data.positive, proba)
    assert one.reliabilities[1].error == pytest.approx(found, abs=1e-6)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (('["auto"]', '["carow"]'), "carow has no probabilities"),
        (('["auto"]', "[]"), "learners are missing"),
        (('["auto"]', '[{learner = "auto", grid.half_life = [9, 99]}]'), "does not tune settings"),
        (("runs = 2", "folds = 2"), "calibration has no folds"),
        (("runs = 2", "axis.gamma = [1.0]"), "calibration has no axis"),
    ],
)
def test_a_bad_file_says_what_is_wrong(tmp_path: Path, change: tuple[str, str], complaint: str) -> None:
    assert change[0] in MINE
    with pytest.raises(CostreamError, match=complaint):
        mine(tmp_path, MINE.replace(*change))


# --- what is shown ----------------------------------------------------------------------------------


def test_a_diagram_shows_the_bins_of_all_runs_together() -> None:
    one = Reliability([10, 0], [1, 0], [2.0, 0.0], [0.0, 0.0], 0.0)
    two = Reliability([30, 40], [3, 20], [2.0, 30.0], [0.0, 0.0], 0.0)
    line = reliability_line("a", [one, two])
    assert (line.x, line.y) == ([0.1, 0.75], [0.1, 0.5])


def test_a_diagram_leaves_out_bins_with_few_rows() -> None:
    run = Reliability([1, 999], [1, 500], [0.1, 600.0], [0.0, 0.0], 0.0)
    assert reliability_line("a", [run, run]).x == pytest.approx([600 / 999])


def bins(rows: list[int], positives: list[int], expected: list[float]) -> Reliability:
    return Reliability(rows, positives, expected, [0.0] * len(rows), 0.0)


def test_the_error_of_a_bin_is_that_of_the_mean_over_the_runs_that_have_rows_in_it() -> None:
    runs = [bins([10, 10], [1, 0], [2.0, 9.0]), bins([10, 0], [3, 0], [2.0, 0.0])]
    assert reliability_line("a", runs).error == pytest.approx([0.1, 0.0])
