"""Calibration: how true the probabilities are, as a table of errors and as reliability diagrams."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from ...errors import CostreamError
from ...evaluation.calibration import BINS, Reliability
from ...learners import make_learner
from ...report.figures import draw
from ...report.numbers import number, percent, plus_minus
from ...report.page import paragraph
from ...report.panel import Line, Panel
from ...report.tables import Column, html_table, markdown_table, markdown_text, small_std
from ..experiment import Candidate, DatasetInfo, Experiment, Metric
from ..plan import Cell, Plan, Summary, TrialOptions, summarised
from ..results import Figure
from ..texts import WORDS, runs_text
from .base import TrialKind

LEAST = 0.002  # the part of all rows that a bin needs to be drawn
TRUTH = "always true"


class CalibrationKind(TrialKind):
    """Probabilities of single settings, each given before its row is learnt."""

    section = "calibration"
    options = TrialOptions(bins=BINS)

    def check(self, experiment: Experiment) -> None:
        super().check(experiment)
        for one in experiment.candidates:
            if not make_learner(one.learner).has_probabilities:
                raise CostreamError(f"{one.learner} has no probabilities", 'use learner = "auto"')
            if one.grid:
                raise CostreamError(
                    "calibration does not tune settings", f"give {one.name} params, not a grid"
                )
        for key in ("axis", "tuned_in", "folds"):
            if getattr(experiment, key):
                raise CostreamError(f"calibration has no {key}", "leave it out")

    def render(self, plan: Plan) -> Figure:
        made = make_calibrations(plan)
        return Figure(
            plan.experiment,
            draw(calibration_panels(made)),
            self.section,
            made.runs,
            table=_table(made),
            sentences=_sentences(made),
            meanings=WORDS["calibration"],
            markdown=list(_markdown(made)),
            missing=made.missing,
        )


@dataclass(frozen=True)
class Calibrated:
    """The probabilities of one learner on one data set under one metric."""

    dataset: DatasetInfo
    metric: Metric
    candidate: Candidate
    summary: Summary
    reliabilities: list[Reliability]  # of each run


@dataclass(frozen=True)
class Calibrations:
    """All that an experiment found out about probabilities."""

    experiment: Experiment
    rows: list[Calibrated]
    missing: list[str]  # data sets that are not at hand

    @property
    def runs(self) -> dict[str, int]:
        return {one.dataset.title: one.summary.runs for one in self.rows}


def make_calibrations(plan: Plan) -> Calibrations:
    """Those of an experiment whose trials have all been run."""
    rows = [_calibrated(plan, cell) for cell in plan.cells()]
    present = {one.dataset.name for one in rows}
    missing = [name for name in plan.experiment.datasets if name not in present]
    return Calibrations(plan.experiment, rows, missing)


def _calibrated(plan: Plan, cell: Cell) -> Calibrated:
    (setting,) = plan.shown(cell)
    found = [result.reliability for result in plan.results(cell, setting)]
    runs = [one for one in found if one is not None]
    assert len(runs) == len(found)
    keys = ("error", "chance", "brier", "base_brier")
    summary = summarised([{key: getattr(run, key) for key in keys} for run in runs])
    return Calibrated(cell.dataset, cell.metric, cell.candidate, summary, runs)


def calibration_panels(made: Calibrations) -> list[Panel]:
    """A reliability diagram for each data set: the part of positives against the probability."""
    panels = []
    for dataset in dict.fromkeys(one.dataset for one in made.rows):
        lines = [Line(TRUTH, [0.0, 1.0], [0.0, 1.0])]
        lines += [
            reliability_line(f"{one.candidate.name}, {one.metric.name}", one.reliabilities)
            for one in made.rows
            if one.dataset == dataset
        ]
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


# --- as text ----------------------------------------------------------------------------------------

NAMES = ("data set", "metric", "learner")
ECE, BRIER = "ECE, %", "Brier score"
COLUMNS = (
    ("positives, %", ""),
    *((title, ECE) for title in ("measured", "chance")),
    *((title, BRIER) for title in ("measured", "base rate")),
)
KEY = WORDS["calibration_key"].format(bins=BINS)


def _cells(one: Calibrated) -> list[str]:
    """A line of a table of calibration: three names, then a number for each of its columns."""
    dataset, found = one.dataset, one.summary
    return [
        dataset.title,
        one.metric.name,
        one.candidate.name,
        percent(dataset.positives / dataset.rows),
        _spread(found, "error", 100.0, 2),
        percent(found.mean["chance"], 2),
        _spread(found, "brier", 1.0, 4),
        number(found.mean["base_brier"], 4),
    ]


def _spread(found: Summary, key: str, unit: float, decimals: int) -> str:
    std = None if found.runs < 2 else number(unit * found.std[key], decimals)
    return plus_minus(number(unit * found.mean[key], decimals), std)


def _sentences(made: Calibrations) -> list[str]:
    """How far probabilities are off on average, and how often they are worth having."""
    means = [one.summary.mean for one in made.rows]
    error, chance = (
        number(100.0 * sum(mean[key] for mean in means) / len(means), 1) for key in ("error", "chance")
    )
    worth = sum(mean["brier"] < mean["base_brier"] for mean in means)
    return [
        f"The expected calibration error is {error} % on average over all data sets and metrics, where "
        f"{chance} % is chance.",
        f"The Brier score is better than that of the base rate in {worth} of {len(means)} cases.",
    ]


def _table(made: Calibrations) -> str:
    left = len(NAMES)
    heads = [Column(title, left=True) for title in NAMES]
    heads += [Column(title, group) for title, group in COLUMNS]
    lines = []
    for one in made.rows:
        cells = _cells(one)
        lines.append(("", [*map(escape, cells[:left]), *map(small_std, cells[left:])]))
    return html_table(made.experiment.title, heads, lines) + paragraph("key", KEY)


def _markdown(made: Calibrations) -> Iterator[str]:
    """What was found, and a line for each learner on each data set under each metric."""
    yield markdown_text(" ".join(_sentences(made)))
    titles = [f"{group}: {title}" if group else title for title, group in COLUMNS]
    rows = [[markdown_text(cell) for cell in _cells(one)] for one in made.rows]
    yield markdown_table([*NAMES, *titles], rows, len(NAMES))
    yield markdown_text(f"Means of {runs_text(made.runs)}. {KEY}")
