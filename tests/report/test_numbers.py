"""Numbers as text: the same rule on pages and on a terminal."""

import math

import pytest

from costream.report.numbers import DASH, MINUS, cost_text, decimals_of, finite, number, percent

NAN = math.nan


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (1234567.0, 0, "1,234,567"),
        (-0.04, 1, "0.0"),
        (-1.5, 1, f"{MINUS}1.5"),
        (NAN, 1, DASH),
        (3.2e15, 0, "3.2e+15"),
        (1.5e-9, 12, f"1.5e{MINUS}09"),
    ],
)
def test_numbers_are_written_plainly(value, decimals, text):
    assert number(value, decimals) == text


@pytest.mark.parametrize(("values", "decimals"), [([3, 200], 0), ([0.5, 20.0], 2), ([0.5], 4), ([], 0)])
def test_decimals_follow_the_largest_number(values, decimals):
    assert decimals_of(values) == decimals


@pytest.mark.parametrize("value", [NAN, math.inf, -math.inf, None])
def test_what_is_not_finite_is_a_dash(value):
    assert (number(value, 2), number(value, ".4g", plain=True)) == (DASH, "-")


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [(-1234.5, 1, "-1,234.5"), (-0.0004, ".3f", "0.000"), (3.2e15, 0, "3.2e+15"), (0.0, "+,.6g", "+0")],
)
def test_a_terminal_gets_ascii(value, form, text):
    assert number(value, form, plain=True) == text


def test_a_dash_has_no_unit():
    assert (percent(NAN, unit="%", plain=True), percent(0.5, unit="%", plain=True)) == ("-", "50.0%")


def test_a_large_cost_has_no_decimals():
    assert [cost_text(cost, plain=True) for cost in (-142.84, 9999.0, 40767.2)] == [
        "-142.8",
        "9,999.0",
        "40,767",
    ]


def test_json_gets_null_where_a_number_is_not_finite():
    assert finite({"a": [1.5, NAN, {"b": math.inf}], "c": "x"}) == {
        "a": [1.5, None, {"b": None}],
        "c": "x",
    }
