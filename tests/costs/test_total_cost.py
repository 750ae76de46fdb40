"""Tables with costs through every way in: one decision for each row, one total cost, to the cent."""

import csv
import io
import json
import lzma
from itertools import islice

import numpy as np
import pandas as pd
import pytest
from river import evaluate
from scipy.sparse import csr_array

from costream import Cost, OnlineClassifier, Stream, load, metrics
from costream.costs import Costs, Tally
from costream.river import CostSensitiveClassifier as RiverClassifier
from costream.sklearn import CostSensitiveClassifier
from helpers import commands
from helpers.commands import compiled_only, data_file, succeed

pytestmark = compiled_only
ROWS, LEARNT = 1500, 1000
COLUMNS = ("--label", "label", "--fn-cost-column", "fn_cost", "--fp-cost-column", "fp_cost")
OBJECTIVE = Cost(fn_cost="fn_cost", fp_cost="fp_cost")


@pytest.fixture(scope="module", autouse=True)
def _quick():
    """Commands within this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commands, "costream", commands.in_process)
        yield


class Table:
    """The first rows of a table with costs: as files, and as arrays with the features of the reader."""

    def __init__(self, name, folder):
        with lzma.open(data_file(f"{name}.csv.xz"), "rt") as file:
            head, *lines = list(islice(file, ROWS + 1))
        self.path, self.first, self.rest = (
            folder / f"{part}.csv" for part in ("whole", "first", "rest")
        )
        self.path.write_text("".join([head, *lines]))
        self.first.write_text("".join([head, *lines[:LEARNT]]))
        self.rest.write_text("".join([head, *lines[LEARNT:]]))
        with Stream(self.path, fn_cost_column="fn_cost", fp_cost_column="fp_cost") as stream:
            (block,) = stream
        rows = block.rows
        index, start = rows.index.astype(np.int64), rows.start.astype(np.int64)
        self.X = csr_array((rows.value, index, start), (ROWS, rows.width)).toarray()
        self.names, self.y = block.names, block.label.astype(int)
        self.fn, self.fp = block.costs.fn_cost, block.costs.fp_cost
        self.raw = pd.read_csv(self.path)
        self.frame = pd.DataFrame(self.X, columns=self.names).assign(fn_cost=self.fn, fp_cost=self.fp)

    def dicts(self, begin=0):
        for t in range(begin, ROWS):
            used = np.flatnonzero(self.X[t])
            yield {
                **{self.names[j]: float(self.X[t, j]) for j in used},
                "fn_cost": float(self.fn[t]),
                "fp_cost": float(self.fp[t]),
            }

    def total_cost(self, flagged, begin=0):
        scores = np.where(flagged, 1.0, -1.0)
        own = {"fn_cost": self.fn[begin:], "fp_cost": self.fp[begin:]}
        return Tally.of(scores, self.y[begin:] == 1, Costs(), **own).cost


@pytest.fixture(scope="module", params=["bank", "gmsc"])
def table(request, tmp_path_factory):
    return Table(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module", params=["auto", "carow-diag"])
def learner(request):
    return request.param


def cents(cost):
    return round(100 * cost)


@pytest.fixture(scope="module")
def prequential(table, learner):
    """The total cost of a model that decides each row, then learns it."""
    model = OnlineClassifier(learner, OBJECTIVE)
    return table.total_cost(model.prequential(table.frame, table.y) >= 0)


class TestEachRowIsDecidedThenLearnt:
    def test_compare(self, table, learner, prequential):
        options = ("-l", learner, "--no-report", "--json")
        (found,) = json.loads(succeed("compare", table.path, *COLUMNS, *options))
        (cost,) = (one["mean"]["cost"] for one in found["entries"] if one["name"] == learner)
        assert cents(cost) == cents(prequential)

    def test_evaluate(self, table, learner, prequential):
        found = json.loads(succeed("evaluate", table.path, *COLUMNS, "-l", learner, "--json"))
        assert cents(found["mean"]["cost"]) == cents(prequential)

    def test_a_stream_in_python(self, table, learner, prequential):
        model, flagged = OnlineClassifier(learner, OBJECTIVE), []
        with Stream(table.path, label="label") as stream:
            model.learn_stream(stream, on_block=lambda *found: flagged.extend(found[2] >= 0))
        assert cents(table.total_cost(flagged)) == cents(prequential)

    def test_dicts(self, table, learner, prequential):
        model, flagged = OnlineClassifier(learner, OBJECTIVE), []
        for x, label in zip(table.dicts(), table.y.tolist(), strict=True):
            decision = model.predict_one(x)
            flagged.append(model.learn_one(x, label) >= 0)
            assert flagged[-1] == (decision == 1)
        assert cents(table.total_cost(flagged)) == cents(prequential)

    def test_river(self, table, learner, prequential):
        rows = zip(table.dicts(), table.y.tolist(), strict=True)
        stream = metrics.with_costs(rows, fn_cost="fn_cost", fp_cost="fp_cost")
        metric = metrics.Cost(fn_cost=1, fp_cost=1, pos_val=1)
        model = RiverClassifier(learner, Cost(), positive=1)
        found = evaluate.progressive_val_score(stream, model, metric)
        assert cents(found.get()) == cents(prequential)


@pytest.fixture(scope="module")
def model(table, learner):
    """A model on disk that has learnt the first rows."""
    path = table.path.with_name(f"{learner}.costream")
    succeed("train", table.first, *COLUMNS, "-l", learner, "-o", path)
    return path


@pytest.fixture(scope="module")
def decided(table, model):
    """What `score` decides of the rest."""
    rows = list(csv.DictReader(io.StringIO(succeed("score", table.rest, "-m", model))))
    for row in rows:
        cheaper = float(row["expected_cost_flag"]) <= float(row["expected_cost_pass"])
        assert (row["decision"] == "flag") == cheaper
    return np.array([row["decision"] == "flag" for row in rows])


class TestDecisionsOfOneModel:
    def test_evaluate(self, table, model, decided):
        found = json.loads(succeed("evaluate", "-m", model, table.rest, "--json"))
        assert cents(found["mean"]["cost"]) == cents(table.total_cost(decided, LEARNT))

    def test_python(self, table, model, decided):
        read, rest = load(model), table.raw[LEARNT:]
        assert read.objective == OBJECTIVE
        assert (read.predict_many(rest) == 1).tolist() == decided.tolist()
        assert [read.predict_one(x) == 1 for x in rest.to_dict("records")] == decided.tolist()
        own = {"fn_cost": table.fn[LEARNT:], "fp_cost": table.fp[LEARNT:]}
        assert (read.predict_many(rest, **own) == 1).tolist() == decided.tolist()

    def test_scikit_learn(self, table, learner, decided):
        estimator = CostSensitiveClassifier(learner, OBJECTIVE, fit_intercept=False, shuffle=False)
        estimator.fit(table.frame[:LEARNT], table.y[:LEARNT])
        rest, truth = table.frame[LEARNT:], table.y[LEARNT:]
        assert (estimator.predict(rest) == 1).tolist() == decided.tolist()
        own = {"fn_cost": table.fn[LEARNT:], "fp_cost": table.fp[LEARNT:]}
        scores = np.where(decided, 1.0, -1.0)
        expected = Tally.of(scores, truth == 1, Costs(), **own).savings()
        assert estimator.score(rest, truth) == pytest.approx(expected, abs=1e-12)
        assert cents(metrics.cost(truth, estimator.predict(rest), **own)) == cents(
            table.total_cost(decided, LEARNT)
        )

    def test_river(self, table, model, decided):
        read = RiverClassifier.load(model)
        assert [read.predict_one(x) == 1 for x in table.dicts(LEARNT)] == decided.tolist()
