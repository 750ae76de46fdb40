"""LIBSVM text: ``label index:value ...``, a row a line, features named by their index.

Comments (``#``), ``qid:``, blank lines, CRLF and a missing last newline are fine; indices may start at
0 or 1 and come in any order, and values of one index are added up. A line that begins with a feature
is a row without a label.
"""

from __future__ import annotations

import math
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CostreamError
from ..kernels import text as kernel
from ..kernels.text import LINES, ODDS, PLACE, REASON, ROWS, UNSORTED, Rows, scan
from ..labels.parsing import as_objects, canonical
from ..tables.arrays import Batch
from ..tables.layout import Layout
from ..tables.naming import TextSlots
from .blocks import Block, Warn
from .source import BLOCK_BYTES, Source, line_blocks

ERRORS = {
    kernel.BAD_INDEX: ("is not index:value", "a line is: label index:value index:value ..."),
    kernel.LARGE_INDEX: (f"has an index above {kernel.LARGEST_INDEX}", "use smaller indices"),
    kernel.BAD_VALUE: ("has no number after its colon", "leave out features without a value"),
}
NOT_FINITE = ("is not finite", "leave the value out, or replace it with a number")
SHOWN = 40
IN_FLIGHT = 4  # blocks that are alive at once: one being read, two waiting, one being learnt


def read(source: Source, layout: Layout, _slots: TextSlots, _warn: Warn) -> Iterator[Block]:
    """The rows of LIBSVM text, of which no column can be named."""
    if any(map(layout.needs, layout.named)):
        hint = "set the format (--format) if it is not LIBSVM; the label comes first in each line"
        if layout.costs:
            options = " ".join(f"--{name.replace('_', '-')} NUMBER" for name in layout.costs)
            hint = f"give the costs as numbers: {options}; or set the format if it is not LIBSVM"
        raise CostreamError(f"{source.name} is LIBSVM text, which has no named columns", hint)
    return libsvm_blocks(source)


def libsvm_blocks(source: Source, size: int | None = None) -> Iterator[Block]:
    """The rows of LIBSVM text, some thousand at a time."""
    ring = [_buffers(size or BLOCK_BYTES) for _ in range(IN_FLIGHT)]
    line = 1
    for turn, view in enumerate(line_blocks(source, size or BLOCK_BYTES)):
        if turn == 0 and bytes(view[:3]) == BOM_UTF8:
            view = view[3:]
        text = np.frombuffer(view, np.uint8)
        if len(ring[turn % IN_FLIGHT].label) < len(text) // 2 + 1:
            ring[turn % IN_FLIGHT] = _buffers(len(text))
        rows = ring[turn % IN_FLIGHT]
        scan(text, rows)
        error = None
        if rows.state[REASON] != kernel.DONE:
            place = int(rows.state[PLACE])
            error = _error(source, line, view, place, ERRORS[int(rows.state[REASON])])
        if rows.state[ROWS]:  # also those before a bad one
            yield _block(source, line, view, rows)
        if error is not None:
            raise error
        line += int(rows.state[LINES])


def _buffers(size: int) -> Rows:
    """Arrays for whatever ``size`` bytes may hold: a row takes two bytes, an entry four."""
    rows, entries = size // 2 + 2, size // 4 + 2
    value = np.empty(entries)
    return Rows(
        label=np.empty(rows),
        line=np.empty(rows, np.int64),
        start=np.empty(rows + 1, np.uint64),
        index=np.empty(entries, np.uint32),
        value=value,
        bits=value.view(np.uint64),
        odd=np.empty((rows + entries, 3), np.int64),
        state=np.zeros(7, np.int64),
    )


def _block(source: Source, first: int, view: memoryview, rows: Rows) -> Block:
    count = int(rows.state[ROWS])
    entries = int(rows.start[count])  # a row that turned out bad may have left some more
    label: NDArray[np.float64] | NDArray[np.object_] = rows.label[:count]
    if rows.state[ODDS]:
        label = _read_odd(source, first, view, rows)
    batch = Batch(rows.start[: count + 1], rows.index[:entries], rows.value[:entries], 0)
    where = _whereabouts(source.name, first, rows.line[:count].copy())
    if rows.state[UNSORTED]:
        batch = batch.merged()
        bad = np.flatnonzero(~np.isfinite(batch.value))
        if len(bad):
            row = int(np.searchsorted(batch.start, bad[0], side="right")) - 1
            raise CostreamError(f"{where(row)}: values of one index add up to infinity")
    if rows.state[UNSORTED] or rows.state[ODDS]:
        batch = batch.entries_where(batch.value != 0.0)
    return Block(batch, None, label, where)


def _read_odd(source: Source, first: int, view: memoryview, rows: Rows) -> NDArray[Any]:
    """Read what the scanner has left: very long numbers, and labels of text."""
    label: NDArray[Any] = rows.label[: int(rows.state[ROWS])].copy()
    entries = int(rows.start[len(label)])
    for what, begin, end in rows.odd[: int(rows.state[ODDS])].tolist():
        if not -1 - len(label) < what < entries:
            continue  # of a row that turned out bad
        token = bytes(view[begin:end])
        if what >= 0:
            rows.value[what] = float(token)
            if not math.isfinite(rows.value[what]):
                raise _error(source, first, view, begin, NOT_FINITE)
            continue
        one = canonical(token)
        if label.dtype != object and (isinstance(one, str | bool)):
            label = as_objects(label)
        label[-1 - what] = one
    return label


def _whereabouts(name: str, first: int, lines: NDArray[np.int64]) -> Callable[[int], str]:
    return lambda row: f"{name}, line {first + int(lines[row])}"


def _error(
    source: Source, first: int, view: memoryview, place: int, why: tuple[str, str]
) -> CostreamError:
    """An error that names the file, the line, the column, and the word that is wrong."""
    text = bytes(view)
    begin = text.rfind(b"\n", 0, place) + 1
    end = text.find(b"\n", place)
    line = first + text.count(b"\n", 0, begin)
    words = [*re.finditer(rb"[^ \t\r\v\f]+", text[begin:end])]
    word = next((found[0] for found in words if found.end() >= place - begin), b"")
    shown = word[:SHOWN].decode(errors="backslashreplace") + ("..." if len(word) > SHOWN else "")
    problem, hint = why
    where = f"{source.name}, line {line}, column {place - begin + 1}"
    return CostreamError(f"{where}: {shown!r} {problem}", hint)
