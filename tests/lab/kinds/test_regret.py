"""Regret beside the bounds of the theorems, as the page shows it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from costream.evaluation.bounds import Regret
from costream.lab.experiment import Candidate, Experiment, Metric
from costream.lab.kinds.regret import _cells, _panels, figure_of
from costream.lab.pages.findings import Findings
from costream.lab.pages.report import render
from costream.lab.regret import Problem
from helpers.pages import INFO


def regret(eta: float, **numbers: float) -> Regret:
    names = ("gamma", "rho", "online_loss", "best_loss", "diameter", "trace", "logdet", "printed")
    numbers = {**dict.fromkeys(names, 1.0), "gap": 1e-9, "metric": 0.6, "metric_bound": 0.5, **numbers}
    return Regret(rows=1000, learner="acog-i", objective="sum", eta=eta, **numbers)


def theorems(*points: Regret) -> str:
    made = Experiment("theorems", "Theorems", "regret")
    problem = Problem(INFO, Metric(), Candidate("acog-i", "ACOG-I"))
    figure = figure_of(made, "<svg></svg>", [(problem, list(points))])
    return render(Findings(figures=[figure]), "costream", "1")


def problem(metric: str = "sum", **info: object) -> Problem:
    return Problem(replace(INFO, **info), Metric(metric), Candidate("acog-i", "ACOG-I"))


def text_of(*found: tuple[Problem, list[Regret]]) -> str:
    return " ".join(figure_of(Experiment("t", "T", "regret"), "<svg></svg>", found).sentences)


def test_the_tightest_bounds_are_of_all_problems() -> None:
    text = text_of(
        (problem(), [regret(1.0, regret=10.0, bound=100.0), regret(2.0, regret=1.0, bound=500.0)]),
        (problem(), [regret(1.0, regret=10.0, bound=40.0)]),
        (problem(), [regret(1.0, regret=0.0, bound=40.0)]),
    )
    assert "of those tried, the bound of Theorem 1 is 4 to 10 times the regret." in text


def test_a_bound_on_the_cost_says_nothing_above_the_cost_of_flagging_every_row() -> None:
    """700 negatives at 0.1 each; the bound that counts is the one where that of the regret is least."""
    bounds = ([(1.0, 70.1), (9.0, 10.0)], [(1.0, 70.0)], [(9.0, 99.0), (2.0, 3.0)])
    text = text_of(
        *(
            (problem("cost"), [regret(1.0, regret=1.0, bound=b, metric_bound=m) for b, m in some])
            for some in bounds
        )
    )
    assert "(Theorem 3) is above the cost of flagging every row in 1 of 3 comparisons." in text
    assert "Theorem 2" not in text


def test_a_panel_shows_how_tight_the_bounds_are_at_each_rate() -> None:
    points = [regret(1.0, regret=10.0, bound=40.0), regret(2.0, regret=-1.0, bound=40.0)]
    one, two = _panels([(problem(), points), (problem(title="other"), points[:1])])
    (line,) = one.lines
    assert (line.name, line.x, line.y[0]) == ("ACOG-I, sum", [1.0, 2.0], 4.0)
    assert math.isnan(line.y[1])
    assert (one.title, two.title) == ("german", "other")
    assert (one.log_x, one.log_y, one.better) == (True, True, "less")


@pytest.mark.parametrize(("bound", "cell"), [(339.9, "339.9"), (340.0, "(340)")])
def test_a_bound_on_the_cost_that_no_run_could_break_is_in_brackets(bound: float, cell: str) -> None:
    """All mistakes cost 300 * 0.9 + 700 * 0.1."""
    points = [regret(1.0, regret=1.0, bound=1.0, metric_bound=bound, metric=12.0)]
    assert _cells(problem("cost"), points)[8:10] == ["12.0", cell]
