"""CSV text as the scanner reads it: as pyarrow does, numbers to the last bit."""

import csv
import io

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from costream import CostreamError
from costream.files.csv import Fields

NAMES = ["a", "b", "c"]
FLOATS = st.floats(allow_nan=False, allow_infinity=False).map(repr)
ENDS = st.sampled_from(["\n", "\r\n", "\n\n", "\r\n\r\n\n"])


WORDS = st.text(st.characters(exclude_characters='",\r\n', exclude_categories=["Cs"]), max_size=20)
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


def read(text, numbers=(), wanted=NAMES, delimiter=",", missing=(), row=1):
    """The columns of text that follows a header, and their number of rows."""
    fields = Fields("file", NAMES, delimiter, missing)
    data = text if isinstance(text, bytes) else text.encode()
    found = fields.read(memoryview(bytearray(data)), numbers, wanted, row)
    return found, fields.count


def by_pyarrow(data):
    """The columns of text as pyarrow reads them, and their number of rows."""
    table = pyarrow.csv.read_csv(
        pa.py_buffer(data),
        pyarrow.csv.ReadOptions(column_names=NAMES, block_size=len(data) + 1),
        pyarrow.csv.ParseOptions(newlines_in_values=True),
        pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(NAMES, pa.string())),
    )
    return {name: table.column(name).combine_chunks() for name in NAMES}, table.num_rows


def complaint(*arguments, **options):
    with pytest.raises(CostreamError) as caught:
        read(*arguments, **options)
    return str(caught.value).partition("\n")[0]


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
            [
                b"1",
                b"-2.5",
                b",",
                b",",
                b"\n",
                b"\r\n",
                b"\r",
                b" ",
                b"x",
                b"\xc3",
                b"\xa9",
                b'"',
                b'""',
            ]
        )
    )
)
def test_whatever_is_read_is_what_pyarrow_reads(parts):
    text = b"".join(parts) + b"\n"
    try:
        found, count = read(text, {"a", "b"})
    except CostreamError as error:
        if "never closed" not in str(error):  # pyarrow takes the rest of the text
            with pytest.raises((pa.ArrowInvalid, UnicodeDecodeError)):
                by_pyarrow(text)
        return
    expected, rows = by_pyarrow(text)
    assert count == rows
    for name, column in found.items():
        if isinstance(column, np.ndarray):
            assert bits(column) == bits(numbers_of(expected[name]))
        else:
            assert column.equals(expected[name])


@given(st.lists(st.tuples(ANY_TEXT, FLOATS, ANY_TEXT), min_size=1, max_size=10), st.booleans())
def test_what_is_written_with_quotes_is_read_again(rows, all_of_them):
    out = io.StringIO()
    quoting = csv.QUOTE_ALL if all_of_them else csv.QUOTE_MINIMAL
    csv.writer(out, quoting=quoting).writerows(rows)
    found, _ = read(out.getvalue(), {"b"})
    texts = zip(found["a"].to_pylist(), bits(found["b"]), found["c"].to_pylist(), strict=True)
    assert [*texts] == [(a, float(b).hex(), c) for a, b, c in rows]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ('"2.5"', 2.5),
        ('"-25e-1"', -2.5),
        ('" 2.5 "', 2.5),
        ('""', None),
        ('" "', None),
        ('"NA"', None),
        ('"2"5', 25.0),
        ('"123456789012345678901"', 123456789012345678901.0),
    ],
)
def test_numbers_in_quotes(field, value):
    found, _ = read(f"1,{field},x\n", {"b"}, missing=["NA"])
    assert found["b"].tolist() == pytest.approx([np.nan if value is None else value], 0, 0, nan_ok=True)


@pytest.mark.parametrize("text", ["1,5", "1\n", "1\r\n2", "NA,1", '1"', "1\r"])
def test_what_is_more_than_a_number_in_quotes_comes_as_text(text):
    quoted = text.replace('"', '""')
    found, _ = read(f'1,"{quoted}",x\n', {"a", "b"}, missing=["NA"])
    assert (found["a"].tolist(), found["b"].to_pylist()) == ([1.0], [text])


@pytest.mark.parametrize(
    ("text", "row"),
    [
        (b"1,2,3\n4,5,\xff\n", 8),
        (b'1,2,3\n4,5,"caf\xe9"\n', 8),
        (b"1,2,\xc3\n4,5,\xa9\n", 7),  # together they are a letter
    ],
)
def test_text_that_is_not_utf_8_is_named_by_its_row(text, row):
    assert complaint(text, {"a"}, row=7) == f"file, row {row}: the text is not UTF-8"


def test_text_of_columns_that_nobody_wants_may_be_anything():
    assert read(b"1,\xff,3\n", {"a"}, ["a"])[0]["a"].tolist() == [1.0]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("1,2", 2),
        ("1,2,3,4", 4),
        ('1,2,3,"4,5",6', 5),
        ("1", 1),
        (" ", 1),
        ('"1,2",3', 2),
        ("1\r,2,3", 1),
    ],
)
@pytest.mark.parametrize("before", ["", "1,2,3\n\n"])
def test_another_number_of_fields_is_named_by_its_row(before, text, fields):
    row = 8 if before else 7
    message = f"file, row {row}: {fields} fields instead of 3"
    assert complaint(f"{before}{text}\n4,5,6\n", {"a", "b"}, row=7) == message


@pytest.mark.parametrize("text", ['4,5,"6', '4,"5,6', '"', '4,"5"",6', '4,5,6,"'])
def test_a_quote_that_is_never_closed_is_named_by_its_row(text):
    assert complaint(f"1,2,3\n{text}\n", {"b"}) == "file, row 2: a double quote is never closed"


@pytest.mark.parametrize("delimiter", ["-", "+", "."])
def test_a_delimiter_that_could_be_part_of_a_number_makes_text(delimiter):
    found, _ = read(delimiter.join("123") + "\n", {"a"}, delimiter=delimiter)
    assert [column.to_pylist() for column in found.values()] == [["1"], ["2"], ["3"]]


def test_a_block_is_none_of_the_next_ones_business():
    """Columns of a block stay as they are when a longer or a shorter one is read."""
    fields = Fields("file", NAMES, ",")
    lines = [b"1,a,12345678901234567890\n", b"2,b,3\n" * 50, b"7,longer than before,8\n"]
    found = [fields.read(memoryview(line), {"a", "c"}, NAMES) for line in lines]
    assert [one["a"][0] for one in found] == [1.0, 2.0, 7.0]
    assert [one["b"][0].as_py() for one in found] == ["a", "b", "longer than before"]
    assert [one["c"][0] for one in found] == [12345678901234567890.0, 3.0, 8.0]
    assert fields.count == 1
