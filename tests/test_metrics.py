"""The metrics on arrays against a loop over rows, their errors, and the scorers of scikit-learn."""

import math

import numpy as np
import pytest
import sklearn
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from costream import CostreamError, metrics
from costream.costs import Costs, Tally

COSTS = ("fn_cost", "fp_cost", "tp_cost", "tn_cost")
numbers = st.one_of(st.integers(-20, 20), st.floats(-1e3, 1e3))
rows = st.lists(
    st.tuples(st.booleans(), st.booleans(), st.tuples(numbers, numbers, numbers, numbers)), min_size=1
)


def in_a_loop(rows):
    """The cost of decisions, of flagging every row, of flagging none, and of perfect decisions."""
    cost = all_flagged = none_flagged = perfect = 0.0
    for positive, flagged, (fn, fp, tp, tn) in rows:
        if_flagged, if_passed = (tp, fn) if positive else (fp, tn)
        cost += if_flagged if flagged else if_passed
        all_flagged += if_flagged
        none_flagged += if_passed
        perfect += min(if_flagged, if_passed)
    return cost, all_flagged, none_flagged, perfect


def as_arrays(rows):
    positive, flagged, costs = zip(*rows, strict=True)
    return positive, flagged, dict(zip(COSTS, np.array(costs).T, strict=True))


# --- against a loop -----------------------------------------------------------------------------------


@given(rows)
def test_cost_of_rows_is_their_sum(rows):
    y_true, y_pred, costs = as_arrays(rows)
    assert metrics.cost(y_true, y_pred, **costs) == pytest.approx(in_a_loop(rows)[0], abs=1e-9)


@given(rows)
def test_savings_are_the_fraction_of_what_a_constant_policy_could_avoid(rows):
    cost, all_flagged, none_flagged, perfect = in_a_loop(rows)
    constant = min(all_flagged, none_flagged)
    assume(constant - perfect > 1e-3)
    y_true, y_pred, costs = as_arrays(rows)
    expected = (constant - cost) / (constant - perfect)
    assert metrics.savings(y_true, y_pred, **costs) == pytest.approx(expected, rel=1e-6, abs=1e-6)


@given(rows, st.data())
def test_a_weight_is_a_number_of_copies(rows, data):
    weight = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    copies = [row for row, times in zip(rows, weight, strict=True) for _ in range(times)]
    assume(copies)
    y_true, y_pred, costs = as_arrays(rows)
    found = metrics.cost(y_true, y_pred, sample_weight=weight, **costs)
    again, predicted, costs_again = as_arrays(copies)
    assert found == pytest.approx(metrics.cost(again, predicted, **costs_again), abs=1e-9)


def test_the_metrics_are_those_of_the_tally():
    rng = np.random.default_rng(0)
    y_true, y_pred = rng.random((2, 50)) < 0.4
    four = dict(zip(COSTS, rng.normal(size=(4, 50)), strict=True))
    tally = Tally.of(np.where(y_pred, 1.0, -1.0), y_true, Costs(), **four)
    assert metrics.cost(y_true, y_pred, **four) == tally.cost
    assert metrics.savings(y_true, y_pred, **four) == tally.savings()
    assert metrics.weighted_sum(y_true, y_pred, alpha_p=0.7) == tally.weighted_sum(0.7)


def test_the_weighted_sum_at_one_half_is_the_balanced_accuracy():
    y_true, y_pred = np.random.default_rng(0).random((2, 80)) < 0.3
    weight = np.random.default_rng(1).random(80)
    found = metrics.weighted_sum(y_true, y_pred, sample_weight=weight)
    assert found == pytest.approx(balanced_accuracy_score(y_true, y_pred, sample_weight=weight))


# --- errors and undefined cases -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"y_pred": [1, 0]}, "y_true has 3 labels and y_pred 2"),
        ({"y_true": [[1, 0, 0]]}, "y_true must have one dimension, not 2"),
        ({"y_true": [1, None, 0]}, "y_true, row 1: None is not a label"),
        ({"y_pred": [1, 0, math.nan]}, "y_pred, row 2: nan is not a label"),
        ({"fn_cost": [1, 2]}, "fn_cost must have one number for each of 3 rows"),
        (
            {"fp_cost": [1, math.inf, 2]},
            "row 1: fp_cost must be a finite number, not inf",
        ),
        (
            {"tp_cost": [1, math.nan, 2]},
            "row 1: tp_cost must be a finite number, not nan",
        ),
        ({"tn_cost": math.nan}, "^tn_cost must be a finite number, not nan"),
        ({"fn_cost": None}, "^fn_cost must be a finite number, not None"),
        ({"fn_cost": "amount"}, "fn_cost must be a finite number, not 'amount'"),
        ({"sample_weight": [1, -1, 1]}, "row 1: sample_weight must be finite and not negative"),
        ({"sample_weight": [1, 1]}, "sample_weight must have one number for each of 3 rows"),
    ],
)
def test_bad_input_is_an_error(change, complaint):
    good = {"y_true": [1, 0, 1], "y_pred": [1, 1, 0], "fn_cost": [3, 4, 5], "fp_cost": 1}
    for metric in (metrics.cost, metrics.savings):
        metric(**good)
        with pytest.raises(CostreamError, match=complaint):
            metric(**{**good, **change})


@pytest.mark.parametrize("labels", [["no", "yes"], [2, 3], [0, 2]])
def test_a_positive_label_that_does_not_occur_is_an_error(labels):
    y_true, y_pred = np.array(labels)[[0, 1, 1]], np.array(labels)[[1, 1, 0]]
    with pytest.raises(CostreamError, match="pos_label=1 is none of the labels, which are ") as error:
        metrics.cost(y_true, y_pred, fn_cost=10, fp_cost=1)
    hint = str(error.value).rpartition("pos_label=")[2]
    named = {repr(one): one for one in np.array(labels).tolist()}[hint]
    assert metrics.cost(y_true, y_pred, fn_cost=10, fp_cost=1, pos_label=named) == 11.0


