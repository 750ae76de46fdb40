"""Numbers as text: the same rule on pages and on a terminal."""

import math

import pytest

from costream.report.numbers import (
    DASH,
    MINUS,
    TIMES,
    cost_text,
    counted,
    decimals_of,
    finite,
    listed,
    number,
    percent,
    power_of_ten,
    seconds_text,
    settings_text,
    short_number,
    value_text,
)

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
        (999_999_999_999.0, 0, "999,999,999,999"),
        (1e12, 0, "1e+12"),
        (0.1234567, 6, "0.123457"),
        (0.1234567, 7, "0.123"),
        (-10.0, 1, f"{MINUS}10.0"),
    ],
)
def test_numbers_are_written_plainly(value, decimals, text):
    assert number(value, decimals) == text


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ([3, 200], 0),
        ([0.5, 20.0], 2),
        ([0.5], 4),
        ([], 0),
        ([0.0], 0),
        ([0.0, -0.5], 4),
        ([NAN, 9.5, math.inf], 3),
        ([1.0, 1.5], 3),
        ([12345.5], 0),
    ],
)
def test_decimals_follow_the_largest_number(values, decimals):
    assert decimals_of(values) == decimals


def test_decimals_for_fewer_digits():
    assert [decimals_of([value], 3) for value in (0.125, 1.25, 12.5, 125.5, 1250.5)] == [3, 2, 1, 0, 0]


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
    costs = (-142.84, 9999.0, 10_000.0, 40767.2)
    texts = ["-142.8", "9,999.0", "10,000", "40,767"]
    assert [cost_text(cost, plain=True) for cost in costs] == texts


def test_json_gets_null_where_a_number_is_not_finite():
    assert finite({"a": [1.5, NAN, {"b": math.inf}], "c": "x"}) == {
        "a": [1.5, None, {"b": None}],
        "c": "x",
    }


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0456, "0.046"),
        (0.1, "0.10"),
        (1.0, "1.0"),
        (9.87, "9.9"),
        (10.0, "10"),
        (1234.0, "1,234"),
        (0.0, DASH),
        (-1.0, DASH),
        (math.inf, DASH),
    ],
)
def test_seconds_have_two_digits_that_count(seconds, text):
    assert seconds_text(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (99.96, "100"),
        (100.0, "100"),
        (123.4, "123"),
        (1234.0, "1,234"),
        (-999_999.0, f"{MINUS}999,999"),
        (1e6, "1e6"),
        (2.5e-10, f"2.5e{MINUS}10"),
        (12.34, "12.3"),
    ],
)
def test_a_short_number_has_three_digits_or_is_whole(value, text):
    assert short_number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "10⁰"),
        (-2500.0, f"{MINUS}2.5{TIMES}10³"),
        (1.2346e12, f"1.235{TIMES}10¹²"),
        (0.5, f"5{TIMES}10⁻¹"),
    ],
)
def test_a_number_as_a_multiple_of_a_power_of_ten(value, text):
    assert power_of_ten(value) == text


def test_one_of_a_thing_and_many():
    assert [counted(n, "row") for n in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]


def test_a_list_of_names_in_a_sentence():
    assert [listed(names) for names in ([], ["a"], ["a", "b"])] == ["", "a", "a and b"]


def test_settings_have_the_names_of_the_parameters_unless_there_are_symbols():
    assert settings_text({"eta": 0.5, "k": 3}, space="=") == "eta=0.5, k=3"
    assert settings_text({"eta": 0.5, "k": 3}, {"k": "K"}) == "eta 0.5, K 3"


def test_the_value_of_a_hyper_parameter():
    assert [value_text(value) for value in (1e-10, 0.25, True, None)] == [
        "1e-10",
        "0.25",
        "True",
        "None",
    ]
