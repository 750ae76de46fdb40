"""The commands evaluate and compare: the numbers of the paper, of the library and of each other."""

import csv
import json
from pathlib import Path

import pytest

from costream.learners import LEARNERS
from helpers.commands import compiled_only, data_file, succeed, write_libsvm

pytestmark = compiled_only


@pytest.fixture
def rows(tmp_path):
    """A small LIBSVM file."""
    write_libsvm(tmp_path / "rows.libsvm")
    return tmp_path / "rows.libsvm"


# --- evaluate -----------------------------------------------------------------------------------


with (Path(__file__).parents[1] / "golden_german.csv").open(encoding="ascii") as golden:
    GOLDEN = [row for row in csv.DictReader(golden) if row["learner"] in ("acog-ii", "paum", "carow")]


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: f"{row['objective']}-{row['learner']}")
def test_evaluate_gives_the_rows_of_the_paper(row):
    rows, orders = data_file("german.libsvm.xz"), data_file("german.perm20.txt.xz")
    settings = [word for one in row["setting"].split() for word in ("--set", one)]
    command = ("evaluate", rows, "--learner", row["learner"], *settings, "--order", orders)
    objective = ("--objective", row["objective"], "--ratio", "known", "--json")
    found = json.loads(succeed(*command, *objective))
    unit = 100 if row["objective"] == "sum" else 0.01  # the paper has per cent, and hundreds
    value = {"mean": found["mean"][row["objective"]], "std": found["std"][row["objective"]]}
    assert unit * value["mean"] == pytest.approx(float(row["value_mean"]), abs=0.0005 + 1e-9)
    assert unit * value["std"] == pytest.approx(float(row["value_std"]), abs=0.0005 + 1e-9)
    assert (found["rows"], found["positives"], len(found["runs"])) == (1000, 300, 20)


def test_evaluate_streams_what_it_would_load(rows):
    """In the order of the file it reads as train does; with --order it loads all rows first."""
    streamed = json.loads(succeed("evaluate", rows, "--json"))
    order = rows.with_name("order")
    order.write_text(" ".join(map(str, range(1, 301))) + "\n")
    loaded = json.loads(succeed("evaluate", rows, "--order", order, "--json"))
    for found in (streamed, loaded):
        del found["mean"]["seconds"], found["runs"], found["std"]
    assert streamed == loaded


# --- compare ------------------------------------------------------------------------------------


def test_compare_a_file(rows, tmp_path):
    out = succeed("compare", rows, "--runs", 2, cwd=tmp_path)
    names = [line.split()[0] for line in out.strip().splitlines()[2:]]
    assert set(names) == {*LEARNERS, "always-positive", "always-negative"}
    page = (tmp_path / "costream-report.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert all(name in page for name in names)


def test_compare_equals_evaluate(rows, tmp_path):
    both = ("--runs", 2, "--seed", 5, "--json", "--set", "eta=2")
    found = json.loads(succeed("compare", rows, "-l", "cog-ii", "--no-report", *both, cwd=tmp_path))
    alone = json.loads(succeed("evaluate", rows, "-l", "cog-ii", *both))
    mean = next(one["mean"] for one in found[0]["entries"] if one["name"] == "cog-ii")
    assert {**mean, "seconds": 0} == {**alone["mean"], "seconds": 0}


COSTS = ("--fn-cost", 9, "--fp-cost", 2, "--tp-cost", 1)


def test_evaluate_prints_what_is_saved_in_money(rows):
    found = json.loads(succeed("evaluate", rows, *COSTS, "--json"))
    mean, constant = found["mean"], min(found["policies"].values())
    assert mean["saved"] == pytest.approx(constant - mean["cost"])
    lines = succeed("evaluate", rows, *COSTS).splitlines()
    cost, saved, constant = (f"{one:,.1f}" for one in (mean["cost"], mean["saved"], constant))
    assert lines[-3].split()[6:9] == [cost, saved, f"{100 * mean['savings']:.1f}%"]
    assert f"The decisions cost {cost}; " in lines[-2]
    assert lines[-2].endswith(f"the better constant policy, costs {constant}.")
    part = f"{100 * mean['savings']:.1f}% of what perfect decisions would save"
    assert lines[-1] == f"They save {saved}, which is {part}."
