"""Hinges, losses and their gradients; ties, seen through exact integers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from costream import Cost, OnlineClassifier
from costream.kernels.hinge import LOSS_I, LOSS_II, MISTAKE, loss, slope, violation
from costream.learners import LEARNERS, make_learner
from costream.learners.paum import uneven_margin
from helpers.streams import PLAIN

labels = st.sampled_from([-1.0, 1.0])
costs = st.floats(0.01, 100)
scores = st.floats(-100, 100)
HINGES = {"I": LOSS_I, "II": LOSS_II}
ORACLES = {"I": reference.loss_i, "II": reference.loss_ii}
OPEN = [name for name in PLAIN if getattr(LEARNERS[name], "hinge", None) in (LOSS_I, LOSS_II)]
MISTAKEN = [name for name in PLAIN if getattr(LEARNERS[name], "hinge", None) == MISTAKE]


@pytest.mark.parametrize("which", HINGES)
@given(label=labels, cost=costs, score=scores)
def test_loss_is_that_of_the_paper(which, label, cost, score):
    margin, factor = ORACLES[which](label, score, cost)
    assert loss(HINGES[which], label, cost, score) == factor * max(0.0, margin)


def test_margins_of_paum():
    assert uneven_margin(2) == (2.0, 1.0, False, True)


# ---------------------------------------- ties


def learnt(name, rows, objective=None, **params):
    """The weights after each row, of one feature and not normalised."""
    objective = objective or Cost(1, 1)
    model = OnlineClassifier(make_learner(name, **params), objective, normalize=False)
    coefs = []
    for x, label in rows:
        model.learn_one([x], label)
        coefs.append(float(model.coef_[0]))
    return coefs


@pytest.mark.parametrize("name", MISTAKEN)
def test_score_0_of_a_negative_is_a_mistake(name):
    assert learnt(name, [(1.0, -1)]) == [-1.0]


@pytest.mark.parametrize(("score", "coef"), [(4.0, 5.0), (math.nextafter(4.0, 5.0), 1.0)])
def test_margin_of_paum_by_cost_is_closed(score, coef):
    rows = [(1.0, 1), (score, 1)]
    assert learnt("paum", rows, Cost(4, 1))[-1] == pytest.approx(coef, rel=1e-12)


def boundary(name, x):
    """The weight before and after a row of score ``x``: the first row makes a weight of 2^-n."""
    model = OnlineClassifier(name, Cost(1, 1), normalize=False)
    model.learn_one([1.0], 1)
    before = float(model.coef_[0])
    assert math.frexp(before)[0] == 0.5
    assert model.learn_one([x / before], 1) == x
    return before, float(model.coef_[0])


@pytest.mark.parametrize("name", OPEN)
def test_loss_of_exactly_0_is_none(name):
    before, after = boundary(name, 1.0)
    assert after == pytest.approx(before, rel=1e-15)  # the sparse sketch moves, and may round


@pytest.mark.parametrize("name", OPEN)
def test_loss_just_above_0_counts(name):
    before, after = boundary(name, 0.75)
    assert after > before


def test_cost_is_the_margin_of_loss_i_to_the_last_bit():
    below = math.nextafter(3.0, 0.0)
    assert learnt("cog-i", [(1.0, 1), (3.0, 1)], Cost(3, 1))[-1] == 1.0
    assert learnt("cog-i", [(1.0, 1), (below, 1)], Cost(3, 1))[-1] > 1.0


# ---------------------------------------- the compiled half


def interpreted(function):
    return getattr(function, "py_func", function)


@pytest.mark.parametrize("hinge", HINGES.values(), ids=HINGES)
@given(label=labels, cost=costs, score=scores)
def test_violation_and_slope_make_the_loss(hinge, label, cost, score):
    made = interpreted(slope)(hinge, cost) * max(0.0, interpreted(violation)(hinge, label, cost, score))
    assert made == loss(hinge, label, cost, score)


@pytest.mark.parametrize("hinge", [uneven_margin(2), uneven_margin(None)])
@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_violation_of_a_closed_hinge_is_positive_at_the_margin(hinge, label):
    margin = 2.0 if hinge.cost_is_margin or label > 0 else 1.0
    assert interpreted(violation)(hinge, label, 2.0, label * margin) > 0.0
    assert interpreted(violation)(hinge, label, 2.0, label * np.nextafter(margin, 9.0)) <= 0.0
