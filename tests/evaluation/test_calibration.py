"""How true probabilities are: the error itself, and those of a pass."""

from __future__ import annotations

import math

import numpy as np
import pytest

from costream import Cost, OnlineClassifier
from costream.datasets.dataset import Dataset
from costream.errors import CostreamError
from costream.evaluation.calibration import expected_calibration_error, prequential_proba, sigmoid
from costream.tables.arrays import as_batch

# --- the error --------------------------------------------------------------------------------------


def forecasts(rows: int = 500, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    proba = rng.random(rows) ** 2
    return proba, rng.random(rows) < 0.8 * proba + 0.1


def plain_error(proba: np.ndarray, positive: np.ndarray, bins: int) -> float:
    """The definition, word for word."""
    total = 0.0
    for k in range(bins):
        mine = [
            (p, y)
            for p, y in zip(proba, positive, strict=True)
            if (k / bins < p or k == 0) and p <= (k + 1) / bins
        ]
        if mine:
            confidence = sum(p for p, _ in mine) / len(mine)
            share = sum(bool(y) for _, y in mine) / len(mine)
            total += len(mine) / len(proba) * abs(share - confidence)
    return total


@pytest.mark.parametrize("bins", [1, 2, 10, 15])
def test_the_error_is_that_of_its_definition(bins: int) -> None:
    proba, positive = forecasts()
    error = expected_calibration_error(positive, proba, bins)
    assert error == pytest.approx(plain_error(proba, positive, bins), rel=1e-12)


@pytest.mark.parametrize(
    ("proba", "positive", "bins", "complaint"),
    [
        ([0.5, 1.5], [True, False], 15, "between 0 and 1"),
        ([0.5, -0.1], [True, False], 15, "row 1: probabilities must be"),
        ([0.5, math.nan], [True, False], 15, "row 1: probabilities must be"),
        (None, [True, False], 15, "between 0 and 1"),
        ([0.5], [True, False], 15, "one number for each of 2 rows"),
        ([], [], 15, "at least one row"),
        ([0.5], [2], 15, "True or False"),
        ([0.5, 0.5], [0, 2], 15, "True or False"),
        ([0.5], [True], 0, "bins must be"),
    ],
)
def test_bad_input_is_a_sentence(proba: object, positive: object, bins: int, complaint: str) -> None:
    with pytest.raises(CostreamError, match=complaint):
        expected_calibration_error(positive, proba, bins)


# --- the probabilities of a pass --------------------------------------------------------------------


def noisy(rows: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, 3))
    return X, rng.random(rows) < sigmoid(2.0 * X[:, 0] - 1.0)


@pytest.mark.parametrize("objective", ["sum", Cost(9, 1), Cost(50, 1), Cost(1, 50)])
def test_a_pass_gives_the_probability_that_each_row_had(objective: str | Cost) -> None:
    X, y = noisy()
    model, asked = OnlineClassifier("auto", objective), []
    for x, label in zip(X, y, strict=True):
        asked.append(model.predict_proba_one(x))
        model.learn_one(x, label)
    _, proba = prequential_proba(OnlineClassifier("auto", objective), Dataset(as_batch(X), None, y))
    assert proba.tolist() == asked
