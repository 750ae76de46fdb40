"""Costs that reveal the labels of rows."""

import numpy as np
import pytest

from costream.revealing import ENOUGH, MOST_VALUES, CostsSeen

TRUTH = np.arange(2 * ENOUGH) < ENOUGH
VARIED = np.arange(2.0 * ENOUGH)


def seen(*blocks):
    found = CostsSeen()
    for positive, fn_cost, fp_cost in blocks:
        found.add(positive, fn_cost, fp_cost)
    return found


@pytest.mark.parametrize("truth", [TRUTH, ~TRUTH])
@pytest.mark.parametrize("column", [0, 1])
@pytest.mark.parametrize("filler", [0.0, 5.5])
def test_a_filler_for_one_class_reveals_the_label(truth, column, filler):
    costs = [None, None]
    costs[column] = np.where(truth, VARIED + 1.0, filler)
    assert seen((truth, *costs)).reveal_label


def test_costs_that_vary_in_both_classes_reveal_nothing():
    assert not seen((TRUTH, VARIED, VARIED[::-1])).reveal_label


def test_a_value_that_the_other_class_has_too_reveals_nothing():
    cost = np.where(TRUTH, VARIED, VARIED[3])
    assert not seen((TRUTH, cost, None)).reveal_label


def test_one_value_of_few_rows_may_be_a_coincidence():
    few, own = TRUTH.copy(), VARIED.copy()
    few[0] = False
    own[few] = 100.0
    assert np.count_nonzero(few) == ENOUGH - 1
    assert not seen((few, own, None)).reveal_label
    assert seen((few, own, None), (np.array([True]), np.array([100.0]), None)).reveal_label


def test_a_constant_cost_for_each_class_reveals_the_label():
    assert seen((TRUTH, np.where(TRUTH, 5.0, 1.0), None)).reveal_label


def test_blocks_add_up():
    positive, negative = np.ones(3, np.bool_), np.zeros(3, np.bool_)
    costs, free = np.array([1.0, 2.0, 3.0]), np.zeros(3)
    found = seen((negative, free, None))
    assert not found.reveal_label
    found.add(positive, costs, None)
    assert found.reveal_label
    found.add(negative, costs, None)
    assert not found.reveal_label


def test_no_more_values_are_kept_than_needed():
    found = seen((np.ones(3 * MOST_VALUES, np.bool_), np.arange(3.0 * MOST_VALUES), None))
    found.add(np.ones(5, np.bool_), -np.arange(5.0), None)
    assert len(found._values[0][1]) == MOST_VALUES
