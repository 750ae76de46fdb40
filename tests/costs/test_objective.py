"""The cost of each row: rho, counts before the row, weights, and costs of single rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from costream import Cost, CostreamError, WeightedAccuracy
from costream.costs import Costs
from costream.costs.learning import RowCosts
from costream.costs.objective import CostColumn
from costream.costs.objectives import OBJECTIVES, as_objective
from costream.costs.rows import FourCosts, GivenCosts, costs_for_all, filled, four_costs
from helpers.streams import same_bits

ALL = [WeightedAccuracy(), WeightedAccuracy(0.7), WeightedAccuracy(0.3, ratio=7.0), Cost(), Cost(5, 2)]


@pytest.mark.parametrize(
    ("objective", "rho"),
    [
        (WeightedAccuracy.known(300, 600), 2.0),
        (WeightedAccuracy.known(300, 600, alpha_p=0.75), 6.0),
        (WeightedAccuracy(0.2, ratio=8.0), 2.0),
        (WeightedAccuracy(0.75), 7.5),
        (Cost(9, 2), 4.5),
        (Cost(1, 4), 0.25),
    ],
)
def test_rho(objective, rho):
    assert objective.rho(positives=3, negatives=9) == pytest.approx(rho, rel=1e-15)


@pytest.mark.parametrize(
    ("positives", "negatives", "rho"), [(0, 0, 1.0), (0, 5, 6.0), (4, 0, 0.2), (1, 8, 4.5)]
)
def test_running_estimate(positives, negatives, rho):
    assert WeightedAccuracy().rho(positives, negatives) == rho


BAD = [0, -1, np.nan, np.inf, "1", None]


@pytest.mark.parametrize("value", [*BAD, 1, 1.5])
def test_alpha_out_of_range(value):
    with pytest.raises(CostreamError, match=r"^alpha_p must be between 0 and 1, not"):
        WeightedAccuracy(value)


@pytest.mark.parametrize("value", [0, -1.0, np.nan, np.inf, "1"])
def test_ratio_out_of_range(value):
    with pytest.raises(CostreamError, match=r"^ratio must be a finite number above 0, not"):
        WeightedAccuracy(ratio=value)


@pytest.mark.parametrize("key", ["positives", "negatives"])
@pytest.mark.parametrize("value", BAD)
def test_totals_out_of_range(key, value):
    with pytest.raises(CostreamError, match=f"^{key} must be a finite number above 0, not"):
        WeightedAccuracy.known(**{"positives": 3, "negatives": 4, key: value})


@pytest.mark.parametrize("bad", [10**400, 1j, np.complex128(1), True, np.inf, None])
def test_a_cost_of_an_objective_is_a_finite_number(bad):
    with pytest.raises(CostreamError, match="tp_cost must be a finite number"):
        Cost(fn_cost=5, fp_cost=1, tp_cost=bad)


# ---------------------------------------- one row


@pytest.mark.parametrize(("positive", "cost"), [(True, (3 - 1) / 2), (False, (4 - 2) / 2)])
def test_costs_of_a_row_take_the_place_of_those_of_its_class(positive, cost):
    own = FourCosts(3.0, 4.0, 1.0, 2.0)
    assert RowCosts(Cost(5, 2), True).cost(positive, 1.0, own) == cost


# ---------------------------------------- batches

costs = st.floats(-1e3, 1e3)
row = st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 1.0, 2.0]), costs, costs, costs, costs)


@pytest.mark.parametrize("objective", ALL, ids=repr)
@pytest.mark.parametrize("cost_sensitive", [True, False])
@given(
    rows=st.lists(row, max_size=20),
    before=st.sampled_from([(0.0, 0.0), (2.0, 7.0), (0.1, 0.7)]),
    given_columns=st.tuples(*[st.booleans()] * 5),
)
def test_batch_is_row_by_row(objective, cost_sensitive, rows, before, given_columns):
    one, many = (
        RowCosts(objective, cost_sensitive, *before),
        RowCosts(objective, cost_sensitive, *before),
    )
    positive = np.array([row[0] for row in rows], bool)
    weight, *own = [
        np.array([row[at] for row in rows]) if used else None
        for at, used in enumerate(given_columns, start=1)
    ]
    own = (
        None
        if isinstance(objective, WeightedAccuracy)
        else four_costs(GivenCosts(*own), objective, len(rows))
    )
    expected, cost_ratios = [], []
    for t, label in enumerate(positive):
        of_row = None if own is None else FourCosts(*(float(cost[t]) for cost in own))
        heavy = 1.0 if weight is None else float(weight[t])
        expected.append(one.cost(bool(label), heavy, of_row))
        cost_ratios.append(one.cost_ratio(of_row))
        one.count(bool(label), heavy)
    costs = many.cost_many(positive, weight, own)
    assert same_bits(many.cost_ratio_many(positive, weight, own, len(rows)), cost_ratios)
    many.count_many(positive, weight)
    assert same_bits(costs, expected)
    assert same_bits([many.positives, many.negatives], [one.positives, one.negatives])


# ---------------------------------------- what objectives say of themselves


def test_an_objective_without_costs_takes_no_columns_and_becomes_the_cost():
    objective = WeightedAccuracy(0.7)
    assert objective.with_columns({"fn_cost": CostColumn("loss")}) is objective
    assert objective.with_costs(fn_cost=5, fp_cost=2) == Cost(5, 2)
    assert objective.sources == {"alpha_p": 0.7, "ratio": "estimated from the rows so far"}
    assert (objective.needs_counts, WeightedAccuracy(ratio=2.0).needs_counts) == (True, False)
    assert (objective.unit, objective.columns) == (1.0, {})
    assert list(OBJECTIVES) == ["sum", "cost"]
    assert (as_objective("cost"), as_objective(objective)) == (Cost(), objective)


def test_a_number_becomes_the_default_of_its_column():
    loss, tip = CostColumn("loss"), CostColumn("tip")
    found = Cost(50, 5).with_columns({"fn_cost": loss, "tp_cost": tip})
    assert found == Cost(CostColumn("loss", default=50), 5, tp_cost=tip)
    assert Cost().with_columns({"fn_cost": loss, "fp_cost": tip}) == Cost(loss, tip)
    assert found.sources == {
        "fn_cost": "column loss (50 where empty)",
        "fp_cost": 5,
        "tp_cost": "column tip",
    }
    assert found.in_words.endswith("fp_cost=5, tp_cost=column tip)")
    assert repr(found).endswith("fp_cost=5, tp_cost='tip')")
    assert (found.costs.fn_cost, found.costs.tp_cost, found.unit) == (50, 0.0, 5.0)
    assert Cost(loss, tip).unit == 0.1
    assert np.isnan(found.rho(1.0, 1.0))
    assert Cost(50, 5, tp_cost=3).with_columns({"tp_cost": tip}).tp_cost.default == 3
    assert Cost(50, 0, tn_cost=-1).with_columns({"fp_cost": tip}).fp_cost.default == 0


def test_costs_that_all_rows_share_and_those_of_a_column_that_is_empty():
    assert costs_for_all(Cost(5, 2, tn_cost=-1)) == FourCosts(5.0, 2.0, 0.0, -1.0)
    assert costs_for_all(Cost("loss", 2)) is costs_for_all(WeightedAccuracy()) is None
    assert filled("fn_cost", [1.0, None], CostColumn("loss", default=4.0), 2).tolist() == [1.0, 4.0]
    assert Cost(9, 2, tn_cost=-1).rho(1.0, 1.0) == 3.0
    words = WeightedAccuracy.weights_in_words(Costs(alpha_p=0.3))
    assert words == "sensitivity weighs 0.3, specificity 0.7"
