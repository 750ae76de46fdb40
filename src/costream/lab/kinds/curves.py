"""Curves: the metric over the rows so far."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...costs.policies import POLICIES
from ...costs.tally import Tally
from ...report.panel import Line, Panel
from ..experiment import Metric
from ..plan import Cell, Plan, TrialOptions
from ..results import Block
from .base import DrawnKind


class CurvesKind(DrawnKind):
    """The metric over the rows so far; a cost as a share of what flagging nothing costs by then."""

    options = TrialOptions(curve=True)

    def panel(self, plan: Plan, cells: Sequence[Cell]) -> Panel:
        lines = []
        for cell in cells:
            runs = plan.results(cell, plan.shown(cell)[0])
            curves = [
                [_value(tally, cell.metric) for tally in run.tallies(cell.metric)] for run in runs
            ]
            mean, error = _mean(np.array(curves))
            lines.append(Line(cell.candidate.name, runs[0].curve[0], mean, error))
        dataset, metric = cells[0].dataset, cells[0].metric
        is_sum = metric.name == "sum"
        label = "sum so far, %" if is_sum else "cost so far / cost of flagging nothing"
        levels = {} if is_sum else {"flag all": _level(cells[0])}
        return Panel(dataset.title, "rows", label, lines, levels=levels, better=metric.better)


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
