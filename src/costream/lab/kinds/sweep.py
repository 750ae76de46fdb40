"""Sweeps: the metric against a hyper-parameter or a cost."""

from __future__ import annotations

from collections.abc import Sequence

from ...costs.metrics import METRICS
from ...costs.policies import POLICIES
from ...errors import CostreamError
from ...report.panel import Line, Panel
from ..experiment import Experiment, values
from ..plan import COSTS, Cell, Plan
from ..results import Block
from ..texts import AXES
from .base import DrawnKind


class SweepKind(DrawnKind):
    """The metric against a hyper-parameter or a cost."""

    def check(self, experiment: Experiment) -> None:
        super().check(experiment)
        if len(experiment.axis) != 1:
            raise CostreamError("a sweep needs exactly one axis", 'add axis.eta = "1e-4..1e4"')

    def panel(self, plan: Plan, cells: Sequence[Cell]) -> Panel:
        ((axis, points),) = plan.experiment.axis.items()
        xs, metric, is_cost = values(points), cells[0].metric, axis in COSTS
        lines = []
        for name in dict.fromkeys(cell.candidate.name for cell in cells):
            mine = [cell for cell in cells if cell.candidate.name == name]
            lines.append(_line(plan, name, xs, mine, is_cost))
        if is_cost and metric.kind.has_costs:
            lines += _constant_lines(cells, xs)
        known = METRICS[metric.key]
        label = f"{known.title}, %" if known.is_percent else known.title
        labels = (cells[0].dataset.title, AXES.get(axis, axis), label)
        return Panel(*labels, lines, log_x=not is_cost, better=metric.better)


def _line(plan: Plan, name: str, xs: list[float], cells: Sequence[Cell], is_cost: bool) -> Line:
    """A learner along the axis: a cell for each cost, or the settings of one cell."""
    if is_cost:
        points = [(cell, plan.settings(cell)[0]) for cell in cells]
    else:
        points = [(cells[0], setting) for setting in plan.settings(cells[0])]
    metric = cells[0].metric.key
    scale = 100.0 if METRICS[metric].is_percent else 1.0
    summaries = [plan.summary(cell, setting) for cell, setting in points]
    means = [scale * one.mean[metric] for one in summaries]
    return Line(name, xs, means, [scale * one.error(metric) for one in summaries])


def _constant_lines(cells: Sequence[Cell], xs: Sequence[float]) -> list[Line]:
    """The constant policies along an axis of costs."""
    dataset = cells[0].dataset
    metrics = list(dict.fromkeys(cell.metric for cell in cells))
    tallies = [Block(dataset, metric, []).policies() for metric in metrics]
    return [Line(name, xs, [one[name].cost for one in tallies]) for name in POLICIES]
