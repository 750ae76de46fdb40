"""The write-ahead log as a file: whether all that was written to it can still be read.

SQLite reads a write-ahead log up to the first frame that is not as it was written, and says nothing
about the rest.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

HEADER, FRAME_HEADER = 32, 24  # bytes
ORDERS = {0x377F0682: "<u4", 0x377F0683: ">u4"}  # of bytes in checksums, by how the file begins
BITS = 0xFFFFFFFF
Sums = tuple[int, int]


class Damage(NamedTuple):
    """Where a write-ahead log cannot be read any more."""

    frame: int  # the first one that cannot, counted from 1; 0 is the beginning of the file
    commits: int  # ends of transactions from there on


def is_orphaned(log: Path) -> bool:
    """Whether a database is missing or empty, and has a write-ahead log that holds transactions.

    SQLite deletes such a write-ahead log when it opens the database, even to read.
    """
    try:
        if log.exists() and log.stat().st_size:
            return False
        with open(log.with_name(f"{log.name}-wal"), "rb") as file:
            return _commits(file) > 0
    except OSError:
        return False


def _commits(file: IO[bytes]) -> int:
    """How many transactions end in a write-ahead log, whether they can be read or not."""
    header = file.read(HEADER)
    if len(header) < HEADER or not any(header):
        return 0
    _, _, page, _, *salts = struct.unpack(">6I", header[:24])
    if not 512 <= page <= 65536:
        return 1
    return sum(commit > 0 and salt == salts for _, commit, salt in _frames(file, page))


def _frames(file: IO[bytes], page: int) -> Iterator[tuple[bytes, int, list[int]]]:
    """Whole frames, with the pages of the database if they end a transaction, and their salts."""
    while len(frame := file.read(FRAME_HEADER + page)) == FRAME_HEADER + page:
        _, commit, *salt = struct.unpack(">4I", frame[:16])
        yield frame, commit, salt


def damage_of_wal(log: Path) -> Damage | None:
    """What cannot be read of the write-ahead log of a database, or None if all of it can."""
    try:
        with open(log.with_name(f"{log.name}-wal"), "rb") as file:
            return _damage(file)
    except OSError:
        return None


def _damage(file: IO[bytes]) -> Damage | None:
    header = file.read(HEADER)
    if len(header) < HEADER or not any(header):
        return None
    magic, _, page, _, *salts = struct.unpack(">6I", header[:24])
    order = ORDERS.get(magic)
    sums = struct.unpack(">2I", header[24:])
    if order is None or not 512 <= page <= 65536 or _sums(header[:24], order, (0, 0)) != sums:
        return Damage(0, 2)
    first = commits = 0
    for number, (frame, commit, salt) in enumerate(_frames(file, page), 1):
        if salt[0] != salts[0] and salt[1] != salts[1]:
            continue  # of an earlier use of the file
        if not first:
            sums = _sums(frame[FRAME_HEADER:], order, _sums(frame[:8], order, sums))
            if salt != salts or sums != struct.unpack(">2I", frame[16:FRAME_HEADER]):
                first = number
        if first:
            commits += commit > 0
    return Damage(first, commits) if first else None


def _sums(content: bytes, order: str, sums: Any) -> Sums:
    """SQLite's checksum, s0 += x + s1 and s1 += y + s0 for each pair x, y, which is linear in these."""
    values = np.frombuffer(content, order).astype(np.uint64)
    weights = _weights(len(values) // 2)
    ahead = weights[0]
    s0, s1 = sums
    first = int(ahead[0]) * s0 + int(ahead[1]) * s1
    second = int(ahead[1]) * s0 + int(ahead[2]) * s1
    return (
        (first + int((values * weights[1] & BITS).sum())) & BITS,
        (second + int((values * weights[2] & BITS).sum())) & BITS,
    )


@cache
def _weights(pairs: int) -> tuple[npt.NDArray[np.uint64], ...]:
    """How the sums before, and each value, count in the sums after so many pairs."""
    before = np.array([1, 0, 1], np.uint64)  # the matrix [[a, b], [b, c]], a power of [[1, 1], [1, 2]]
    first, second = np.empty(2 * pairs, np.uint64), np.empty(2 * pairs, np.uint64)
    a, b, c = 1, 0, 1
    for pair in reversed(range(pairs)):
        first[2 * pair : 2 * pair + 2] = (a + b) & BITS, b
        second[2 * pair : 2 * pair + 2] = (b + c) & BITS, c
        a, b, c = (a + b) & BITS, (a + 2 * b) & BITS, (b + 2 * c) & BITS
    before[:] = a, b, c
    return before, first, second
