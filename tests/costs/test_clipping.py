"""A cost counts up to some times the typical one of its class, in a row as in a batch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from costream import Cost
from costream.costs.clipping import FIRST, LARGEST, Clipping
from costream.costs.learning import RowCosts
from costream.costs.objective import CostColumn
from costream.costs.rows import FourCosts

COSTS = st.one_of(st.just(0.0), st.floats(1e-12, 1e12), st.sampled_from([1.0, 2.0, 1e300]))


def one_by_one(clipping, costs, positive):
    found = []
    for cost, label in zip(costs, positive, strict=True):
        found.append(clipping.clipped(cost, label))
        clipping.count(cost, label)
    return found


@given(st.lists(st.tuples(COSTS, st.booleans(), st.booleans()), max_size=30))
def test_a_batch_is_clipped_as_its_rows(rows):
    costs, positive, learnt = (np.array([one[k] for one in rows]) for k in range(3))
    positive, learnt = positive.astype(bool), learnt.astype(bool)
    batch, alone, again = Clipping(8, 8, 40, 8), Clipping(8, 8, 40, 8), Clipping(8, 8, 40, 8)
    found = batch.clipped_many(costs.astype(float), positive, learnt)
    batch.count_many(costs.astype(float), positive, learnt)
    assert found[learnt].tolist() == one_by_one(
        alone, costs[learnt].tolist(), positive[learnt].tolist()
    )
    one_by_one(again, costs[learnt].tolist(), positive[learnt].tolist())
    assert batch.counts == alone.counts == again.counts


@pytest.mark.parametrize("wild", [1e9, 1e12, 1e300])
def test_a_wild_cost_counts_some_times_the_typical_one(wild):
    clipping = Clipping()
    one_by_one(clipping, [90.0, 110.0, 100.0, 80.0] * 100, [True] * 400)
    assert 32 * 64 <= clipping.clipped(wild, True) <= 64 * 110
    assert clipping.clipped(wild, False) == wild  # nothing is known of that class yet
    assert clipping.clipped(1000.0, True) == 1000.0


def test_one_wild_cost_hardly_moves_what_is_typical():
    clipping = Clipping()
    one_by_one(clipping, [100.0] * 1000, [True] * 1000)
    before = clipping.clipped(1e300, True)
    clipping.count(1e12, True)
    assert clipping.clipped(1e300, True) == before


def test_the_costs_of_the_objective_are_typical_at_first():
    costs = RowCosts(Cost(fn_cost=100, fp_cost=5), cost_sensitive=True)
    costs.clip()
    assert costs.clipping.counts == (
        FIRST,
        FIRST,
        5 * FIRST,
        FIRST,
    )  # 1 and 20, in costs of a false alarm
    own = FourCosts(1e9, 5.0, 0.0, 0.0)
    assert costs.cost(True, 1.0, own) == 2.0 ** (5 + LARGEST)
    assert costs.cost(True, 3.0, own) == 3.0 * 2.0 ** (5 + LARGEST)  # weights are no costs


def test_nothing_is_typical_at_first_where_costs_come_from_columns():
    costs = RowCosts(Cost(fn_cost=CostColumn("amount"), fp_cost=5), cost_sensitive=True)
    costs.clip()
    assert costs.clipping.counts == (0, 0, 0, 0)


def test_who_learns_by_true_costs_does_not_clip():
    costs = RowCosts(Cost(fn_cost=100, fp_cost=5), cost_sensitive=True)
    costs.count_costs(True, 1.0, FourCosts(1e12, 5.0, 0.0, 0.0))
    assert costs.cost(True, 1.0, FourCosts(1e12, 5.0, 0.0, 0.0)) == 2e11
