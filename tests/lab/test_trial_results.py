"""Trials, one by one: what they count, and what names them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array

from costream import Cost, WeightedAccuracy
from costream.datasets.dataset import Dataset
from costream.evaluation.calibration import Reliability, prequential_proba
from costream.lab.experiment import Metric
from costream.lab.trial import Trial, run_trial
from costream.learners import make_learner
from costream.model.classifier import OnlineClassifier
from costream.tables.arrays import as_batch
from helpers.streams import stream

COST = Metric("cost", fn_cost=5.0, fp_cost=0.5)
X, Y = stream(5, rows=50)
DATA = Dataset(as_batch(csr_array(X)), None, Y > 0)
POSITIVES = int(np.count_nonzero(Y > 0))
TRIAL = Trial("rows", "c0ffee", 50, POSITIVES, "seed 0", 0, "cog-ii", {"eta": 0.3}, COST)


def scores_of(objective: WeightedAccuracy | Cost, rows: slice = slice(None)) -> np.ndarray:
    model = OnlineClassifier(make_learner("cog-ii", eta=0.3), objective)
    return model.prequential(csr_array(X[rows]), Y[rows])


def counts(scores: np.ndarray, y: np.ndarray) -> tuple[int, int, int, int]:
    missed = np.count_nonzero((y > 0) & (scores < 0))
    return len(y), np.count_nonzero(y > 0), missed, np.count_nonzero((y < 0) & (scores >= 0))


def found(trial: Trial) -> tuple[int, int, int, int]:
    result, _ = run_trial(trial, DATA)
    return result.rows, result.positives, result.missed, result.false_alarms


@pytest.mark.parametrize(
    ("metric", "objective"),
    [
        (COST, Cost(5.0, 0.5)),
        (Metric("sum", alpha_p=0.2), WeightedAccuracy.known(POSITIVES, 50 - POSITIVES, 0.2)),
        (Metric("sum", alpha_p=0.2, ratio="estimated"), WeightedAccuracy(0.2)),
        (None, WeightedAccuracy.known(POSITIVES, 50 - POSITIVES)),
    ],
    ids=["cost", "sum", "estimated", "none"],
)
def test_a_learner_gets_the_objective_of_its_metric(
    metric: Metric, objective: WeightedAccuracy | Cost
) -> None:
    assert found(replace(TRIAL, metric=metric)) == counts(scores_of(objective), Y)


@pytest.mark.parametrize("folds", [2, 7])
def test_each_fold_is_decided_by_a_model_of_the_others(folds: int) -> None:
    total = np.zeros(4, int)
    for held in _folds(folds):
        rest = np.setdiff1d(np.arange(50), held)
        model = OnlineClassifier(make_learner("cog-ii", eta=0.3), Cost(5.0, 0.5))
        model.learn_many(csr_array(X[rest]), Y[rest])
        total += counts(model.score_many(csr_array(X[held])), Y[held])
    assert found(replace(TRIAL, folds=folds)) == tuple(total)


def _folds(folds: int) -> list[np.ndarray]:
    edges = [int(50 * fold / folds) for fold in range(folds + 1)]
    return [np.arange(*pair) for pair in pairwise(edges)]


def test_a_curve_has_the_counts_after_each_of_60_parts() -> None:
    data = Dataset(as_batch(csr_array(np.tile(X, (3, 1)))), None, np.tile(Y > 0, 3))
    model = OnlineClassifier(make_learner("cog-ii", eta=0.3), Cost(5.0, 0.5))
    scores = model.prequential(csr_array(np.tile(X, (3, 1))), np.tile(Y, 3))
    result, _ = run_trial(replace(TRIAL, rows=150, positives=3 * POSITIVES, curve=True), data)
    places = [int(np.ceil(2.5 * n)) for n in range(1, 61)]
    by_hand = [counts(scores[:end], np.tile(Y, 3)[:end]) for end in places]
    assert list(zip(*result.curve, strict=True)) == by_hand


def test_bins_hold_the_probabilities_before_each_row() -> None:
    trial = replace(TRIAL, learner="auto", params={}, bins=5)
    result, _ = run_trial(trial, DATA)
    scores, proba = prequential_proba(OnlineClassifier("auto", Cost(5.0, 0.5)), DATA)
    assert result.reliability == Reliability.of(proba, Y > 0, 5)
    assert (result.missed, result.false_alarms) == counts(scores, Y)[2:]


# --- as JSON ----------------------------------------------------------------------------------------


def test_the_identity_has_all_that_decides_the_result() -> None:
    assert TRIAL.identity() == {
        "dataset": "rows",
        "content": "c0ffee",
        "rows": 50,
        "positives": POSITIVES,
        "order": "seed 0",
        "run": 0,
        "learner": "cog-ii",
        "params": {"eta": 0.3},
        "objective": {"name": "cost", "fn_cost": 5.0, "fp_cost": 0.5},
    }