def test_costs_that_overflow_are_an_error():
    with pytest.raises(CostreamError, match="overflows\nhint: give costs in a larger unit"):
        metrics.cost([1, 1], [0, 0], fn_cost=[1e308, 1e308], fp_cost=1)
    assert metrics.cost([1, 1], [0, 0], fn_cost=[1e5, 1e5], fp_cost=1e-303) == 2e5


@pytest.mark.parametrize(
    ("y_true", "costs", "policy"),
    [
        ([0, 0], {"fn_cost": 9, "fp_cost": 1}, "flagging no row"),
        ([1, 1], {"fn_cost": 9, "fp_cost": 1}, "flagging every row"),
        ([0, 1], {"fn_cost": [9, 0], "fp_cost": [0, 9]}, "flagging every row"),
        ([0, 1], {"fn_cost": -2, "fp_cost": 1}, "flagging no row"),
    ],
)
def test_savings_where_a_constant_policy_is_perfect(y_true, costs, policy):
    with pytest.warns(
        UndefinedMetricWarning, match=f"nothing to save: {policy} costs no more"
    ) as found:
        assert math.isnan(metrics.savings(y_true, [0, 1], **costs))
    assert found[0].filename == __file__


@pytest.mark.parametrize(("label", "absent"), [(0, "positive"), (1, "negative")])
def test_the_weighted_sum_of_one_class(label, absent):
    with pytest.warns(UndefinedMetricWarning, match=f"undefined: no row is {absent}") as found:
        assert math.isnan(metrics.weighted_sum([label, label], [0, 1]))
    assert found[0].filename == __file__
    with pytest.warns(UndefinedMetricWarning, match=f"undefined: no row is {absent}"):
        metrics.weighted_sum([label, label, 1 - label], [0, 1, 0], sample_weight=[1, 1, 0])


@pytest.mark.parametrize("alpha_p", [0.0, 1.0, math.nan])
def test_a_weight_of_sensitivity_out_of_its_bounds(alpha_p):
    with pytest.raises(CostreamError, match="alpha_p must be between 0 and 1"):
        metrics.weighted_sum([0, 1], [0, 1], alpha_p=alpha_p)
    with pytest.raises(CostreamError, match="alpha_p must be between 0 and 1"):
        metrics.weighted_sum_scorer(alpha_p=alpha_p)


# --- scorers ------------------------------------------------------------------------------------------

RNG = np.random.default_rng(0)
AMOUNT = RNG.exponential(100, 600)
X = np.column_stack([RNG.normal(size=600), np.log(AMOUNT)])
FRAUD = (RNG.random(600) < 1 / (1 + np.exp(3 - X[:, 0] - 0.2 * X[:, 1]))).astype(int)
GRID = {"class_weight": [None, {1: 5}, {1: 25}]}


@pytest.fixture
def _routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_scorers_at_costs_of_classes():
    model = LogisticRegression(class_weight={1: 25}).fit(X, FRAUD)
    predicted = model.predict(X)
    costs = {"fn_cost": 100, "fp_cost": 5, "tp_cost": 5, "tn_cost": -1}
    found = metrics.cost_scorer(**costs)(model, X, FRAUD)
    assert found == -metrics.cost(FRAUD, predicted, **costs)
    found = metrics.savings_scorer(**costs)(model, X, FRAUD)
    assert found == metrics.savings(FRAUD, predicted, **costs)
    found = metrics.weighted_sum_scorer(alpha_p=0.9)(model, X, FRAUD)
    assert found == metrics.weighted_sum(FRAUD, predicted, alpha_p=0.9)


def by_hand(metric, **costs):
    """The mean of a metric over the test folds of each setting; arrays have a cost for each row."""
    means = []
    for weight in GRID["class_weight"]:
        found = []
        for learn, test in KFold(3).split(X):
            model = LogisticRegression(class_weight=weight).fit(X[learn], FRAUD[learn])
            own = {name: one[test] if np.ndim(one) else one for name, one in costs.items()}
            found.append(metric(FRAUD[test], model.predict(X[test]), **own))
        means.append(np.mean(found))
    return means


@pytest.mark.usefixtures("_routing")
def test_grid_search_with_costs_of_rows():
    scorer = metrics.savings_scorer(fp_cost=5).set_score_request(fn_cost=True)
    search = GridSearchCV(LogisticRegression(), GRID, scoring=scorer, cv=KFold(3))
    search.fit(X, FRAUD, fn_cost=AMOUNT)
    expected = by_hand(metrics.savings, fn_cost=AMOUNT, fp_cost=5)
    assert search.cv_results_["mean_test_score"].tolist() == expected
    accuracy = GridSearchCV(LogisticRegression(), GRID, scoring="accuracy", cv=KFold(3)).fit(X, FRAUD)
    assert search.best_params_ != accuracy.best_params_


def test_costs_of_rows_in_a_scorer_are_an_error_and_its_hint_works():
    with pytest.raises(
        CostreamError, match=r"must be a number\nhint: .*set_score_request\(fn_cost=True"
    ):
        metrics.savings_scorer(fn_cost=AMOUNT, fp_cost=5)
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = metrics.savings_scorer(fp_cost=5).set_score_request(fn_cost=True)
        found = cross_val_score(
            LogisticRegression(), X, FRAUD, scoring=scorer, cv=KFold(3), params={"fn_cost": AMOUNT}
        )
    assert found.mean() == by_hand(metrics.savings, fn_cost=AMOUNT, fp_cost=5)[0]
