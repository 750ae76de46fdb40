"""Regret beside the bounds of the theorems, as the page shows it."""

from __future__ import annotations

from costream.evaluate.bounds import Regret
from costream.lab.experiment import Candidate, Experiment, Metric
from costream.lab.kinds.regret import figure_of
from costream.lab.pages.findings import Findings
from costream.lab.pages.report import render
from costream.lab.regret import Problem
from costream.report.numbers import MINUS
from helpers.pages import INFO, lines


def regret(eta: float, **numbers: float) -> Regret:
    names = ("gamma", "rho", "online_loss", "best_loss", "diameter", "trace", "logdet", "printed")
    numbers = {**dict.fromkeys(names, 1.0), "gap": 1e-9, "metric": 0.6, "metric_bound": 0.5, **numbers}
    return Regret(rows=1000, learner="acog-i", objective="sum", eta=eta, **numbers)


def theorems(*points: Regret) -> str:
    made = Experiment("theorems", "Theorems", "regret")
    problem = Problem(INFO, Metric(), Candidate("acog-i", "ACOG-I"))
    figure = figure_of(made, "<svg></svg>", [(problem, list(points))])
    return render(Findings(figures=[figure]), "costream", "1")


def test_bounds_are_shown_where_they_are_tightest() -> None:
    text = theorems(regret(1.0, regret=10.0, bound=100.0), regret(10.0, regret=50.0, bound=200.0))
    cells = lines(text, "Theorems")["german"]
    assert cells == [
        "ACOG-I",
        "sum",
        "10",
        "50",
        "200",
        "4",
        *["1", "60.000", "50.000"],
        "0 of 2",
        f"1e{MINUS}9",
    ]


def test_bounds_that_are_broken_are_counted() -> None:
    text = theorems(regret(1.0, regret=10.0, bound=100.0), regret(10.0, regret=50.0, bound=20.0))
    assert "1 of 2 runs broke a bound of the theorems." in text
    assert lines(text, "Theorems")["german"][-2] == "1 of 2"


def test_a_bound_that_says_nothing_is_in_brackets() -> None:
    text = theorems(regret(1.0, regret=10.0, bound=100.0, metric_bound=-3.5))
    assert lines(text, "Theorems")["german"][-3] == f"({MINUS}350)"
