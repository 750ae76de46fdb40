"""Tallies by hand, orders of rows, and learners beside each other and the constant policies."""

import gzip
import math
import os
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from costream import Cost, CostreamError, OnlineClassifier, WeightedAccuracy
from costream.costs.metrics import METRICS
from costream.costs.policies import POLICIES
from costream.costs.rows import GivenCosts
from costream.costs.tally import Costs, Tally
from costream.datasets.dataset import Dataset
from costream.evaluation.comparing import Task, changed, compare_learners
from costream.evaluation.runs import (
    in_parallel,
    mean_of,
    order_of,
    permutations,
    places_for,
    read_orders,
    run_once,
    std_of,
    tallied,
)
from costream.learners import make_learner
from costream.model.classifier import core_of
from costream.tables.arrays import as_batch
from helpers.streams import ROWS, same_bits, stream

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


def test_rows_with_their_own_costs():
    fn, fp = np.array([1.0, 2, 4, 8, 16, 32, 64]), np.array([100.0, 200, 300, 400, 500, 600, 700])
    tally = Tally.of(SCORES, TRUTH, COSTS, fn_cost=fn, fp_cost=fp)
    assert (tally.cost, tally.miss_all, tally.flag_all) == (2 + 64 + 400 + 600, 71.0, 1500.0)


def test_right_decisions_may_cost_something():
    costs = Costs(fn_cost=8.0, fp_cost=0.5, tp_cost=3.0, tn_cost=-1.0)
    tally = Tally.of(SCORES, TRUTH, costs)
    assert tally.cost == 2 * 8 + 2 * 0.5 + 2 * 3 - 1
    assert (tally.miss_all, tally.flag_all) == (4 * 8 - 3, 4 * 3 + 3 * 0.5)
    assert tally.perfect == 4 * 3 - 3
    assert tally.savings() == pytest.approx((13.5 - tally.cost) / (13.5 - 9))


def test_perfect_decisions_take_the_cheaper_outcome_of_each_row():
    fn, tp = np.array([1.0, 9.0, 4.0]), np.array([5.0, 2.0, 4.0])
    tally = Tally.of(np.ones(3), np.ones(3, bool), COSTS, fn_cost=fn, tp_cost=tp)
    assert (tally.cost, tally.miss_all, tally.perfect) == (11.0, 14.0, 7.0)
    assert tally.savings() == 0.0


@pytest.mark.parametrize("given", ["fn", "fp"])
def test_rows_with_one_cost_of_their_own(given):
    own = np.arange(7.0)
    tally = Tally.of(SCORES, TRUTH, COSTS, **{f"{given}_cost": own})
    assert tally.cost == (1 + 6 + 2 * 0.5 if given == "fn" else 2 * 8 + 3 + 5)


def test_what_is_saved_is_the_difference_to_the_cheaper_constant_policy():
    costs = Costs(fn_cost=10.0, fp_cost=1.0, tp_cost=1.0)
    tally = Tally(positives=10, negatives=200, missed=4, false_alarms=20, costs=costs)
    assert (tally.cost, tally.constant, tally.perfect) == (40 + 20 + 6, 100.0, 10.0)
    assert tally.saved == 34.0
    assert tally.savings() == pytest.approx(34 / 90)
    assert tally.better_policy == "flagging no row"


def test_metrics_by_name():
    metrics = Tally.of(SCORES, TRUTH, COSTS).metrics(COSTS)
    assert list(metrics) == list(METRICS)
    assert metrics["missed"] == 2
    assert metrics["sum"] == Tally.of(SCORES, TRUTH, COSTS).weighted_sum(0.25)


@pytest.mark.parametrize(
    ("truth", "undefined"),
    [
        ([], {"sensitivity", "specificity", "sum", "savings"}),
        ([True, True], {"specificity", "sum", "savings"}),
        ([False, False], {"sensitivity", "sum", "savings"}),
        ([True, False], set()),
    ],
    ids=["no rows", "positives", "negatives", "both"],
)
def test_what_is_not_defined_is_nan(truth, undefined):
    metrics = Tally.of(np.ones(len(truth)), np.array(truth, bool), COSTS).metrics(COSTS)
    assert {name for name, value in metrics.items() if value != value} == undefined


def test_savings_of_free_mistakes_are_not_defined():
    assert math.isnan(Tally.of(SCORES, TRUTH, COSTS, fn_cost=np.zeros(7), fp_cost=np.ones(7)).savings())


