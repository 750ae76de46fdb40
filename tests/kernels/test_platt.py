"""Platt scaling on a stream equals a Newton step of logistic regression a row, with matrices."""

import numpy as np
import pytest

from costream.kernels.platt import FIRST, decide_one, learn_platt, new_platt
from costream.model.calibration import AT_ONCE, ROW_BYTES, Calibration
from reference.platt import Platt

ROWS = int(FIRST) + 200


@pytest.fixture(scope="module")
def stream():
    rng = np.random.default_rng(0)
    scores = 7.0 * rng.normal(size=ROWS)
    label = np.where(scores + 9.0 * rng.normal(size=ROWS) > 5.0, 1.0, -1.0)
    return scores, label, rng.choice([0.0, 1.0, 2.5], ROWS)


def test_log_odds_are_those_of_the_oracle(stream):
    platt, oracle, odds, expected = new_platt(), Platt(), np.empty(ROWS), []
    learn_platt(platt, *stream, odds)
    for score, label, weight in zip(*stream, strict=True):
        expected.append(oracle.log_odds(score))
        oracle.learn(score, label, weight)
    np.testing.assert_allclose(odds, expected, rtol=1e-9, atol=1e-9)
    assert platt[:2].tolist() == pytest.approx(oracle.w.tolist())


def test_rows_one_by_one_and_in_batches_give_the_same_bits(stream):
    one, many = Calibration(), Calibration()
    for row in zip(*stream, strict=True):
        one.add(*map(float, row))
    for part in np.array_split(np.arange(ROWS), 7):
        many.add_many(*(column[part] for column in stream))
    assert one._end == ROW_BYTES * (ROWS % AT_ONCE)
    assert one.numbers.tolist() == many.numbers.tolist()


@pytest.mark.parametrize("score", [np.inf, -np.inf])
def test_an_infinite_score_teaches_nothing(score):
    calibration = Calibration()
    odds = calibration.add_many(np.array([score]), np.array([1.0]), None)
    assert np.isfinite(odds).all()
    assert calibration.numbers.tolist() == new_platt().tolist()


@pytest.mark.parametrize(("cost_ratio", "sign"), [(4.0, 1.0), (-4.0, -1.0)])
def test_a_negative_cost_ratio_turns_the_decision_round(cost_ratio, sign):
    margin = decide_one(new_platt(), 0.5, cost_ratio)
    assert margin == pytest.approx(sign * (0.5 + np.log(4.0)))
