"""How true the probabilities of runs are: a table of errors, and reliability diagrams."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..evaluate.calibration import Reliability
from ..report.panel import Line, Panel
from .experiment import Candidate, Experiment, Metric
from .loader import DatasetInfo
from .plan import Cell, Plan, Summary, summarised
from .trial import Result

LEAST = 0.002  # the part of all rows that a bin needs to be drawn
TRUTH = "always true"


@dataclass(frozen=True)
class Calibrated:
    """The probabilities of one learner on one data set under one metric."""

    dataset: DatasetInfo
    metric: Metric
    candidate: Candidate
    summary: Summary
    scaled: list[Reliability]  # of each run
    unscaled: list[Reliability]


@dataclass(frozen=True)
class Calibrations:
    """All that an experiment found out about probabilities."""

    experiment: Experiment
    rows: list[Calibrated]
    missing: list[str]  # data sets that are not at hand

    @property
    def runs(self) -> dict[str, int]:
        """How many there are of each data set."""
        return {one.dataset.title: one.summary.runs for one in self.rows}


def make_calibrations(plan: Plan) -> Calibrations:
    """Those of an experiment whose trials have all been run."""
    rows = [_calibrated(plan, cell) for cell in plan.cells()]
    present = {one.dataset.name for one in rows}
    missing = [name for name in plan.experiment.datasets if name not in present]
    return Calibrations(plan.experiment, rows, missing)


def _calibrated(plan: Plan, cell: Cell) -> Calibrated:
    (setting,) = plan.shown(cell)
    pairs = [_both(result) for result in plan.results(cell, setting)]
    summary = summarised(
        [
            {
                "error": scaled.error,
                "chance": scaled.chance,
                "brier": scaled.brier,
                "base_brier": scaled.base_brier,
                "unscaled": unscaled.error,
                "unscaled_brier": unscaled.brier,
            }
            for scaled, unscaled in pairs
        ]
    )
    first, second = ([pair[n] for pair in pairs] for n in (0, 1))
    return Calibrated(cell.dataset, cell.metric, cell.candidate, summary, first, second)


def _both(result: Result) -> tuple[Reliability, Reliability]:
    assert result.scaled is not None
    assert result.unscaled is not None
    return result.scaled, result.unscaled


def calibration_panels(made: Calibrations) -> list[Panel]:
    """A reliability diagram for each data set: the part of positives against the probability."""
    panels = []
    for dataset in dict.fromkeys(one.dataset for one in made.rows):
        mine = [one for one in made.rows if one.dataset == dataset]
        lines = [Line(TRUTH, [0.0, 1.0], [0.0, 1.0])]
        for word, key in (("", "scaled"), (" unscaled", "unscaled")):
            for one in mine:
                name = f"{one.candidate.name}{word}, {one.metric.name}"
                lines.append(reliability_line(name, getattr(one, key)))
        panels.append(Panel(dataset.title, "probability", "part of positives", lines))
    return panels


def reliability_line(name: str, runs: Sequence[Reliability]) -> Line:
    """The bins of all runs together; one with few rows in it says nothing, and is left out."""
    rows, positives, expected = (
        np.array([getattr(run, key) for run in runs], np.float64)
        for key in ("rows", "positives", "expected")
    )
    total = rows.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = positives / rows
        x, y = expected.sum(axis=0) / total, positives.sum(axis=0) / total
    kept = np.flatnonzero(total >= LEAST * total.sum())
    error = [_error(shares[:, k]) for k in kept]
    return Line(name, x[kept].tolist(), y[kept].tolist(), error)


def _error(shares: np.ndarray) -> float:
    """The standard error of a mean over runs, of those that have rows in the bin."""
    known = shares[~np.isnan(shares)]
    return float(known.std(ddof=1)) / math.sqrt(len(known)) if len(known) > 1 else 0.0
