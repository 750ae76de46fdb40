"""Tables as blocks of rows: CSV and TSV, Parquet, Arrow files and streams."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from itertools import chain
from typing import Any

from ..errors import CostreamError
from ..inputs import Block
from . import lines
from .arrow import arrow, damaged, feature_column, label_values, need_arrow, readable
from .columns import Rows, Text, not_a_number
from .csvtext import Fields, Kinds, as_text, exact_text, header
from .hashing import TextSlots
from .layout import Layout
from .roles import Roles
from .source import Source

BLOCK_ROWS = 1 << 14
BLOCK_CELLS = 1 << 21  # a block of a wide table has fewer rows
ARROW_FILE = b"ARROW1"
READ_AT_ONCE = 1 << 20


def csv_blocks(
    source: Source, layout: Layout, slots: TextSlots, delimiter: str | None = None
) -> Iterator[Block]:
    """CSV text whose first line names the columns, and shows the delimiter if nobody tells it.

    A column is of numbers, of true and false, or of text, as its values in the first block say. Missing
    values are empty or NA, N/A, NaN, nan, NULL, null, None; columns that the layout calls text are
    taken as they stand.
    """
    need_arrow("CSV")
    texts = lines.line_blocks(source, lines.BLOCK_BYTES, quotes=True)
    tops = (header(text, source.name, delimiter) for text in texts)
    top = next((found for found in tops if found), None)
    if top is None:
        return
    names, delimiter, rest = top
    roles = Roles.of(names, layout, source.name)
    rows, fields = Rows(source.name, roles, slots), Fields(source.name, names, delimiter)
    kinds = Kinds(layout.text, roles.costs, layout.numbers)
    as_label = exact_text if roles.label in layout.text else as_text
    for text in chain([rest], texts):
        columns = fields.read(text, roles.wanted, rows.first)
        kept = {name: columns[name].to_pylist() for name in roles.keep}
        label = None if roles.label is None else as_label(columns[roles.label])
        read = {
            name: kinds.read(name, columns[name], rows.where)
            for name in roles.used
            if name != roles.label
        }
        if fields.count:
            yield rows.block(fields.count, read, label, kept)


def parquet_blocks(source: Source, layout: Layout, slots: TextSlots) -> Iterator[Block]:
    """A Parquet file; its types say which columns are numbers and which are text."""
    need_arrow("Parquet")
    with source.seekable() as file:
        with damaged(source.name, "Parquet"):
            parquet = arrow("parquet").ParquetFile(file, pre_buffer=False)
            schema = parquet.schema_arrow
        roles = _typed_roles(schema, layout, source.name)
        batches = parquet.iter_batches(_block_rows(roles), columns=roles.wanted, use_threads=False)
        yield from _typed_blocks(Rows(source.name, roles, slots), batches, layout, "Parquet")


def arrow_blocks(source: Source, layout: Layout, slots: TextSlots) -> Iterator[Block]:
    """An Arrow file (Feather), or an Arrow stream, whose blocks come as they are written."""
    need_arrow("Arrow")
    if source.start().startswith(ARROW_FILE):
        with source.seekable() as file, damaged(source.name, "Arrow"):
            whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            reader = arrow("ipc").open_file(arrow().py_buffer(whole))
            parts = (reader.get_batch(at) for at in range(reader.num_record_batches))
    else:
        with damaged(source.name, "Arrow"):
            reader = arrow("ipc").open_stream(_Pipe(source))
            parts = iter(reader)
    with damaged(source.name, "Arrow"):
        schema = reader.schema
    roles = _typed_roles(schema, layout, source.name)
    batches = _slices(parts, roles.wanted, _block_rows(roles))
    yield from _typed_blocks(Rows(source.name, roles, slots), batches, layout, "Arrow")


class _Pipe:
    """A source as the file that pyarrow wants; memory grows only with the bytes that are there."""

    closed = False

    def __init__(self, source: Source) -> None:
        self._source = source

    def read(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            view = memoryview(bytearray(min(count - len(data), READ_AT_ONCE)))
            got = self._source.readinto(view)
            if got == 0:
                break
            data += view[:got]
        return bytes(data)


def _typed_roles(schema: Any, layout: Layout, file: str) -> Roles:
    """Raise an error if a column that is needed has a type that is neither numbers nor text."""
    with damaged(file, "schema"):
        kinds = dict(zip(schema.names, schema.types, strict=True))
        names = list(schema.names)
    roles = Roles.of(names, layout, file)
    for name in roles.used:
        if not readable(kinds[name]):
            raise CostreamError(
                f"{file}, column {name}: {kinds[name]!s:.60} is neither a number nor text",
                f"leave the column out with --ignore {name} (in Python: ignore=)",
            )
    return roles


def _block_rows(roles: Roles) -> int:
    return max(1, min(BLOCK_ROWS, BLOCK_CELLS // max(1, len(roles.wanted))))


def _slices(batches: Iterator[Any], wanted: list[str], size: int) -> Iterator[Any]:
    for batch in batches:
        needed = batch.select(wanted) if wanted else batch
        needed.validate(full=True)  # pyarrow trusts the file until it is asked not to
        for start in range(0, needed.num_rows, size):
            yield needed.slice(start, size)


def _typed_blocks(rows: Rows, batches: Iterator[Any], layout: Layout, what: str) -> Iterator[Block]:
    while True:
        with damaged(rows.file, what):
            batch = next(batches, None)
            block = None if batch is None else _typed_block(rows, batch, layout)
        if block is None:
            return
        if block.rows.rows:
            yield block


def _typed_block(rows: Rows, batch: Any, layout: Layout) -> Block:
    columns, roles = dict(zip(batch.schema.names, batch.columns, strict=True)), rows.roles
    kept = {name: columns[name].to_pylist() for name in roles.keep}
    label = None if roles.label is None else columns[roles.label]
    read = {
        name: feature_column(columns[name], name in layout.text)
        for name in roles.used
        if name != roles.label
    }
    for name in layout.numbers & set(read):
        column = read[name]
        if isinstance(column, Text):
            raise not_a_number(rows.where(0, name), column.values[column.codes[0]], name)
    return rows.block(batch.num_rows, read, None if label is None else label_values(label), kept)
