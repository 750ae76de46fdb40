"""The list of metrics: which way is better, how numbers are shown, and what is undefined."""

import math

import numpy as np
import pytest

from costream.costs import Costs, Tally
from costream.costs.metrics import METRICS, class_name
from costream.costs.policies import best_of, is_better

MORE = {"sensitivity", "specificity", "sum", "saved", "savings"}


def tally(flagged, positive):
    return Tally.of(np.where(flagged, 1.0, -1.0), np.array(positive, bool), Costs(fn_cost=9, fp_cost=2))


def test_each_metric_says_what_is_better_and_how_it_is_shown():
    assert {name for name, one in METRICS.items() if one.more_is_better} == MORE
    assert {name for name, one in METRICS.items() if one.better == "higher is better"} == MORE
    shown = {name for name, one in METRICS.items() if one.is_percent}
    assert shown == {"sensitivity", "specificity", "sum", "savings"}
    assert [name for name, one in METRICS.items() if one.needs_costs] == ["saved"]
    assert [class_name(name) for name in ("cost", "false_alarms")] == ["Cost", "FalseAlarms"]


def test_the_values_of_decisions_by_hand():
    found = tally([1, 0, 1, 0, 0], [1, 1, 0, 0, 0])
    values = {name: one.value(found, 0.25) for name, one in METRICS.items()}
    assert values == pytest.approx(
        {
            "missed": 1,
            "false_alarms": 1,
            "sensitivity": 1 / 2,
            "specificity": 2 / 3,
            "sum": 0.25 / 2 + 0.75 * 2 / 3,
            "cost": 11.0,
            "saved": 6.0 - 11.0,
            "savings": 1 - 11.0 / 6.0,
        }
    )
    four = Costs(fn_cost=9, fp_cost=2, tp_cost=3, tn_cost=1)
    assert Tally.of(np.ones(5), np.arange(5) < 2, four).perfect == 2 * 3 + 3 * 1
    benefit = Costs(fn_cost=1, fp_cost=2, tp_cost=3, tn_cost=1)
    assert Tally.of(np.ones(5), np.arange(5) < 2, benefit).perfect == 2 * 1 + 3 * 1


@pytest.mark.parametrize(("positive", "absent"), [([1, 1], "negative"), ([0, 0], "positive")])
def test_what_is_undefined_says_why(positive, absent):
    found = tally([1, 0], positive)
    assert math.isnan(METRICS["sum"].value(found, 0.5))
    assert METRICS["sum"].undefined(found) == f"the weighted sum is undefined: no row is {absent}"
    assert math.isnan(METRICS["savings"].value(found, 0.5))
    assert "there is nothing to save" in METRICS["savings"].undefined(found)
    assert METRICS["savings"].undefined(tally([], [])).endswith("undefined: there are no rows")


def test_the_best_is_the_first_of_equals_and_finite():
    assert best_of("cost", {"a": math.nan, "b": 2.0, "c": 2.0}) == "b"
    assert best_of("sum", {"a": 0.5, "b": math.inf, "c": 0.7}) == "c"
    assert best_of("cost", {"a": math.nan}) is None
    assert (is_better("cost", 1.0, 2.0), is_better("sum", 1.0, 2.0)) == (True, False)
