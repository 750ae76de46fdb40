"""Schemas: what they check, how they are shown, put together and kept."""

import json

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
        (lambda: Schema(["a"]), "'a' is not a column"),
        (lambda: Schema([Column("a", "text")] * 2), "column a is in the schema twice"),
        (lambda: Schema(decimal=",", thousands=","), "',' cannot be the decimal sign and separate"),
        (lambda: Schema(decimal=""), "the decimal sign cannot be ''"),
        (lambda: Schema(hash_bits=0), "hash bits must be from 1 to 30, not 0"),
        (lambda: Schema(hash_bits=True), "hash bits must be from 1 to 30, not True"),
        (lambda: Schema(day_first="yes"), "day_first must be True or False, not 'yes'"),
        (lambda: Schema(time_zone="Mars/Crater"), "there is no time zone 'Mars/Crater'"),
        (lambda: Schema(keep=[3]), "keep must be a sequence of strings, not of 3"),
    ],
)
def test_what_is_refused(make, message):
    with pytest.raises(CostreamError) as caught:
        make()
    assert message in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_of_a_mapping(kind):
    assert Schema({"a": kind}).by_name["a"].kind == kind


@pytest.mark.parametrize("one", [WHOLE, Schema(), Schema({"a": "number"})])
def test_what_is_shown_makes_it_again(one):
    assert eval(repr(one), {"Schema": Schema, "Column": Column}) == one


@pytest.mark.parametrize("one", [WHOLE, Schema(), Schema({"a": "number"})])
def test_what_a_file_keeps_makes_it_again(one):
    assert Schema.restore(json.loads(json.dumps(one.header()))) == one


# --- one schema over another -------------------------------------------------------------------------


def test_settings_of_the_upper_schema_count_first():
    above = Schema(decimal=".", thousands="'", day_first=False, time_zone="Asia/Tokyo", hash_bits=9)
    both = above.over(WHOLE)
    found = (both.decimal, both.thousands, both.day_first, both.time_zone, both.hash_bits)
    assert found == (".", "'", False, "Asia/Tokyo", 9)
