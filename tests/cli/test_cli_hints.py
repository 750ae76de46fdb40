"""Every hint about costs and labels is followed here, and works."""

import re
import shlex

import pytest

from helpers.commands import compiled_only, costream, fail, succeed

pytestmark = compiled_only
ROWS = "a,loss,fee,label\n" + "1,7,1,1\n2,5,2,0\n3,9,1,1\n4,2,2,0\n" * 10
COSTS = ("--fn-cost-column", "loss", "--fp-cost-column", "fee")


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(ROWS)
    return path


@pytest.fixture
def model(rows, tmp_path):
    succeed("train", rows, *COSTS, "-l", "carow-diag", "-o", tmp_path / "m")
    return tmp_path / "m"


def options_in(hint):
    """The options that a hint names, with 3 for a number and ``loss`` for a column."""
    words = shlex.split(hint.replace("NUMBER", "3").replace("COLUMN", "loss"))
    found = []
    for word, value in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("--"):
            found += [word.rstrip(",;"), value.rstrip(",;")]
    return found


def hint_of(error):
    return error.rpartition("hint: ")[2]


COMMANDS = {
    "train": lambda path: ("train", path, "-o", path.with_name("new.m")),
    "evaluate": lambda path: ("evaluate", path),
    "compare": lambda path: ("compare", path, "-l", "carow-diag", "--no-report"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_without_costs_those_that_are_assumed_are_printed_and_how_to_set_them(rows, command):
    words = COMMANDS[command](rows)
    done = costream(*words)
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("no costs are given")]
    assert line.startswith("no costs are given: a miss counts 0.9, a false alarm 0.1; set them with ")
    assert "objective: the sum of sensitivity and specificity" in done.stderr
    numbers = options_in(line)[:4]
    assert numbers == ["--fn-cost", "3", "--fp-cost", "3"]
    followed = costream(*words, *numbers)
    assert followed.returncode == 0
    assert "objective: the cost (fn_cost=3, fp_cost=3)" in followed.stderr
    assert "no costs are given" not in followed.stderr
    column = options_in(line)[4:]
    assert column == ["--fn-cost-column", "loss"]
    done = costream(*words, *column, "--fp-cost", 1)
    assert "objective: the cost (fn_cost=column loss, fp_cost=1)" in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("given", ["fn", "fp"])
def test_one_cost_alone(rows, command, given):
    words = (*COMMANDS[command](rows), f"--{given}-cost", 5)
    hint = hint_of(fail(2, *words))
    other = {"fn": "fp", "fp": "fn"}[given]
    assert options_in(hint) == [f"--{other}-cost", "3", f"--{other}-cost-column", "loss"]
    for way in (options_in(hint)[:2], options_in(hint)[2:]):
        succeed(*words, *way)


def without(path, column):
    """The same rows without a column."""
    table = [line.split(",") for line in path.read_text().splitlines()]
    at = table[0].index(column)
    new = path.with_name("new.csv")
    new.write_text("".join(",".join(row[:at] + row[at + 1 :]) + "\n" for row in table))
    return new


@pytest.mark.parametrize("command", ["score", "evaluate", "resume"])
def test_a_file_without_the_column_of_the_model(rows, model, command):
    new = without(rows, "loss")
    words = ("train", new, "--resume", model, "-o", model)
    if command != "resume":
        words = (command, new, "-m", model)
    error = fail(1, *words)
    assert "there is no column loss, from which fn_cost is taken" in error
    hint = hint_of(error)
    assert re.findall(r"--[a-z-]+", hint) == ["--fn-cost-column", "--fn-cost"]
    succeed(*words, "--fn-cost", 3)
    succeed(*words, "--fn-cost-column", "fee")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_row_to_learn_without_a_cost_is_passed_over(rows, command):
    rows.write_text(ROWS + "5,,1,0\n")
    words = (*COMMANDS[command](rows), *COSTS)
    done = costream(*words)
    assert "skipped 1 row without a cost\n" in done.stderr
    (warning,) = re.findall(r"row 41 has no cost, .*", done.stderr)
    options = options_in(warning.rstrip(")"))
    assert options == ["--fn-cost", "3", "--fp-cost", "3"]
    assert "without a cost" not in costream(*words, *options).stderr
