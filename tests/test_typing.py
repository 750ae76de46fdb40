"""A program that uses what is public passes a strict type checker, as its author would run it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.commands import compiled_only

SOURCES = Path(__file__).parents[1] / "src"
PROGRAM = """
from __future__ import annotations

import sys

import numpy as np

import costream
from costream import Column, Cost, CostColumn, OnlineClassifier, Schema, Stream, WeightedAccuracy
from costream import compare, dumps, evaluate, load, loads, metrics, river, save, sklearn
from costream.costs import Costs, Tally
from costream.evaluation.results import Comparison, Evaluation
from costream.learners import CAROW, LEARNERS, Auto, Learner, make_learner
from costream.model import Explanation


def best(path: str) -> tuple[Learner, float]:
    cost = Cost(fn_cost=CostColumn("amount", default=50.0), fp_cost=5.0)
    schema = Schema([Column("zip", "text")])
    model = OnlineClassifier(CAROW(gamma=0.1), cost, schema=schema, positive="fraud")
    found: Evaluation = evaluate(model, Stream(path, label="fraud"))
    others: Comparison = compare(path, "fraud", learners={"slow": Auto()}, positive="yes")
    print(found, found.online_curve("cost")[1][-1], others.best.name, len(others.to_html()))
    found.plot(ax=others.plot())
    return model.learner, found.savings + others["slow"].mean["cost"]


def dicts(payments: list[dict[str, str | float | bool]], fraud: list[bool]) -> float | None:
    model = OnlineClassifier(objective=Cost(fn_cost="amount", fp_cost=5))
    found = evaluate(model, payments, fraud)
    print(compare(payments, fraud, learners=["auto", "carow"]), model.predict_many(payments))
    model.learn_one(payments[0], fraud[0])
    print(model.predict_one({**payments[0], "amount": 900.0}), model.predict_proba_one(payments[0]))
    return found.savings


def rows(X: np.ndarray, y: list[int]) -> list[Explanation]:
    model = OnlineClassifier(make_learner("auto", half_life=100), WeightedAccuracy(alpha_p=0.7))
    scores = model.prequential(X, y)
    tally: Tally = Tally.of(scores, np.array(y) == 1, Costs(fn_cost=9, fp_cost=1))
    again: OnlineClassifier = loads(dumps(model))
    save(again, "model.costream")
    again = OnlineClassifier.load("model.costream") if tally.cost > 0 else load("model.costream")
    estimator: sklearn.CostSensitiveClassifier = sklearn.CostSensitiveClassifier(objective="cost")
    print(estimator.fit(X, y).score(X, y), metrics.savings(y, y, fn_cost=9, fp_cost=1))
    adapter = river.CostSensitiveClassifier.loads(river.CostSensitiveClassifier("arow").dumps())
    adapter.learn_one({"amount": 1.0}, True)
    print(adapter.predict_one({"amount": 1.0}), list(LEARNERS), costream.__version__)
    return again.explain_one({"amount": 3.0})


if __name__ == "__main__":
    try:
        print(best(sys.argv[1]), rows(np.eye(2), [0, 1])[0].effect, dicts([{"a": "b"}], [True]))
    except costream.CostreamError as error:
        sys.exit(str(error))
"""
WRONG = """
from costream import Cost, OnlineClassifier, evaluate
from costream.costs import Costs
from costream.learners import CAROW

Costs(1, 2, 3, 4)
CAROW(speed=1.0)
OnlineClassifier().predict_one({"amount": 1.0}, fn_costs=5)
evaluate(Cost(5, 1), "rows.csv")
"""


def checked(folder, program):
    """What mypy says of a program, line by line."""
    (folder / "program.py").write_text(program)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"]
    command += ["--config-file=", "--cache-dir", str(folder / "cache"), "program.py"]
    environment = {**os.environ, "MYPYPATH": str(SOURCES)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout.strip().splitlines()


@pytest.mark.slow
@compiled_only
def test_a_program_of_a_user_is_well_typed(tmp_path):
    pytest.importorskip("mypy")
    assert checked(tmp_path, PROGRAM) == ["Success: no issues found in 1 source file"]
    found = checked(tmp_path, WRONG)
    lines = [int(line.split(":")[1]) for line in found if ": error: " in line]
    assert lines == [6, 7, 8, 9]
