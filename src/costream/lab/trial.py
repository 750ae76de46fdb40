"""A trial: one learner with one setting, on one data set in one order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from itertools import pairwise
from time import thread_time
from typing import Any

import numpy as np

from ..costs.tally import Tally
from ..datasets.dataset import Dataset
from ..evaluation.calibration import Reliability, prequential_proba
from ..evaluation.runs import places_for, run_once, tallied
from ..learners import make_learner
from ..model.classifier import OnlineClassifier, core_of
from .experiment import Metric
from .keys import key_of

PLACES = 60  # points of a curve
COUNTS = ("rows", "positives", "missed", "false_alarms")


@dataclass(frozen=True)
class Trial:
    """What is run. ``order`` is a seed or the checksum of a file of permutations."""

    dataset: str
    content: str  # the checksum of its rows
    rows: int
    positives: int
    order: str
    run: int
    learner: str
    params: Mapping[str, Any] = field(hash=False)
    metric: Metric | None  # None for a learner that knows no costs: one trial serves all
    folds: int = 0
    curve: bool = False
    bins: int = 0  # of probabilities, where these are measured

    @property
    def key(self) -> str:
        """Sixteen hex digits that stand for all of it, and for the code that runs it."""
        return key_of(self.identity(), __name__)

    def identity(self) -> dict[str, Any]:
        """All that decides the result, as JSON has it."""
        found = {**vars(self), "params": dict(self.params)}
        metric = found.pop("metric")
        options = {key: value for key in ("folds", "curve", "bins") if (value := found.pop(key))}
        return {**found, **({} if metric is None else {"objective": _objective(metric)}), **options}


def _objective(metric: Metric) -> dict[str, Any]:
    """The name of the objective, and what it knows of the costs and the ratio."""
    known = vars(metric)
    kind: Any = metric.kind
    names = [one.name for one in fields(kind)]
    return {"name": metric.name, **{key: known[key] for key in names if key in known}}


@dataclass(frozen=True)
class Result:
    """What a trial found: counts, and those of its beginnings or of its probabilities if asked for."""

    rows: int
    positives: int
    missed: int
    false_alarms: int
    curve: tuple[list[int], ...] = ()  # rows, positives, missed, false alarms at each place
    reliability: Reliability | None = None  # of its probabilities

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"missed": self.missed, "false_alarms": self.false_alarms}
        if self.curve:
            found["curve"] = [list(one) for one in self.curve]
        if self.reliability is not None:
            found["reliability"] = _rounded(self.reliability)
        return found

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Result:
        counts = {key: record[key] for key in COUNTS}
        known = Reliability(**record["reliability"]) if "reliability" in record else None
        return cls(**counts, curve=tuple(record.get("curve", ())), reliability=known)

    def tally(self, metric: Metric) -> Tally:
        return _tally(metric, self.rows, self.positives, self.missed, self.false_alarms)

    def tallies(self, metric: Metric) -> list[Tally]:
        """Those of the places of the curve."""
        return [_tally(metric, *place) for place in zip(*self.curve, strict=True)]


def _rounded(one: Reliability) -> dict[str, Any]:
    """Its numbers without their last digits, in which the exponentials of two machines may differ."""
    return {key: np.round(value, 6).tolist() for key, value in asdict(one).items()}


def _counts(tally: Tally) -> dict[str, Any]:
    return {key: getattr(tally, key) for key in COUNTS}


def _tally(metric: Metric, rows: int, positives: int, missed: int, false_alarms: int) -> Tally:
    return Tally(positives, rows - positives, missed, false_alarms, metric.costs)


def run_trial(trial: Trial, data: Dataset) -> tuple[Result, float]:
    """Run a trial on its data, which are in its order already; the seconds are those of the thread."""
    began = thread_time()
    found = _in_bins(trial, data) if trial.bins else _counted(trial, data)
    return found, thread_time() - began


def _counted(trial: Trial, data: Dataset) -> Result:
    tally, curve = _in_folds(trial, data) if trial.folds else _in_order(trial, data)
    places = [[getattr(one, key) for one in curve] for key in COUNTS] if trial.curve else []
    return Result(**_counts(tally), curve=tuple(places))


def _model(trial: Trial) -> OnlineClassifier:
    metric = trial.metric or Metric()
    objective = metric.objective(trial.positives, trial.rows - trial.positives)
    return OnlineClassifier(make_learner(trial.learner, **trial.params), objective)


def _in_order(trial: Trial, data: Dataset) -> tuple[Tally, list[Tally]]:
    places = places_for(len(data), PLACES) if trial.curve else []
    run = run_once(_model(trial), data, (trial.metric or Metric()).costs, places, watch=False)
    return run.tally, run.curve


def _in_bins(trial: Trial, data: Dataset) -> Result:
    """The counts, and how true the probabilities were that rows had before they were learnt."""
    scores, proba = prequential_proba(_model(trial), data)
    tally = tallied(scores, data, (trial.metric or Metric()).costs).tally
    reliability = Reliability.of(proba, data.positive, trial.bins)
    return Result(**_counts(tally), reliability=reliability)


def _in_folds(trial: Trial, data: Dataset) -> tuple[Tally, list[Tally]]:
    """Learn once from all folds but one, decide on that one; counts of all folds together."""
    total, costs = Tally(), (trial.metric or Metric()).costs
    edges = [len(data) * fold // trial.folds for fold in range(trial.folds + 1)]
    for begin, end in pairwise(edges):
        model = _model(trial)
        for part in (data.part(0, begin), data.part(end, len(data))):
            core_of(model).learn_rows(part.rows, part.positive, names=part.names)
        held = data.part(begin, end)
        scores = model.score_many(held.rows, names=held.names)
        total += tallied(scores, held, costs).tally
    return total, []
