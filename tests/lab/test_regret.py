"""The regret of a learner on a stream: what is measured, and which results are the same."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from costream.costs.objectives.cost import Cost
from costream.costs.objectives.weighted_accuracy import WeightedAccuracy
from costream.evaluation.bounds import measure
from costream.lab.experiment import Candidate, Metric
from costream.lab.kinds.regret import problems
from costream.lab.regret import Problem, solve
from costream.learners import make_learner
from helpers.experiments import lab_of, mine

TEXT = """
title = "Theorems"
datasets = ["rows"]
files.rows = {path = "rows.libsvm"}
metrics = [{name = "sum", alpha_p = 0.4}, "cost"]
kind = "regret"
axis.eta = [0.5, 20.0]

[[learners]]
learner = "acog-ii"
label = "ACOG-II"
params = {gamma = 3.0}
"""


def test_a_problem_is_measured_at_each_rate_with_the_objective_of_its_metric(tmp_path: Path) -> None:
    experiment = mine(tmp_path, TEXT)
    lab = lab_of(tmp_path / "out", experiment)
    data = lab.loader.in_order(experiment, "rows", 0)
    known = WeightedAccuracy.known(data.positives, 40 - data.positives, 0.4)
    for problem in problems(lab.plans["mine"]):
        objective = {"sum": known, "cost": Cost()}[problem.metric.name]
        for eta, found in zip((0.5, 20.0), solve(data, problem, [0.5, 20.0]), strict=True):
            learner = make_learner("acog-ii", eta=eta, gamma=3.0)
            expected = asdict(measure(data, learner, objective, problem.metric.costs))
            words = ("learner", "objective")
            assert [found.pop(key) for key in words] == [expected.pop(key) for key in words]
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_whatever_decides_a_result_is_in_its_key(tmp_path: Path) -> None:
    experiment = mine(tmp_path, TEXT)
    info = lab_of(tmp_path / "out", experiment).loader.info(experiment, "rows")
    problem = Problem(info, Metric(), Candidate("acog-i"))
    others = [
        replace(problem, dataset=replace(info, content="other")),
        replace(problem, dataset=replace(info, order="seed 1")),
        replace(problem, metric=Metric("cost")),
        replace(problem, candidate=Candidate("acog-ii")),
    ]
    keys = [problem.key(1.0), problem.key(2.0), *(one.key(1.0) for one in others)]
    assert len(set(keys)) == 6
    assert replace(problem, candidate=Candidate("acog-i", "other name")).key(1.0) == keys[0]
