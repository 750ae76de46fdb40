"""Plans: which settings are tried, which run in all orders, and what other experiments take over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from costream.lab.experiment import Candidate, Metric
from costream.lab.loader import Loader
from costream.lab.paper.printed import Printed, printed_rows
from costream.lab.plan import Cell, Plan, Summary
from costream.lab.store import Store
from helpers.experiments import MINE, lab_of, mine, plan_of
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
