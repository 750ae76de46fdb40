"""Plans: which settings are tried, which run in all orders, and what other experiments take over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from costream.lab.experiment import Candidate, Metric
from costream.lab.lab import Lab
from costream.lab.loader import Loader
from costream.lab.paper.printed import Printed, printed_rows
from costream.lab.plan import Cell, Plan, Summary, TrialOptions
from costream.lab.store import Store
from helpers.experiments import MINE, lab_of, mine, nobody, plan_of
from helpers.pages import INFO


def cell_of(plan: Plan, name: str = "COG", metric: str = "sum") -> Cell:
    cells = plan.cells()
    return next(one for one in cells if (one.candidate.name, one.metric.name) == (name, metric))


def test_a_grid_runs_on_the_orders_for_tuning_and_the_chosen_settings_on_all(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    tuning, shown = (
        [(one.run, one.learner, one.params.get("eta"), one.metric and one.metric.name) for one in stage]
        for stage in plan.stages()
    )
    grid = [("cog-ii", eta, name) for name in ("sum", "cost") for eta in (0.1, 1.0, 10.0)]
    assert tuning == [(run, *one) for run in range(2) for one in [("perceptron", None, None), *grid]]
    best = [("cog-ii", plan.best(cell_of(plan, metric=name))["eta"], name) for name in ("sum", "cost")]
    assert shown == [(run, *one) for run in range(3) for one in [("perceptron", None, None), *best]]


# --- axes -------------------------------------------------------------------------------------------


def with_axis(tmp_path: Path, **axis: Any) -> Plan:
    return Plan(replace(mine(tmp_path), axis=axis), Loader(download=False), Store(tmp_path))


def test_an_axis_of_weights_is_one_of_metrics(tmp_path: Path) -> None:
    found = with_axis(tmp_path, alpha_p=[0.2, 0.7]).metrics()
    assert [(one.name, one.alpha_p) for one in found] == [
        ("sum", 0.2),
        ("sum", 0.7),
        ("cost", 0.2),
        ("cost", 0.7),
    ]


def test_an_axis_of_a_hyper_parameter_is_one_of_settings(tmp_path: Path) -> None:
    plan = with_axis(tmp_path, eta=[5.0, 6.0])
    assert plan.grid(cell_of(plan)) == [{"eta": 5.0}, {"eta": 6.0}] * 3
    assert plan.tried(cell_of(plan)) == 6
    assert [one.name for one in plan.metrics()] == ["sum", "cost"]


# --- near printed numbers ---------------------------------------------------------------------------

NEAR = MINE.replace("[0.1, 1, 10]", "[1, 2, 3, 4]") + "also.rows.eta = [5.0, 6.0, 7.0, 8.0]\n"
PRINTED = Printed("sum", 0.6, 0.01, {}, 1.0, digit=1e-5)


@pytest.fixture
def near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """A plan where eta decides on how far a setting is from what is printed: even etas are farther."""
    plan = lab_of(tmp_path / "out", mine(tmp_path, NEAR)).plans["mine"]
    plan.asked = []

    def summary(_: Cell, setting: dict[str, float], runs: int) -> Summary:
        eta = setting["eta"]
        plan.asked.append(runs)
        return Summary(20, {"sum": 0.6 + 0.001 * eta * (10 if eta % 2 == 0 else 1)}, {"sum": 0.01})

    monkeypatch.setattr(plan, "summary", summary)
    monkeypatch.setattr(plan, "printed", lambda _: PRINTED)
    return plan


def test_the_two_nearest_stated_settings_and_the_two_nearest_others_run_in_all_orders(
    near: Plan,
) -> None:
    assert near.near(cell_of(near)) == [{"eta": eta} for eta in (1, 3, 5.0, 7.0)]
    assert set(near.asked) == {2}


def test_the_nearest_is_chosen_by_all_orders(near: Plan) -> None:
    near.near(cell_of(near))
    near.asked.clear()
    assert near.nearest(cell_of(near)) == {"eta": 1}
    assert set(near.asked) == {3}


@pytest.mark.parametrize(
    ("table", "label", "beside", "printed"),
    [
        ("table2", "ROMMA", "", "ROMMA"),
        ("table2", "mine", "PAUM", "PAUM"),
        ("table2", "mine", "", None),
        ("", "ROMMA", "", None),
    ],
)
def test_the_printed_row_is_the_one_of_its_name_or_the_one_it_stands_beside(
    tmp_path: Path, table: str, label: str, beside: str, printed: str | None
) -> None:
    plan = Plan(replace(mine(tmp_path), printed=table), Loader(), Store(tmp_path))
    cell = Cell(INFO, Metric(), Candidate("perceptron", label, beside=beside))
    expected = None if printed is None else printed_rows("table2")["german", "sum", printed]
    assert plan.printed(cell) == expected


# --- settings of another experiment -----------------------------------------------------------------

TUNED = """
title = "Other"
tuned_in = "mine"
datasets = ["rows"]
files.rows = {path = "rows.libsvm"}
metrics = ["sum"]
runs = 3

[[learners]]
learner = "acog-ii"
label = "Mine"
like = "COG"

[[learners]]
learner = "cog-ii"
label = "Nobody"
"""


def both(tmp_path: Path, text: str = TUNED) -> tuple[Plan, Plan]:
    first = mine(tmp_path)
    second = replace(mine(tmp_path, text), name="other")
    lab = Lab([first, second], Loader(download=False), Store(tmp_path / "out"))
    lab.run(nobody)
    return lab.plans["mine"], lab.plans["other"]


def test_a_table_takes_the_nearest_setting_beside_the_best(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = both(tmp_path)
    monkeypatch.setattr(first, "nearest", lambda _: {"eta": 123.0})
    assert second.options.tunes
    assert second.grid(cell_of(second, "Mine")) == [first.best(cell_of(first)), {"eta": 123.0}]
    second.options = TrialOptions(curve=True)
    assert second.grid(cell_of(second, "Mine")) == [first.best(cell_of(first))]


# --- results ----------------------------------------------------------------------------------------


def test_a_summary_is_of_the_runs_that_are_asked_for(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    cell, setting = cell_of(plan), {"eta": 1}
    sums = [one.tally(cell.metric).weighted_sum(0.5) for one in plan.results(cell, plan.best(cell))]
    assert len(sums) == 3
    assert plan.summary(cell, plan.best(cell)).mean["sum"] == pytest.approx(sum(sums) / 3)
    assert plan.summary(cell, plan.best(cell), 2).mean["sum"] == pytest.approx(sum(sums[:2]) / 2)
    assert len(plan.results(cell, setting, 2)) == 2


# --- effort -----------------------------------------------------------------------------------------
