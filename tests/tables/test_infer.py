"""What the columns of a table are taken for, by its first rows."""

import random
from datetime import date
from decimal import Decimal
from shlex import quote

import numpy as np
import pytest

from costream import Column, Schema
from costream.tables.infer import ENOUGH, infer
from costream.tables.layout import Layout
from costream.tables.reading import Text
from costream.tables.resolution import ResolvedSchema
from costream.tables.values import as_raw

NO = Schema()
chance = random.Random(1)
WORDS = [f"w{at}" for at in range(1000)]
SHUFFLED = chance.sample(range(10_000, 99_999), 400)


def sampled(values):
    """A raw column of some values."""
    return values if isinstance(values, np.ndarray | Text) else as_raw(list(values), "a")


def inferred_from(values, name="a", overrides=NO, text_file=True, **settings):
    """The column, and the remarks about it."""
    found = infer({name: sampled(values)}, overrides, {}, text_file=text_file, **settings)
    return found.columns[0], found.remarks


def kind(values, name="a", **settings):
    return inferred_from(values, name, **settings)[0].kind


# --- text of files -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (["1", "2.5", "-3e4"], "number"),
        (["9,120", "1"], "number"),
        (["12 %", "€ 5", "(3.50)"], "number"),
        (["", "NA", None], "number"),
        (["true", "False", ""], "yes/no"),
        (["true", "maybe"], "text"),
        (["2024-01-31", "2024-02-01 12:00"], "time"),
        (["31.12.2024", "?"], "time"),
        (["20240131", "20240201"], "number"),
        (["1"] * 9 + ["x"], "number"),
        (["1"] * 8 + ["x"] * 2, "text"),
        (["1", "2024-01-31"], "text"),
    ],
)
def test_fields_of_a_file(values, found):
    assert kind(values) == found


@pytest.mark.parametrize("share", [0.5, 0.6, 0.8])
def test_a_column_that_is_mostly_numbers_is_never_silently_text(share):
    numbers = int(share * 100)
    column, remarks = inferred_from(["1", "2"] * (numbers // 2) + ["x"] * (100 - numbers), "price")
    assert column.kind == "text"
    assert len(remarks) == 1
    for part in (f"{1 - share:.0%}", "'x'", "--number price", "--text price", "--ignore price"):
        assert part in remarks[0]


@pytest.mark.parametrize("text_file", [True, False])
@pytest.mark.parametrize("days", [50, 85])
def test_a_column_that_is_mostly_times_is_never_silently_text(days, text_file):
    values = [f"2024-01-02 00:{at // 60:02}:{at % 60:02}" for at in range(days)]
    values += [f"soon {at}" for at in range(100 - days)]
    column, remarks = inferred_from(values, "placed", text_file=text_file)
    assert column == Column("placed", "text", target_encoding=True)
    assert len(remarks) == 1
    for part in (f"{100 - days}%", "'soon 0'", "--time placed", "--text placed", "--ignore placed"):
        assert part in remarks[0]


@pytest.mark.parametrize("written", ["1,2,{:05}", "1.2,{:03}.4", "€ 1.{:05}.2"])
def test_digits_and_separators_that_are_no_number_are_no_id(written):
    column, remarks = inferred_from([written.format(at) for at in range(100)], "price")
    assert column == Column("price", "text", target_encoding=True)
    assert len(remarks) == 1
    assert "--number price" in remarks[0]
    assert "100% of its values" in remarks[0]


# --- how numbers are written -------------------------------------------------------------------------


def test_an_ambiguous_column_is_told_of_with_the_other_way_to_read_it():
    column, (remark,) = inferred_from(["1,234", "5,678"] * 9)
    assert (column.decimal, column.thousands) == (".", ",")
    assert "say --decimal ','" in remark


def test_an_ambiguous_column_goes_by_the_costs():
    sample = {"a": sampled(["1.234"]), "cost": sampled(["2,50"])}
    columns = infer(sample, NO, {"cost": "cost"}, text_file=True).columns
    assert columns == (
        Column("a", "number", ",", ".", missing_indicator=True),
        Column("cost", "cost", decimal=","),
    )


# --- sources with types ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (np.array([1.0, np.nan]), "number"),
        (np.array([True, False]), "yes/no"),
        (np.array(["2024-01-31", "NaT"], "datetime64[us]"), "time"),
        ([True, None], "yes/no"),
        ([date(2024, 1, 31)], "time"),
        ([Decimal("1.5"), None], "number"),
        ([None, None], "number"),
        (["1", "2"], "text"),
        (["true", "false"], "text"),
        (["2024-01-31"], "time"),
        (["a", "b", None], "text"),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, "x"], "number"),
        ([1, "x"], "text"),
    ],
)
def test_values_of_python(values, found):
    assert kind(values, text_file=False) == found


