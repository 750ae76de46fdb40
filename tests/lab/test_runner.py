"""Running trials: nothing twice, the same bytes however they are run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from costream.lab.store import RESULTS
from helpers.experiments import mine, results, run, write_rows


def test_the_second_run_computes_nothing_and_changes_no_byte(tmp_path: Path) -> None:
    experiment = mine(tmp_path)
    assert run(tmp_path / "out", experiment) > 0
    before = results(tmp_path / "out")
    assert run(tmp_path / "out", experiment) == 0
    assert results(tmp_path / "out") == before


def test_the_bytes_do_not_depend_on_the_number_of_jobs(tmp_path: Path) -> None:
    experiment = mine(tmp_path)
    run(tmp_path / "one", experiment, jobs=1)
    run(tmp_path / "many", experiment, jobs=4)
    assert results(tmp_path / "one") == results(tmp_path / "many")


@pytest.mark.parametrize("part", [0.0, 0.31, 0.77, 0.999])
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, part: float) -> None:
    experiment = mine(tmp_path)
    total = run(tmp_path / "out", experiment)
    whole = results(tmp_path / "out")
    kept = whole[: int(part * len(whole))]
    (tmp_path / "out" / ("mine" + RESULTS)).write_bytes(kept)
    assert run(tmp_path / "out", experiment) == total - kept.count(b"\n")
    assert results(tmp_path / "out") == whole


def test_results_of_another_experiment_are_used(tmp_path: Path) -> None:
    run(tmp_path / "out", mine(tmp_path))
    assert run(tmp_path / "out", replace(mine(tmp_path), name="again")) == 0
    again = (tmp_path / "out" / ("again" + RESULTS)).read_bytes()
    assert again == results(tmp_path / "out")


def test_other_rows_are_other_trials(tmp_path: Path) -> None:
    experiment = mine(tmp_path)
    first = run(tmp_path / "out", experiment)
    write_rows(tmp_path, seed=1)
    assert run(tmp_path / "out", experiment) == first


def test_a_learner_that_knows_no_costs_is_run_once_for_all_metrics(tmp_path: Path) -> None:
    run(tmp_path / "out", mine(tmp_path))
    lines = [json.loads(line) for line in results(tmp_path / "out").splitlines()]
    assert sum(line["learner"] == "perceptron" for line in lines) == 3
