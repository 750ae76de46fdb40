"""Comparisons of a portfolio: who led it in which run, and decisions at the costs of a row."""

from dataclasses import replace

import numpy as np
import pytest

from costream import Cost, OnlineClassifier
from costream.costs.rows import GivenCosts
from costream.costs.tally import Costs
from costream.datasets.dataset import Dataset
from costream.evaluation.comparing import AT_ROW_COSTS, Task, compare_learners
from costream.evaluation.runs import permutations, places_for, run_once
from costream.tables.arrays import as_batch
from helpers.streams import stream

COSTS = Costs(fn_cost=4.0, fp_cost=0.5)
OBJECTIVE = Cost(4.0, 0.5)


def auto(objective):
    return OnlineClassifier("auto", objective)


@pytest.fixture(scope="module")
def data():
    X, y = stream(3, rows=60)
    rng = np.random.default_rng(3)
    own = [rng.integers(1, 9, len(y)).astype(float) for _ in range(2)]
    return Dataset(as_batch(X), None, y > 0, GivenCosts(*own))


@pytest.fixture(scope="module")
def runs(data):
    return [data.take(order) for order in permutations(len(data), 2, seed=0)]


@pytest.fixture(scope="module")
def found(data, runs):
    return compared(data, runs)


def compared(data, runs, builds=None):
    loads = [lambda run=run: run for run in runs]
    task = Task("title", "note.", data, loads, lambda _: OBJECTIVE, COSTS)
    return compare_learners(task, builds or {"auto": auto}, lambda: None)


def entry(found, name):
    return next(one for one in found.entries if one.name == name)


def leaders_row_by_row(rows, data, places):
    """Who leads after so many rows, where each is learnt by itself."""
    model, leaders = auto(OBJECTIVE), []
    for t, (x, positive) in enumerate(zip(rows, data.positive, strict=True)):
        costs = {"fn_cost": float(data.costs.fn_cost[t]), "fp_cost": float(data.costs.fp_cost[t])}
        model.learn_one(x, int(positive), **costs)
        if t + 1 in places:
            leaders.append(model.standings().leader.name)
    return leaders


def test_leaders_are_those_of_the_first_run(found, runs):
    rows = [_dense(runs[0].rows, t, runs[0].width) for t in range(len(runs[0]))]
    expected = leaders_row_by_row(rows, runs[0], places_for(len(runs[0])))
    assert len(set(expected)) > 1
    assert entry(found, "auto").leaders == expected


def test_a_row_is_flagged_where_that_costs_less_than_leaving_it(data):
    """By hand: p times the cost of missing it, against 1 - p times that of a false alarm."""
    model, flagged = auto(OBJECTIVE), []
    for t in range(len(data)):
        x, (fn, fp, *_) = _dense(data.rows, t, data.width), data.costs.where(t)
        p = model.predict_proba_one(x)
        flagged.append(p * fn >= (1 - p) * fp)
        model.learn_one(x, int(data.positive[t]), fn_cost=fn, fp_cost=fp)
    assert run_once(auto(OBJECTIVE), data, COSTS).tally.cost == bill_of(np.array(flagged), data)


def bill_of(flagged, data):
    missed, alarms = data.positive & ~flagged, flagged & ~data.positive
    return data.costs.fn_cost[missed].sum() + data.costs.fp_cost[alarms].sum()


def test_a_comparison_says_that_costs_reveal_the_label(data):
    loss = np.where(data.positive, data.costs.fn_cost, 0.0)
    leaking = replace(data, costs=data.costs._replace(fn_cost=loss))
    message = compared(leaking, [leaking]).decisions
    assert message.startswith(
        f"{AT_ROW_COSTS} Warning: the costs of rows leak their labels (fn_cost is 0"
    )


def _dense(rows, t, width):
    x = np.zeros(width)
    part = slice(int(rows.start[t]), int(rows.start[t + 1]))
    x[rows.index[part]] = rows.value[part]
    return x
