"""A table meets a model that has learnt others: what is read, and what is warned of."""

import pandas as pd
import pytest

from costream import OnlineClassifier, Schema, Stream
from costream.tables.layout import Layout
from helpers.commands import compiled_only

pytestmark = compiled_only
POINTS = "amount;k;label\n" + "94.25;a;1\n3.5;b;0\n" * 60
COMMAS = "amount;k;label\n" + "94,25;a;1\n3,5;b;0\n" * 3


@pytest.fixture
def model(tmp_path):
    found = OnlineClassifier("carow-diag")
    path = tmp_path / "points.csv"
    path.write_text(POINTS)
    with Stream(path) as stream, pytest.warns(UserWarning, match="leaks the label"):
        found.learn_stream(stream)
    return found


def rows_of(model, path, text, **overrides):
    path.write_text(text)
    with Stream.for_model(path, model, Layout(schema=Schema(**overrides))) as stream:
        (block,) = stream
    return block


def test_a_file_with_another_decimal_sign_is_read_as_it_is_written(model, tmp_path):
    with pytest.warns(UserWarning, match="amount: the decimal sign is ',' here, and was '.'"):
        block = rows_of(model, tmp_path / "commas.csv", COMMAS)
    assert block.rows.value[0] == 94.25


@pytest.mark.parametrize(
    "overrides", [{"columns": {"amuont": "left out"}}, {"keep": ["amuont"]}], ids=str
)
def test_a_schema_with_a_column_that_is_not_there_is_told_of(overrides):
    model = OnlineClassifier("carow-diag", schema=Schema(**overrides))
    with pytest.warns(UserWarning, match="names columns that the table does not have: amuont"):
        model.learn_many(pd.DataFrame({"amount": [1.0, 2.0]}), [0, 1])