@pytest.mark.parametrize(("score", "bill"), [(1.0, "flag_all"), (-1.0, "miss_all")])
def test_a_constant_policy_pays_its_bill(score, bill):
    data = data_of(costs=True)
    tally = Tally.of(np.full(len(data), score), data.positive, COSTS, **data.costs._asdict())
    assert tally.cost == getattr(tally, bill)
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


@given(rows=SIGNED)
def test_the_counts_hold_together(rows):
    scores, truth = np.array([row[0] for row in rows], float), np.array([row[1] for row in rows], bool)
    tally = Tally.of(scores, truth, COSTS)
    assert tally.rows == len(rows)
    assert 0 <= tally.missed <= tally.positives
    assert 0 <= tally.false_alarms <= tally.negatives
    assert tally.cost == 8.0 * tally.missed + 0.5 * tally.false_alarms


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


@pytest.mark.parametrize("rows", [0, 1, 2, 119, 120, 121, 12_345, 10**9])
def test_places_end_with_the_last_row(rows):
    places = places_for(rows)
    assert places == sorted(set(places))
    assert len(places) == min(rows, 120)
    assert all(1 <= place <= rows for place in places)
    assert places[-1:] == ([rows] if rows else [])


def test_tasks_in_parallel_keep_their_order():
    done = []
    results = in_parallel([lambda t=t: t * t for t in range(20)], lambda: done.append(None))
    assert results == [t * t for t in range(20)]
    assert len(done) == 20


def test_the_error_of_a_task_comes_out():
    def fail():
        raise CostreamError("mine")

    with pytest.raises(CostreamError, match="mine"):
        in_parallel([lambda: 1, fail, lambda: 2], lambda: None)


