"""Curves: the metric over the rows so far."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...costs.metrics import METRICS
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
        known = METRICS[metric.key]
        label = f"{known.title} so far, %"
        if not known.is_percent:
            label = f"{known.title} so far / {known.title} of flagging nothing"
        levels = {} if known.is_percent else {"flag all": _level(cells[0])}
        return Panel(dataset.title, "rows", label, lines, levels=levels, better=metric.better)


def _value(tally: Tally, metric: Metric) -> float:
    known = METRICS[metric.key]
    if known.is_percent:
        return 100.0 * known.value(tally, metric.alpha_p)
    return known.value(tally, metric.alpha_p) / tally.miss_all if tally.miss_all else math.nan


def _level(cell: Cell) -> float:
    """What flagging everything costs, where flagging nothing costs 1."""
    block = Block(cell.dataset, cell.metric, [])
    return _value(block.policies()[POLICIES[0]], cell.metric)


def _mean(table: np.ndarray) -> tuple[list[float], list[float]]:
    """The mean of each column and its standard error."""
    mean = table.mean(axis=0)
    spread = table.std(axis=0, ddof=1) if len(table) > 1 else np.zeros(table.shape[1])
    return mean.tolist(), (spread / math.sqrt(len(table))).tolist()
