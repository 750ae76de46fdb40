"""Calibration as an experiment: its trials, and what is shown of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from costream import Cost, OnlineClassifier
from costream.errors import CostreamError
from costream.evaluation.calibration import (
    Reliability,
    expected_calibration_error,
    prequential_proba,
)
from costream.evaluation.runs import order_of
from costream.lab.experiment import Candidate, Experiment, Metric
from costream.lab.kinds.calibration import (
    Calibrated,
    Calibrations,
    _markdown,
    make_calibrations,
    reliability_line,
)
from costream.lab.lab import Lab
from costream.lab.loader import Loader
from costream.lab.pages.report import write_report
from costream.lab.plan import Summary
from costream.lab.reading import parse_experiment
from costream.lab.store import RESULTS, Store
from helpers.commands import write_libsvm
from helpers.pages import INFO, Reader, lines

MINE = """
title = "Mine"
kind = "calibration"
datasets = ["rows"]
files.rows = {path = "rows.libsvm"}
metrics = ["sum", "cost"]
runs = 2
learners = ["auto"]
"""


def mine(folder: Path, text: str = MINE) -> Experiment:
    if not (folder / "rows.libsvm").exists():
        write_libsvm(folder / "rows.libsvm", rows=50, width=4)
    return parse_experiment(text, "mine", folder, "mine.toml")


def lab_of(output: Path, *experiments: Experiment, jobs: int = 1) -> Lab:
    return Lab(experiments, Loader(output, download=False), Store(output), jobs)


def ran(output: Path, *experiments: Experiment, jobs: int = 1) -> tuple[Lab, int]:
    lab = lab_of(output, *experiments, jobs=jobs)
    return lab, lab.run(lambda *_: None)


def results(output: Path) -> bytes:
    return (output / ("mine" + RESULTS)).read_bytes()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def done(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    return ran(tmp_path_factory.mktemp("out"), mine(home))[0]


@pytest.fixture(scope="module")
def report(done: Lab, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The page, and the tables as Markdown."""
    folder = tmp_path_factory.mktemp("page")
    page = write_report(done, folder, "costream lab run", folder / "tables.md")
    return page.read_text(encoding="utf-8"), (folder / "tables.md").read_text(encoding="utf-8")


def test_a_trial_has_the_error_of_a_prequential_pass(done: Lab) -> None:
    made = make_calibrations(done.plans["mine"])
    one = next(row for row in made.rows if row.metric.name == "cost")
    data = done.loader.data(made.experiment, "rows")
    data = data.take(order_of(len(data), 0, 1))
    _, proba = prequential_proba(OnlineClassifier("auto", Cost()), data)
    found = expected_calibration_error(data.positive, proba)
    assert one.reliabilities[1].error == pytest.approx(found, abs=1e-6)


def test_errors_are_means_over_runs(done: Lab) -> None:
    one = make_calibrations(done.plans["mine"]).rows[0]
    errors = [run.error for run in one.reliabilities]
    assert one.summary.mean["error"] == pytest.approx(np.mean(errors))
    assert one.summary.std["error"] == pytest.approx(np.std(errors, ddof=1))


def test_the_second_run_computes_nothing(home: Path, tmp_path: Path) -> None:
    assert ran(tmp_path, mine(home))[1] == 4
    before = results(tmp_path)
    assert ran(tmp_path, mine(home))[1] == 0
    assert results(tmp_path) == before


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
def test_a_bad_file_says_what_is_wrong(home: Path, change: tuple[str, str], complaint: str) -> None:
    assert change[0] in MINE
    with pytest.raises(CostreamError, match=complaint):
        mine(home, MINE.replace(*change))


# --- what is shown ----------------------------------------------------------------------------------


def test_the_page_has_the_errors(report: tuple[str, str], done: Lab) -> None:
    summary = make_calibrations(done.plans["mine"]).rows[1].summary
    mean, std = summary.mean, summary.std
    cells = lines(report[0], "Mine")["rows"]  # the last line of that data set
    assert cells[3] == f"{100 * mean['error']:.2f} ± {100 * std['error']:.2f}"
    assert cells[4] == f"{100 * mean['chance']:.2f}"
    assert cells[5] == f"{mean['brier']:.4f} ± {std['brier']:.4f}"
    assert cells[6] == f"{mean['base_brier']:.4f}"


def test_tags_of_the_page_are_closed(report: tuple[str, str]) -> None:
    reader = Reader(report[0].replace("<meta", "<meta-"))
    assert (reader.open, reader.wrong) == ([], [])


def test_missing_data_are_named(home: Path, tmp_path: Path) -> None:
    text = MINE.replace('["rows"]', '["rows", "kddcup08"]').replace('["sum", "cost"]', '["sum"]')
    lab, _ = ran(tmp_path, mine(home, text))
    page = write_report(lab, tmp_path, "costream", tmp_path / "tables.md")
    assert "MISSING: KDDCUP08." in page.read_text(encoding="utf-8")
    assert "**MISSING: KDDCUP08.**" in (tmp_path / "tables.md").read_text(encoding="utf-8")


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


def summarised(runs: int, **mean: float) -> Summary:
    keys = ("error", "chance", "brier", "base_brier")
    return Summary(runs, dict.fromkeys(keys, 0.25) | mean, dict.fromkeys(keys, 0.0125))


def calibrated(*summaries: Summary) -> Calibrations:
    rows = [Calibrated(INFO, Metric("cost"), Candidate("auto"), summary, []) for summary in summaries]
    return Calibrations(Experiment("mine", "Mine", "calibration"), rows, [])


def test_a_line_of_the_table_by_hand() -> None:
    one = summarised(2, error=0.04, chance=0.02, brier=0.12345)
    (_, table, _) = _markdown(calibrated(one))
    assert table.splitlines()[-1].strip("| ").split(" | ") == [
        *("german", "cost", "auto", "30.0"),
        *("4.00 ± 1.25", "2.00", "0.1235 ± 0.0125", "0.2500"),
    ]
