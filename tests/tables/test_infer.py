"""What the columns of a table are taken for, by its first rows."""

import random
from datetime import date
from decimal import Decimal
from shlex import quote
from types import SimpleNamespace

import numpy as np
import pytest

from costream import Column, Cost, Schema
from costream.tables.infer import ENOUGH, MANY_VALUES, infer
from costream.tables.layout import Layout
from costream.tables.reading import Reading, Text
from costream.tables.resolution import ResolvedSchema
from costream.tables.values import as_raw

NO = Schema()
chance = random.Random(1)
WORDS = [f"w{at}" for at in range(1000)]
SHUFFLED = chance.sample(range(10_000, 99_999), 400)


def sampled(values):
    """A raw column of some values."""
    return values if isinstance(values, np.ndarray | Text) else as_raw(list(values), "a")


def judged(values, name="a", overrides=NO, text_file=True, **settings):
    """The column, and what is said about it."""
    found = infer({name: sampled(values)}, overrides, {}, text_file=text_file, **settings)
    return found.columns[0], found.remarks


def kind(values, name="a", **settings):
    return judged(values, name, **settings)[0].kind


# --- text of files -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (["1", "2.5", "-3e4"], "number"),
        (["9,120", "1"], "number"),
        (["12 %", "€ 5", "(3.50)"], "number"),
        (["1", "?", "n/a", "-"], "number"),
        (["", "NA", None], "number"),
        (["true", "False", ""], "yes/no"),
        (["true", "maybe"], "text"),
        (["a", "b"], "text"),
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
    column, remarks = judged(["1", "2"] * (numbers // 2) + ["x"] * (100 - numbers), "price")
    assert column.kind == "text"
    assert len(remarks) == 1
    for part in (f"{1 - share:.0%}", "'x'", "--number price", "--text price", "--ignore price"):
        assert part in remarks[0]


@pytest.mark.parametrize("text_file", [True, False])
@pytest.mark.parametrize("days", [50, 85])
def test_a_column_that_is_mostly_times_is_never_silently_text(days, text_file):
    values = [f"2024-01-02 00:{at // 60:02}:{at % 60:02}" for at in range(days)]
    values += [f"soon {at}" for at in range(100 - days)]
    column, remarks = judged(values, "placed", text_file=text_file)
    assert column == Column("placed", "text", target_encoding=True)
    assert len(remarks) == 1
    for part in (f"{100 - days}%", "'soon 0'", "--time placed", "--text placed", "--ignore placed"):
        assert part in remarks[0]


def test_a_column_that_is_mostly_times_and_named_like_an_id_is_one():
    values = [f"2024-01-02 00:{at // 60:02}:{at % 60:02}" for at in range(60)] + WORDS[:40]
    column, remarks = judged(values, "row key")
    assert (column.kind, len(remarks)) == ("id", 1)


@pytest.mark.parametrize("written", ["1,2,{:05}", "1.2,{:03}.4", "€ 1.{:05}.2"])
def test_digits_and_separators_that_are_no_number_are_no_id(written):
    column, remarks = judged([written.format(at) for at in range(100)], "price")
    assert column == Column("price", "text", target_encoding=True)
    assert len(remarks) == 1
    assert "--number price" in remarks[0]
    assert "100% of its values" in remarks[0]


@pytest.mark.parametrize("written", ["10.0.{}.7", "+49 170 1234{:03}", "a.{}"])
def test_addresses_and_codes_are_ids(written):
    assert kind([written.format(at) for at in range(100)]) == "id"


def test_codes_with_leading_zeros_are_told_of():
    column, remarks = judged([f"{at:05}" for at in SHUFFLED[:20]] + ["00123", "01234", ""], "zip")
    assert column.kind == "number"
    assert len(remarks) == 1
    for part in ("zip has leading zeros", "--text zip", "Schema({'zip': \"text\"})"):
        assert part in remarks[0]


@pytest.mark.parametrize("values", [["01", "02", "12"], ["00123", "123"], ["0.50", "1.25"], ["00012"]])
def test_other_zeros_are_not_told_of(values):
    assert judged(values) == (Column("a", "number", missing_indicator=True), [])


@pytest.mark.parametrize("values", [["1"] * 49 + ["x"] * 51, ["x", "y"], ["1"] * 95 + ["x"] * 5, ["1"]])
def test_of_other_columns_nothing_is_said(values):
    assert judged(values)[1] == []


def test_rows_count_and_not_values():
    assert kind(["1"] * 99 + ["x"]) == "number"


# --- how numbers are written -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "decimal", "thousands", "said"),
    [
        (["1.5", "2"], ".", "", ""),
        (["9.120,50", "1"], ",", ".", ""),
        (["1 234,5"], ",", " ", ""),
        (["1,234"], ".", ",", "a: 1,234 is read with ',' between thousands"),
    ],
)
def test_a_writing(values, decimal, thousands, said):
    column, remarks = judged(values)
    assert (column.decimal, column.thousands) == (decimal, thousands)
    assert len(remarks) == bool(said)
    assert not said or said in remarks[0]


def test_an_ambiguous_column_goes_by_the_others():
    sample = {"a": sampled(["1,234"]), "b": sampled(["2,5"])}
    assert infer(sample, NO, {}, text_file=True).columns[0].decimal == ","


def test_an_ambiguous_column_goes_by_the_costs():
    sample = {"a": sampled(["1.234"]), "cost": sampled(["2,50"])}
    columns = infer(sample, NO, {"cost": "cost"}, text_file=True).columns
    assert columns == (
        Column("a", "number", ",", ".", missing_indicator=True),
        Column("cost", "cost", decimal=","),
    )


def test_a_label_does_not_count_for_others():
    sample = {"a": sampled(["1,234"]), "y": sampled(["2,5"])}
    assert infer(sample, NO, {"y": "label"}, text_file=True).columns[0].decimal == "."


@pytest.mark.parametrize(
    ("settings", "decimal", "thousands"),
    [({"decimal": ","}, ",", ""), ({"thousands": "."}, ",", "."), ({"thousands": ","}, ".", ",")],
)
def test_the_user_overrules_a_writing(settings, decimal, thousands):
    values = ["1.234"] if settings == {"thousands": "."} else ["1,234"]
    column, remarks = judged(values, overrides=Schema(**settings))
    assert (column.decimal, column.thousands) == (decimal, thousands)
    assert not any("if that is the decimal sign" in remark for remark in remarks)


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


def test_many_numbers_that_are_text_are_told_of():
    column, remarks = judged([f"{at / 7:.3f}" for at in range(50)] * 2, "price", text_file=False)
    assert column.kind == "text"
    assert "--number price" in remarks[0]
    assert "Schema({'price': \"number\"})" in remarks[0]


@pytest.mark.parametrize("written", ["{}.50", "1,{}.50", "$ {}", "{},5"])
def test_numbers_in_strings_that_are_all_different_are_no_id(written):
    values = [written.format(at) for at in chance.sample(range(100, 1000), 100)]
    column, remarks = judged(values, "price", text_file=False)
    assert column == Column("price", "text", target_encoding=True)
    assert len(remarks) == 1
    assert "--number price" in remarks[0]


@pytest.mark.parametrize(("values", "name"), [(range(1000, 1100), "n"), (SHUFFLED, "order_id")])
def test_whole_numbers_in_strings_are_ids_as_in_files(values, name):
    column, remarks = judged(map(str, values), name, text_file=False)
    assert (column, len(remarks)) == (Column(name, "id"), 1)


@pytest.mark.parametrize(
    ("values", "found"), [(["2024-01-31"], "text"), ([date(2024, 1, 31)], "time"), ([1, "x"], "text")]
)
def test_by_type_nothing_but_the_type_counts(values, found):
    assert kind(values, text_file=False, by_type=True) == found


# --- ids ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (WORDS[:100], "reference"),
        ([*WORDS[:100], *WORDS[:2]], "reference"),
        (range(1000, 1100), "n"),
        ([*range(100), 99], "n"),
        (SHUFFLED, "customer_id"),
        (SHUFFLED, "customerId"),
        (SHUFFLED, "ID"),
        (SHUFFLED, "row number"),
        (SHUFFLED, "Unnamed: 0"),
    ],
)
def test_an_id(values, name):
    column, remarks = judged([str(value) for value in values], name)
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
        (SHUFFLED, "paid", "number"),
        (SHUFFLED, "Casino", "number"),
        (SHUFFLED, "period", "number"),
        (SHUFFLED[:300] + SHUFFLED[:100], "customer", "number"),
        ([at + 0.5 for at in range(100)], "n", "number"),
        ([*range(100), 98], "n", "number"),
        (range(ENOUGH - 1), "n", "number"),
        ([at // 2 for at in range(200)], "n", "number"),
    ],
)
def test_nearly_an_id(values, name, found):
    assert kind([str(value) for value in values], name) == found


