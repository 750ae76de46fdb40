"""JSON lines: every value says its own type, and every complaint names the line."""

import pytest

from costream.files import jsonl
from costream.files import source as sources
from costream.tables.layout import Layout
from helpers.tables import complaint, reader, rows_of


@pytest.fixture
def read(tmp_path):
    return reader(tmp_path, "jsonl")


@pytest.mark.parametrize(
    ("value", "row"),
    [
        ("2", [("a", 2.0)]),
        ("-2.5e3", [("a", -2500.0)]),
        ("123456789012345678901234567890", [("a", 123456789012345678901234567890.0)]),
        ("true", [("a", 1.0)]),
        ("false", []),
        ("0", []),
        ("-0.0", []),
        ("null", []),
        ("NaN", []),
        ('""', []),
        ('"7"', [("a=7", 1.0)]),
        ('"caf\\u00e9"', [("a=café", 1.0)]),
        ('1, "a": "x"', [("a=x", 1.0)]),
    ],
)
def test_a_value(read, value, row):
    assert rows_of(read(f'{{"a": {value}}}\n')) == [row]


def test_keys_differ_from_row_to_row(read):
    assert rows_of(read('{"a": 1}\n{}\n{"b": "x", "a": 2, "17": 3}\n')) == [
        [("a", 1.0)],
        [("a=missing", 1.0)],
        [("a", 2.0), (17, 3.0), ("b=x", 1.0)],
    ]


@pytest.mark.parametrize(
    ("value", "row"),
    [
        ('["x", "y", "x"]', [("a=x", 1.0), ("a=y", 1.0)]),
        ('[1, 2.5, true, null, "x"]', [(f"a={tag}", 1.0) for tag in ("1", "2.5", "true", "x")]),
        ("[]", []),
        ("{}", []),
        ('{"b": 1, "c": {"d": "x"}}', [("a.b", 1.0), ("a.c.d=x", 1.0)]),
    ],
)
def test_arrays_are_tags_and_objects_have_dotted_names(read, value, row):
    assert rows_of(read(f'{{"a": {value}}}\n')) == [row]


@pytest.mark.parametrize(
    ("value", "text"),
    [("7", "7"), ("7.0", "7"), ("7.5", "7.5"), ("true", "true"), ('" x"', " x"), ("1e400", "inf")],
)
def test_text_by_the_layout(read, value, text):
    layout = Layout(text=("a", "b"))
    rows = rows_of(read(f'{{"c": 1, "a": {value}}}\n{{"a": null}}\n{{"a": NaN}}\n', layout=layout))
    assert rows == [[("c", 1.0), (f"a={text}", 1.0)], [], []]


@pytest.mark.parametrize(
    ("layout", "row"),
    [
        (Layout(text=("b",)), [("b=7", 1.0)]),
        (Layout(number=("b",)), [("b", 7.0)]),
        (Layout(ignore=("b",)), []),
    ],
)
def test_a_key_that_is_named_may_come_late(read, monkeypatch, layout, row):
    monkeypatch.setattr(jsonl, "ROWS", 1)
    monkeypatch.setattr(sources, "BLOCK_BYTES", 9)
    assert rows_of(read('{"a": 1}\n{"a": 0, "b": 7}\n', layout=layout)) == [[("a", 1.0)], row]


def test_blank_lines_count_as_lines(read):
    (block,) = read('\ufeff\n{"a": 1}\r\n  \n\n{"a": 2}')
    assert rows_of([block]) == [[("a", 1.0)], [("a", 2.0)]]
    assert [block.where(t).partition("payments.")[2] for t in range(2)] == [
        "jsonl, line 2",
        "jsonl, line 5",
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"a": [[1]]}',
            ", key a: an array of arrays cannot be a feature\nhint: leave the key out with --ignore a",
        ),
        (
            '{"b": 1, "a": [1, {}]}',
            ", key a: an array of objects cannot be a feature\nhint: leave the key out with --ignore a",
        ),
        ('{"text": [1, []]}', ", key text: an array of arrays cannot be a feature"),
        ('{"a": ' + '{"a":' * 21 + "1" + "}" * 22, ", key a: objects are nested more than 20 deep"),
        ('{"a": Infinity}', ", key a: the value is infinite"),
        ('{"a": -1e999}', ", key a: the value is infinite"),
        ('{"a": 1' + "0" * 400 + "}", ", key a: the number is too large"),
        ("[1]", ", column 1: not a JSON object"),
        (b'{"a": "\xe9"}', ": not UTF-8"),
    ],
)
def test_a_bad_line(read, line, message):
    line = line if isinstance(line, bytes) else line.encode()
    text = b'{"a": 1}\n\n' + line + b'\n{"a": 1}\n'
    assert complaint(read, text, layout=Layout(text=("text",))).startswith(f"jsonl, line 3{message}")
