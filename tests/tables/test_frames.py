"""Tables of Python: what is one, the columns of each library, and what cannot be read."""

from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from costream import CostreamError, OnlineClassifier
from costream.tables.frames import NamedArray, as_table
from costream.tables.reading import Text

COLUMNS = {"a": [1.5, None], "b": ["x", None]}
FRAMES = {
    "pandas": pd.DataFrame(COLUMNS),
    "polars": pl.DataFrame(COLUMNS),
    "pyarrow": pa.table(COLUMNS),
    "batch": pa.RecordBatch.from_pydict(COLUMNS),
    "records": [{"a": 1.5, "b": "x"}, {"a": None, "b": None}],
}


def column(values, as_text=()):
    """A column of a frame of pandas."""
    return as_table(pd.DataFrame({"a": values})).columns(["a"], as_text, None)["a"]


def listed(raw):
    """The values of a raw column, None for missing ones."""
    if isinstance(raw, Text):
        return [None if code < 0 else raw.values[code] for code in raw.codes]
    gone = (
        np.isnat(raw) if raw.dtype.kind == "M" else np.isnan(raw) if raw.dtype.kind == "f" else raw < 0
    )
    return [None if none else value for value, none in zip(raw.tolist(), gone, strict=True)]


@pytest.mark.parametrize("rows", FRAMES.values(), ids=FRAMES)
def test_a_table(rows):
    table = as_table(rows)
    assert (table.names, table.rows) == (["a", "b"], 2)
    found = table.columns(["b", "a", "c"], (), None)
    assert listed(found["a"]) == [1.5, None]
    assert listed(found["b"]) == ["x", None]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array([1, 2], np.int8), [1.0, 2.0]),
        (np.array([0.1], np.float32), [float(np.float32(0.1))]),
        (pd.array([1, None], "Int64"), [1.0, None]),
        (pd.array([0.5, None], "Float32"), [0.5, None]),
        (pd.arrays.SparseArray([0.0, 2.0]), [0.0, 2.0]),
        (np.array([True, False]), [True, False]),
        (pd.array([True, None], "boolean"), [True, None]),
        (np.array(["2024-01-31", "NaT"], "datetime64[ns]"), [datetime(2024, 1, 31), None]),
        (pd.Categorical(["u", None, "v"]), ["u", None, "v"]),
        (pd.Categorical([1, 2]), ["1", "2"]),
        (pd.Categorical([1.0, 2.5]), ["1", "2.5"]),
        (pd.Categorical([True]), ["true"]),
        (pd.array(["7", None], "string"), ["7", None]),
        (np.array(["7", None, np.nan, pd.NA], object), ["7", None, None, None]),
        (np.array([Decimal("0.1"), None], object), [0.1, None]),
        (np.array([date(2024, 1, 31), pd.NaT], object), [datetime(2024, 1, 31), None]),
        (np.array([1, "x", 2.5, None], object), [1, "x", 2.5, None]),
    ],
    ids=lambda one: str(getattr(one, "dtype", "")),
)
def test_a_column_of_pandas(values, expected):
    assert listed(column(values)) == expected


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: as_table(pd.DataFrame([[1, 2]], columns=["a", "a"])), "the name 'a' is used for more"),
        (lambda: as_table(pd.DataFrame([[1, 2]]), ["a"]), "1 names for 2 columns"),
        (lambda: NamedArray(np.zeros((2, 3)), ["a"]), "1 names for 3 columns"),
        (lambda: NamedArray(np.zeros(3), ["a"]), "X must have two dimensions"),
        (lambda: NamedArray([[np.nan]], ["a"]), "row 0: a value is not finite"),
        (lambda: column([object()]), "row 0, key a: a value of type object cannot be a feature"),
        (lambda: column([b"x"]), "row 0, key a: bytes cannot be a feature"),
    ],
)
def test_what_cannot_be_read(make, message):
    with pytest.raises(CostreamError, match=message):
        make()


def test_a_column_of_a_long_dictionary_or_of_nulls():
    values = pa.array(["a", "b", "c", "d", "e", "f"])
    coded = pa.DictionaryArray.from_arrays(pa.array([4, 1, None, 3, 4], pa.int32()), values)
    rows = as_table(pa.table({"a": coded, "b": pa.nulls(5)})).columns(["a", "b"], (), None)
    assert listed(rows["a"]) == ["e", "b", None, "d", "e"]
    assert listed(rows["b"]) == [None] * 5


@pytest.mark.parametrize(
    "first", [pd.DataFrame({"a": ["x"]})[:0], [{"a": None}], pd.DataFrame({"a": [None]})]
)
def test_a_column_without_a_value_says_nothing_of_what_it_holds(first):
    model = OnlineClassifier("perceptron")
    model.learn_many(first, [1] * len(first))
    model.learn_many([{"a": "x"}, {"a": "y"}], [0, 1])
    assert model.feature_names == ["a=x", "a=y"]
