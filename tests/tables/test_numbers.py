"""Numbers as people write them."""

from __future__ import annotations

import math
import struct
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costream.tables import numbers
from costream.tables.numbers import (
    MISSING_NUMBERS,
    Numbers,
    as_numbers,
    number_of,
    plain_numbers,
    resolve,
)

WRITINGS = [(".", thousands) for thousands in ("", ",", " ", "'")] + [
    (",", thousands) for thousands in ("", ".", " ", "'")
]


def bits(number: float) -> bytes:
    return struct.pack("<d", number)


def read(text: str, decimal: str = ".", thousands: str = "") -> float | None:
    return number_of(text, decimal, thousands, MISSING_NUMBERS)


def column(*values: str, decimal: str | None = None, thousands: str | None = None) -> Numbers:
    return as_numbers(values, [1] * len(values), MISSING_NUMBERS, decimal, thousands)


@pytest.mark.parametrize(
    ("text", "decimal", "thousands", "number"),
    [
        ("9,120", ".", ",", 9120.0),
        ("9,120.50", ".", ",", 9120.5),
        ("1,234,567", ".", ",", 1234567.0),
        ("9.120,50", ",", ".", 9120.5),
        ("1 234,5", ",", " ", 1234.5),
        ("1\u00a0234", ".", " ", 1234.0),
        ("1\u202f234\u202f567,8", ",", " ", 1234567.8),
        ("1'234.50", ".", "'", 1234.5),
        ("0,5", ",", "", 0.5),
        ("1,5e3", ",", "", 1500.0),
    ],
)
def test_separators_go_by_the_writing(text, decimal, thousands, number):
    assert read(text, decimal, thousands) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12 %", 12.0),
        ("€ 5", 5.0),
        ("5\u00a0€", 5.0),
        ("$5", 5.0),
        ("€.50", 0.5),
        ("R$ 5", 5.0),
        ("EUR 5", 5.0),
        ("5 CHF", 5.0),
        ("Rs.500", 500.0),
        ("Fr. 5.50", 5.5),
        ("₹ 1,23,456.50", 123456.5),
        ("1,00,00,00,000", 1e9),
        ("5.-", 5.0),
        ("CHF 5.\u2013", 5.0),
        ("(3.50)", -3.5),
        ("($1,234.50)", -1234.5),
        ("$(5)", -5.0),
        ("-5", -5.0),
        ("- 5", -5.0),
        ("\u22125", -5.0),
        ("-$5", -5.0),
        ("5-", -5.0),
        ("+5", 5.0),
        ("01234", 1234.0),
        ("1e5", 1e5),
        ("5.", 5.0),
        (".5", 0.5),
        ("\t5 \t", 5.0),
        ("inf", math.inf),
    ],
)
def test_marks_around_a_number_are_understood(text, number):
    assert read(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "1,23,4",
        "01,23,456",
        "1.23.456",
        "1,2345",
        "0,123",
        "1,234 567",
        "1_000",
        "0x10",
        "1.2.3",
        "10.0.0.1",
        "+49 170 1234567",
        "030 123 456",
        "2024-01-31",
        "12:30",
        "1-5",
        "12345-6789",
        "65+",
        "--5",
        "(-5)",
        "5)",
        ")5(",
        "5 % €",
        "5 kg",
        "A5",
        "#5",
        "five",
        "()",
    ],
)
@pytest.mark.parametrize("decimal", [".", ","])
def test_what_is_no_number_is_none(text, decimal):
    if text in ("1,2345", "0,123") and decimal == ",":
        assert read(text, decimal) == float(text.replace(",", "."))
    else:
        assert read(text, decimal) is None


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite.filter(lambda x: abs(x) < 1e60), st.integers(0, 9), st.sampled_from(WRITINGS), st.data())
def test_a_number_written_in_any_writing_gives_its_bits(number, digits, writing, data):
    decimal, thousands = writing
    plain = f"{number:.{digits}f}"
    written = f"{abs(float(plain)) if thousands else number:{',' if thousands else ''}.{digits}f}"
    written = written.lstrip("-").translate({ord("."): decimal, ord(","): thousands})
    assert written.isascii()
    if math.copysign(1.0, number) < 0:
        written = data.draw(
            st.sampled_from(["-{}", "({})", "{}-", "- {} €", "€ -{}", "\u2212{}%"])
        ).format(written)
    else:
        written = data.draw(st.sampled_from(["{}", "{} %", "$ {}", "{} EUR", " {}\t"])).format(written)
    assert bits(number_of(written, decimal, thousands, MISSING_NUMBERS)) == bits(float(plain))


