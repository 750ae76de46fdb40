"""Decisions at the costs of rows on the command line, and costs that reveal the label."""

import json

import numpy as np
import pytest

from costream import Cost, OnlineClassifier, load
from helpers.commands import compiled_only, costream, succeed

pytestmark = compiled_only
NOTE = "auto decides without the costs of the row, since they reveal its label"
COLUMNS = ("--label", "label", "--fn-cost-column", "loss")
ROWS = 120


def table(folder, reveals):
    """Rows with a loss, which is 0 for negatives where it is known together with the label."""
    rng = np.random.default_rng(5)
    x, loss = rng.normal(size=ROWS), rng.integers(1, 50, ROWS)
    y = (x + rng.normal(size=ROWS) > 0.5).astype(int)
    loss = np.where(y == 1, loss, 0) if reveals else loss
    lines = [f"{a:.3f},{b},{c}\n" for a, b, c in zip(x, loss, y, strict=True)]
    path = folder / "rows.csv"
    path.write_text("x,loss,label\n" + "".join(lines))
    return path, [{"x": float(f"{one:.3f}")} for one in x], loss.astype(float), y


@pytest.mark.parametrize("reveals", [False, True])
@pytest.mark.parametrize("command", ["train", "evaluate", "orders"])
def test_costs_that_reveal_the_label_are_named(tmp_path, command, reveals):
    path, *_ = table(tmp_path, reveals)
    more = {"train": ("-o", tmp_path / "m"), "evaluate": (), "orders": ("--runs", 2)}[command]
    done = costream("train" if command == "train" else "evaluate", path, *COLUMNS, *more)
    assert done.returncode == 0
    assert (NOTE in done.stderr) == reveals


@pytest.mark.parametrize("options", [("-l", "carow"), ("--runs", 2, "-l", "carow")])
def test_learners_that_go_by_the_score_need_no_note(tmp_path, options):
    path, *_ = table(tmp_path, reveals=True)
    assert "note:" not in costream("evaluate", path, *COLUMNS, *options).stderr


@pytest.mark.parametrize(
    ("reveals", "said"), [(False, "auto knows the costs of a row before it decides"), (True, NOTE)]
)
def test_compare_says_how_auto_decides(tmp_path, reveals, said):
    path, *_ = table(tmp_path, reveals)
    options = (*COLUMNS, "-l", "auto", "--runs", 1, "--report", tmp_path / "r.html")
    assert said in " ".join(succeed("compare", path, *options).split())
    assert said in (tmp_path / "r.html").read_text()
    (found,) = json.loads(succeed("compare", path, *options, "--json"))
    assert [one["name"] for one in found["entries"]].count("auto") == 1
    assert said in found["decisions"]


@pytest.mark.parametrize("reveals", [False, True])
@pytest.mark.parametrize("orders", [(), ("--ratio", "known")], ids=["stream", "in memory"])
def test_the_bill_is_that_of_decisions_at_the_costs_of_rows(tmp_path, reveals, orders):
    """Row by row; where costs reveal the label decisions do not know them, and are billed at them."""
    path, rows, loss, y = table(tmp_path, reveals)
    model, bill = OnlineClassifier("auto", Cost(0.9, 0.1)), 0.0
    for x, fn, label in zip(rows, loss, y, strict=True):
        flagged = model.predict_one(x, fn_cost=None if reveals else fn) == 1
        bill += 0.0 if flagged == label else fn if label else 0.1
        model.learn_one(x, label, fn_cost=fn)
        assert model.standings().decides == "council"
    found = json.loads(succeed("evaluate", path, *COLUMNS, *orders, "--json"))
    assert found["mean"]["cost"] == pytest.approx(bill)


@pytest.mark.parametrize("reveals", [False, True])
def test_scoring_and_learning_does_not_read_the_label_from_costs(tmp_path, reveals):
    path, rows, loss, y = table(tmp_path, reveals)
    model = tmp_path / "m"
    succeed("train", path, "-o", model, *COLUMNS)
    before = load(model)
    done = costream("score", path, "-m", model, "--learn", "--json")
    assert (NOTE in done.stderr) == reveals
    labels = [json.loads(line)["label"] for line in done.stdout.splitlines()]
    for x, fn, label, found in zip(rows, loss, y, labels, strict=True):
        assert before.predict_one(x, fn_cost=None if reveals else fn) == found
        before.learn_one(x, int(label), fn_cost=fn)
