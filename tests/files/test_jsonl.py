"""JSON lines: every value says its own type, and every complaint names the line."""

import sys

import pytest

from costream.costs.objective import CostColumn
from costream.files import jsonl
from costream.files import source as sources
from costream.tables.layout import Layout
from helpers.tables import complaint, labels_of, reader, rows_of


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


def test_a_value_that_is_no_entry_between_others(read):
    assert rows_of(read('{"a": 1, "b": 0, "c": NaN, "d": null, "e": 2}\n')) == [
        [("a", 1.0), ("e", 2.0)]
    ]


def test_keys_differ_from_row_to_row(read):
    assert rows_of(read('{"a": 1}\n{}\n{"b": "x", "a": 2, "17": 3}\n')) == [
        [("a", 1.0)],
        [("a=missing", 1.0)],
        [("a", 2.0), (17, 3.0), ("b=x", 1.0)],
    ]


def test_numbers_and_text_under_one_key_are_text(read):
    told = {}
    assert rows_of(read('{"a": 1}\n{"a": "y"}\n{"a": 2.5}\n', told=told)) == [
        [("a=1", 1.0)],
        [("a=y", 1.0)],
        [("a=2.5", 1.0)],
    ]
    assert "a is read as text: 33% of its values, such as 'y', are no numbers" in "".join(told)


def test_a_text_where_there_were_numbers_is_missing_and_told_of(read, monkeypatch):
    monkeypatch.setattr(jsonl, "ROWS", 1)
    monkeypatch.setattr(sources, "BLOCK_BYTES", 9)
    told = {}
    blocks = read('{"a": 1}\n{"a": "y"}\n{"a": "2"}\n{"a": "z"}\n', told=told)
    assert rows_of(blocks) == [[("a", 1.0)], [("a=missing", 1.0)], [("a", 2.0)], [("a=missing", 1.0)]]
    assert "line 2, key a: 'y' is not a number; such values count as missing" in told["a"]


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


def test_tags_come_before_keys_that_no_schema_knows(read):
    text = '{"a": ["x"], "b": ["y"]}\n' * 30 + '{"new": 2, "b": ["v", "w"], "a": ["z"]}\n'
    assert rows_of(read(text))[-1] == [
        ("a=z", 1.0),
        ("b=v", 1.0),
        ("b=w", 1.0),
        ("new", 2.0),
    ]


def test_keys_that_make_the_same_feature_are_added_up(read, monkeypatch):
    """A rare key may have the name of another feature, as any other may."""
    monkeypatch.setattr(jsonl, "ROWS", 1)
    monkeypatch.setattr(sources, "BLOCK_BYTES", 9)
    text = '{"a": 1}\n{"t=x": 2, "t": "x"}\n'
    assert rows_of(read(text))[1:] == [[("a=missing", 1.0), ("t=x", 3.0)]]


def test_a_rare_key_goes_by_the_types_of_its_values(read):
    text = '{"a": 1}\n' * 30 + '{"a": 1, "b": 2}\n{"a": 1, "b": "x"}\n{"a": 1, "b": ["y", 3]}\n'
    assert rows_of(read(text))[30:] == [
        [("a", 1.0), ("b", 2.0)],
        [("a", 1.0), ("b=x", 1.0)],
        [("a", 1.0), ("b=y", 1.0), ("b=3", 1.0)],
    ]


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


def test_without_pyarrow(read, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert rows_of(read('{"a": 1}\n')) == [[("a", 1.0)]]


def test_blank_lines_count_as_lines(read):
    (block,) = read('\ufeff\n{"a": 1}\r\n  \n\n{"a": 2}')
    assert rows_of([block]) == [[("a", 1.0)], [("a", 2.0)]]
    assert [block.where(t).partition("payments.")[2] for t in range(2)] == [
        "jsonl, line 2",
        "jsonl, line 5",
    ]


@pytest.mark.parametrize("size", [1, 7, 20, 33])
def test_small_blocks(read, monkeypatch, size):
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    blocks = read("".join(f'{{"a": {k}, "y": {k}}}\n\n' for k in range(1, 9)))
    assert rows_of(blocks) == [[("a", float(k))] for k in range(1, 9)]
    assert labels_of(blocks) == list(range(1, 9))
    assert blocks[-1].where(blocks[-1].rows.rows - 1).endswith("line 15")


def test_the_label_may_come_in_a_later_block(read, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_BYTES", 9)
    assert labels_of(read('{"a": 1}\n{"y": 1}\n{}\n{"y": 0}\n')) == [None, 1, None, 0]


def test_labels_of_several_kinds(read):
    labels = labels_of(read('{"y": true}\n{"y": 1}\n{"y": " x "}\n{"y": NaN}\n'))
    assert [repr(label) for label in labels] == ["True", "1", "'x'", "None"]


@pytest.mark.parametrize("label", ["[1]", '{"b": 1}', "1" + "0" * 400])
def test_what_is_no_label(read, label):
    text = f'{{"a": 1, "y": 1}}\n{{"a": 1, "y": {label}}}\n'
    assert complaint(read, text).startswith("jsonl, line 2, key y: ")


def test_costs(read):
    layout = Layout(costs=dict.fromkeys(("fn_cost", "fp_cost"), CostColumn("cost", feature=False)))
    (block,) = read('{"cost": 2}\n{"cost": 0.5}\n{"cost": true}\n', layout=layout)
    assert block.costs.fn_cost.tolist() == block.costs.fp_cost.tolist() == [2.0, 0.5, 1.0]
    assert rows_of([block]) == [[], [], []]


@pytest.mark.parametrize(
    ("line", "said"),
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
        ('{"a": 1' + "0" * 5000 + "}", ": not readable (Exceeds the limit"),
        ("[" * 100_000, ": not readable ("),
        ('{"a": 1} x', ", column 10: not JSON (Extra data)\nhint: write one JSON object per line"),
        ('  {"a" 1}', ", column 8: not JSON (Expecting ':' delimiter)"),
        ('{"a": "x', ", column 7: not JSON (Unterminated string starting at)"),
        ("[1]", ", column 1: not a JSON object"),
        ("1", ", column 1: not a JSON object"),
        (b'{"a": "\xe9"}', ": not UTF-8"),
    ],
)
def test_a_bad_line(read, line, said):
    line = line if isinstance(line, bytes) else line.encode()
    text = b'{"a": 1}\n\n' + line + b'\n{"a": 1}\n'
    assert complaint(read, text, layout=Layout(text=("text",))).startswith(f"jsonl, line 3{said}")
