"""A table meets a model that has learnt others: what is read, and what is warned of."""

import warnings

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


def test_a_table_of_other_kinds_than_single_rows_had_is_told_of():
    model = OnlineClassifier("carow-diag")
    model.learn_one({"amount": 3.5, "k": "a", "when": "x"}, True)
    table = pd.DataFrame({"amount": ["p", "q"] * 20, "k": ["a", "b"] * 20})
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        model.learn_many(table, [0, 1] * 20)
    told = [str(one.message) for one in heard if "the model has learnt it as" in str(one.message)]
    assert len(told) == 1
    assert "amount: the model has learnt it as numbers, and here it looks like text" in told[0]


def test_a_column_that_a_model_is_to_leave_out_is_a_feature_where_a_file_says_so(tmp_path):
    model = OnlineClassifier("carow-diag", schema=Schema({"k": "left out"}))
    path = tmp_path / "points.csv"
    assert set(rows_of(model, path, POINTS).names) == {"amount"}
    assert "k=a" in rows_of(model, path, POINTS, columns={"k": "text"}).names


@pytest.mark.parametrize(
    "overrides", [{"columns": {"amuont": "left out"}}, {"keep": ["amuont"]}], ids=str
)
def test_a_schema_with_a_column_that_is_not_there_is_told_of(overrides):
    model = OnlineClassifier("carow-diag", schema=Schema(**overrides))
    with pytest.warns(UserWarning, match="names columns that the table does not have: amuont"):
        model.learn_many(pd.DataFrame({"amount": [1.0, 2.0]}), [0, 1])