@pytest.mark.parametrize("unit", [1, 1000, 1_000_000])
def test_seconds_since_1970_are_left_out_with_the_way_to_keep_them(unit):
    column, remarks = judged([str((1_700_000_000 + at) * unit) for at in range(100)], "at")
    assert column.kind == "id"
    assert "--time at" in remarks[0]


@pytest.mark.parametrize("text_file", [True, False])
def test_seconds_since_1970_in_any_order_are_told_of(text_file):
    seconds = [1_700_000_000.5 + at * 3600 for at in SHUFFLED]
    values = [str(one) for one in seconds] if text_file else seconds
    column, remarks = judged(values, "at", text_file=text_file)
    assert column.kind == "number"
    assert len(remarks) == 1
    assert "--time at" in remarks[0]
    column, remarks = judged(values, "at", text_file=text_file, overrides=Schema({"at": "time"}))
    assert (column.kind, remarks) == ("time", [])


@pytest.mark.parametrize("wish", ["number", "text", "time", "left out"])
def test_nothing_is_said_of_a_column_that_is_nearly_times_once_it_is_named(wish):
    values = ["2024-01-31", "2024-02-28", "2024-02-29", "soon"]
    assert len(judged(values)[1]) == 1
    column, remarks = judged(values, overrides=Schema({"a": wish}))
    assert (column.kind, remarks) == (wish, [])


