"""Costs of rows on the command line: one total cost for all commands, and costs that leak the label."""

import json

import numpy as np
import pytest

from costream import Cost, CostColumn, OnlineClassifier, load
from helpers.commands import compiled_only, costream, scored, succeed

pytestmark = compiled_only
NAMES = ("fn_cost", "fp_cost", "tp_cost", "tn_cost")
SHORT = ("fn", "fp", "tp", "tn")
COLUMNS = tuple(word for name in SHORT for word in (f"--{name}-cost-column", name, "--ignore", name))
ALONE = Cost(*(CostColumn(name, feature=False) for name in SHORT))
LOSS = ("--label", "label", "--fn-cost-column", "loss", "--fp-cost", "1")
WARNING = "warning: the costs of rows leak their labels"
ROWS = 150


def table(folder, leaks):
    """Rows with a loss, which is 0 for negatives where it is known together with the label."""
    rng = np.random.default_rng(5)
    x, loss = rng.normal(size=ROWS), rng.integers(1, 50, ROWS)
    y = (x + rng.normal(size=ROWS) > 0.5).astype(int)
    loss = np.where(y == 1, loss, 0) if leaks else loss
    lines = [f"{a:.3f},{b},{c}\n" for a, b, c in zip(x, loss, y, strict=True)]
    path = folder / "rows.csv"
    path.write_text("x,loss,label\n" + "".join(lines))
    return path


class Table:
    """Rows whose four costs have all signs, in cents, and what decisions about them cost."""

    def __init__(self, folder):
        rng = np.random.default_rng(11)
        self.x = np.round(rng.normal(size=(ROWS, 2)), 3)
        self.y = (self.x[:, 0] + rng.normal(size=ROWS) > 0.5).astype(int)
        self.costs = np.round(rng.normal(1.0, 20.0, (4, ROWS)), 2)
        columns = [*self.x.T, self.y, *self.costs]
        self.path = folder / "rows.csv"
        lines = [",".join(map(repr, map(float, row))) for row in zip(*columns, strict=True)]
        self.path.write_text("\n".join([",".join(("a", "b", "label", *SHORT)), *lines, ""]))

    def rows(self):
        for x, y, costs in zip(self.x.tolist(), self.y.tolist(), self.costs.T.tolist(), strict=True):
            yield dict(zip("ab", x, strict=True)), y, dict(zip(NAMES, costs, strict=True))

    @staticmethod
    def total_cost(flagged, y, costs):
        """A decision that costs less than the other is right, whatever its name."""
        if flagged:
            return costs["tp_cost"] if y else costs["fp_cost"]
        return costs["fn_cost"] if y else costs["tn_cost"]


def cheaper(q, costs):
    """Whether flagging is expected to cost no more than passing."""
    flag = q * costs["tp_cost"] + (1 - q) * costs["fp_cost"]
    return flag <= q * costs["fn_cost"] + (1 - q) * costs["tn_cost"]


@pytest.mark.parametrize("learner", ["auto", "carow-diag"])
def test_one_bill_in_all_commands(tmp_path, learner):
    data, model = Table(tmp_path), tmp_path / "m"
    online, total_cost = OnlineClassifier(learner, ALONE), 0.0
    for x, y, costs in data.rows():
        flagged = cheaper(online.predict_proba_one(x), costs)
        assert (online.predict_one(x, **costs) == 1) == flagged
        total_cost += data.total_cost(flagged, y, costs)
        online.learn_one(x, y, **costs)

    options = ("-l", learner, *COLUMNS)
    found = json.loads(succeed("compare", data.path, *options, "--no-report", "--json"))
    (entry,) = [one for one in found[0]["entries"] if one["name"] == learner]
    assert entry["mean"]["cost"] == pytest.approx(total_cost, abs=1e-6)
    evaluated = json.loads(succeed("evaluate", data.path, *options, "--json"))
    assert evaluated["mean"]["cost"] == pytest.approx(total_cost, abs=1e-6)
    assert evaluated["costs"] == {
        name: f"column {one} (not used as a feature)" for name, one in zip(NAMES, SHORT, strict=True)
    }
    trained = costream("train", data.path, *options, "-o", model)
    (line,) = [line for line in trained.stderr.splitlines() if line.split()[0] == str(ROWS)]
    assert float(line.split()[4].replace(",", "")) == pytest.approx(total_cost, abs=0.051)

    frozen, decisions = 0.0, scored(data.path, "-m", model)
    for (x, y, costs), row in zip(data.rows(), decisions, strict=True):
        flagged = row["decision"] == "flag"
        assert flagged == (float(row["score"]) >= 0) == (row["label"] == "1")
        assert flagged == (online.predict_one(x, **costs) == 1)
        assert flagged == (float(row["expected_cost_flag"]) <= float(row["expected_cost_pass"]))
        assert float(row["probability"]) == online.predict_proba_one(x)
        frozen += data.total_cost(flagged, y, costs)
    saved = json.loads(succeed("evaluate", data.path, "-m", model, "--json"))
    assert saved["mean"]["cost"] == pytest.approx(frozen, abs=1e-6)
    assert saved["costs"] == evaluated["costs"]


