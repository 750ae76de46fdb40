"""Curves and sweeps: what is drawn, against the counts of each run."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from costream.costs.objectives.cost import Cost
from costream.costs.objectives.weighted_accuracy import WeightedAccuracy
from costream.costs.policies import POLICIES
from costream.lab.kinds.curves import CurvesKind
from costream.lab.kinds.sweep import SweepKind
from costream.lab.plan import Plan
from costream.learners import make_learner
from costream.model.classifier import OnlineClassifier
from costream.report.panel import Panel
from helpers.experiments import plan_of

TEXT = """
title = "Mine"
datasets = ["rows"]
files.rows = {path = "rows.libsvm"}
metrics = ["%s"]
runs = 3
kind = "%s"
%s

[[learners]]
learner = "cog-ii"
label = "COG"
params = {eta = 0.5}
"""


def made(tmp_path: Path, metric: str, kind: str, more: str = "") -> tuple[Plan, Panel]:
    plan = plan_of(tmp_path, TEXT % (metric, kind, more))
    drawn = {"curves": CurvesKind, "sweep": SweepKind}[kind]()
    return plan, drawn.panel(plan, list(plan.cells()))


def mistakes(
    plan: Plan, objective: WeightedAccuracy | Cost, eta: float = 0.5
) -> list[tuple[np.ndarray, ...]]:
    """Whether each row of each run is positive, missed, a false alarm."""
    found = []
    for run in range(3):
        data = plan.loader.in_order(plan.experiment, "rows", run)
        model = OnlineClassifier(make_learner("cog-ii", eta=eta), objective)
        scores = model.prequential(data.rows, np.where(data.positive, 1, -1))
        found.append((data.positive, data.positive & (scores < 0), ~data.positive & (scores >= 0)))
    return found


def known(plan: Plan) -> WeightedAccuracy:
    positives = plan.loader.data(plan.experiment, "rows").positives
    return WeightedAccuracy.known(positives, 40 - positives)


def mean_and_error(values: np.ndarray) -> tuple[list[float], list[float]]:
    return values.mean(axis=0), values.std(axis=0, ddof=1) / math.sqrt(3)


def test_a_curve_of_costs_is_a_part_of_what_flagging_nothing_costs(tmp_path: Path) -> None:
    plan, panel = made(tmp_path, "cost", "curves")
    values = []
    for positive, missed, alarms in mistakes(plan, Cost()):
        with np.errstate(invalid="ignore", divide="ignore"):
            total_cost = 0.9 * missed.cumsum() + 0.1 * alarms.cumsum()
            values.append(
                np.where(positive.cumsum() > 0, total_cost / (0.9 * positive.cumsum()), np.nan)
            )
    mean, error = mean_and_error(np.array(values))
    (line,) = panel.lines
    np.testing.assert_allclose(line.y, mean)
    np.testing.assert_allclose(line.error, error, atol=1e-12)
    positives = plan.loader.data(plan.experiment, "rows").positives
    assert panel.levels == {"flag all": pytest.approx(0.1 * (40 - positives) / (0.9 * positives))}
    assert panel.better == "less"


@pytest.mark.parametrize(("metric", "unit"), [("sum", 100.0), ("cost", 1.0)])
def test_a_sweep_over_a_hyper_parameter(tmp_path: Path, metric: str, unit: float) -> None:
    plan, panel = made(tmp_path, metric, "sweep", "axis.eta = [0.1, 10.0]")
    objective = known(plan) if metric == "sum" else Cost()
    values = []
    for eta in (0.1, 10.0):
        runs = []
        for positive, missed, alarms in mistakes(plan, objective, eta):
            if metric == "sum":
                rates = missed.sum() / positive.sum(), alarms.sum() / (~positive).sum()
                runs.append(1.0 - 0.5 * sum(rates))
            else:
                runs.append(0.9 * missed.sum() + 0.1 * alarms.sum())
        values.append(runs)
    mean, error = mean_and_error(unit * np.array(values).T)
    (line,) = panel.lines
    assert list(line.x) == [0.1, 10.0]
    np.testing.assert_allclose(line.y, mean)
    np.testing.assert_allclose(line.error, error)
    assert panel.log_x
    assert panel.y_label == ("sum, %" if metric == "sum" else "cost")
    assert panel.x_label == "learning rate η"
    assert panel.better == ("more" if metric == "sum" else "less")


def test_a_sweep_over_costs_has_the_policies_beside_the_learner(tmp_path: Path) -> None:
    plan, panel = made(tmp_path, "cost", "sweep", "axis.fn_cost = [0.5, 0.8]")
    lines = {line.name: line for line in panel.lines}
    assert list(lines) == ["COG", *POLICIES]
    positives = plan.loader.data(plan.experiment, "rows").positives
    flag_all, flag_none = (lines[name].y for name in POLICIES)
    assert flag_all == pytest.approx([0.5 * (40 - positives), 0.2 * (40 - positives)])
    assert flag_none == pytest.approx([0.5 * positives, 0.8 * positives])
    totals = [
        np.mean([fn * missed.sum() + fp * alarms.sum() for _, missed, alarms in found])
        for fn, fp in ((0.5, 0.5), (0.8, 0.2))
        for found in [mistakes(plan, Cost(fn, fp))]
    ]
    assert lines["COG"].y == pytest.approx(totals)
    assert not panel.log_x
