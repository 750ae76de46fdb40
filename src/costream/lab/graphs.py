"""The figures of an experiment as panels: one for each data set."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..evaluate.policies import POLICIES
from ..evaluate.tally import Tally
from ..report.panel import Line, Panel
from .experiment import Experiment, Metric, values
from .loader import Loader
from .plan import Cell, Plan
from .regret import regrets
from .store import Store
from .tables import Block

AXES = {
    "eta": "learning rate \N{GREEK SMALL LETTER ETA}",
    "gamma": "regularisation \N{GREEK SMALL LETTER GAMMA}",
    "alpha_p": "weight of sensitivity \N{GREEK SMALL LETTER ALPHA}",
    "fn_cost": "cost of a missed positive",
    "C": "aggressiveness C",
}


def make_panels(plan: Plan) -> list[Panel]:
    """The panels of an experiment whose trials have all been run."""
    experiment = plan.experiment
    draw = _curves if experiment.kind == "curves" else _sweep
    cells = list(plan.cells())
    return [
        draw(plan, [cell for cell in cells if cell.dataset == dataset])
        for dataset in dict.fromkeys(cell.dataset for cell in cells)
    ]


def _curves(plan: Plan, cells: Sequence[Cell]) -> Panel:
    """The metric over the rows so far. A cost is shown as a share of flagging nothing by then."""
    lines = []
    metric = cells[0].metric.name
    for cell in cells:
        runs = plan.results(cell, plan.shown(cell)[0])
        curves = np.array(
            [[_value(tally, cell.metric) for tally in run.tallies(cell.metric)] for run in runs]
        )
        mean, error = _mean(curves)
        lines.append(Line(cell.candidate.name, runs[0].curve[0], mean, error))
    label = "sum so far, %" if metric == "sum" else "cost so far / cost of flagging nothing"
    dataset = cells[0].dataset
    levels = {} if metric == "sum" else {"flag all": _level(cells[0])}
    return Panel(dataset.title, "rows", label, lines, levels=levels, better=_better(metric))


def _value(tally: Tally, metric: Metric) -> float:
    if metric.name == "sum":
        return 100.0 * tally.weighted_sum(metric.alpha_p)
    return tally.cost / tally.miss_all if tally.miss_all else math.nan


def _level(cell: Cell) -> float:
    """What flagging everything costs, where flagging nothing costs 1."""
    block = Block(cell.dataset, cell.metric, [])
    return _value(block.policies()[POLICIES[0]], cell.metric)


def _mean(table: np.ndarray) -> tuple[list[float], list[float]]:
    """The mean of each column and its standard error."""
    mean = table.mean(axis=0)
    spread = table.std(axis=0, ddof=1) if len(table) > 1 else np.zeros(table.shape[1])
    return mean.tolist(), (spread / math.sqrt(len(table))).tolist()


def _sweep(plan: Plan, cells: Sequence[Cell]) -> Panel:
    """The metric against a hyper-parameter or a cost."""
    (axis,) = plan.experiment.axis
    costs = axis in ("alpha_p", "fn_cost")
    metric = cells[0].metric.name
    xs = values(plan.experiment.axis[axis])
    lines = []
    for name in dict.fromkeys(cell.candidate.name for cell in cells):
        mine = [cell for cell in cells if cell.candidate.name == name]
        points = (
            [(cell, plan.settings(cell)[0]) for cell in mine]
            if costs
            else [(mine[0], setting) for setting in plan.settings(mine[0])]
        )
        summaries = [plan.summary(cell, setting) for cell, setting in points]
        scale = 100.0 if metric == "sum" else 1.0
        lines.append(
            Line(
                name,
                xs,
                [scale * one.mean[metric] for one in summaries],
                [scale * one.error(metric) for one in summaries],
            )
        )
    if costs and metric == "cost":
        lines += _constant_lines(cells, xs)
    label = "sum, %" if metric == "sum" else "cost"
    title = cells[0].dataset.title
    return Panel(title, AXES.get(axis, axis), label, lines, log_x=not costs, better=_better(metric))


def _constant_lines(cells: Sequence[Cell], xs: Sequence[float]) -> list[Line]:
    """The constant policies along an axis of costs."""
    dataset = cells[0].dataset
    metrics = list(dict.fromkeys(cell.metric for cell in cells))
    tallies = [Block(dataset, metric, []).policies() for metric in metrics]
    return [Line(name, xs, [one[name].cost for one in tallies]) for name in POLICIES]


def _better(metric: str) -> str:
    return "more" if metric == "sum" else "less"


def regret_panels(experiment: Experiment, loader: Loader, store: Store) -> list[Panel]:
    """How tight the bounds are: the bound over the regret, against the learning rate."""
    found = regrets(experiment, loader, store)
    panels = []
    for dataset in dict.fromkeys(problem.dataset for problem in found):
        lines = []
        for problem, points in found.items():
            if problem.dataset == dataset:
                name = f"{problem.candidate.name}, {problem.metric.name}"
                ratio = [one.tightness if math.isfinite(one.tightness) else math.nan for one in points]
                lines.append(Line(name, [one.eta for one in points], ratio))
        panels.append(
            Panel(
                dataset.title,
                AXES["eta"],
                "bound / regret",
                lines,
                log_x=True,
                log_y=True,
                better="less",
            )
        )
    return panels
