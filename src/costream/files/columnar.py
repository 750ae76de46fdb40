"""Columns that say their types as blocks of rows: Parquet, Arrow files and streams."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import Any

from ..errors import CostreamError
from ..tables.arrow import arrow, damaged, label_column, readable
from ..tables.frames import arrow_column
from ..tables.infer import ROWS
from ..tables.layout import Layout
from ..tables.naming import TextSlots
from ..tables.reading import Raw
from ..tables.resolution import ResolvedSchema
from ..tables.schema import leave_out
from .blocks import Block, Warn
from .columns import BlockReader
from .source import Source

BLOCK_ROWS = 1 << 14
BLOCK_CELLS = 1 << 21  # a block of a wide table has fewer rows
ARROW_FILE = b"ARROW1"
PARQUET_FILE = b"PAR1"
READ_AT_ONCE = 1 << 20


def parquet_blocks(source: Source, layout: Layout, slots: TextSlots, warn: Warn) -> Iterator[Block]:
    """A Parquet file; its types say which columns are numbers, times or text."""
    if not source.start().startswith(PARQUET_FILE):
        raise CostreamError(
            f"{source.name} is not a Parquet file", "leave out the format (--format) to detect it"
        )
    with source.seekable() as file:
        with damaged(source.name, "Parquet"):
            parquet = arrow("parquet").ParquetFile(file, pre_buffer=False)
            schema = parquet.schema_arrow
        resolved = _resolved(schema, layout, source.name)
        batches = parquet.iter_batches(
            _block_rows(resolved), columns=resolved.wanted, use_threads=False
        )
        reader = BlockReader(source.name, resolved, slots, warn)
        yield from _typed_blocks(reader, batches, "Parquet")


def arrow_blocks(source: Source, layout: Layout, slots: TextSlots, warn: Warn) -> Iterator[Block]:
    """An Arrow file (Feather), or an Arrow stream, whose blocks come as they are written."""
    if source.start().startswith(ARROW_FILE):
        with source.seekable() as file, damaged(source.name, "Arrow"):
            whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            opened = arrow("ipc").open_file(arrow().py_buffer(whole))
            parts = (opened.get_batch(at) for at in range(opened.num_record_batches))
    else:
        with damaged(source.name, "Arrow"):
            opened = arrow("ipc").open_stream(_Pipe(source))
            parts = iter(opened)
    with damaged(source.name, "Arrow"):
        schema = opened.schema
    resolved = _resolved(schema, layout, source.name)
    batches = _slices(parts, resolved.wanted, _block_rows(resolved))
    yield from _typed_blocks(BlockReader(source.name, resolved, slots, warn), batches, "Arrow")


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


def _resolved(schema: Any, layout: Layout, file: str) -> ResolvedSchema:
    """Raise an error if a column that is needed has a type that is neither numbers nor text."""
    with damaged(file, "schema"):
        kinds = dict(zip(schema.names, schema.types, strict=True))
        names = list(schema.names)
    resolved = ResolvedSchema.of(names, layout, file)
    for name in resolved.used:
        if not readable(kinds[name]):
            raise CostreamError(
                f"{file}, column {name}: {kinds[name]!s:.60} is neither a number nor text",
                leave_out(name),
            )
    return resolved


def _block_rows(resolved: ResolvedSchema) -> int:
    return max(1, min(BLOCK_ROWS, BLOCK_CELLS // max(1, len(resolved.wanted))))


def _slices(batches: Iterator[Any], wanted: list[str], size: int) -> Iterator[Any]:
    for batch in batches:
        needed = batch.select(wanted) if wanted else batch
        needed.validate(full=True)  # pyarrow trusts the file until it is asked not to
        for start in range(0, needed.num_rows, size):
            yield needed.slice(start, size)


def _typed_blocks(reader: BlockReader, batches: Iterator[Any], what: str) -> Iterator[Block]:
    is_resolved = False
    while True:
        with damaged(reader.file, what):
            batch = next(batches, None)
            if batch is None:
                return
            if not is_resolved:
                reader.resolve(_typed_columns(reader, batch.slice(0, ROWS), set()))
                is_resolved = True
            block = _typed_block(reader, batch)
        if block.rows.rows:
            yield block


def _typed_columns(reader: BlockReader, batch: Any, as_text: set[str]) -> dict[str, Raw]:
    """The columns of features and costs."""
    columns, resolved = dict(zip(batch.schema.names, batch.columns, strict=True)), reader.columns
    zone = reader.layout.zone
    return {
        name: arrow_column(columns[name], name, name in as_text, zone)
        for name in resolved.used
        if name != resolved.label
    }


def _typed_block(reader: BlockReader, batch: Any) -> Block:
    columns, resolved = dict(zip(batch.schema.names, batch.columns, strict=True)), reader.columns
    kept = {name: columns[name].to_pylist() for name in resolved.kept}
    label = None if resolved.label is None else label_column(columns[resolved.label])
    read = _typed_columns(reader, batch, {*reader.schema.named("text")})
    return reader.block(batch.num_rows, read, label, kept)
