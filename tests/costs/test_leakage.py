"""Costs that leak the labels of rows."""

import warnings

import numpy as np
import pytest

from costream import Cost, OnlineClassifier
from costream.costs.leakage import ENOUGH, CostsSeen
from costream.costs.rows import GivenCosts

TRUTH = np.arange(2 * ENOUGH) < ENOUGH
VARIED = np.arange(2.0 * ENOUGH)


def seen(*blocks):
    found = CostsSeen()
    for positive, costs in blocks:
        found.add(positive, GivenCosts(**costs))
    return found


@pytest.mark.parametrize("truth", [TRUTH, ~TRUTH])
@pytest.mark.parametrize("name", ["fn_cost", "fp_cost", "tp_cost", "tn_cost"])
@pytest.mark.parametrize("filler", [0.0, 5.5])
def test_a_filler_for_one_class_reveals_the_label(truth, name, filler):
    found = seen((truth, {name: np.where(truth, VARIED + 1.0, filler)}))
    assert found.leaking == {name: f"{name} is {filler:g} for every negative row"}


def test_costs_that_vary_in_both_classes_reveal_nothing():
    assert not seen((TRUTH, {"fn_cost": VARIED, "fp_cost": VARIED[::-1]})).leaking


def test_one_value_of_few_rows_may_be_a_coincidence():
    few, own = TRUTH.copy(), VARIED.copy()
    few[0] = False
    own[few] = 100.0
    assert np.count_nonzero(few) == ENOUGH - 1
    assert not seen((few, {"fn_cost": own})).leaking
    assert seen((few, {"fn_cost": own}), (np.array([True]), {"fn_cost": np.array([100.0])})).leaking


def test_blocks_add_up():
    positive, negative = np.ones(ENOUGH, np.bool_), np.zeros(ENOUGH, np.bool_)
    costs, free = {"fn_cost": np.arange(1.0, ENOUGH + 1)}, {"fn_cost": np.zeros(ENOUGH)}
    found = seen((negative, free))
    assert not found.leaking
    found.add(positive, GivenCosts(**costs))
    assert found.leaking
    found.add(negative, GivenCosts(**costs))
    assert not found.leaking


def test_rows_without_a_label_reveal_nothing():
    found = CostsSeen()
    found.add(TRUTH, GivenCosts(fn_cost=np.where(TRUTH, VARIED, -1.0)), labelled=TRUTH)
    assert not found.leaking


@pytest.mark.parametrize("leaks", [False, True])
def test_a_batch_whose_costs_reveal_labels_is_warned_of(leaks):
    model = OnlineClassifier("cog-ii", Cost(9.0, 1.0))
    loss = np.where(TRUTH, VARIED, 0.0) if leaks else VARIED
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.learn_many(np.ones((len(TRUTH), 1)), TRUTH, fn_cost=loss)
    assert [str(one.message).split(" (")[0] for one in caught] == (
        ["the costs of rows leak their labels"] if leaks else []
    )
