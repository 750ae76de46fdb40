"""Columns of Python values of any type, and what cannot be a feature."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from costream import CostreamError
from costream.tables.records import columns_of

PLUS_TWO = timezone(timedelta(hours=2))


def column(*values, **settings):
    """The column of some values; None stands for a row without it."""
    rows = [{} if value is None else {"a": value} for value in values]
    return columns_of(rows, ["a"], **settings)["a"]


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (2, 2.0),
        (True, 1.0),
        (float("inf"), float("inf")),
        (np.float32(0.1), float(np.float32(0.1))),
        (np.uint64(2**64 - 1), 2.0**64),
        (Decimal("0.1"), 0.1),
        (Decimal("-Infinity"), float("-inf")),
        (Fraction(1, 4), 0.25),
    ],
)
def test_a_number(value, number):
    np.testing.assert_array_equal(column(1.5, value, None), [1.5, number, np.nan])


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        (datetime(2024, 3, 31, 23, 59, 1, 5), "2024-03-31T23:59:01.000005"),
        (datetime(1, 1, 1), "0001-01-01"),
        (datetime(2024, 3, 31, 1, tzinfo=PLUS_TWO), "2024-03-30T23:00"),
        (np.datetime64("2024-03-31T23:59"), "2024-03-31T23:59"),
        (np.datetime64("1969-12-31T23:59:59.999999999"), "1969-12-31T23:59:59.999999"),
        (pd.Timestamp("2024-03-31 23:59:00.123456789"), "2024-03-31T23:59:00.123456"),
        (pd.Timestamp("1969-12-31T23:59:59.999999999"), "1969-12-31T23:59:59.999999"),
        (pd.Timestamp("2024-03-31 01:00", tz="Etc/GMT-2"), "2024-03-30T23:00"),
    ],
)
def test_a_time(value, moment):
    found = column(datetime(2024, 1, 1), value)
    assert found.dtype == "datetime64[us]"
    assert found[1] == np.datetime64(moment, "us")


def test_a_time_beyond_the_years():
    first = datetime(1, 1, 1, tzinfo=UTC)
    with pytest.raises(
        CostreamError, match=r"row 1, key a: 0001-01-01 .* is beyond the years of times"
    ):
        column(datetime(2024, 1, 1), first, zone=timezone(timedelta(hours=-2)))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            b"x",
            r"bytes cannot be a feature\nhint: decode them to text, or leave .* --ignore a ",
        ),
        (1j, "a value of type complex cannot be a feature"),
        (timedelta(1), "a value of type timedelta cannot be a feature"),
        (np.timedelta64(1, "s"), "a value of type timedelta64 cannot be a feature"),
        ({1}, "a value of type set cannot be a feature"),
        (
            {"b": 1},
            r"an object cannot be a feature\nhint: leave the key out with --ignore a \(in Python",
        ),
        ([[1]], "an array of arrays cannot be a feature\nhint: leave the key out with --ignore a "),
        ([1, {}], "an array of objects cannot be a feature"),
        (np.ones((1, 1)), "an array of arrays cannot be a feature"),
        (np.array(1.0), "an array without dimensions cannot be a feature"),
        (10**400, "the number is too large\nhint: "),
    ],
)
def test_what_cannot_be_a_feature(value, message):
    with pytest.raises(CostreamError, match=f"^line 12, key a: {message}"):
        column(1, None, value, where=lambda t: f"line 1{t}")
