"""A stream of bytes cut into blocks of whole lines."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import CostreamError
from .source import Source

BLOCK_BYTES = 1 << 20
LONGEST_LINE = 1 << 28
NEWLINE = 10


def line_blocks(source: Source, size: int = BLOCK_BYTES, quotes: bool = False) -> Iterator[memoryview]:
    """Blocks of whole lines, each ended by a newline; a block is gone when the next is asked for.

    From a pipe a block comes as soon as there is a whole line and nothing more can be had; for the
    first one `Source.patience` says how long to wait. With ``quotes`` a newline between double quotes
    ends no line.
    """
    buffer, filled = bytearray(size + 1), 0
    while True:
        count = source.readinto(memoryview(buffer)[filled : len(buffer) - 1])
        if count == 0:
            if filled and buffer[filled - 1] != NEWLINE:
                buffer[filled] = NEWLINE
                filled += 1
            if filled:
                yield memoryview(buffer)[:filled]
            return
        filled += count
        full = filled == len(buffer) - 1
        if not full and source.ready():
            continue
        end = _last_line(buffer, filled, quotes)
        if end == 0:
            if full:
                buffer = _longer(buffer, source.name, quotes)
            continue
        yield memoryview(buffer)[:end]
        source.patience = 0.0
        filled -= end
        buffer[:filled] = buffer[end : end + filled]


def _last_line(buffer: bytearray, filled: int, quotes: bool) -> int:
    """Where the last whole line ends, 0 if there is none."""
    end = buffer.rfind(b"\n", 0, filled) + 1
    if not quotes:
        return end
    if buffer.find(b'"', 0, end) < 0:  # several times as fast as to count them
        return end
    within = buffer.count(b'"', 0, end) % 2 == 1
    while end and within:
        before = buffer.rfind(b"\n", 0, end - 1) + 1
        within ^= buffer.count(b'"', before, end) % 2 == 1
        end = before
    return end


def _longer(buffer: bytearray, name: str, quotes: bool) -> bytearray:
    if len(buffer) > LONGEST_LINE:
        hint = "is there a double quote that is never closed?" if quotes else None
        raise CostreamError(f"{name}: a line is longer than {LONGEST_LINE >> 20} MiB", hint)
    longer = bytearray(2 * len(buffer))
    longer[: len(buffer)] = buffer
    return longer
