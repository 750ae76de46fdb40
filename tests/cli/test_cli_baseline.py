"""``costream compare --baseline``: rules of the user's own beside the learners."""

import csv
import json

import numpy as np
import pytest

from helpers.commands import compiled_only, fail, succeed

pytestmark = compiled_only
COSTS = ("--fn-cost-column", "loss", "--fp-cost", 5, "--tp-cost", 1)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Payments with an amount, a shop, a loss and somebody's decisions."""
    path = tmp_path_factory.mktemp("rules") / "payments.csv"
    rng = np.random.default_rng(0)
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["the amount", "shop", "checked", "loss", "label"])
        for _ in range(400):
            amount, label = round(float(rng.exponential(100)), 2), int(rng.random() < 0.2)
            shop = str(rng.choice(["games", "food", ""]))
            checked = "yes" if rng.random() < 0.1 + 0.5 * label else "no"
            rows.writerow([amount, shop, checked, 20 + 100 * float(rng.random()), label])
    return path


def compared(table, *options):
    command = ("compare", table, *COSTS, "--learner", "arow", "--no-report", "--json", *options)
    return {one["name"]: one for one in json.loads(succeed(*command))[0]["entries"]}


def by_hand(table, rule):
    """What a rule costs, missed positives and false alarms."""
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    cost, missed, false_alarms = 0.0, 0, 0
    for row in rows:
        flag, positive = rule(row), row["label"] == "1"
        cost += (1.0 if flag else float(row["loss"])) if positive else 5.0 * flag
        missed += positive and not flag
        false_alarms += flag and not positive
    return cost, missed, false_alarms


@pytest.mark.parametrize(
    ("text", "name", "rule"),
    [
        ("the amount > 120", "the amount > 120", lambda row: float(row["the amount"]) > 120),
        ('"the amount" <= 9.5', "the amount <= 9.5", lambda row: float(row["the amount"]) <= 9.5),
        ("shop = games", "shop == games", lambda row: row["shop"] == "games"),
        ("shop != games", "shop != games", lambda row: row["shop"] == "food"),
        ("checked", "column checked", lambda row: row["checked"] == "yes"),
    ],
)
def test_a_rule_is_billed_as_learners_are(table, text, name, rule):
    found = compared(table, "--baseline", text)[name]
    assert found["baseline"]
    cost, missed, false_alarms = by_hand(table, rule)
    assert found["mean"]["cost"] == pytest.approx(cost)
    assert (found["mean"]["missed"], found["mean"]["false_alarms"]) == (missed, false_alarms)


@pytest.mark.parametrize(
    ("text", "code", "why", "hint"),
    [
        ("amount > 120", 1, "there is no column amount", "did you mean the amount?"),
        ("the amount >", 2, "is not one comparison COLUMN OP VALUE", "for example --baseline"),
        ("shop > games", 2, "compares with games, which is not a number", "compare text with == or !="),
        ("shop > 3", 1, "column shop: 'games' is not a number", "compare text with == or !="),
        ("shop", 1, "column shop: 'games' is not a decision", "decisions are 1 or 0"),
        ("label", 1, "--label", ""),
        ("label == 1", 1, "label is the label", "name another column"),
    ],
)
def test_a_rule_that_cannot_be_used(table, text, code, why, hint):
    message = fail(code, "compare", table, *COSTS, "--no-report", "--baseline", text)
    assert why in message
    assert hint in message
