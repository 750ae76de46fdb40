"""`costream.compare`: one result, whatever holds the rows, and the same as the command's."""

import json

import numpy as np
import pandas as pd
import pytest

from costream import Cost, CostreamError, OnlineClassifier, Stream, compare, evaluate
from costream.evaluation import comparing
from costream.learners import CAROW, LEARNERS, make_learner
from helpers.commands import compiled_only, succeed
from helpers.streams import stream

ROWS = 300
COST = Cost(fn_cost=9, fp_cost=1)
LEARNT = ["perceptron", "carow-diag"]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(9)
    amount = rng.exponential(3, ROWS)
    return pd.DataFrame(
        {
            "amount": amount,
            "shop": rng.integers(0, 90, ROWS).astype(str) + "x",
            "placed": pd.date_range("2025-01-01", periods=ROWS, freq="37h"),
            "loss": rng.integers(1, 9, ROWS).astype(float),
            "label": (amount + rng.normal(size=ROWS) > 5).astype(int),
        }
    )


@pytest.fixture(scope="module")
def file(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    frame.to_csv(path, index=False)
    return path


def means(found):
    """The metrics of all entries, but for the time."""
    kept = {one.name: dict(one.mean) for one in found.entries}
    for one in kept.values():
        del one["seconds"]
    return kept


@pytest.fixture(scope="module")
def found(frame):
    return compare(frame, learners=[*LEARNT, "auto"], objective=COST, runs=2)


@pytest.mark.parametrize("form", ["path", "stream", "frame and labels", "dicts"])
def test_all_forms_of_rows_give_one_result(frame, file, found, form):
    forms = {
        "path": lambda: (file, "label"),
        "stream": lambda: (Stream(file), None),
        "frame and labels": lambda: (frame.drop(columns="label"), frame["label"].tolist()),
        "dicts": lambda: (frame.to_dict("records"), None),
    }
    again = compare(*forms[form](), learners=[*LEARNT, "auto"], objective=COST, runs=2)
    assert means(again) == means(found)
    assert [one.curve for one in again.entries] == [one.curve for one in found.entries]


@compiled_only
def test_the_command_finds_the_same(file, found):
    learners = [part for name in [*LEARNT, "auto"] for part in ("-l", name)]
    options = (*learners, "--fn-cost", 9, "--fp-cost", 1, "--runs", 2, "--no-report", "--json")
    (printed,) = json.loads(succeed("compare", file, *options))
    for entry in printed["entries"]:
        del entry["mean"]["seconds"]
    assert {one["name"]: one["mean"] for one in printed["entries"]} == means(found)


def test_one_run_is_what_evaluate_finds():
    X, y = stream(3, rows=80)
    found = compare(X, y, learners="carow-diag", objective=COST)
    one = evaluate(OnlineClassifier("carow-diag", COST), X, y)
    assert found["carow-diag"].mean["cost"] == one.cost
    assert found.best.name == "carow-diag"


def test_costs_of_a_column_decide_and_are_billed(frame):
    objective = Cost(fn_cost="loss", fp_cost=1)
    found = compare(frame, learners=["carow-diag"], objective=objective)
    one = evaluate(OnlineClassifier("carow-diag", objective), frame)
    assert found["carow-diag"].mean["cost"] == one.cost
    assert found.costs["fn_cost"] == "per row"
    assert found.costs["tp_cost"] == 0.0


def test_learners_of_one_kind_have_names_of_their_own():
    X, y = stream(3, rows=80)
    both = {"slow": CAROW(gamma=0.01), "fast": CAROW(gamma=10)}
    found = compare(X, y, learners=both, objective=COST)
    for name, learner in both.items():
        one = evaluate(OnlineClassifier(learner, COST), X, y)
        assert found[name].mean["cost"] == one.cost
    with pytest.raises(CostreamError, match=r"carow is named twice\nhint: give them names"):
        compare(X, y, learners=list(both.values()))


def test_decisions_of_the_user_are_an_entry(frame):
    rule = frame["amount"] > 5
    found = compare(frame, learners=LEARNT, objective=COST, decisions={"amount > 5": rule})
    assert found["amount > 5"].mean["missed"] == int((~rule & (frame["label"] == 1)).sum())
    assert found["amount > 5"].baseline


@pytest.mark.parametrize("name", ["arow", "always-positive"])
def test_decisions_have_a_name_of_their_own(frame, name):
    with pytest.raises(CostreamError, match=f"'{name}' is compared already"):
        compare(frame, learners=["arow"], decisions={name: frame["amount"] > 5})


def test_without_names_those_that_are_too_large_are_left_out(monkeypatch):
    X, y = stream(3, rows=20)
    most = make_learner("carow-diag").bytes_needed(X.shape[1])
    monkeypatch.setattr(comparing, "LARGEST_STATE", most)
    expected = {name for name in LEARNERS if LEARNERS[name]().bytes_needed(X.shape[1]) <= most}
    found = compare(X, y)
    assert {one.name for one in found.entries if one.learns} == expected < set(LEARNERS)
