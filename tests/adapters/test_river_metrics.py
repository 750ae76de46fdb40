"""The metrics for River: they are those of the tally, and go back exactly."""

import math

import numpy as np
import pytest

pytest.importorskip("river")

from river import linear_model, metrics, preprocessing, utils

from costream import CostreamError
from costream.costs import Costs, Tally
from costream.costs.rows import GivenCosts
from costream.costs.running import ExactSum
from costream.river import CostSensitiveClassifier
from costream.river import metrics as ours
from costream.river.metrics import with_costs

RNG = np.random.default_rng(14)
ROWS = 300
TRUE = RNG.random(ROWS) < 0.3
PRED = np.where(RNG.random(ROWS) < 0.8, TRUE, ~TRUE)
FOUR = GivenCosts(*RNG.normal(2.0, 5.0, (4, ROWS)))  # of all signs
NAMES = GivenCosts._fields
SCORES = np.where(PRED, 1.0, -1.0)
NUMBERS = {"fn_cost": 9.0, "fp_cost": 1.5, "tp_cost": 0.25, "tn_cost": -0.125}


def costs_of(t, names=NAMES):
    return {name: float(getattr(FOUR, name)[t]) for name in names}


def own(names, part=slice(None)):
    return {name: getattr(FOUR, name)[part] for name in names}


def expected(names=(), part=slice(None)):
    return Tally.of(SCORES[part], TRUE[part], Costs(**NUMBERS), **own(names, part))


# --- the same as the tally --------------------------------------------------------------------------


@pytest.mark.parametrize("names", [(), ("fn_cost",), ("fp_cost", "tn_cost"), NAMES], ids=str)
def test_cost_and_savings_are_those_of_the_tally(names):
    cost, savings = ours.Cost(**NUMBERS), ours.Savings(**NUMBERS)
    for t in range(ROWS):
        for metric in (cost, savings):
            metric.update(bool(TRUE[t]), bool(PRED[t]), **costs_of(t, names))
    tally = expected(names)
    assert cost.get() == pytest.approx(tally.cost, abs=1e-9)
    assert savings.get() == pytest.approx(tally.savings(), abs=1e-9)


@pytest.mark.parametrize("alpha_p", [0.0, 0.3, 0.5, 1.0])
def test_the_weighted_sum_is_that_of_the_tally(alpha_p):
    metric = ours.WeightedSum(alpha_p)
    for true, pred in zip(TRUE, PRED, strict=True):
        metric.update(true, pred)
    assert metric.get() == pytest.approx(expected().weighted_sum(alpha_p), abs=1e-12)


def test_a_shared_confusion_matrix():
    cm = metrics.ConfusionMatrix()
    shared = [ours.Cost(9, 1, cm=cm), ours.Savings(9, 1, cm=cm), ours.WeightedSum(cm=cm)]
    for true, pred in zip(TRUE.tolist(), PRED.tolist(), strict=True):
        cm.update(true, pred)
    tally = Tally.of(SCORES, TRUE, Costs(fn_cost=9, fp_cost=1))
    values = [tally.cost, tally.savings(), tally.weighted_sum(0.5)]
    assert [one.get() for one in shared] == pytest.approx(values)
    with pytest.raises(CostreamError, match="no fn_cost"):
        ours.Cost(cm=cm).get()


# --- errors -----------------------------------------------------------------------------------------


def test_a_cost_that_is_nowhere_is_an_error_whose_hints_work():
    metric = ours.Cost(fp_cost=1)
    with pytest.raises(CostreamError, match="no fn_cost") as error:
        metric.update(True, False)
    assert metric.get() == 0.0
    assert "Cost(fn_cost=...)" in str(error.value)
    assert "with_costs(stream, fn_cost=...)" in str(error.value)
    given = ours.Cost(fn_cost=9, fp_cost=1)
    given.update(True, False)
    for _, y in with_costs([({}, True)], fn_cost=9, pass_to_model=False):
        metric.update(y, False)
    assert metric.get() == given.get() == 9.0


# --- as River's metrics are used --------------------------------------------------------------------


@pytest.mark.parametrize("metric", [ours.Cost(9, 1, 0.5, -1), ours.Savings(9), ours.WeightedSum(0.7)])
def test_they_work_with_classifiers_alone_and_can_be_cloned(metric):
    assert metric.works_with(CostSensitiveClassifier())
    assert metric.works_with(preprocessing.StandardScaler() | CostSensitiveClassifier())
    assert not metric.works_with(linear_model.LinearRegression())
    other = metric.clone()
    assert type(other) is type(metric)
    for name in (*NAMES, "alpha_p", "pos_val"):
        assert getattr(other, name, None) == getattr(metric, name, None)


def test_rolling_windows():
    windows = [
        utils.Rolling(ours.Cost, window_size=50, **NUMBERS),
        utils.Rolling(ours.Savings, window_size=50, **NUMBERS),
    ]
    for t in range(ROWS):
        y = ours_label(t) if t % 2 else bool(TRUE[t])
        for window in windows:
            window.update(y, bool(PRED[t]))
    fresh = [ours.Cost(**NUMBERS), ours.Savings(**NUMBERS)]
    for t in range(ROWS - 50, ROWS):
        for metric in fresh:
            metric.update(ours_label(t) if t % 2 else bool(TRUE[t]), bool(PRED[t]))
    assert [one.get() for one in windows] == [one.get() for one in fresh]


def ours_label(t):
    """The label of a row that carries its four costs."""
    ((_, y),) = with_costs([({}, bool(TRUE[t]))], **costs_of(t), pass_to_model=False)
    return y


def test_exact_sums():
    numbers = RNG.normal(size=1000) * 10.0 ** RNG.integers(-12, 12, 1000)
    total = ExactSum()
    for number in numbers.tolist():
        total.add(number)
    assert total.value == math.fsum(numbers)
