"""Plans: which settings are chosen, and which come nearest to a printed number."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from costream.costs.objectives.weighted_accuracy import WeightedAccuracy
from costream.lab.paper.printed import Printed
from costream.lab.plan import Cell, Plan, Summary
from costream.learners import make_learner
from costream.model.classifier import OnlineClassifier, core_of
from helpers.experiments import MINE, lab_of, mine, plan_of


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_the_best_setting_is_the_best_on_the_runs_for_tuning(tmp_path: Path, metric: str) -> None:
    plan = plan_of(tmp_path)
    cell = next(
        one for one in plan.cells() if one.candidate.name == "COG" and one.metric.name == metric
    )
    means = [plan.summary(cell, {"eta": eta}, 2).mean[metric] for eta in (0.1, 1, 10)]
    wanted = max(means) if metric == "sum" else min(means)
    assert plan.summary(cell, plan.best(cell), 2).mean[metric] == wanted


OFF_GRID = MINE.replace("tuning = 2\n", "") + "also.rows.eta = [7.0]\n"


def cell_of(plan: Plan, name: str = "COG") -> Cell:
    return next(one for one in plan.cells() if one.candidate.name == name and one.metric.name == "sum")


def nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, distance: float, off_grid: float = 0.60002
) -> dict[str, float]:
    """The setting chosen where eta = 7, off the grid, is very close to a printed number, or meets it.

    The nearest setting on the grid, eta = 1, is ``distance`` standard errors away from it.
    """
    lab = lab_of(tmp_path / "out", mine(tmp_path, OFF_GRID))
    plan = lab.plans["mine"]
    error = math.hypot(0.01, 0.01) / math.sqrt(20)
    means = {0.1: 0.1, 1: 0.6 + distance * error, 10: 0.9, 7.0: off_grid}

    def summary(_: Cell, setting: dict[str, float], _runs: int) -> Summary:
        return Summary(20, {"sum": means[setting["eta"]]}, {"sum": 0.01})

    monkeypatch.setattr(plan, "summary", summary)
    monkeypatch.setattr(plan, "printed", lambda _: Printed("sum", 0.6, 0.01, {}, 1.0, digit=1e-5))
    return plan.nearest(cell_of(plan))


def test_a_close_setting_on_the_grid_is_preferred_to_a_closer_one_off_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert nearest(tmp_path, monkeypatch, distance=2.9) == {"eta": 1}


def test_a_setting_that_gives_all_digits_comes_first_wherever_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert nearest(tmp_path, monkeypatch, distance=0.5, off_grid=0.6) == {"eta": 7.0}


def mistakes(plan: Plan, objective: WeightedAccuracy, run: int) -> tuple[int, int]:
    """Missed positives and false alarms of a run, by hand."""
    data = plan.loader.in_order(plan.experiment, "rows", run)
    model = OnlineClassifier(make_learner("cog-ii", eta=1.0), objective)
    scores = core_of(model).learn_rows(data.rows, data.positive)
    return (
        int(np.count_nonzero(data.positive & (scores < 0))),
        int(np.count_nonzero(~data.positive & (scores >= 0))),
    )


ESTIMATED = {
    "by the learner": 'grid.eta = [1.0]\nratio = "estimated"',
    "by the objective": "grid.eta = [1.0]",
}


@pytest.mark.parametrize("where", ESTIMATED)
def test_an_estimated_ratio_is_that_of_the_rows_so_far(tmp_path: Path, where: str) -> None:
    text = MINE.replace("grid.eta = [0.1, 1, 10]", ESTIMATED[where]).replace("runs = 3", "runs = 10")
    if where == "by the objective":
        text = text.replace('["sum", "cost"]', '[{name = "sum", ratio = "estimated"}]')
    plan = plan_of(tmp_path, text)
    cell = cell_of(plan)
    found = [(one.missed, one.false_alarms) for one in plan.results(cell, {"eta": 1.0})]
    known = WeightedAccuracy.known(cell.dataset.positives, cell.dataset.negatives)
    by_hand = {
        word: [mistakes(plan, objective, run) for run in range(10)]
        for word, objective in {"estimated": WeightedAccuracy(), "known": known}.items()
    }
    assert by_hand["estimated"] != by_hand["known"]
    assert found == by_hand["estimated"]
