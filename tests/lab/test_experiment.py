"""Experiments: metrics, axes, and quick versions."""

from __future__ import annotations

from costream.lab.experiment import Metric, values
from costream.lab.reading import find_experiments


def test_powers_of_ten_are_the_numbers_people_write() -> None:
    assert values("1e-5..1e5") == [1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1e3, 1e4, 1e5]


def test_quick_is_less_of_everything() -> None:
    (table,) = find_experiments(["table2"])
    quick = table.quick()
    assert quick.runs_on("covtype") == 2
    assert quick.rows == 1000
    assert all(len(one.settings()) <= 8 for one in quick.candidates)


def test_a_metric_knows_its_objective() -> None:
    assert Metric("cost", fn_cost=5, fp_cost=1).objective(1, 1).rho(0, 0) == 5
