"""Tables as people leave them need no options."""

import lzma

import pytest

from costream import OnlineClassifier, Stream
from helpers.commands import compiled_only, data_file
from helpers.messy import STYLES, messy

pytestmark = [compiled_only, pytest.mark.slow, pytest.mark.filterwarnings("ignore::UserWarning")]


def clean(name):
    """A data set as CSV text; of fewer rows the missing ones alone may be worth a point."""
    with lzma.open(data_file(f"{name}.csv.xz"), "rt", encoding="utf-8") as file:
        return file.read()


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