# --- ids ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (WORDS[:100], "reference"),
        ([*WORDS[:100], *WORDS[:2]], "reference"),
        (range(1000, 1100), "n"),
        ([*range(100), 99], "n"),
        (SHUFFLED, "customer_id"),
        (SHUFFLED, "row number"),
        (SHUFFLED, "Unnamed: 0"),
    ],
)
def test_an_id(values, name):
    column, remarks = inferred_from([str(value) for value in values], name)
    assert column == Column(name, "id")
    assert len(remarks) == 1
    assert f"{name} is left out" in remarks[0]
    assert f"--keep {quote(name)}" in remarks[0]


@pytest.mark.parametrize(
    ("values", "name", "found"),
    [
        (WORDS[: ENOUGH - 1], "reference", "text"),
        ([*WORDS[:90], *WORDS[:10]], "reference", "text"),
        (WORDS[:50] * 2, "reference", "text"),
        (SHUFFLED, "balance", "number"),
        (SHUFFLED, "Casino", "number"),
        (SHUFFLED[:300] + SHUFFLED[:100], "customer", "number"),
        ([at + 0.5 for at in range(100)], "n", "number"),
        (range(ENOUGH - 1), "n", "number"),
        ([at // 2 for at in range(200)], "n", "number"),
    ],
)
def test_nearly_an_id(values, name, found):
    assert kind([str(value) for value in values], name) == found


@pytest.mark.parametrize("unit", [1, 1000, 1_000_000])
def test_seconds_since_1970_are_left_out_with_the_way_to_keep_them(unit):
    column, remarks = inferred_from([str((1_700_000_000 + at) * unit) for at in range(100)], "at")
    assert column.kind == "id"
    assert "--time at" in remarks[0]


# --- details -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("gone", "marks"), [(50, True), (51, False)])
def test_missing_numbers_are_marked_where_most_are_there(gone, marks):
    assert (
        inferred_from(["1", "2"] * ((100 - gone) // 2) + ["1"] * (gone % 2) + ["?"] * gone)[
            0
        ].missing_indicator
        is marks
    )


# --- what a model knows ------------------------------------------------------------------------------

LEARNT = Schema([Column("b", "text", target_encoding=True), Column("a", "number", ",", ".")])


def resolved(layout, **columns):
    raw = {name: sampled(values) for name, values in columns.items()}
    found = ResolvedSchema(layout, list(columns))
    return found, found.resolve(raw, text_file=True)


def test_a_model_keeps_its_columns_and_their_order():
    found, remarks = resolved(Layout(learnt=LEARNT), a=["1,5"], c=["x"], b=["1"])
    assert found.schema.columns == (*LEARNT.columns, Column("c", "text"))
    assert remarks == []


def test_the_user_overrules_a_model():
    layout = Layout(schema=Schema({"a": "text"}), learnt=LEARNT)
    found, _ = resolved(layout, a=["1,5"], b=["x"])
    assert found.schema.columns == (LEARNT.columns[0], Column("a", "text", exact=True))


def test_who_says_what_a_column_is():
    layout = Layout(label="y", schema=Schema({"a": "text"}), learnt=LEARNT)
    found, _ = resolved(layout, y=["1"], a=["x"], b=["x"], c=["1"])
    sources = {name: found.decided_by(name) for name in found.names}
    assert sources == {"y": "user", "a": "user", "b": "model", "c": "inferred"}


# --- keys -------------------------------------------------------------------------------------------

KEYS = ["CUSTOMER_ID", "customer_id", "userId", "cardID", "id", "terminal id", "account_no", "cc_num"]
KEYS += ["customerid", "UserID", "id_card", "idCard", "session_key", "merchant-number"]
QUANTITIES = ["paid", "humidity", "amount", "grid", "solid", "turkey", "id_01", "heat_index", "volume"]
QUANTITIES += ["page_number", "visits_no", "bid", "monkey", "idle", "rapid"]


def text_of(values):
    return as_raw([str(one) for one in values], "a")


def repeating(seed=0, values=1500, rows=2000):
    return np.random.default_rng(seed).integers(0, values, rows)


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("text", [True, False], ids=["text", "numbers"])
def test_whole_numbers_that_are_named_like_keys_and_come_again_are_keys(name, text):
    values = repeating()
    raw = text_of(values) if text else values.astype(float)
    (column,) = infer({name: raw}, Schema(), {}, text_file=text).columns
    assert column == Column(name, "text", target_encoding=True, key=True)


@pytest.mark.parametrize("name", QUANTITIES)
def test_quantities_stay_numbers(name):
    (column,) = infer({name: repeating(values=300).astype(float)}, Schema(), {}).columns
    assert column.kind == "number"