texts = st.one_of(
    st.text(),
    st.text("0123456789.,' -+()%€$eE_\u00a0\u2212nNaAfi?", max_size=12),
    st.from_regex(r"[1-9][.,]\d{3}"),
)


@given(
    st.lists(texts, unique=True),
    st.sampled_from([None, ".", ","]),
    st.sampled_from([None, "", *",. '"]),
)
def test_a_column_never_fails_and_its_share_is_that_of_its_values(values, decimal, thousands):
    counts = range(1, len(values) + 1)
    found = as_numbers(values, counts, MISSING_NUMBERS, decimal, thousands)
    if thousands == "" or thousands == decimal or not values:
        return
    numbers = [number_of(value, found.decimal, found.thousands, MISSING_NUMBERS) for value in values]
    rows = sum(count for count, one in zip(counts, numbers, strict=True) if one is None or one == one)
    good = sum(
        count for count, one in zip(counts, numbers, strict=True) if one is not None and one == one
    )
    assert found.share == (good / rows if rows else 0.0)
    assert found.first_bad == next(
        (value for value, one in zip(values, numbers, strict=True) if one is None), None
    )


@pytest.mark.parametrize(
    ("values", "writing", "example"),
    [
        (("5", "1.5", "?"), (".", ""), None),
        (("0.5", "1,234.5"), (".", ","), "1,234.5"),
        (("0.5", "1,234"), (".", ","), "1,234"),
        (("1,234", "1,234,567"), (".", ","), "1,234"),
        (("1,234", "2,5"), (",", ""), "1,234"),
        (("1,234", "0,123"), (",", ""), "1,234"),
        (("1.234", "1.234,5"), (",", "."), "1.234,5"),
        (("1.234", "0,5"), (",", "."), "0,5"),
        (("1.234.567", "5"), (",", "."), "1.234.567"),
        (("1 234", "0,5"), (",", " "), "1 234"),
        (("999", "1 234"), (".", " "), "1 234"),
        (("1'234", "0.5"), (".", "'"), "1'234"),
        (("5", "12 %"), (".", ""), "12 %"),
        (("1.234", "2.3456"), (".", ""), None),
        (("1.234", "0.123"), (".", ""), None),
    ],
)
def test_a_column_says_how_it_is_written(values, writing, example):
    found = column(*values)
    assert (found.share, found.ambiguous) == (1.0, False)
    assert ((found.decimal, found.thousands), found.example) == (writing, example)


def writing(found: Numbers) -> tuple[str, str, bool]:
    return found.decimal, found.thousands, found.ambiguous


@pytest.mark.parametrize(
    ("others", "comma", "point", "whole"),
    [
        ((), (".", ",", True), (".", "", False), (".", "", False)),
        (("0.5",), (".", ",", False), (".", "", False), (".", "", False)),
        (("0,5",), (",", "", False), (",", ".", False), (",", "", False)),
        (("0.5", "0,5"), (".", ",", True), (".", "", False), (".", "", False)),
        (("0.5", "0,5", "0,7"), (",", "", False), (",", ".", False), (",", "", False)),
    ],
)
def test_other_columns_settle_what_a_column_leaves_open(others, comma, point, whole):
    columns = {f"other {k}": column(value) for k, value in enumerate(others)}
    columns |= {"comma": column("1,234"), "point": column("1.234"), "whole": column("7")}
    resolved = resolve(columns)
    assert [writing(resolved[name]) for name in ("comma", "point", "whole")] == [comma, point, whole]
    assert list(resolved) == list(columns)


@given(
    st.lists(st.text("0123456789.e-+", max_size=6), min_size=1, max_size=6, unique=True),
    st.sampled_from([frozenset(), frozenset({"-999", "1", "."})]),
)
def test_plain_numbers_are_read_as_all_others_are(values, missing):
    """The fast way for columns of plain numbers gives what the slow one gives."""
    found = plain_numbers(values, missing)
    slow = [number_of(value, ".", "", missing) for value in values]
    assert found is None or repr(found) == repr(slow)
    with patch.object(numbers, "plain_numbers", return_value=None):
        expected = as_numbers(values, [1] * len(values), missing)
    assert as_numbers(values, [1] * len(values), missing) == expected
