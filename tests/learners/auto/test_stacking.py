"""Stacking: kernel in square-root form against an oracle in covariance form, and its guards."""

import numpy as np
import pytest

from costream.kernels.compile import entry
from costream.learners.auto import stacking
from costream.learners.auto.stacking import (
    BIAS_PRIOR,
    PRIOR,
    RESTRAINED,
    learn_stacker,
    restrain,
    stacked_log_odds,
    write_inputs,
)
from helpers.streams import JIT_OFF
from reference.auto.stacking import Stacker

MEMBERS = 5
CASES = ("varied", "duplicate", "constant", "pausing", "all zero", "one direction", "not finite")


@entry
def long_session(w, S, z, work, scores, labels, fade):
    """Learn row after row, as an update does; returns the largest diagonal of P over its prior."""
    members, worst = scores.shape[1], 0.0
    for t in range(scores.shape[0]):
        write_inputs(z, scores[t], members)
        odds = stacked_log_odds(w, z, members, 0.0)
        learn_stacker(w, S, z, work, members, odds, labels[t], fade, 1.0)
        if t % RESTRAINED == 0:
            restrain(S, members)
            for i in range(members + 1):
                diagonal = 0.0
                for j in range(members + 1):
                    diagonal += S[i, j] * S[i, j]
                prior = PRIOR if i > 0 else BIAS_PRIOR
                worst = max(worst, diagonal / prior)
    return worst


def rows_of(case, rows, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(rows, MEMBERS))
    if case == "duplicate":
        scores[:, 1] = scores[:, 2] = scores[:, 0]
    if case == "constant":
        scores[:, 1], scores[:, 2] = 1.0, -2.5
    if case == "pausing":
        scores[rows // 10 :, 1:3] = 0.0
    if case == "all zero":
        scores[:] = 0.0
    if case == "not finite":
        scores[::3, 1], scores[::5, 2], scores[:, 3] = np.nan, -np.inf, np.inf
    if case == "one direction":
        scores[:] = scores[:1]
    labels = np.where(rng.random(rows) < 1 / (1 + np.exp(-scores[:, 0])), 1.0, -1.0)
    return scores, labels


def started():
    w, S = np.zeros(MEMBERS + 1), stacking.first_root(MEMBERS)
    stacking.first_weights(w, MEMBERS, np.zeros(MEMBERS, np.int64), tuple(range(MEMBERS)))
    return w, S, np.zeros(MEMBERS + 1), np.zeros((2, MEMBERS + 1))


@pytest.mark.parametrize("fade", [stacking.FADE, 0.97])
@pytest.mark.parametrize("case", CASES)
def test_steps_are_those_of_the_covariance_form(case, fade):
    scores, labels = rows_of(case, 300)
    w, S, z, work = started()
    oracle = Stacker(MEMBERS)
    oracle.open(np.ones(MEMBERS, bool))
    np.testing.assert_array_equal(w, oracle.w)
    for t, (row, y) in enumerate(zip(scores, labels, strict=True)):
        stacking.write_inputs(z, row, MEMBERS)
        np.testing.assert_array_equal(z, Stacker.row(row))
        odds = stacking.stacked_log_odds(w, z, MEMBERS, 0.25)
        assert odds == pytest.approx(oracle.log_odds(z, 0.25), abs=1e-8)
        weight = 1.0 if t % 3 else 0.05
        stacking.learn_stacker(w, S, z, work, MEMBERS, odds, y, fade, weight)
        oracle.learn(z, odds, y, fade, weight)
        if t % stacking.RESTRAINED == 0:
            stacking.restrain(S, MEMBERS)
            oracle.restrain(MEMBERS + 1)
        np.testing.assert_allclose(w, oracle.w, atol=1e-8)
        np.testing.assert_allclose(S @ S.T, oracle.P, atol=1e-8)


def test_members_that_take_no_part_any_more_stay_as_they_are():
    scores, labels = rows_of("varied", 20)
    w, S, z, work = started()
    before = w.copy(), S.copy()
    for row, y in zip(scores, labels, strict=True):
        stacking.write_inputs(z, row, 3)
        odds = stacking.stacked_log_odds(w, z, 3, 0.0)
        stacking.learn_stacker(w, S, z, work, 3, odds, y, 0.999, 1.0)
        stacking.restrain(S, 3)
    np.testing.assert_array_equal(w[4:], before[0][4:])
    np.testing.assert_array_equal(S[4:], before[1][4:])
    assert (w[:4] != before[0][:4]).all()


def test_those_who_stay_keep_what_they_know_of_each_other():
    scores, labels = rows_of("varied", 50)
    w, S, z, work = started()
    for row, y in zip(scores, labels, strict=True):
        write_inputs(z, row, MEMBERS)
        learn_stacker(w, S, z, work, MEMBERS, stacked_log_odds(w, z, MEMBERS, 0.0), y, 0.99, 1.0)
    expected = (S @ S.T)[:4, :4]
    stacking.fold(S, 3)
    np.testing.assert_allclose(S[:4, :4] @ S[:4, :4].T, expected, rtol=1e-12)
    assert not np.triu(S, 1)[:4].any()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("fade", [stacking.FADE, 0.9])
def test_a_long_stream_leaves_p_positive_and_bounded(case, fade):
    scores, labels = rows_of(case, 3_000 if JIT_OFF else 200_000)
    w, S, z, work = started()
    assert long_session(w, S, z, work, scores, labels, fade) <= 1.0 + 1e-12
    assert np.isfinite(w).all()
    assert np.isfinite(S).all()
    assert np.linalg.eigvalsh(S @ S.T).min() >= -1e-12
    assert np.abs(w).max() < 100.0
