"""Rules of the user's own: how they are written, and what they decide."""

import numpy as np
import pytest

from costream import CostreamError
from costream.costs import Costs
from costream.costs.objectives.cost import Cost
from costream.costs.rows import GivenCosts
from costream.costs.tally import Tally
from costream.datasets.dataset import Dataset
from costream.evaluation.baselines import Baseline
from costream.evaluation.comparing import Task, compare_learners
from costream.tables.arrays import as_batch


@pytest.mark.parametrize(
    ("text", "column", "operator", "value"),
    [
        ("amount > 220", "amount", ">", 220.0),
        ("  amount  <  -1 ", "amount", "<", -1.0),
        ("amount <= .5", "amount", "<=", 0.5),
        ("amount = 3", "amount", "==", 3.0),
        ("shop != games", "shop", "!=", "games"),
        ('shop == "toys and games"', "shop", "==", "toys and games"),
        ('"my > column" > 3', "my > column", ">", 3.0),
        ("`my column`>3", "my column", ">", 3.0),
        ("code == 007", "code", "==", 7.0),
    ],
)
def test_a_comparison(text, column, operator, value):
    assert Baseline.parse(text) == Baseline(column, operator, value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "amount >",
        "amount => 220",
        "amount > 220 > 3",
        "amount > 220 and hour < 6",
        "shop == games or toys",
        "amount > __import__('os').getpid()",
        'amount > "220" "3"',
    ],
)
def test_what_is_not_one_comparison_is_refused(text):
    with pytest.raises(CostreamError) as error:
        Baseline.parse(text)
    assert "hint: " in str(error.value)


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("x > 2", [0, 0, 1, 0]),
        ("x >= 2", [0, 1, 1, 0]),
        ("x < 2", [1, 0, 0, 0]),
        ("x <= 2", [1, 1, 0, 0]),
        ("x == 2", [0, 1, 0, 0]),
        ("x != 2", [1, 0, 1, 0]),
    ],
)
@pytest.mark.parametrize(
    "values", [[1, 2, 3.5, None], ["1", " 2.0", "3.5", ""], [1, 2, 9, float("nan")]]
)
def test_a_missing_value_is_not_flagged(text, flags, values):
    assert Baseline.parse(text).flags(values).tolist() == [bool(one) for one in flags]


@pytest.mark.parametrize("yes", [1, "1", 1.0, True, "true", "YES", "y", "flag", " 1 "])
@pytest.mark.parametrize("no", [0, "0", -1, False, "False", "no", "n", "pass", None, ""])
def test_decisions_are_read_as_labels_are(yes, no):
    assert Baseline("x").flags([yes, no]).tolist() == [True, False]


def test_a_rule_is_compared_at_the_costs_of_the_rows_in_every_order():
    rng = np.random.default_rng(0)
    positive, flags = rng.random(50) < 0.3, rng.random(50) < 0.5
    own = GivenCosts(*(rng.random(50) for _ in range(4)))
    data = Dataset(as_batch(np.ones((50, 1))), None, positive, own, decisions={"x > 1": flags})
    orders = [rng.permutation(50) for _ in range(2)]
    runs = [lambda order=order: data.take(order) for order in orders]
    costs = Costs()
    task = Task("t", "", data, runs, lambda _: Cost(1, 1), costs)
    entries = {one.name: one for one in compare_learners(task, {}, lambda: None).entries}
    assert [name for name, one in entries.items() if one.baseline] == ["x > 1"]
    whole = Tally.of(np.where(flags, 1.0, -1.0), positive, costs, **own._asdict())
    for key, value in whole.metrics(costs).items():
        assert entries["x > 1"].mean[key] == pytest.approx(value), key
