"""Raw columns as sparse rows: names, order, and what is told or refused."""

from itertools import pairwise

import numpy as np
import pytest

from costream import Column, CostreamError, Schema
from costream.tables.extras import Extras, Word, merged_in_place
from costream.tables.naming import TextSlots
from costream.tables.reader import TableReader
from costream.tables.values import as_raw

SCHEMA = Schema(
    [Column("shop", "text"), Column("amount", "number", missing_indicator=True), Column("when", "time")]
)


def reader(schema=SCHEMA, bits=18, told=None):
    heard = [] if told is None else told
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


def test_numbers_come_first_then_text_in_the_order_of_the_schema():
    rows = read({"amount": [2.0, None], "shop": ["a", "b"]})
    assert rows == [[("amount", 2.0), ("shop=a", 1.0)], [("shop=b", 1.0), ("amount=missing", 1.0)]]


def test_a_column_that_is_not_there_is_missing():
    assert read({"shop": ["a"]}) == [[("shop=a", 1.0), ("amount=missing", 1.0)]]


def test_new_words_are_numbered_row_by_row():
    schema = Schema([Column("a", "text"), Column("b", "text")])
    _, names = reader(schema).batch(
        2, {"a": as_raw(["u", "v"], "a"), "b": as_raw(["w", "x"], "b")}, where
    )
    assert names == ["a=u", "b=w", "a=v", "b=x"]


def test_names_stay_from_block_to_block():
    reading = reader(bits=1)
    first = read({"shop": ["a", "b", "c"], "amount": [0, 0, 0]}, reading)
    again = read({"shop": ["c", "b", "a"], "amount": [0, 0, 0]}, reading)
    assert again == first[::-1]
    assert len({row[0][0] for row in first}) <= 2


def test_extras_follow_in_their_order():
    extras = Extras()
    extras.add(0, Word("new", "x"), 1.0)
    extras.add(0, "z", 3.0)
    rows = read({"shop": ["a"], "amount": [1]}, extras=extras)
    assert rows == [[("amount", 1.0), ("shop=a", 1.0), ("new=x", 1.0), ("z", 3.0)]]


def test_an_invalid_value_is_told_of_where_it_comes_first():
    told = []
    rows = read({"amount": ["1", "x", "y", "x"], "shop": [None] * 4}, reader(told=told))
    assert rows == [[("amount", 1.0)]] + [[("amount=missing", 1.0)]] * 3
    assert [key for key, _ in told] == ["amount"]
    assert told[0][1].startswith("row 1, column amount: 'x' is not a number")


@pytest.mark.parametrize("value", [np.inf, -np.inf, "inf"])
def test_an_infinite_number_is_an_error(value):
    with pytest.raises(CostreamError, match="row 1, column amount: the value is infinite") as error:
        read({"amount": [1.0, value], "shop": ["a", "a"]})
    assert "--text amount" in str(error.value)


@pytest.mark.parametrize(("day_first", "option"), [(True, "--month-first"), (False, "--day-first")])
@pytest.mark.parametrize("other", [True, False])
def test_a_time_of_the_other_order_names_the_option(day_first, option, other):
    told = []
    reading = reader(Schema([Column("when", "time", day_first=day_first)]), told=told)
    value = ("12/31/2024" if day_first else "31/12/24") if other else "soon"
    assert read({"when": [value]}, reading) == [[]]
    assert (option in told[0][1]) is other


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
    told = []
    reading = reader(Schema([Column("vip", "yes/no")]), told=told)
    assert read({"vip": values}, reading) == [[("vip", 1.0)], []] * 4
    assert told == []


@pytest.mark.parametrize(
    "values", [["no", "2"], [0, 2], np.array([0.0, 2.0]), ["n", "maybe"]], ids=repr
)
def test_what_is_neither_yes_nor_no_is_missing_and_told_of(values):
    told = []
    reading = reader(Schema([Column("vip", "yes/no", missing_indicator=True)]), told=told)
    assert read({"vip": values}, reading) == [[], [("vip=missing", 1.0)]]
    assert "is not yes or no" in told[0][1]


def test_rates_have_slots_and_no_names_of_values():
    schema = Schema([Column("card", "text", target_encoding=True), Column("amount", "number")])
    columns = {"card": as_raw(["u", None, "u"], "card"), "amount": np.array([1.0, 2.0, 3.0])}
    batch, names = reader(schema).batch(3, columns, where)
    assert names == ["amount", "card rate"]
    assert batch.to_encode == (1,)
    assert batch.slots[0, 0] == batch.slots[2, 0] >= 0
    assert batch.slots[1, 0] == -1


def test_no_rows():
    assert read({"shop": [], "amount": []}, count=0) == []


def test_entries_at_the_same_place_are_added_up_where_the_first_stands():
    reading = reader(Schema([Column("a", "text"), Column("b", "text")]), bits=1)
    rows = read({"a": list("stuvwx"), "b": list("xwvuts")}, reading)
    assert all(sum(value for _, value in row) == 2.0 for row in rows)
    assert all(len({name for name, _ in row}) == len(row) for row in rows)


def test_rows_without_doubles_stay_as_they_are():
    batch, _ = reader().batch(1, {"amount": np.array([2.0])}, where)
    assert merged_in_place(batch) is batch
