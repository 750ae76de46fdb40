"""Trials: what they count."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from costream.evaluation.runs import order_of
from costream.model.classifier import OnlineClassifier, core_of
from helpers.experiments import MINE, lab_of, mine, nobody, results


def test_a_trial_counts_the_mistakes_of_a_prequential_run(tmp_path: Path) -> None:
    experiment = mine(tmp_path)
    lab = lab_of(tmp_path / "out", experiment)
    lab.run(nobody)
    line = json.loads(results(tmp_path / "out").splitlines()[0])
    data = lab.loader.data(experiment, "rows")
    data = data.take(order_of(len(data), 0, 0))
    scores = core_of(OnlineClassifier("perceptron")).learn_rows(data.rows, data.positive)
    assert line["missed"] == np.count_nonzero(data.positive & (scores < 0))
    assert line["false_alarms"] == np.count_nonzero(~data.positive & (scores >= 0))


def test_folds_decide_on_rows_that_were_not_learnt(tmp_path: Path) -> None:
    experiment = mine(tmp_path, MINE.replace("tuning = 2", "folds = 4"))
    lab = lab_of(tmp_path / "out", experiment)
    lab.run(nobody)
    line = json.loads(results(tmp_path / "out").splitlines()[0])
    data = lab.loader.data(experiment, "rows")
    data = data.take(order_of(len(data), 0, 0))
    missed = 0
    for fold in range(4):
        held = np.arange(10 * fold, 10 * fold + 10)
        rest = data.take(np.setdiff1d(np.arange(40), held))
        model = OnlineClassifier("perceptron")
        core_of(model).learn_rows(rest.rows, rest.positive)
        part = data.take(held)
        missed += np.count_nonzero(part.positive & (model.score_many(part.rows) < 0))
    assert line["missed"] == missed
