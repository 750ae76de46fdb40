"""The scanner of CSV text: words of eight bytes, and the numbers that are read from them."""

import numpy as np
import pytest

from costream.kernels import csv_numbers as kernel
from costream.kernels.text import BLANK

PADDING = b"\n" * 16
COMMA = ord(",")


def bytes_of(text):
    return np.frombuffer(bytearray(text + PADDING), np.uint8)


def scan_of(text, task, missing=(), rows=20):
    """What `split` makes of text, with the tasks of its columns."""
    kinds = np.zeros(256, np.uint8)
    kinds[[9, 32]] = BLANK
    kinds[[10, 13, COMMA]] = kernel.FIELD_END
    numbers, texts = task.count(kernel.NUMBER), task.count(kernel.TEXT)
    value = np.zeros(rows * numbers)
    scan = kernel.Scan(
        text=bytes_of(text),
        kinds=kinds,
        task=np.array(task, np.uint8),
        missing=np.array(
            [int.from_bytes(word, "little") + (len(word) << 56) for word in missing], np.uint64
        ),
        value=value,
        bits=value.view(np.uint64),
        begin=np.zeros(rows * texts, np.uint32),
        end=np.zeros(rows * texts, np.uint32),
        odd=np.zeros((rows * numbers, 3), np.int64),
        invalid=np.zeros(numbers, np.uint8),
        state=np.zeros(4, np.int64),
    )
    kernel.split(scan, len(text), COMMA, rows)
    return scan


def number_of(field, **options):
    """A field as a number: its float, "odd" if Python must read it, "invalid" if it is none."""
    scan = scan_of(field + b"\n", [kernel.NUMBER], **options)
    assert (scan.state[kernel.ROWS], scan.state[kernel.WRONG]) == (1, 0)
    if scan.invalid[0]:
        return "invalid"
    if scan.state[kernel.ODDS]:
        begin, end = scan.odd[0, 1:]
        assert float(field) == float(field[begin:end])
        return "odd"
    return float(scan.value[0])


WHOLE = ["0", "-0", "7", "+7", "12345678", "123456789", "9007199254740993", "1234567890123456789"]
POINTS = ["-0.0", "0.5", ".5", "5.", "-1.25", "0.12345678901234567", "-123456.7890123456789"]
EXPONENTS = [
    "1e5",
    "-2.5e-3",
    "1e22",
    "7.038531e-26",
    "0e9999",
    "1e0005",
    "5e64",
]
MANY_ZEROS = ["00000000000000000000007", "0.0000000000000000000000000123", "-0.00000000000000000000"]
LONG = ["12345678901234567890", "0.12345678901234567890123", "1e65", "-1e-65", "1e999999", "1e-400"]
LONG += ["9007199254740993e-30000", "0." + 201 * "0" + "1"]
NO_NUMBERS = [
    "x",
    ".",
    "e5",
    "1e+",
    "1.2.3",
    "--1",
    "0x1",
    "nan",
    "1é",
]


@pytest.mark.parametrize("text", WHOLE + POINTS + EXPONENTS + MANY_ZEROS)
def test_a_number_has_the_bits_that_python_gives_it(text):
    assert number_of(text.encode()).hex() == float(text).hex()


@pytest.mark.parametrize("text", LONG)
def test_a_number_that_needs_more_than_128_bits_is_left_to_python(text):
    assert number_of(text.encode()) == "odd"


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_no_number_is_noted(text):
    assert number_of(text.encode()) == "invalid"


@pytest.mark.parametrize("text", [b" 1.5", b"1.5 ", b"\t 1.5\t\t", b" +1.5 ", b"1.5\r"])
def test_blanks_around_a_number_are_no_part_of_it(text):
    assert number_of(text) == 1.5


def test_a_word_that_is_too_long_is_not_missing():
    assert number_of(b"missing number", missing=[b"NA"]) == "invalid"


@pytest.mark.parametrize("text", [b" ", b" \t ", b"NA", b" NA ", b"missing"])
def test_blanks_and_words_for_it_are_missing_numbers(text):
    assert np.isnan(number_of(text, missing=[b"NA", b"missing"]))


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (b"1\n", 1),
        (b"1,2,3\n", 3),
        (b'1,2,"3,4",\n', 4),
        (b"1\r,2\n", 1),
        (b"1,2\r3\n", 1),
        (b'1,"2\n', -1),
    ],
)
def test_another_number_of_fields_is_wrong(text, fields):
    assert scan_of(text, [kernel.NUMBER, kernel.TEXT]).state[kernel.WRONG] == fields


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        (b'""', b""),
        (b'"a,b"', b"a,b"),
        (b'""""', b'"'),
        (b'"a\r\n""b"""', b'a\r\n"b"'),
        (b'"a"b"c"', b'ab"c"'),
    ],
)
@pytest.mark.parametrize("after", [b"\n", b",1\n"])
def test_a_field_is_moved_together_where_its_quotes_were(field, expected, after):
    scan = scan_of(b"0," + field + after, [kernel.SKIP, kernel.TEXT] + [kernel.SKIP] * (after != b"\n"))
    assert (scan.state[kernel.ROWS], scan.state[kernel.WRONG]) == (1, 0)
    assert scan.text[scan.begin[0] : scan.end[0]].tobytes() == expected


def test_text_is_gathered_column_by_column():
    rows = [("a", "one that is longer"), ("", "zwölf"), ("12345678", ""), ("123456789", "x")]
    text = "".join(f"{a},0,{b}\n" for a, b in rows).encode()
    scan = scan_of(text, [kernel.TEXT, kernel.SKIP, kernel.TEXT])
    columns = ["".join(column).encode() for column in zip(*rows, strict=True)]
    assert scan.state[kernel.BYTES] == sum(map(len, columns))
    offset, data = np.zeros(2 * 5, np.int32), np.zeros(scan.state[kernel.BYTES] + 7, np.uint8)
    kernel.gather(scan, len(rows), 20, offset, data)
    assert data.tobytes()[: scan.state[kernel.BYTES]] == b"".join(columns)
    assert offset.tolist() == [0, 1, 1, 9, 18, 18, 36, 42, 42, 43]
