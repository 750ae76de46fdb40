"""Schemas: what they check, how they are shown, put together and kept."""

import json
from zoneinfo import ZoneInfo

import pytest

from costream import Column, CostreamError, Schema
from costream.tables.schema import KINDS

WHOLE = Schema(
    [Column("when", "time", day_first=True), Column("shop", "text", target_encoding=True)],
    keep=["nr"],
    missing=["-9"],
    decimal=",",
    thousands=".",
    day_first=True,
    time_zone="Europe/Berlin",
    hash_bits=4,
)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Column(7, "number"), "the name of a column must be a string, not 7"),
        (lambda: Column("a", "float"), "column a cannot be of the kind 'float'"),
        (lambda: Column("a", "number", decimal=";"), "the decimal sign cannot be ';'"),
        (lambda: Column("a", "number", thousands="_"), "the thousands cannot be separated by '_'"),
        (lambda: Column("a", "number", ".", "."), "'.' cannot be the decimal sign and separate"),
        (
            lambda: Column("a", "number", words=True),
            "column a cannot be words and of the kind 'number'",
        ),
        (lambda: Schema({"a": "float"}), "column a cannot be of the kind 'float'"),
        (lambda: Schema(["a"]), "'a' is not a column"),
        (lambda: Schema([Column("a", "text")] * 2), "column a is in the schema twice"),
        (lambda: Schema(decimal=",", thousands=","), "',' cannot be the decimal sign and separate"),
        (lambda: Schema(decimal=""), "the decimal sign cannot be ''"),
        (lambda: Schema(thousands="x"), "the thousands cannot be separated by 'x'"),
        (lambda: Schema(hash_bits=0), "hash bits must be from 1 to 30, not 0"),
        (lambda: Schema(hash_bits=31), "hash bits must be from 1 to 30, not 31"),
        (lambda: Schema(hash_bits=True), "hash bits must be from 1 to 30, not True"),
        (lambda: Schema(day_first="yes"), "day_first must be True or False, not 'yes'"),
        (lambda: Schema(time_zone="Mars/Crater"), "there is no time zone 'Mars/Crater'"),
        (lambda: Schema(time_zone=3), "there is no time zone 3"),
        (lambda: Schema(keep=[3]), "keep must be a sequence of strings, not of 3"),
        (lambda: Schema(missing=[None]), "missing must be a sequence of strings, not of None"),
    ],
)
def test_what_is_refused(make, message):
    with pytest.raises(CostreamError) as caught:
        make()
    assert message in str(caught.value)


def test_a_comma_for_thousands_leaves_the_decimal_sign_open():
    assert Schema(thousands=".").decimal is None


def test_one_word_is_a_sequence_of_one():
    assert Schema(keep="nr", missing="?") == Schema(keep=["nr"], missing=["?"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_of_a_mapping(kind):
    assert Schema({"a": kind}).by_name["a"].kind == kind


def test_text_that_is_asked_for_is_taken_as_it_stands():
    assert Schema({"zip": "text"}).columns == (Column("zip", "text", exact=True),)


def test_kinds_of_a_mapping_leave_the_rest_open():
    assert Schema({"a": "number", "b": Column("b", "text")}).open == {"a"}


@pytest.mark.parametrize("one", [WHOLE, Schema(), Schema({"a": "number"})])
def test_what_is_shown_makes_it_again(one):
    assert eval(repr(one), {"Schema": Schema, "Column": Column}) == one


@pytest.mark.parametrize("one", [WHOLE, Schema(), Schema({"a": "number"})])
def test_what_a_file_keeps_makes_it_again(one):
    assert Schema.restore(json.loads(json.dumps(one.header()))) == one


def test_features_are_what_models_learn():
    schema = Schema({kind: kind for kind in KINDS})
    assert [one.name for one in schema.features] == ["number", "text", "yes/no", "time"]


def test_columns_of_a_kind():
    assert Schema({"a": "text", "b": "number", "c": "text"}).named("text") == ("a", "c")


def test_the_zone_of_times():
    assert (Schema().zone, WHOLE.zone) == (None, ZoneInfo("Europe/Berlin"))


@pytest.mark.parametrize(("bits", "found"), [(None, 18), (7, 7)])
def test_bits_of_text(bits, found):
    assert Schema(hash_bits=bits).bits == found


@pytest.mark.parametrize(
    ("column", "plain"),
    [
        (Column("a", "number"), True),
        (Column("a", "cost"), True),
        (Column("a", "text"), False),
        (Column("a", "number", decimal=","), False),
        (Column("a", "number", thousands=","), False),
    ],
)
def test_numbers_that_are_written_as_python_writes_them(column, plain):
    assert column.is_plain is plain


# --- one schema over another -------------------------------------------------------------------------


def test_nothing_over_a_schema_is_that_schema():
    assert Schema().over(WHOLE) == WHOLE


def test_a_schema_over_nothing_is_that_schema():
    assert WHOLE.over(Schema()) == WHOLE


def test_columns_of_the_upper_schema_stand_where_those_of_the_lower_do():
    below = Schema({"a": "number", "b": "number"})
    above = Schema({"c": "time", "b": "text"})
    kinds = [(one.name, one.kind) for one in above.over(below).columns]
    assert kinds == [("a", "number"), ("b", "text"), ("c", "time")]


def test_settings_of_the_upper_schema_count_first():
    above = Schema(decimal=".", thousands="'", day_first=False, time_zone="Asia/Tokyo", hash_bits=9)
    both = above.over(WHOLE)
    found = (both.decimal, both.thousands, both.day_first, both.time_zone, both.hash_bits)
    assert found == (".", "'", False, "Asia/Tokyo", 9)


def test_words_of_both_schemas_count():
    both = Schema(keep=["id"], missing=["?"]).over(WHOLE)
    assert (both.keep, both.missing) == (("nr", "id"), ("-9", "?"))


def test_what_is_open_in_one_schema_over_another():
    below = Schema({"a": "number", "b": "number"})
    assert Schema([Column("b", "text")]).over(below).open == {"a"}
