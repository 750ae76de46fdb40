"""`costream.evaluate`: one result, whatever holds the rows, and the same as the command's."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from costream import Cost, CostColumn, CostreamError, OnlineClassifier, Stream, dumps, evaluate
from costream.costs import Costs, Tally
from costream.evaluation.record import POINTS, Record
from costream.files.blocks import NO_COSTS
from helpers.commands import compiled_only, succeed
from helpers.streams import stream

ROWS = 300
COST = Cost(fn_cost=9, fp_cost=1)


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(8)
    amount = rng.exponential(3, ROWS)
    return pd.DataFrame(
        {
            "amount": amount,
            "city": rng.choice(["Ulm", "Bern", "Graz"], ROWS),
            "loss": rng.integers(1, 9, ROWS).astype(float),
            "label": (amount + rng.normal(size=ROWS) > 5).astype(int),
        }
    )


@pytest.fixture(scope="module")
def file(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    frame.to_csv(path, index=False)
    return path


def model(objective=COST, **more):
    return OnlineClassifier("carow-diag", objective, **more)


def by_hand(rows, y, objective=COST):
    """The tally of each row decided, then learnt."""
    one, scores = model(objective), []
    for x, label in zip(rows, y, strict=True):
        scores.append(one.learn_one(x, int(label)))
    return np.array(scores), one


def forms_of(frame, file):
    features = frame.drop(columns="label")
    return {
        "path": lambda one: evaluate(one, str(file)),
        "path and column": lambda one: evaluate(one, file, "label"),
        "stream": lambda one: evaluate(one, Stream(file, label="label")),
        "frame": lambda one: evaluate(one, frame),
        "frame and column": lambda one: evaluate(one, frame, "label"),
        "frame and labels": lambda one: evaluate(one, features, frame["label"]),
        "polars": lambda one: evaluate(one, pl.from_pandas(frame)),
        "arrow": lambda one: evaluate(one, pl.from_pandas(frame).to_arrow()),
        "dicts": lambda one: evaluate(one, frame.to_dict("records")),
    }


@pytest.mark.parametrize("form", forms_of(None or pd.DataFrame({"label": []}), "rows.csv"))
def test_all_forms_of_rows_give_one_result(frame, file, form):
    expected = evaluate(model(), frame.drop(columns="label"), frame["label"].to_numpy())
    found = forms_of(frame, file)[form](model())
    assert found.tally == expected.tally
    assert found.curve == expected.curve


def test_each_row_is_decided_before_it_is_learnt():
    X, y = stream(3, rows=80)
    scores, one = by_hand(X, y)
    tested = model()
    found = evaluate(tested, X, y)
    assert found.tally == Tally.of(scores, y == 1, Costs(fn_cost=9, fp_cost=1))
    assert tested.coef_.tolist() == one.coef_.tolist()


@compiled_only
def test_the_command_finds_the_same(file):
    options = ("-l", "carow-diag", "--fn-cost", 9, "--fp-cost", 1)
    printed = json.loads(succeed("evaluate", file, *options, "--json"))["mean"]
    found = evaluate(model(), file).metrics
    del printed["seconds"], found["seconds"]
    assert found == printed
    assert (
        str(evaluate(model(), file)).splitlines()[-2:]
        == succeed("evaluate", file, *options).splitlines()[-2:]
    )


def test_costs_of_a_column_decide_and_are_billed(frame, file):
    objective = Cost(fn_cost=CostColumn("loss", feature=False), fp_cost=1)
    found = evaluate(model(objective), frame)
    scores = model(objective).prequential(frame.drop(columns="label"), frame["label"])
    missed = (scores < 0) & (frame["label"] == 1)
    alarms = (scores >= 0) & (frame["label"] == 0)
    assert found.cost == frame["loss"][missed].sum() + alarms.sum()
    assert evaluate(model(objective), file).tally == found.tally


def test_an_objective_without_costs_learns_without_those_of_the_bill():
    X, y = stream(3, rows=80)
    found = evaluate(model("sum"), X, y, fn_cost=5, fp_cost=1)
    scores = model("sum").prequential(X, y)
    expected = Tally.of(scores, y == 1, Costs(fn_cost=5, fp_cost=1))
    assert (found.cost, found.missed) == (expected.cost, expected.missed)


@pytest.mark.parametrize("form", ["frame", "path"])
def test_a_trained_model_is_tested_as_it_is(frame, file, form):
    one = model(positive="1")
    evaluate(one, file)
    before = dumps(one)
    data = file if form == "path" else frame.astype({"label": str})
    found = evaluate(one, data, learn=False)
    flagged = one.predict_many(frame.drop(columns="label")) == "1"
    assert found.false_alarms == int((flagged & (frame["label"] == 0)).sum())
    assert found.missed == int((~flagged & (frame["label"] == 1)).sum())
    assert dumps(one) == before


# --- the curve ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [1, 7, 2 * POINTS - 1, 2 * POINTS, 5000])
def test_points_are_evenly_spaced_and_not_too_many(rows):
    record = Record(Costs())
    for part in np.array_split(np.zeros(rows), 3):
        record.add(part, part > 0, NO_COSTS, seconds=0.0)
    places = [one.rows for one in record.curve]
    assert min(rows, POINTS) <= len(places) < 2 * POINTS
    assert set(np.diff([0, *places]).tolist()) == {places[0]}


def test_the_curve_ends_at_the_last_row():
    X, y = stream(3, rows=241)
    found = evaluate(model(), X, y)
    places, values = found.online_curve("cost")
    assert (places[-1], values[-1]) == (241, found.cost)
    assert found.online_curve()[1] == values
    assert found.online_curve("sum")[1][-1] == found.weighted_accuracy


# --- how it is shown ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found():
    X, y = stream(3, rows=200)
    return evaluate(model(), X, y)


# --- what cannot be evaluated -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda file, _: evaluate(COST, file), "needs an OnlineClassifier, not a Cost"),
        (lambda file, _: evaluate(model(), file, [1, 0]), "y must be the name of a column"),
        (lambda file, _: evaluate(model(), file, fn_cost=5), "are in its columns"),
        (lambda _, frame: evaluate(model(), frame[["amount"]]), "no column is called label, target"),
        (lambda _, frame: evaluate(model(), frame, "labels"), "did you mean label"),
        (lambda *_: evaluate(model(), np.eye(2)), "y is missing"),
        (lambda file, _: evaluate(model(), file, "amont"), "did you mean amount"),
    ],
)
def test_what_is_wrong_is_an_error(frame, file, wrong, message):
    with pytest.raises(CostreamError, match=message):
        wrong(file, frame)
