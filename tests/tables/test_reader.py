"""Raw columns as sparse rows: names, order, and what is warned of or refused."""

from itertools import pairwise

import numpy as np
import pytest

from costream import Column, Schema
from costream.tables.naming import TextSlots
from costream.tables.reader import TableReader
from costream.tables.values import as_raw

SCHEMA = Schema(
    [Column("shop", "text"), Column("amount", "number", missing_indicator=True), Column("when", "time")]
)


def reader(schema=SCHEMA, bits=18, warned=None):
    heard = [] if warned is None else warned
    return TableReader(schema, TextSlots(bits), lambda key, message: heard.append((key, message)))


def where(t, column):
    return f"row {t}, column {column}"


def read(columns, reading=None, extras=None, count=None):
    """The rows of some columns, as lists of names and values."""
    raw = {name: as_raw(list(one), name) for name, one in columns.items()}
    count = len(next(iter(columns.values()))) if count is None else count
    batch, names = (reading or reader()).batch(count, raw, where, extras)
    entries = list(zip([names[k] for k in batch.index], batch.value.tolist(), strict=True))
    bounds = batch.start.astype(int).tolist()
    return [entries[a:b] for a, b in pairwise(bounds)]


@pytest.mark.parametrize(
    ("column", "value", "hint"),
    [
        (Column("amount", "number"), "1.234,5", "--decimal , reads"),
        (Column("amount", "number", decimal=","), "0.5", "--decimal . reads"),
        (Column("amount", "number"), "12 EUR?", None),
        (Column("when", "time", day_first=True), "01/13/2024", "--month-first reads"),
        (Column("when", "time", day_first=False), "13/01/2024", "--day-first reads"),
    ],
    ids=str,
)
def test_another_way_to_read_an_invalid_value_is_told_where_it_is_one(column, value, hint):
    warned = []
    read({column.name: [value]}, reader(Schema([column]), warned=warned))
    ((_, message),) = warned
    assert hint in message if hint else "-first reads" not in message and "--decimal" not in message


def test_tags_and_words_of_several_columns_are_each_in_their_row():
    schema = Schema(
        [Column("note", "text", words=True), Column("tags", "text"), Column("memo", "text", words=True)]
    )
    columns = {
        "note": ["of tea", None, "to do"],
        "tags": [("x", "y"), None, "z"],
        "memo": ["tea", "a b", None],
    }
    rows = read(columns, reader(schema))
    for at, row in enumerate(rows):
        alone = read({name: values[at : at + 1] for name, values in columns.items()}, reader(schema))
        assert sorted(alone[0]) == sorted(row)
    assert {"tags=x", "tags=y"} <= {name for name, _ in rows[0]}
    assert "tags=z" in {name for name, _ in rows[2]}


def test_an_invalid_value_is_told_of_where_it_comes_first():
    warned = []
    rows = read({"amount": ["1", "x", "y", "x"], "shop": [None] * 4}, reader(warned=warned))
    assert rows == [[("amount", 1.0)]] + [[("amount=missing", 1.0)]] * 3
    assert [key for key, _ in warned] == ["amount"]
    assert warned[0][1].startswith("row 1, column amount: 'x' is not a number")


@pytest.mark.parametrize(
    "values",
    [
        ["yes", "NO", " Y ", "n", "True", "f", "1", "0"],
        [True, False, "t", "false", 1, 0, 1.0, 0.0],
        np.array([1.0, 0.0] * 4),
        np.array([True, False] * 4),
    ],
    ids=repr,
)
def test_a_column_of_yes_and_no(values):
    warned = []
    reading = reader(Schema([Column("vip", "yes/no")]), warned=warned)
    assert read({"vip": values}, reading) == [[("vip", 1.0)], []] * 4
    assert warned == []


@pytest.mark.parametrize(
    "values", [["no", "2"], [0, 2], np.array([0.0, 2.0]), ["n", "maybe"]], ids=repr
)
def test_what_is_neither_yes_nor_no_is_missing_and_told_of(values):
    warned = []
    reading = reader(Schema([Column("vip", "yes/no", missing_indicator=True)]), warned=warned)
    assert read({"vip": values}, reading) == [[], [("vip=missing", 1.0)]]
    assert "is not yes or no" in warned[0][1]


def test_entries_at_the_same_place_are_added_up_where_the_first_stands():
    reading = reader(Schema([Column("a", "text"), Column("b", "text")]), bits=1)
    rows = read({"a": list("stuvwx"), "b": list("xwvuts")}, reading)
    assert all(sum(value for _, value in row) == 2.0 for row in rows)
    assert all(len({name for name, _ in row}) == len(row) for row in rows)
