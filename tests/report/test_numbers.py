"""Numbers as text: the same rule on pages and on a terminal."""

import math

import pytest

from costream.report.numbers import DASH, MINUS, decimals_of, finite, number, seconds_text

NAN = math.nan


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (1234567.0, 0, "1,234,567"),
        (-0.04, 1, "0.0"),
        (NAN, 1, DASH),
        (1.5e-9, 12, f"1.5e{MINUS}09"),
        (999_999_999_999.0, 0, "999,999,999,999"),
        (1e12, 0, "1e+12"),
        (0.1234567, 7, "0.123"),
    ],
)
def test_numbers_are_written_plainly(value, decimals, text):
    assert number(value, decimals) == text


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ([3, 200], 0),
        ([0.5, 20.0], 2),
        ([], 0),
        ([0.0, -0.5], 4),
        ([NAN, 9.5, math.inf], 3),
        ([12345.5], 0),
    ],
)
def test_decimals_follow_the_largest_number(values, decimals):
    assert decimals_of(values) == decimals


@pytest.mark.parametrize("value", [NAN, math.inf, -math.inf, None])
def test_what_is_not_finite_is_a_dash(value):
    assert (number(value, 2), number(value, ".4g", plain=True)) == (DASH, "-")


def test_json_gets_null_where_a_number_is_not_finite():
    assert finite({"a": [1.5, NAN, {"b": math.inf}], "c": "x"}) == {
        "a": [1.5, None, {"b": None}],
        "c": "x",
    }


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0456, "0.046"),
        (1.0, "1.0"),
        (9.87, "9.9"),
        (1234.0, "1,234"),
        (0.0, DASH),
        (math.inf, DASH),
    ],
)
def test_seconds_have_two_digits_that_count(seconds, text):
    assert seconds_text(seconds) == text
