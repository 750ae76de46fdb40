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


def test_the_page_tells_what_the_bounds_are_worth() -> None:
    points = (
        regret(1.0, regret=10.0, bound=100.0, metric_bound=-1.0),
        regret(2.0, regret=5.0, bound=200.0),
    )
    text = theorems(*points)
    assert "At its tightest the bound of Theorem 1 is 10 to 10 times the regret." in text
    assert "The bound on the sum (Theorem 2) is below zero in 1 of 1 comparisons." in text


def test_the_page_tells_which_eta_the_theorem_asks_for() -> None:
    """diameter^2 trace / printed, here 1 and 4, beside etas of 1 and 8."""
    points = (
        regret(1.0, regret=1.0, bound=1.0),
        regret(8.0, regret=1.0, bound=1.0, diameter=2.0),
        regret(0.5, regret=1.0, bound=1.0, trace=2.0),
    )
    wanted = "is 0.5 to 4 times the one that was used, and larger than it in 1 of 3 runs."
    assert wanted in " ".join(theorems(*points).split())
