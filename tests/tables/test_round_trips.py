"""The same table from every source gives the same model, bit for bit, and each scores the others.

What a source cannot hold by its nature is left out of it: CSV and TSV have no tags and no nested
objects, and an empty text is missing there; JSON has no types of times, decimals and categories, which
the schema tells it.
"""

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from costream import Column, OnlineClassifier, Schema
from helpers.commands import compiled_only
from helpers.sources import SOURCES, Table, frame, learnt, scored, state_of, whole_schema

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
ODD = (
    "NA",
    "n/a",
    "nan",
    "None",
    "true",
    "12",
    "1,5",
    "2024-01-01",
    " x",
    "x ",
    "\t",
    "a=b",
    "ü",
    "1.0",
    "?",
)
LETTERS = st.characters(exclude_categories=("Cs", "Cc"))
WORDS = st.sampled_from(ODD) | st.text(LETTERS, min_size=1, max_size=4)
TIMES = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1))
VALUES = {
    "float": st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -0.0, 0.1, 1e22]),
    "float32": st.floats(allow_nan=False, allow_infinity=False, width=32),
    "int": st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3),
    "bool": st.booleans(),
    "time": TIMES,
    "aware": TIMES.map(lambda one: one.replace(tzinfo=UTC)),
    "date": st.dates(datetime(1900, 1, 1).date(), datetime(2200, 1, 1).date()),
    "decimal": st.decimals(-(10**20), 10**20, places=10, allow_nan=False),
    "text": WORDS,
    "category": WORDS,
    "message": st.lists(WORDS, min_size=1, max_size=5).map(" ".join),
    "tags": st.lists(WORDS, max_size=3),
}
NAMES = (  # CSV knows no blanks around a name
    st.text(LETTERS.filter(lambda c: c not in ".\ufeff"), min_size=1, max_size=5)
    .map(str.strip)
    .filter(bool)
)


@st.composite
def tables(draw, kinds=tuple(VALUES), most=25):
    """A table with a few columns of some types, in which some values are missing."""
    listed = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=6))
    names = draw(st.lists(NAMES, min_size=len(listed), max_size=len(listed), unique_by=_bare))
    rows = draw(st.integers(1, most))
    types = dict(zip(names, listed, strict=True))
    columns = {}
    for name, kind in types.items():
        few = draw(st.lists(VALUES[kind], min_size=1, max_size=8))
        some = st.sampled_from(few) if draw(st.booleans()) else st.none() | st.sampled_from(few)
        columns[name] = draw(st.lists(some, min_size=rows, max_size=rows))
    labels = draw(st.lists(st.integers(0, 1), min_size=rows, max_size=rows))
    return Table(columns, types, labels)


def _bare(name):
    return "label" if name.strip().lower() in ("label", "target", "class", "y") else name


KINDS = {
    "float": "number",
    "float32": "number",
    "int": "number",
    "decimal": "number",
    "bool": "yes/no",
    "time": "time",
    "aware": "time",
    "date": "time",
    "text": "text",
    "category": "text",
    "message": "text",
    "tags": "text",
}


@st.composite
def described(draw, kinds=tuple(VALUES)):
    """A table, and a schema that may ask for more than its types say."""
    table = draw(tables(kinds))
    columns = []
    for name, kind in table.types.items():
        chosen = KINDS[kind]
        if chosen == "text":
            exact = draw(st.booleans())
            words = kind == "message" or draw(st.booleans())
            rate = (words or kind != "tags") and draw(st.booleans())
            columns.append(Column(name, "text", exact=exact, target_encoding=rate, words=words))
        else:
            columns.append(
                Column(name, chosen, missing_indicator=chosen != "time" and draw(st.booleans()))
            )
    zone = draw(st.sampled_from(["UTC", "Europe/Berlin", "America/St_Johns"]))
    return table, Schema(columns, time_zone=zone, hash_bits=draw(st.sampled_from([None, 3])))


