"""Tallies by hand, orders of rows, and learners beside each other and the constant policies."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from costream import Cost, CostreamError, OnlineClassifier, WeightedAccuracy
from costream.costs.policies import POLICIES
from costream.costs.rows import GivenCosts
from costream.costs.tally import Costs, Tally
from costream.datasets.dataset import Dataset
from costream.evaluation.comparing import Task, compare_learners
from costream.evaluation.runs import (
    mean_of,
    permutations,
    places_for,
    read_orders,
    run_once,
    std_of,
    tallied,
)
from costream.tables.arrays import as_batch
from helpers.streams import ROWS, stream

NAN = math.nan
COSTS = Costs(fn_cost=8.0, fp_cost=0.5, alpha_p=0.25)
LEARNERS = ("perceptron", "acog-ii-diag", "carow-diag")


def data_of(seed=0, rows=ROWS, costs=False):
    X, y = stream(seed, rows)
    rng = np.random.default_rng(seed)
    own = [rng.integers(1, 9, rows).astype(float) for _ in range(2)] if costs else []
    return Dataset(as_batch(csr_array(X)), None, y > 0, GivenCosts(*own))


# --- tallies -----------------------------------------------------------------------------------------

SCORES = np.array([1.0, -1.0, 0.0, 2.0, -0.5, -0.0, NAN])
TRUTH = np.array([True, True, True, False, False, False, True])


def test_a_tally_by_hand():
    """A score of 0 is an alarm; one that is NaN is none."""
    tally = Tally.of(SCORES, TRUTH, COSTS)
    assert (tally.positives, tally.negatives, tally.rows) == (4, 3, 7)
    assert (tally.missed, tally.false_alarms) == (2, 2)
    assert (tally.cost, tally.miss_all, tally.flag_all) == (17.0, 32.0, 1.5)
    assert (tally.sensitivity(), tally.specificity()) == (0.5, 1 - 2 / 3)
    assert tally.weighted_sum(0.25) == 0.25 * 0.5 + 0.75 * (1 - 2 / 3)
    assert tally.savings() == 1 - 17.0 / 1.5


@pytest.mark.parametrize(("score", "total_cost"), [(1.0, "flag_all"), (-1.0, "miss_all")])
def test_a_constant_policy_pays_its_bill(score, total_cost):
    data = data_of(costs=True)
    tally = Tally.of(np.full(len(data), score), data.positive, COSTS, **data.costs._asdict())
    assert tally.cost == getattr(tally, total_cost)
    assert tally.savings() == 1 - tally.cost / min(tally.miss_all, tally.flag_all)


SIGNED = st.lists(st.tuples(st.sampled_from([-1.0, 0.0, 1.0]), st.booleans(), st.integers(0, 99)))


@given(rows=SIGNED, cut=st.integers(0, 20), own=st.booleans())
def test_the_parts_add_up_to_the_whole(rows, cut, own):
    scores = np.array([row[0] for row in rows], float)
    truth = np.array([row[1] for row in rows], bool)
    cost = np.array([row[2] for row in rows], float)

    def tally(part):
        costs = (
            {"fn_cost": cost[part], "fp_cost": 2 * cost[part], "tp_cost": -cost[part]} if own else {}
        )
        return Tally.of(scores[part], truth[part], COSTS, **costs)

    assert tally(slice(cut)) + tally(slice(cut, None)) == tally(slice(None))


# --- runs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("costs", [False, True], ids=["", "costs"])
def test_a_run_is_the_tally_of_its_scores(costs):
    data = data_of(costs=costs)
    y = np.where(data.positive, 1, -1)
    X = csr_array((data.rows.value, data.rows.index, data.rows.start.astype(np.int64)))
    model = OnlineClassifier("carow-diag", Cost(8.0, 0.5))
    scores = model.prequential(X, y, fn_cost=data.costs.fn_cost, fp_cost=data.costs.fp_cost)
    run = run_once(OnlineClassifier("carow-diag", Cost(8.0, 0.5)), data, COSTS)
    assert run.tally == Tally.of(scores, data.positive, COSTS, **data.costs._asdict())
    assert run.curve == []
    assert run.seconds >= 0


def test_a_curve_is_made_of_beginnings():
    data = data_of(costs=True)
    scores = np.random.default_rng(0).normal(size=len(data))
    places = places_for(len(data), 7)
    run = tallied(scores, data, COSTS, places)
    for end, tally in zip(places, run.curve, strict=True):
        part = slice(end)
        own = data.costs.where(part)._asdict()
        assert tally == Tally.of(scores[part], data.positive[part], COSTS, **own)
    assert run.curve[-1] == run.tally


# --- orders ------------------------------------------------------------------------------------------


BAD_ORDERS = {
    "too few": (b"1 2", "2 numbers for 3 rows"),
    "twice": (b"1 2 2", "3 is missing"),
    "beyond": (b"1 2 4", "3 is missing"),
    "letters": (b"1 two 3", "whole numbers"),
    "huge": (b"1 2 99999999999999999999", "whole numbers|is missing"),
    "smallest": (b"1 2 -9223372036854775808", "3 is missing"),
    "endless": (b"1 2 " + 5000 * b"9", "whole numbers|is missing"),
    "noise": (b"\xff\xfe\0", "whole numbers"),
}


@pytest.mark.parametrize(("line", "message"), BAD_ORDERS.values(), ids=BAD_ORDERS)
def test_a_bad_order_is_named_with_its_line(tmp_path, line, message):
    (tmp_path / "orders").write_bytes(b"\n1 2 3\n" + line + b"\n1 2 3\n")
    with pytest.raises(CostreamError, match=f"orders, line 3: .*({message})"):
        read_orders(tmp_path / "orders", 3)


# --- comparisons -------------------------------------------------------------------------------------


def task_of(objective, runs=3, costs=False, sample=2):
    data = data_of(costs=costs)
    orders = permutations(len(data), runs, seed=0)
    loads = [lambda order=order: data.take(order) for order in orders]
    first = data.take(np.arange(sample))
    return data, Task("title", "note", first, loads, lambda _: objective, COSTS)


def builds_of(names=LEARNERS):
    return {name: lambda objective, name=name: OnlineClassifier(name, objective) for name in names}


def compared(objective, done=lambda: None, **settings):
    data, task = task_of(objective, **settings)
    return data, compare_learners(task, builds_of(), done)


@pytest.mark.parametrize("costs", [False, True], ids=["", "costs"])
@pytest.mark.parametrize("objective", [WeightedAccuracy(), Cost(8.0, 0.5)], ids=["sum", "cost"])
def test_the_constant_policies_have_their_numbers(objective, costs):
    data, found = compared(objective, costs=costs)
    whole = Tally.of(np.ones(len(data)), data.positive, COSTS, **data.costs._asdict())
    always, never = ({entry.name: entry for entry in found.entries}[name] for name in POLICIES)
    assert always.policy
    assert never.policy
    assert (always.mean["cost"], never.mean["cost"]) == (whole.flag_all, whole.miss_all)
    assert (always.mean["sensitivity"], always.mean["specificity"], always.mean["sum"]) == (1, 0, 0.25)
    assert (never.mean["sensitivity"], never.mean["specificity"], never.mean["sum"]) == (0, 1, 0.75)
    assert max(always.mean["savings"], never.mean["savings"]) == 0
    assert (always.mean["missed"], always.mean["false_alarms"]) == (0, whole.negatives)


def test_an_entry_is_the_mean_of_its_runs():
    objective = Cost(8.0, 0.5)
    _, task = task_of(objective)
    for entry in compare_learners(task, builds_of(), lambda: None).entries:
        if not entry.policy:
            orders = [load() for load in task.runs]
            runs = [run_once(builds_of()[entry.name](objective), data, COSTS) for data in orders]
            metrics = [run.tally.metrics(COSTS) for run in runs]
            assert mean_of(metrics).items() <= entry.mean.items()
            assert std_of(metrics).items() <= entry.std.items()
