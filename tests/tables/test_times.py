"""Times as people write them, and their features."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from costream.tables.numbers import MISSING_NUMBERS
from costream.tables.times import (
    Times,
    as_times,
    iso_moments,
    moment_of,
    on_clock,
    time_features,
    time_features_of,
    time_of,
)

BERLIN = ZoneInfo("Europe/Berlin")


def when(text: str) -> int:
    return int(np.datetime64(text, "us").astype(np.int64))


def column(*values: str, day_first: bool | None = None, digits: bool = False) -> Times:
    return as_times(values, [1] * len(values), MISSING_NUMBERS, day_first, digits)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-03-31", "2024-03-31"),
        ("2024/12/31", "2024-12-31"),
        ("2024-03-31 23:59", "2024-03-31T23:59"),
        ("2024-03-31T23:59:59.123456Z", "2024-03-31T23:59:59.123456"),
        ("2024-03-31T23:59:59.123456789", "2024-03-31T23:59:59.123456"),
        ("2024-03-31T23:59:59+02:00", "2024-03-31T21:59:59"),
        ("2024-03-31 23:59:59 -0230", "2024-04-01T02:29:59"),
        ("2024-03-31 23:59 UTC", "2024-03-31T23:59"),
        ("31.12.2024 23:59", "2024-12-31T23:59"),
        ("03.04.2024", "2024-04-03"),
        ("12/31/23", "2023-12-31"),
        ("1/2/68", "2068-01-02"),
        ("1/2/69", "1969-01-02"),
        ("01.02.99", "1999-02-01"),
        ("12/31/2024", "2024-12-31"),
        ("03/04/2024", "2024-03-04"),
        ("12/31/2024 12:05 AM", "2024-12-31T00:05"),
        ("12/31/2024, 1:05:03\u202fp.m.", "2024-12-31T13:05:03"),
        ("31 Dec 2024", "2024-12-31"),
        ("Dec 31, 2024", "2024-12-31"),
        ("Sept. 1st, 2024", "2024-09-01"),
        ("Sun, 31 Mar 2024 23:59:59 GMT", "2024-03-31T23:59:59"),
        ("31/Dec/2024:23:59:59 +0100", "2024-12-31T22:59:59"),
        ("20241231", "2024-12-31"),
        ("20241231T235958Z", "2024-12-31T23:59:58"),
        ("1711929599", "2024-03-31T23:59:59"),
        ("1711929599123", "2024-03-31T23:59:59.123"),
        (" 1969-12-31\t", "1969-12-31"),
    ],
)
def test_forms_of_times(text, moment):
    assert time_of(text) == when(moment)


@pytest.mark.parametrize(
    "text",
    [
        "24-12-31",
        "1.2.10",
        "31.12.124",
        "2024-02-30",
        "2024-12/31",
        "0000-01-01",
        "2024-01-01 24:00",
        "2024-01-01 13:00 PM",
        "2024-01-01 12:00 +25:00",
        "31 Foo 2024",
        "12:30",
        "2024",
        "tomorrow",
        "2024-01-01 and more",
    ],
)
@pytest.mark.parametrize("day_first", [None, True, False])
def test_what_is_no_time_is_none(text, day_first):
    assert time_of(text, day_first) is None


def test_times_with_an_offset_are_on_the_clock_of_the_zone():
    assert time_of("2024-07-01T12:00Z", zone=BERLIN) == when("2024-07-01T14:00")
    assert time_of("2024-01-01T12:00Z", zone=BERLIN) == when("2024-01-01T13:00")
    assert time_of("2024-07-01T12:00", zone=BERLIN) == when("2024-07-01T12:00")
    assert time_of("0001-01-01T00:00+10:00", zone=BERLIN) is None


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (("2024-01-31", "?"), Times(1.0)),
        (("2024-01-31", "x"), Times(0.5, first_bad="x")),
        (("03/04/2024",), Times(1.0, False, True, None, "03/04/2024")),
        (("03/04/2024", "31/12/2024"), Times(1.0, True, False, None, "03/04/2024")),
        (("03/04/2024", "12/31/2024"), Times(1.0, False, False, None, "03/04/2024")),
        (("3/4/24", "31/12/24"), Times(1.0, True, False, None, "3/4/24")),
        (("3-4-2024", "31-12-2024 10:00"), Times(1.0, True, False, None, "3-4-2024")),
        (("03.04.2024",), Times(1.0)),
        (("20241231", "1711929599.5"), Times(0.0, first_bad="20241231")),
        (("5", "1.5"), Times(0.0, first_bad="5")),
        ((), Times(0.0)),
    ],
)
def test_a_column_says_how_it_is_written(values, found):
    assert column(*values) == found


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        (datetime(2024, 3, 31, 23, 59, 59, 5), "2024-03-31T23:59:59.000005"),
        (datetime(2024, 7, 1, 12, tzinfo=UTC), "2024-07-01T14:00"),
        (datetime(2024, 7, 1, 12, tzinfo=timezone(timedelta(hours=-1))), "2024-07-01T15:00"),
        (date(2024, 3, 31), "2024-03-31"),
        (np.datetime64("2024-03-31T23:59:59.999999999"), "2024-03-31T23:59:59.999999"),
        (np.datetime64("2024-03-31"), "2024-03-31"),
        ("2024-03-31", "2024-03-31"),
        (20240331, "2024-03-31"),
        (np.int64(20240331), "2024-03-31"),
        (1719828000.5, "2024-07-01T12:00:00.5"),
    ],
)
def test_moments_of_python_values(value, moment):
    assert moment_of(value, BERLIN) == when(moment)


def test_a_clock_of_many_moments_is_that_of_each():
    moments = np.array(
        ["2024-03-31T00:59:59", "2024-03-31T01:00", "NaT", "2024-10-27T01:00"], "datetime64[us]"
    )
    expected = ["2024-03-31T01:59:59", "2024-03-31T03:00", "NaT", "2024-10-27T02:00"]
    np.testing.assert_array_equal(on_clock(moments, BERLIN), np.array(expected, "datetime64[us]"))
    np.testing.assert_array_equal(on_clock(moments, None), moments)


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.datetimes().map(moment_of)))
def test_one_moment_has_the_bits_of_many(moments):
    many = time_features(np.array(moments, np.int64).view("datetime64[us]"))
    assert many.tobytes() == np.array([time_features_of(one) for one in moments], np.float64).tobytes()


@given(st.datetimes())
def test_features_are_those_of_the_calendar(moment):
    hour, *circles = time_features_of(moment_of(moment))
    assert round(hour * 86400e6) == (
        moment - datetime.combine(moment, datetime.min.time())
    ) // timedelta(microseconds=1)
    parts = (moment.weekday() / 7, (moment.day - 1) / 31, (moment.month - 1) / 12)
    expected = [f(math.tau * part) for part in parts for f in (math.sin, math.cos)]
    np.testing.assert_allclose(circles, expected, atol=1e-15)


@given(st.datetimes(min_value=datetime(1, 1, 2), timezones=st.none() | st.just(UTC) | st.just(BERLIN)))
def test_a_time_is_the_same_as_text(moment):
    if moment.utcoffset() is None or not moment.utcoffset().seconds % 60:  # local mean time has seconds
        assert time_of(moment.isoformat(" ")) == moment_of(moment)


@given(
    st.text() | st.text("0123456789-/.:, TZ+apmPMdecDEC", max_size=25),
    st.sampled_from([None, True, False]),
    st.sampled_from([None, UTC, BERLIN]),
)
def test_no_text_fails(text, day_first, zone):
    moment = time_of(text, day_first, zone=zone)
    if moment is not None:
        time_features_of(moment)
    as_times([text], [1], MISSING_NUMBERS, day_first)


@given(
    st.lists(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)), min_size=1), st.sampled_from(" T")
)
def test_plain_iso_times_are_read_at_once_as_they_are_one_by_one(times, sep):
    texts = [one.isoformat(sep) for one in times]
    assert iso_moments(texts).astype(np.int64).tolist() == [time_of(text) for text in texts]
