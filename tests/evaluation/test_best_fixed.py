"""The best fixed vector in hindsight: what it loses, and how near to it the solver comes."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from costream import CostreamError
from costream.evaluation.bounds import Losses, best_fixed, lower_bound
from costream.kernels.hinge import LOSS_I
from helpers.streams import stream
from helpers.theory import HINGES, costs_of, data_of, lost

both_losses = pytest.mark.parametrize("kind", HINGES)


def least_at_a_corner(kind, X, y, r):
    """The least loss over all points where two rows of the plane are at their margins."""
    Z = y[:, None] * reference.normalise(X)
    margin = r if kind == "I" else np.ones(len(y))
    corners = [np.zeros(2)]
    for i, j in combinations(range(len(y)), 2):
        pair = Z[[i, j]]
        if abs(np.linalg.det(pair)) > 1e-6:
            corners.append(np.linalg.solve(pair, margin[[i, j]]))
    return min(lost(kind, X, y, r, corner) for corner in corners)


@both_losses
@given(seed=st.integers(0, 10**6), rho=st.sampled_from([0.1, 1.0, 7.0]))
def test_best_vector_is_at_the_best_corner(kind, seed, rho):
    rng = np.random.default_rng(seed)
    angles = rng.choice(np.arange(12), 8, replace=False) * np.pi / 6 + 0.1  # no two nearly parallel
    X, y = np.column_stack([np.cos(angles), np.sin(angles)]), rng.choice([-1.0, 1.0], 8)
    best = best_fixed(data_of(X, y), HINGES[kind], costs_of(y, rho))
    expected = least_at_a_corner(kind, X, y, costs_of(y, rho))
    assert best.loss == pytest.approx(expected, rel=1e-9, abs=1e-9)


@both_losses
@pytest.mark.parametrize("rho", [0.01, 100.0])
def test_gap_is_small(kind, rho):
    X, y = stream(2)
    y = y * np.random.default_rng(2).choice([-1, 1], len(y), p=[0.3, 0.7])  # not separable
    best = best_fixed(data_of(X, y), HINGES[kind], costs_of(y, rho))
    assert best.loss > 0.1
    assert abs(best.gap) < 1e-9 * best.loss


def test_gap_is_small_where_the_solver_must_be_asked_again():
    """Features of very different sizes; at the least tolerance HiGHS 1.12 gives these rows up."""
    rng = np.random.default_rng(561)
    X = rng.normal(size=(80, 3)) * np.array([1e-6, 1.0, 1e5])
    y = np.where(rng.random(80) < 0.3, 1, -1)
    best = best_fixed(data_of(X, y), LOSS_I, costs_of(y, 3.0))
    assert abs(best.gap) < 1e-9 * best.loss


@both_losses
@given(seed=st.integers(0, 10**6))
def test_no_vector_is_below_the_lower_bound_of_any_dual(kind, seed):
    X, y = stream(3, rows=20, width=4)
    r = costs_of(y, 2.0)
    rng = np.random.default_rng(seed)
    mu, dual = rng.normal(size=4), rng.uniform(-1, 3, len(y))
    least = lower_bound(Losses(data_of(X, y), HINGES[kind], r), mu, dual)
    others = (mu * rng.uniform(-1, 1, 4) for _ in range(20))
    assert min(lost(kind, X, y, r, other) for other in others) >= least


@both_losses
@pytest.mark.parametrize("width", [0, 2])
def test_empty_rows_pay_their_cost(kind, width):
    best = best_fixed(data_of(np.zeros((3, width)), [1, -1, 1]), HINGES[kind], np.array([3.0, 1, 3]))
    assert best.loss == 7.0


@both_losses
def test_a_feature_counts_however_small_it_is(kind):
    X = np.array([[1.0, 1e-11], [1.0, -1e-11]])
    assert best_fixed(data_of(X, [1, -1]), HINGES[kind], np.ones(2)).loss == pytest.approx(
        0.0, abs=1e-4
    )


def test_best_of_no_rows():
    with pytest.raises(CostreamError, match="no rows"):
        best_fixed(data_of(np.zeros((0, 2)), []), LOSS_I, np.ones(0))


def test_rows_that_are_not_finite():
    with pytest.raises(CostreamError, match="row 1: a value is not finite"):
        best_fixed(data_of([[1.0], [math.inf]], [1, -1]), LOSS_I, np.ones(2))
