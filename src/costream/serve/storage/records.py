"""The records of a log: its tables, rows of them, and the statements that write and look up many.

Each row but those of ``pending`` ends with a checksum of its other values, by which
``costream replay --check`` and every start find what a disk has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple
from zlib import crc32

import msgspec

FORMAT, OLDEST = 4, 3  # of the tables; what is written by older ones than these is not read
APPLICATION = 0x436F5374  # "CoSt", by which our databases are known
MOST_VALUES = 512  # rows, or ids, in one statement
LEARNT_KINDS = ("label", "due", "expiry")

# The tables of format 3, and what later formats have added to them.
TABLES = (files(__package__) / "tables.sql").read_text(encoding="utf-8").split("-- format 4\n")
OPERATIONS = (
    "token-required",
    "token-not-required",
    "token-added",
    "token-removed",
    "clock-ahead",
    "clock-agrees",
    "clock-accepted",
    "clock-set-back",
    "loss-accepted",
    "unmatched-expired",
)
MINUS_ZERO, ZERO = b"\xcb\x80" + bytes(7), b"\xcb" + bytes(8)  # which SQLite makes the same
pack = msgspec.msgpack.Encoder().encode


def checksum(row: Sequence[Any]) -> int:
    """A checksum of the values of a row."""
    packed = pack(row)
    return crc32(packed.replace(MINUS_ZERO, ZERO) if MINUS_ZERO in packed else packed)


def checksum_of_event(row: Sequence[Any]) -> int:
    """The checksum of the values of an event: one without a forecast is as in older formats."""
    return checksum(row if row[-1] is not None else row[:-1])


def stored_event(event: EventRecord) -> tuple[Any, ...]:
    """An event as it is stored: the forecast, which is newer than the checksum, comes after it."""
    return (*event[:-1], checksum_of_event(event), event.forecast)


def with_checksum(row: Sequence[Any]) -> tuple[Any, ...]:
    """A row as it is stored."""
    return (*row, checksum(row))


def is_intact(row: Sequence[Any], of: Callable[[Sequence[Any]], int] = checksum) -> bool:
    """Whether a row that was read ends with the checksum of its other values."""
    return bool(of(row[:-1]) == row[-1])


class EventRecord(NamedTuple):
    """An event as it is stored."""

    seq: int
    id: str
    received: int
    time: str | None
    hour: int
    features: bytes
    given: str | None
    fn_cost: float
    fp_cost: float
    tp_cost: float
    tn_cost: float
    own: int
    flag: int
    score: float
    probability: float
    learnt: int
    base_model: int
    label_seq: int
    reasons: bytes | None
    left_out: int
    warnings: bytes | None = None
    forecast: bytes | None = None


class LabelRecord(NamedTuple):
    """A label, an expiry or a revision, as it is stored."""

    seq: int
    event: int
    kind: str
    positive: int
    label: str | None
    received: int
    time: str | None


class LearntRecord(NamedTuple):
    """A label that is to be learnt, and what is needed for that of its event."""

    seq: int
    event: int
    positive: int
    label: str | None
    features: bytes
    own: int
    costs: tuple[float, float, float, float]
    forecast: bytes | None


class UnmatchedLabel(NamedTuple):
    """A label whose event has not come."""

    id: str
    positive: int
    label: str
    received: int
    time: str | None


class Operation(NamedTuple):
    """Something that was decided about the service itself, and must outlive every other file of it."""

    seq: int
    received: int
    kind: str
    detail: str


class BaseModel(NamedTuple):
    """A model that later records are learnt from."""

    number: int
    made: int
    label_seq: int
    event_seq: int
    learnt: int
    fingerprint: str
    cause: str
    name: str
    model: bytes | None

    @property
    def content(self) -> bytes:
        """The model, which is still there."""
        assert self.model is not None
        return self.model


HOURLY = (
    "events",
    "flags",
    "positives",
    "negatives",
    "missed",
    "false_alarms",
    "expired",
    "cost",
    "flag_nothing",
    "flag_all",
    "perfect",
)
EVENT = ", ".join(f"e.{name}" for name in EventRecord._fields)
LABEL = ", ".join(f"l.{name}" for name in LabelRecord._fields)
HOURS = f"hour, {', '.join(HOURLY)}"
PUT_HOUR = f"INSERT OR REPLACE INTO {{}} VALUES ({', '.join('?' * (len(HOURLY) + 2))})"


@cache
def insertion(table: str, width: int, rows: int) -> str:
    """The statement that inserts so many rows."""
    row = f"({_marks(width)})"
    return f"INSERT INTO {table} VALUES {', '.join([row] * rows)}"


@cache
def _marks(count: int) -> str:
    return ", ".join("?" * count)


def in_parts(values: Sequence[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Values in parts for ``IN (...)``, filled up with NULL so that there are few statements."""
    for at in range(0, len(values), MOST_VALUES):
        part = list(values[at : at + MOST_VALUES])
        size = 1 << (len(part) - 1).bit_length()
        yield _marks(size), part + [None] * (size - len(part))
