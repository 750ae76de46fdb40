"""One table as every source that a model can learn from or score."""

import csv
import io
import json
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from costream import OnlineClassifier, Stream
from costream.model.classifier import core_of
from costream.tables.schema import Schema

FILES = ("csv", "tsv", "jsonl", "parquet", "arrow", "arrows")
FRAMES = ("pandas", "polars", "pyarrow", "records", "rows")
SOURCES = (*FILES, *FRAMES)
ARROW = {
    "float": pa.float64(),
    "float32": pa.float32(),
    "int": pa.int64(),
    "bool": pa.bool_(),
    "time": pa.timestamp("us"),
    "aware": pa.timestamp("us", "UTC"),
    "date": pa.date32(),
    "decimal": pa.decimal128(38, 10),
    "text": pa.string(),
    "category": pa.dictionary(pa.int32(), pa.string()),
    "message": pa.string(),
    "tags": pa.list_(pa.string()),
}


@dataclass
class Table:
    """Columns of Python values, None for missing ones; a type of `ARROW` for each; and labels."""

    columns: dict
    types: dict
    labels: list
    notes: dict = field(default_factory=dict)

    def __len__(self):
        return len(self.labels)

    def records(self):
        """The rows as dicts, in which a missing value is None."""
        names = list(self.columns)
        return [dict(zip(names, row, strict=True)) for row in zip(*self.columns.values(), strict=True)]

    def arrow(self, label=False):
        """A table of pyarrow."""
        arrays = {
            name: pa.array(values, pa.string() if kind == "category" else ARROW[kind]).cast(ARROW[kind])
            for name, kind in self.types.items()
            for values in [self.columns[name]]
        }
        return pa.table({**arrays, **({"label": self.labels} if label else {})})

    def pandas(self):
        """A data frame of pandas; what NumPy cannot hold stays objects."""
        return pd.DataFrame({name: _series(v, self.types[name]) for name, v in self.columns.items()})


def _series(values, kind):
    if kind == "category":
        return pd.Series(pd.Categorical(values))
    if kind in ("text", "message"):
        return pd.Series(values, dtype="str")
    if kind in ("float", "float32"):
        return pd.Series(
            values, dtype=kind.replace("float32", "Float32") if kind == "float32" else "float64"
        )
    if kind == "int":
        return pd.Series(values, dtype="Int64")
    if kind == "bool":
        return pd.Series(values, dtype="boolean" if None in values else "bool")
    if kind == "time":
        return pd.Series(values, dtype="datetime64[us]")
    if kind == "aware":
        return pd.Series(values, dtype="datetime64[us, UTC]")
    return pd.Series(values, dtype=object)


def _field(value):
    """A value as text."""
    if value is None:
        return ""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, datetime | date):
        return value.isoformat()
    return repr(float(value)) if isinstance(value, float | np.floating) else str(value)


def _json(value):
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, np.floating | Decimal):
        return float(value)
    raise TypeError(value)


def written(table, source):
    """The bytes of a file."""
    if source in ("csv", "tsv"):
        out = io.StringIO()
        writer = csv.writer(out, delimiter="," if source == "csv" else "\t", lineterminator="\n")
        writer.writerow([*table.columns, "label"])
        for row, label in zip(table.records(), table.labels, strict=True):
            writer.writerow([*map(_field, row.values()), label])
        return out.getvalue().encode()
    if source == "jsonl":
        rows = zip(table.records(), table.labels, strict=True)
        return "".join(
            json.dumps({**row, "label": label}, default=_json) + "\n" for row, label in rows
        ).encode()
    out, whole = io.BytesIO(), table.arrow(label=True)
    if source == "parquet":
        pq.write_table(whole, out)
        return out.getvalue()
    new = pa.ipc.new_file if source == "arrow" else pa.ipc.new_stream
    with new(out, whole.schema) as writer:
        writer.write_table(whole)
    return out.getvalue()


def frame(table, source):
    """The rows as Python has them."""
    if source == "pandas":
        return table.pandas()
    whole = table.arrow()
    if source == "polars":
        return pl.from_arrow(whole)
    return whole if source == "pyarrow" else table.records()


def learnt(table, source, schema, folder, learner="carow-diag"):
    """A model that has learnt a table from a source, and the scores that the rows had before."""
    model = OnlineClassifier(learner, schema=schema, positive=1)
    if source in FILES:
        return model, _learn_file(model, table, source, schema, folder)
    if source == "rows":
        return model, np.array([model.learn_one(x, y) for x, y in pairs(table)])
    return model, model.prequential(frame(table, source), table.labels)


def _learn_file(model, table, source, schema, folder):
    path = folder / f"table.{source}"
    path.write_bytes(written(table, source))
    scores = []
    with Stream(path, label="label", schema=schema, positive=1) as stream:
        model.learn_stream(stream, on_block=lambda _, __, found: scores.append(found))
    return np.concatenate([*scores, []])


def pairs(table):
    return zip(table.records(), table.labels, strict=True)


def scored(model, table, source, folder):
    """The scores of a table's rows from a source."""
    if source in FILES:
        path = folder / f"rows.{source}"
        path.write_bytes(written(table, source))
        core, found = core_of(model), []
        with Stream.for_model(path, model) as stream:
            found = [core.score_known(block.rows, block.names, block.costs) for block in stream]
        return np.concatenate([*found, []])
    if source == "rows":
        return np.array([model.score_one(row) for row in table.records()])
    return model.score_many(frame(table, source))


def state_of(model):
    """All that a model has learnt of features, as bytes."""
    core = core_of(model)
    parts = core.parts()
    arrays = [np.asarray(one).tobytes() for one in parts["state"]]
    target_encoding = parts["encoder"].target_encoding
    kept = (
        {}
        if target_encoding is None
        else {key: one.tolist() for key, one in target_encoding.parts().items()}
    )
    return model.feature_names, arrays, kept, parts["encoder"].coverage.header(), model.counts


def whole_schema(table, **settings):
    """The schema that a data frame of the table shows."""
    model = OnlineClassifier("perceptron", schema=Schema(**settings))
    model.prequential(frame(table, "pyarrow"), table.labels)
    return model.schema