def test_other_ids_are_no_times():
    assert "--time" not in judged(map(str, range(100)))[1][0]


@pytest.mark.parametrize("values", [WORDS[:100], [str(at) for at in range(100)]])
def test_an_id_that_is_kept(values):
    column, remarks = judged(values, overrides=Schema(keep=["a"]))
    assert column.kind in ("text", "number")
    assert remarks == []


@pytest.mark.parametrize("wish", ["text", "number", "time"])
def test_a_kind_that_is_given_keeps_an_id(wish):
    values = [f"2024-01-01 00:{at // 60:02}:{at % 60:02}" for at in range(100)]
    assert kind(values, overrides=Schema({"a": wish})) == wish


# --- details -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "rate"), [(MANY_VALUES, False), (MANY_VALUES + 1, True)])
def test_text_of_many_values_is_a_rate(count, rate):
    assert judged(WORDS[:count] * 5)[0].target_encoding is rate


@pytest.mark.parametrize(("gone", "marks"), [(50, True), (51, False)])
def test_missing_numbers_are_marked_where_most_are_there(gone, marks):
    assert (
        judged(["1", "2"] * ((100 - gone) // 2) + ["1"] * (gone % 2) + ["?"] * gone)[
            0
        ].missing_indicator
        is marks
    )


def test_the_day_comes_first_where_a_value_says_so():
    column, remarks = judged(["03/04/2024", "31/12/2024"])
    assert (column, remarks) == (Column("a", "time", day_first=True), [])


def test_an_ambiguous_time_is_told_of():
    column, remarks = judged(["03/04/2024", "05/06/2024"])
    assert (column.day_first, len(remarks)) == (False, 1)
    assert "--day-first" in remarks[0]


def test_the_user_says_which_comes_first():
    column, remarks = judged(["03/04/2024"], overrides=Schema(day_first=True))
    assert (column, remarks) == (Column("a", "time", day_first=True), [])


@pytest.mark.parametrize("wish", ["number", "text", "yes/no", "time", "left out", "id"])
def test_a_kind_that_is_given(wish):
    assert kind(["1", "x", "y"], overrides=Schema({"a": wish})) == wish


def test_a_kind_that_is_given_leaves_the_writing_to_be_found():
    column = judged(["9.120,50", "x"], overrides=Schema({"a": "number"}))[0]
    assert column == Column("a", "number", ",", ".", missing_indicator=True)


def test_a_column_that_is_given_is_taken_as_it_is():
    given = Column("a", "number")
    assert judged(["9.120,50"], overrides=Schema([given]))[0] is given


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


def test_single_rows_that_a_model_has_learnt_say_what_columns_hold():
    layout = Layout(learnt_features={"amount", "shop=web", "when.hour"})
    found, remarks = resolved(layout, amount=["1"], shop=["x", "y"], when=["2024-01-31"], new=["1"])
    kinds = {one.name: one.kind for one in found.schema.columns}
    assert kinds == {"amount": "number", "shop": "text", "when": "time", "new": "number"}
    assert remarks == []


def test_a_table_that_disagrees_with_single_rows_says_so():
    _, remarks = resolved(Layout(learnt_features={"shop=7"}), shop=["7", "8"])
    assert remarks == [
        "shop: the model has learnt it as text, and here it looks like numbers; it is read as text"
    ]


@pytest.mark.parametrize(("learnt", "names"), [(LEARNT, ["a", "b"]), (None, [])], ids=["all", "none"])
def test_no_column_is_absent(learnt, names):
    assert ResolvedSchema(Layout(learnt=learnt), names).absent("f.csv") is None


def test_columns_that_are_absent():
    message = ResolvedSchema(Layout(learnt=LEARNT), ["b"]).absent("f.csv")
    assert message.startswith("f.csv: a column that the model knows is not there")
    assert message.endswith(": a")


def test_who_says_what_a_column_is():
    layout = Layout(label="y", schema=Schema({"a": "text"}), learnt=LEARNT)
    found, _ = resolved(layout, y=["1"], a=["x"], b=["x"], c=["1"])
    said = {name: found.decided_by(name) for name in found.names}
    assert said == {"y": "user", "a": "user", "b": "model", "c": "inferred"}


def test_the_label_that_a_model_remembers_is_said_by_the_model():
    schema = Schema([Column("y", "label"), Column("a", "number")])
    model = SimpleNamespace(
        schema=schema, schema_is_inferred=True, feature_names=[], objective=Cost(1, 1)
    )
    found = ResolvedSchema.of(["y", "a"], Layout(text=("a",)).for_model(model), "f.csv")
    assert [found.decided_by(name) for name in found.names] == ["model", "user"]


def test_many_ids_are_told_of_in_one_line():
    rising = {f"n{k}": [str(k + t) for t in range(60)] for k in range(5)}
    _, remarks = resolved(Layout(), **rising)
    assert remarks == [
        "5 columns are left out, since they look like ids: n0, n1, n2 and others (--keep NAME keeps "
        "one; in Python: Schema(keep=[...]))"
    ]


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


def test_a_key_that_is_different_in_each_row_is_an_id():
    numbers = np.random.default_rng(1).permutation(2000).astype(float)
    (column,) = infer({"customer_id": numbers}, Schema(), {}).columns
    assert column.kind == "id"


def test_a_key_of_few_values_or_with_a_fraction_stays_a_number():
    few, parts = repeating(values=20).astype(float), repeating() / 2
    found = infer({"shop_id": few, "card_id": parts}, Schema(), {}).columns
    assert [one.kind for one in found] == ["number", "number"]


def test_text_that_is_named_like_a_key_and_hardly_comes_again_is_a_key():
    values = [f"c{one}" for one in np.random.default_rng(2).permutation(1990)] + ["c1"] * 10
    (column,) = infer({"card_id": text_of(values)}, Schema(), {}, text_file=True).columns
    assert (column.kind, column.target_encoding, column.key) == ("text", True, True)


def test_the_user_says_that_a_key_is_a_number():
    found = infer({"card_id": text_of(repeating())}, Schema({"card_id": "number"}), {}, text_file=True)
    assert found.columns[0].kind == "number"


def test_7_and_7_0_are_one_key():
    column = Column("card_id", "text", target_encoding=True, key=True)
    reading = Reading(Schema())
    assert {reading.text(one, column) for one in (7, 7.0, "7", "7.0", " 7 ")} == {"7"}
