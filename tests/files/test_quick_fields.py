"""CSV text without quotes as the scanner reads it: as pyarrow does, numbers to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from costream import CostreamError
from costream.files.csv import Fields, QuickFields

NAMES = ["a", "b", "c"]
FLOATS = st.floats(allow_nan=False, allow_infinity=False).map(repr)
ENDS = st.sampled_from(["\n", "\r\n", "\n\n", "\r\n\r\n\n"])


WORDS = st.text(st.characters(exclude_characters='",\r\n', exclude_categories=["Cs"]), max_size=20)


def read(text, numbers=(), wanted=NAMES, delimiter=",", missing=()):
    """The columns of text that follows a header, and their number of rows."""
    fields = QuickFields(NAMES, delimiter, missing)
    data = text if isinstance(text, bytes) else text.encode()
    found = fields.read(memoryview(bytearray(data)), numbers, wanted)
    return found, fields.count


def by_pyarrow(data, wanted=NAMES):
    fields = Fields("file", NAMES, ",")
    found = fields.read(memoryview(data), wanted, 1)
    return found, fields.count


def numbers_of(column):
    return [float(text.strip() or "nan") for text in column.to_pylist()]


def bits(numbers):
    return [float(number).hex() for number in numbers]


@given(
    st.lists(st.tuples(st.one_of(FLOATS, st.just("")), WORDS, FLOATS, ENDS), min_size=1, max_size=30)
)
def test_columns_are_those_that_pyarrow_reads(rows):
    text = "".join(f"{a},{b},{c}{end}" for a, b, c, end in rows).encode()
    found, count = read(text, {"a", "c"})
    expected, rows_there = by_pyarrow(text)
    assert count == rows_there
    assert found["b"].equals(expected["b"])
    for name in ("a", "c"):
        assert bits(found[name]) == bits(numbers_of(expected[name]))


@given(
    st.lists(
        st.sampled_from(
            [b"1", b"-2.5", b",", b",", b"\n", b"\r\n", b"\r", b" ", b"x", b"\xc3", b"\xa9", b'"']
        )
    )
)
def test_whatever_is_read_is_what_pyarrow_reads(parts):
    text = b"".join(parts) + b"\n"
    found, count = read(text, {"a", "b"})
    try:
        expected, rows = by_pyarrow(text)
    except CostreamError:
        assert found is None
        return
    if found is None:
        assert b'"' in text or b"\r" in text.replace(b"\r\n", b"")
        return
    assert count == rows
    for name, column in found.items():
        if isinstance(column, np.ndarray):
            assert bits(column) == bits(numbers_of(expected[name]))
        else:
            assert column.equals(expected[name])


@pytest.mark.parametrize(
    "text", ["1,2\n", "1,2,3,4\n", "1,2,3\n1\n", "1\r,2,3\n", "1,2,3\r4,5,6\n", " \n"]
)
def test_another_number_of_fields_is_left_to_pyarrow(text):
    assert read(text, {"a", "b", "c"})[0] is None


@pytest.mark.parametrize("delimiter", ["5", "-", "e", ".", "\r", '"', "é", "ab"])
def test_a_delimiter_that_could_be_part_of_a_number_is_left_to_pyarrow(delimiter):
    assert read(delimiter.join("123") + "\n", {"a"}, delimiter=delimiter)[0] is None


def test_a_block_is_none_of_the_next_ones_business():
    """Columns of a block stay as they are when a longer or a shorter one is read."""
    fields = QuickFields(NAMES, ",")
    lines = [b"1,a,12345678901234567890\n", b"2,b,3\n" * 50, b"7,longer than before,8\n"]
    found = [fields.read(memoryview(line), {"a", "c"}, NAMES) for line in lines]
    assert [one["a"][0] for one in found] == [1.0, 2.0, 7.0]
    assert [one["b"][0].as_py() for one in found] == ["a", "b", "longer than before"]
    assert [one["c"][0] for one in found] == [12345678901234567890.0, 3.0, 8.0]
    assert fields.count == 1