def same_from(table, schema, sources, learner="carow-diag"):
    """Learn a table from some sources, and score it from each with the model of the first."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first, before = learnt(table, sources[0], schema, folder, learner)
        after = scored(first, table, sources[0], folder)
        for source in sources[1:]:
            model, scores = learnt(table, source, schema, folder, learner)
            assert scores.tolist() == before.tolist(), source
            assert state_of(model) == state_of(first), source
            assert scored(first, table, source, folder).tolist() == after.tolist(), source
            assert scored(model, table, sources[0], folder).tolist() == after.tolist(), source


PLAIN = tuple(kind for kind in VALUES if kind != "tags")


@given(described(PLAIN))
def test_all_sources_at_one_schema(case):
    same_from(*case, SOURCES)


@given(described())
def test_tags_from_all_sources_that_hold_them(case):
    same_from(*case, [source for source in SOURCES if source not in ("csv", "tsv")])


def with_values(table):
    """A table without the columns that have no value at all."""
    there = {name: one for name, one in table.columns.items() if any(v is not None for v in one)}
    assume(there)
    return Table(there, {name: table.types[name] for name in there}, table.labels)


TYPED = ("parquet", "arrow", "arrows", "pandas", "polars", "pyarrow", "records")


@given(tables())
def test_what_sources_with_types_show_is_the_same(case):
    """Nobody gives a schema: each source says what it holds. Dicts know no type of no values."""
    same_from(with_values(case), None, TYPED)


SAFE = tuple(kind for kind in PLAIN if kind not in ("text", "category", "message"))


@given(tables(SAFE))
def test_a_csv_file_shows_what_types_say(case):
    """Words are left out, since those of a file may be numbers."""
    same_from(with_values(case), None, ("csv", "tsv", "pyarrow"))


@st.composite
def nested(draw):
    """Rows with objects in objects, and the same rows without."""
    flat = draw(tables(("float", "int", "bool", "text", "tags"), most=12))
    ways = {name: draw(st.lists(NAMES, min_size=1, max_size=3)) for name in flat.columns}
    dotted = {".".join([f"{at}", *ways[name]]): name for at, name in enumerate(flat.columns)}
    rows = []
    for record in flat.records():
        row = {}
        for way, name in dotted.items():
            *outer, last = way.split(".")
            inner = row
            for key in outer:
                inner = inner.setdefault(key, {})
            inner[last] = record[name]
        rows.append(row)
    columns = {way: flat.columns[name] for way, name in dotted.items()}
    types = {way: flat.types[name] for way, name in dotted.items()}
    return Table(columns, types, flat.labels), rows


class Nested(Table):
    """A table whose dicts are nested."""

    def records(self):
        return self.notes["rows"]


@given(nested())
def test_nested_objects_are_columns_with_dotted_names(case):
    flat, rows = case
    assume(len(with_values(flat).columns) == len(flat.columns))
    deep = Nested(flat.columns, flat.types, flat.labels, {"rows": rows})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        schema = whole_schema(flat)
        first, before = learnt(flat, "pyarrow", schema, folder)
        for source in ("jsonl", "records", "rows"):
            model, scores = learnt(deep, source, schema, folder)
            assert scores.tolist() == before.tolist(), source
            assert state_of(model) == state_of(first), source


@st.composite
def batches(draw):
    """A table and a schema, and where to cut it."""
    table, schema = draw(described())
    return table, schema, draw(st.integers(0, len(table)))


@pytest.mark.parametrize("source", ["pandas", "polars", "pyarrow", "records"])
@given(case=batches())
def test_a_table_in_two_parts(case, source):
    table, schema, cut = case
    whole = OnlineClassifier("carow-diag", schema=schema)
    parts = OnlineClassifier("carow-diag", schema=schema)
    rows = frame(table, source)
    before = whole.prequential(rows, table.labels)
    first, last = _cut(rows, cut)
    found = [parts.prequential(first, table.labels[:cut])] if cut else []
    found += [parts.prequential(last, table.labels[cut:])] if cut < len(table) else []
    assert np.concatenate(found).tolist() == before.tolist()
    assert state_of(parts) == state_of(whole)


def _cut(rows, at):
    if hasattr(rows, "iloc"):
        return rows.iloc[:at], rows.iloc[at:]
    return (rows.slice(0, at), rows.slice(at)) if hasattr(rows, "slice") else (rows[:at], rows[at:])


@compiled_only
@given(described(PLAIN))
def test_the_default_learner(case):
    table, schema = case
    same_from(table, schema, ("csv", "jsonl", "parquet", "pandas", "polars", "rows"), "auto")


@compiled_only
@pytest.mark.slow
def test_many_blocks(tmp_path):
    """Longer than any block, with new words all the time and columns of rates."""
    chance = np.random.default_rng(5)
    rows = 20_000
    columns = {
        "amount": [None if one < 0.1 else float(one) for one in chance.random(rows)],
        "shop": [f"s{one}" for one in chance.zipf(1.5, rows) % 5000],
        "kind": [f"k{one}" for one in chance.zipf(2.5, rows) % 29],
        "note": [" ".join(f"word{one}" for one in chance.zipf(1.5, 6) % 900) for _ in range(rows)],
        "when": [datetime(2024, 1, 1) + timedelta(minutes=int(t)) for t in range(rows)],
        "open": [bool(one) for one in chance.random(rows) < 0.5],
    }
    types = {"amount": "float", "shop": "text", "kind": "text", "note": "text"}
    types |= {"when": "time", "open": "bool"}
    table = Table(columns, types, [int(one) for one in chance.random(rows) < 0.2])
    schema = whole_schema(table)
    assert schema.by_name["note"].words
    first, before = learnt(table, "csv", schema, tmp_path, "auto")
    for source in ("jsonl", "parquet", "pandas", "rows"):
        model, scores = learnt(table, source, schema, tmp_path, "auto")
        assert scores.tobytes() == before.tobytes(), source
        assert state_of(model) == state_of(first), source
