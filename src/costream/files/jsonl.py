"""JSON lines as blocks of rows: an object in each line, whose values say what they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from types import NoneType
from typing import Any

import numpy as np

from ..errors import CostreamError
from ..tables.frames import extras_of, usual_keys
from ..tables.infer import ROWS
from ..tables.jsonlines import Dicts, Lines, Records
from ..tables.layout import Layout
from ..tables.naming import TextSlots
from ..tables.reading import LARGEST, Text
from ..tables.records import count
from ..tables.resolution import ResolvedSchema
from .blocks import Block, Warn
from .columns import BlockReader
from .source import Source, line_blocks


def jsonl_blocks(source: Source, layout: Layout, slots: TextSlots, warn: Warn) -> Iterator[Block]:
    """JSON objects, one a line; the first rows say what their keys hold.

    Keys may differ from line to line; a key that is rare, or comes late, goes by the types of its
    values. A label that is needed must be in the first block.
    """
    before, reader, file = 0, None, Lines(source.name, layout.ignore)
    blocks = line_blocks(source)
    for text in _with_head(blocks, source.whole):
        if reader is None:
            first = file.dicts(text, before)
            if len(first):
                reader = _reader(first, layout, slots, warn)
                file.expect({*reader.columns.known, *layout.passed})
            rows: Records = first
        else:
            rows = file.read(text, before)
        before += count(text, b"\n")
        if reader is not None and len(rows):
            yield _block(reader, rows)


def _with_head(blocks: Iterator[memoryview], whole: bool) -> Iterator[memoryview]:
    """The blocks, of which the first has enough rows to say what keys hold."""
    head = b""
    for text in blocks:
        head += bytes(text)
        if not whole or head.count(b"\n") >= ROWS:
            break
    return chain([memoryview(head)] if head else [], blocks)


def _reader(first: Dicts, layout: Layout, slots: TextSlots, warn: Warn) -> BlockReader:
    """What makes blocks, by the keys of the first rows; features that are named may come later."""
    needed = {layout.label, *layout.cost_names, *layout.passed}
    layout = replace(layout, required=frozenset(name for name in needed if name and layout.needs(name)))
    every, file = first.names, first.file
    resolved = ResolvedSchema.of(every, layout, file)
    known = () if layout.learnt is None else layout.learnt.by_name
    usual = {*usual_keys(first.rows[:ROWS]), resolved.label, *layout.named, *known}
    columns = dict.fromkeys([*(name for name in every if name in usual), *layout.overrides.by_name])
    resolved = ResolvedSchema.of(list(columns), layout, file)
    reader = BlockReader(file, resolved, slots, warn)
    used = [name for name in resolved.used if name != resolved.label]
    sample = Dicts(file, first.numbers, first.rows[:ROWS])
    reader.resolve(sample.columns(used, (), layout.zone))
    return reader


def _block(reader: BlockReader, rows: Records) -> Block:
    resolved, known = reader.columns, reader.columns.known
    every = rows.names if reader.layout.keeps_features else ()  # what no schema knows, too
    kept = {key: rows.values(key) for key in dict.fromkeys([*resolved.kept, *every])}
    label = None if resolved.label is None else _labels(rows, resolved.label)
    texts = {*reader.schema.named("text")}
    columns = rows.columns(resolved.of_rows, texts, reader.layout.zone)
    extras = extras_of(rows.besides(known), known, reader.reading, rows.where)
    return reader.block(len(rows), columns, label, kept, extras, line=rows.where)


def _labels(rows: Records, key: str) -> Text:
    """Labels by their distinct values."""
    values, where = rows.values(key), rows.where
    kinds = set(map(type, values))
    if list in kinds:
        t = next(t for t, value in enumerate(values) if type(value) is list)
        raise _no_label(where(t), key, f"{values[t]!s:.40}")
    if NoneType in kinds:
        _refuse_objects(rows, key)
    keys = values if len(kinds) == 1 else list(zip(map(type, values), values, strict=True))
    found: dict[Any, Any] = dict(zip(keys, values, strict=True))
    for value in found.values():
        if isinstance(value, int) and abs(value) > LARGEST:
            raise _no_label(where(values.index(value)), key, f"{value!s:.40}")
    places = {one: at for at, one in enumerate(found)}
    return Text(np.fromiter(map(places.__getitem__, keys), np.int64, len(keys)), list(found.values()))


def _refuse_objects(rows: Records, key: str) -> None:
    """Raise an error if the label of some row is an object, which has been made flat."""
    for name in rows.names:
        if name.startswith(f"{key}."):
            for t, (label, inside) in enumerate(zip(rows.values(key), rows.values(name), strict=True)):
                if label is None and inside is not None:
                    raise _no_label(rows.where(t), key, "an object")


def _no_label(place: str, key: str, value: str) -> CostreamError:
    return CostreamError(
        f"{place}, key {key}: {value} is not a label", "a label is text, a number, true or false"
    )
