"""Tables as people leave them need no options, and save as much as clean ones."""

import lzma
import re

import pytest

from costream import OnlineClassifier, Stream
from helpers import commands
from helpers.commands import compiled_only, data_file
from helpers.messy import STYLES, messy

pytestmark = [compiled_only, pytest.mark.slow, pytest.mark.filterwarnings("ignore::UserWarning")]
OPTIONS = ("--label", "label", "--fn-cost-column", "fn_cost", "--fp-cost-column", "fp_cost")


def clean(name):
    """A data set as CSV text; of fewer rows the missing ones alone may be worth a point."""
    with lzma.open(data_file(f"{name}.csv.xz"), "rt", encoding="utf-8") as file:
        return file.read()


def savings(path, text):
    """The savings of the default learner, in per cent."""
    path.write_text(text, encoding="utf-8")
    done = commands.in_process("compare", path, *OPTIONS, "-l", "auto", "--no-report")
    assert done.returncode == 0, done.stderr
    return float(re.search(r"^auto .* (-?[\d.]+)%\s+[\d.]+$", done.stdout, re.MULTILINE)[1])


@pytest.mark.parametrize("name", ["bank", "gmsc"])
def test_a_messy_table_saves_as_much_as_a_clean_one(name, tmp_path):
    """On the mean of two ways to write it: `auto` on one of them is half a point here or there."""
    text = clean(name)
    saved = savings(tmp_path / "clean.csv", text)
    found = [savings(tmp_path / "messy.csv", messy(text, style)) for style in ("commas", "spaces")]
    assert sum(found) / len(found) == pytest.approx(saved, abs=1.0)


KEPT = {"bank": "balance", "gmsc": "MonthlyIncome"}


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("style", [None, *STYLES])
def test_money_of_many_values_is_no_id(name, style, tmp_path):
    text = "".join(clean(name).splitlines(True)[:2500])
    path = tmp_path / "table.csv"
    path.write_text(text if style is None else messy(text, style), encoding="utf-8")
    with Stream(path, label="label", fn_cost_column="fn_cost", fp_cost_column="fp_cost") as stream:
        OnlineClassifier("perceptron", "cost").learn_stream(stream)
    kinds = {one.name: one.kind for one in stream.schema.columns}
    assert kinds[KEPT[name]] == "number"
    if style is not None:
        assert (kinds["row_id"], kinds["reference"], kinds["created"]) == ("id", "id", "time")
        assert (kinds["fn_cost"], kinds["fp_cost"]) == ("number", "number")
