"""Objects as rows: JSON lines read as Python reads them, dotted names, and the columns of rows."""

import json

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from costream import CostreamError
from costream.tables import jsonlines
from costream.tables.jsonlines import Lines
from costream.tables.reading import Text
from costream.tables.records import columns_of, decode_lines, entries_of, flattened


def decode(text, before=0):
    text = text.encode() if isinstance(text, str) else text
    return decode_lines(memoryview(text), "f.jsonl", before)


def texts(raw):
    """What a column of text has in each row."""
    assert isinstance(raw, Text)
    return [None if code < 0 else raw.values[code] for code in raw.codes]


def test_lines_of_a_block():
    assert decode('{"a": 1}\n{"b": "x", "a": null}\n', 7) == ([8, 9], [{"a": 1}, {"b": "x", "a": None}])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"a": 1} x', ", column 10: not JSON (Extra data)\nhint: write one JSON object per line"),
        ('{"a": 1} {"a": 2}', ", column 10: not JSON (Extra data)"),
        ('{"a": 1}{"a": 2}', ", column 9: not JSON (Extra data)"),
        ('  {"a" 1}', ", column 8: not JSON (Expecting ':' delimiter)"),
        ('{"a":\n1}', ", column 6: not JSON (Expecting value)"),
        ('{"a": {}\n}\n{"a": 1}{"a": 1}', ", column 9: not JSON (Expecting ',' delimiter)"),
        ('{"a": "x', ", column 7: not JSON (Unterminated string starting at)"),
        ("[1]", ", column 1: not a JSON object"),
        ("null", ", column 1: not a JSON object"),
        ('{"a": 1' + "0" * 5000 + "}", ": not readable (Exceeds the limit"),
        ("[" * 100_000, ": not readable ("),
        (b'{"a": "\xe9"}', ": not UTF-8\nhint: save the file as UTF-8"),
    ],
)
def test_a_bad_line(line, message):
    line = line if isinstance(line, bytes) else line.encode()
    with pytest.raises(CostreamError) as error:
        decode(b'{"a": 1}\n\n' + line + b'\n{"a": 1}\n', 4)
    assert str(error.value).startswith(f"f.jsonl, line 7{message}")


def by_python(text):
    """The objects of lines as the json module reads them, or None if it refuses one."""
    try:
        lines = text.decode().split("\n")
        rows = {t: json.loads(line) for t, line in enumerate(lines, 1) if line and not line.isspace()}
    except ValueError:
        return None
    return rows if all(isinstance(row, dict) for row in rows.values()) else None


PIECES = st.sampled_from(
    [
        *'{}[]:,"\n\\ 10-.eE',
        "\r\n",
        '{"a":',
        '"b":',
        "}\n{",
        '"a"',
        "NaN",
        "null",
        "true",
        "\\u00e9",
        "é",
    ]
)


@given(st.lists(PIECES).map("".join).map(str.encode) | st.binary(max_size=20))
@example(b'{"a":{}\n}{"a":1}\n{}')
@example(b'{}\n{"a":[\n{}]}')
def test_whatever_the_lines_they_are_read_as_python_reads_them(text):
    expected = by_python(text)
    if expected is None:
        with pytest.raises(CostreamError):
            decode(text)
        with pytest.raises(CostreamError):
            Lines("f").read(memoryview(text), 0)
    else:
        numbers, rows = decode(text)
        assert numbers == Lines("f").read(memoryview(text), 0).numbers == list(expected)
        assert repr(rows) == repr(list(expected.values()))


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.floats())
KEYS = st.sampled_from(["a", "b", "c d", "é", 'q"', "\\", "\n", "z", "{"])


OBJECTS = st.dictionaries(KEYS, PLAIN) | st.recursive(
    PLAIN, lambda inner: st.dictionaries(KEYS, inner), max_leaves=5
).map(lambda value: {"a": value, "b": 1})


def without_nan(values):
    return repr([None if value != value else value for value in values])


@given(st.lists(st.lists(OBJECTS), max_size=4), st.lists(KEYS, unique=True))
def test_columns_of_lines_are_those_of_their_dicts(blocks, expected_keys):
    lines = Lines("f", ignore=["a.z"])
    lines.expect(expected_keys)
    for rows in blocks:
        text = "".join(json.dumps(row) + "\n" for row in rows).encode()
        found = lines.read(memoryview(text), 0)
        rows = flattened([json.loads(json.dumps(row)) for row in rows], ignore=["a.z"])
        keys = {key for row in rows for key in row}
        assert keys <= set(found.names)
        for key in [*keys, "other"]:
            assert without_nan(found.values(key)) == without_nan([row.get(key) for row in rows])
        try:
            expected = columns_of(rows, found.names)
        except CostreamError:
            with pytest.raises(CostreamError):
                found.columns(found.names)
        else:
            assert repr(found.columns(found.names)) == repr(expected)


def kinds_of_blocks(*blocks, expected="ab"):
    lines = Lines("f")
    lines.expect(expected)
    return [type(lines.read(memoryview(block.encode()), 0)).__name__ for block in blocks]


def test_lines_with_known_keys_make_no_dicts():
    both, more = '{"a": 1}\n{"a": 1, "b": 2}\n', '{"a": 1}\n{"c": 1}\n'
    assert kinds_of_blocks(both, more, '{"b": 1}\n\n{}') == ["Lists", "Dicts", "Lists"]


def test_ever_new_keys_are_not_tried_for_ever(monkeypatch):
    monkeypatch.setattr(jsonlines, "TRIES", 2)
    known, new = '{"a": 1}\n', '{"c": 1}\n'
    kinds = kinds_of_blocks(new, known, new, known)
    assert kinds == ["Dicts", "Lists", "Dicts", "Dicts"]


def nested(depth):
    return {"a": nested(depth - 1)} if depth else {"x": 1}


def test_objects_too_deep():
    with pytest.raises(CostreamError, match=r"row 1, key a: objects are nested more than 20 deep\n"):
        flattened([{}, nested(21)])


def test_the_hint_of_an_object_too_deep_works():
    rows = [{"a.b": nested(30)}]
    with pytest.raises(CostreamError, match=r"--ignore a\.b "):
        flattened(rows)
    assert flattened(rows, ignore=["a.b"]) == [{}]


def test_rows_with_few_of_the_keys():
    rows = [{f"a{t}": t + 0.5, "skip": 1} if t else {"a0": "x"} for t in range(40)]
    names = [f"a{t}" for t in range(40)]
    entries = entries_of(rows, names)
    assert [places.tolist() for places, _ in entries.values()] == [[t] for t in range(40)]
    columns = columns_of(rows, names)
    assert texts(columns["a0"]) == ["x"] + [None] * 39
    np.testing.assert_array_equal(columns["a7"], [7.5 if t == 7 else np.nan for t in range(40)])