def test_evaluating_a_model_that_learns_goes_on_where_it_was_and_never_writes(tmp_path):
    data, model = Table(tmp_path), tmp_path / "m"
    head, *lines = data.path.read_text().splitlines(keepends=True)
    first, rest = tmp_path / "first.csv", tmp_path / "rest.csv"
    first.write_text(head + "".join(lines[:60]))
    rest.write_text(head + "".join(lines[60:]))
    succeed("train", first, *COLUMNS, "-o", model)
    before = model.read_bytes()
    whole, part, more = (
        json.loads(succeed("evaluate", path, *options, "--json"))["mean"]["cost"]
        for path, options in ((data.path, COLUMNS), (first, COLUMNS), (rest, ("-m", model, "--learn")))
    )
    assert part + more == pytest.approx(whole, abs=1e-6)
    assert model.read_bytes() == before
    frozen = json.loads(succeed("evaluate", rest, "-m", model, "--json"))["mean"]["cost"]
    assert frozen != pytest.approx(more, abs=1e-6)


def test_costs_of_the_command_line_replace_those_of_the_model(tmp_path):
    """For decisions and for the total cost; the model keeps its own."""
    data, model = Table(tmp_path), tmp_path / "m"
    succeed("train", data.path, *COLUMNS, "-o", model)
    given = ("--fn-cost", 9, "--tp-cost", -2, "--fp-cost-column", "tn", "--tn-cost", -50)
    total_cost, known = 0.0, load(model)
    decisions = scored(data.path, "-m", model, *given)
    for (x, y, costs), row in zip(data.rows(), decisions, strict=True):
        own = {"fn_cost": 9.0, "tp_cost": -2.0, "fp_cost": costs["tn_cost"], "tn_cost": -50.0}
        flagged = cheaper(known.predict_proba_one(x), own)
        assert row["decision"] == ("flag" if flagged else "pass")
        total_cost += data.total_cost(flagged, y, own)
    found = json.loads(succeed("evaluate", data.path, "-m", model, *given, "--json"))
    assert found["mean"]["cost"] == pytest.approx(total_cost, abs=1e-6)
    assert found["costs"] == {"fn_cost": 9.0, "fp_cost": "column tn", "tp_cost": -2.0, "tn_cost": -50.0}
    learnt = scored(data.path, "-m", model, *given, "--learn")
    assert [row["decision"] for row in learnt] != [row["decision"] for row in decisions]
    assert load(model).objective == known.objective == ALONE


# --- costs that leak the label ------------------------------------------------------------------


@pytest.mark.parametrize("leaks", [False, True])
@pytest.mark.parametrize("command", ["train", "evaluate", "orders", "compare"])
def test_costs_that_reveal_the_label_are_warned_of_once(tmp_path, command, leaks):
    path = table(tmp_path, leaks)
    name, *more = {
        "train": ("train", "-o", tmp_path / "m", "--passes", 2),
        "evaluate": ("evaluate",),
        "orders": ("evaluate", "--runs", 2),
        "compare": ("compare", "--no-report"),
    }[command]
    done = costream(name, path, "-l", "carow-diag", *LOSS, *more)
    assert done.returncode == 0
    assert done.stderr.count(WARNING) == leaks
    assert WARNING not in done.stdout


# --- where costs come from ------------------------------------------------------------------------
