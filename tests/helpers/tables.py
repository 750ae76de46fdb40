"""Small tables written in every format, and blocks as plain rows."""

import csv
import io
import json
from itertools import pairwise

import numpy as np
import pytest

from costream import CostreamError
from costream.files.columnar import arrow_blocks, parquet_blocks
from costream.files.csv import csv_blocks, tsv_blocks
from costream.files.jsonl import jsonl_blocks
from costream.files.source import Source
from costream.tables.layout import Layout
from costream.tables.naming import TextSlots

READERS = {
    "csv": csv_blocks,
    "tsv": tsv_blocks,
    "jsonl": jsonl_blocks,
    "parquet": parquet_blocks,
    "arrow": arrow_blocks,
    "arrows": arrow_blocks,
}
FORMATS = list(READERS)


def written(table, suffix):
    """A table of columns (lists, None for missing values) as the bytes of a file."""
    if suffix in ("csv", "tsv"):
        text = io.StringIO()
        writer = csv.writer(text, delimiter="," if suffix == "csv" else "\t")
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
        return text.getvalue().encode()
    if suffix == "jsonl":
        rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    return packed(table, suffix)


def packed(columns, suffix):
    """Columns, of lists or of pyarrow, as the bytes of a Parquet or Arrow file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table, out = pa.table(columns), io.BytesIO()
    if suffix == "parquet":
        pq.write_table(table, out)
    else:
        new = pa.ipc.new_file if suffix == "arrow" else pa.ipc.new_stream
        with new(out, table.schema) as writer:
            writer.write_table(table)
    return out.getvalue()


def blocks_of(path, layout=None, bits=18, warned=None):
    """All blocks of a file; its suffix says the format. ``warned`` receives the warnings."""
    layout, source = layout or Layout(), Source(path)
    warned = {} if warned is None else warned
    try:
        read = READERS[source.suffix[1:]]
        return list(read(source, layout, TextSlots(bits), warned.setdefault))
    finally:
        source.close()


def reader(folder, suffix):
    """A function that writes a file and reads its blocks."""

    def read(data, suffix=suffix, layout=None, bits=18, warned=None):
        path = folder / f"payments.{suffix}"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return blocks_of(path, layout, bits, warned)

    return read


def complaint(read, *arguments, **options):
    """The error of a file, from the suffix of its name on."""
    with pytest.raises(CostreamError) as caught:
        read(*arguments, **options)
    return str(caught.value).partition("payments.")[2]


def rows_of(blocks):
    """The rows of blocks as lists of names and values, in their order."""
    rows = []
    for block in blocks:
        assert len(set(block.names)) == len(block.names) == block.rows.width
        names = np.array([*block.names, None], object)[block.rows.index].tolist()
        entries = list(zip(names, block.rows.value.tolist(), strict=True))
        bounds = block.rows.start.astype(int).tolist()
        rows += [entries[a:b] for a, b in pairwise(bounds)]
    return rows


def labels_of(blocks):
    """The labels of blocks, None for missing ones."""
    return [None if one != one else one for block in blocks for one in block.label.tolist()]