def test_tasks_run_beside_each_other(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    meet = threading.Barrier(3, timeout=20)
    assert sorted(in_parallel([meet.wait] * 3, lambda: None)) == [0, 1, 2]


def test_means_and_deviations():
    metrics = [{"a": 1, "b": 2.0}, {"a": 2, "b": NAN}, {"a": 6, "b": 4.0}]
    assert mean_of(metrics)["a"] == 3.0
    assert std_of(metrics)["a"] == np.std([1, 2, 6], ddof=1)
    assert math.isnan(mean_of(metrics)["b"])
    assert math.isnan(std_of(metrics)["b"])
    assert math.isnan(std_of(metrics[:1])["a"])


# --- orders ------------------------------------------------------------------------------------------


def test_random_orders_are_permutations_and_the_same_again():
    orders = permutations(50, 4, seed=3)
    assert all(sorted(order) == list(range(50)) for order in orders)
    assert len({tuple(order) for order in orders}) == 4
    assert np.array_equal(orders, permutations(50, 4, seed=3))
    assert not np.array_equal(orders, permutations(50, 4, seed=4))


def test_more_orders_begin_with_the_same_ones():
    assert np.array_equal(permutations(50, 5, seed=3)[:2], permutations(50, 2, seed=3))


def test_orders_are_permutations_that_depend_on_seed_and_run():
    orders = [order_of(50, seed, run) for seed in (0, 1) for run in range(3)]
    assert all(sorted(order) == list(range(50)) for order in orders)
    assert len({order.tobytes() for order in orders}) == 6
    assert np.array_equal(orders[4], order_of(50, 1, 1))


def test_the_orders_of_all_runs_are_those_of_each():
    orders = permutations(50, 3, seed=5)
    assert all(np.array_equal(order, order_of(50, 5, run)) for run, order in enumerate(orders))


ORDER_FILES = {
    "plain": b"1 2 3\n3 1 2\n",
    "commas": b"1,2,3\n3, 1, 2\n",
    "tabs, CRLF": b"1\t2\t3\r\n3\t1\t2\r\n",
    "blank lines": b"\n1 2 3\n\n   3   1 2  \n\n",
    "no last newline": b"1 2 3\n3 1 2",
}


@pytest.mark.parametrize("content", ORDER_FILES.values(), ids=ORDER_FILES)
def test_orders_from_a_file(tmp_path, content):
    (tmp_path / "orders").write_bytes(content)
    assert [order.tolist() for order in read_orders(tmp_path / "orders", 3)] == [[0, 1, 2], [2, 0, 1]]


def test_orders_come_back_from_a_compressed_file(tmp_path):
    orders = permutations(500, 30, seed=1)
    text = "\n".join(" ".join(str(i + 1) for i in order) for order in orders)
    (tmp_path / "orders.txt.gz").write_bytes(gzip.compress(text.encode()))
    assert np.array_equal(read_orders(tmp_path / "orders.txt.gz", 500), orders)


BAD_ORDERS = {
    "too few": (b"1 2", "2 numbers for 3 rows"),
    "too many": (b"1 2 3 4", "4 numbers for 3 rows"),
    "twice": (b"1 2 2", "3 is missing"),
    "zero": (b"0 1 2", "3 is missing"),
    "beyond": (b"1 2 4", "3 is missing"),
    "negative": (b"-1 2 3", "1 is missing"),
    "letters": (b"1 two 3", "whole numbers"),
    "fraction": (b"1 2.5 3", "whole numbers"),
    "huge": (b"1 2 99999999999999999999", "whole numbers|is missing"),
    "smallest": (b"1 2 -9223372036854775808", "3 is missing"),
    "endless": (b"1 2 " + 5000 * b"9", "whole numbers|is missing"),
    "noise": (b"\xff\xfe\0", "whole numbers"),
}


@pytest.mark.parametrize(("line", "said"), BAD_ORDERS.values(), ids=BAD_ORDERS)
def test_a_bad_order_is_named_with_its_line(tmp_path, line, said):
    (tmp_path / "orders").write_bytes(b"\n1 2 3\n" + line + b"\n1 2 3\n")
    with pytest.raises(CostreamError, match=f"orders, line 3: .*({said})"):
        read_orders(tmp_path / "orders", 3)


@pytest.mark.parametrize("content", [b"", b"\n \n"], ids=["empty", "blank"])
def test_a_file_without_orders(tmp_path, content):
    (tmp_path / "orders").write_bytes(content)
    with pytest.raises(CostreamError, match="orders has no permutation"):
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


def timeless(comparison):
    """All that is found but the seconds."""
    for entry in comparison.entries:
        entry.mean["seconds"] = entry.std["seconds"] = 0.0
    return comparison.entries


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


def test_entries_are_sorted_by_the_objective():
    sums = [entry.mean["sum"] for entry in compared(WeightedAccuracy())[1].entries]
    costs = [entry.mean["cost"] for entry in compared(Cost(8.0, 0.5))[1].entries]
    assert sums == sorted(sums, reverse=True)
    assert costs == sorted(costs)
    assert len(set(sums)) > 1
    assert len(set(costs)) > 1


@pytest.mark.parametrize(
    ("objective", "metric"), [(WeightedAccuracy(), "sum"), (Cost(8.0, 0.5), "cost")]
)
def test_curves_end_at_the_final_value(objective, metric):
    _, found = compared(objective, costs=True)
    assert found.places[-1] == found.rows
    for entry in found.entries:
        assert len(entry.curve) == len(found.places)
        assert entry.curve[-1] == pytest.approx(entry.mean[metric], rel=1e-12)


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


def test_what_a_comparison_says_about_itself():
    steps = []
    data, found = compared(WeightedAccuracy(), lambda: steps.append(None))
    assert (found.title, found.note, found.objective, found.runs) == ("title", "note", "sum", 3)
    assert (found.rows, found.positives) == (len(data), data.positives)
    assert found.costs == vars(COSTS)
    assert {entry.name for entry in found.entries} == {*LEARNERS, *POLICIES}
    assert len(steps) == 3 * len(LEARNERS)
    assert compared(WeightedAccuracy(), costs=True)[1].costs["fn_cost"] == "per row"


def test_a_single_run_has_no_deviation():
    _, found = compared(WeightedAccuracy(), runs=1)
    assert all(set(entry.std.values()) == {0.0} for entry in found.entries)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_number_of_threads_does_not_matter(monkeypatch, threads):
    expected = timeless(compared(Cost(8.0, 0.5), costs=True)[1])
    monkeypatch.setattr(os, "cpu_count", lambda: threads)
    assert timeless(compared(Cost(8.0, 0.5), costs=True)[1]) == expected


def test_a_learner_does_not_see_the_others():
    _, task = task_of(WeightedAccuracy())
    alone = compare_learners(task, builds_of(LEARNERS[1:2]), lambda: None)
    together = compare_learners(task, builds_of(), lambda: None)
    curves = [{e.name: e.curve for e in found.entries}[LEARNERS[1]] for found in (alone, together)]
    assert same_bits(*curves)


def test_settings_that_were_changed():
    assert changed(make_learner("acog-ii-diag")) == {}
    assert changed(make_learner("acog-ii-diag", eta=3.0)) == {"eta": 3.0}


def test_a_warm_up_leaves_no_trace():
    model = builds_of()[LEARNERS[0]](Cost())
    core_of(model).warm_up()
    assert (model.rows, len(model.feature_names)) == (0, 0)
