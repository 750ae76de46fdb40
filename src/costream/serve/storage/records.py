"""The records of a log: its tables, rows of them, and the statements that write and look up many.

Each row but those of ``pending`` ends with a checksum of its other values, by which
``costream replay --check`` and every start find what a disk has changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple
from zlib import crc32

import msgspec

FORMAT = 3  # of the tables; nothing older is read
APPLICATION = 0x436F5374  # "CoSt", by which our databases are known
MOST_VALUES = 512  # rows, or ids, in one statement
LEARNT_KINDS = ("label", "due", "expiry")

TABLES = """
CREATE TABLE base_models (
    number INTEGER PRIMARY KEY,
    made INTEGER NOT NULL,          -- ms since 1970
    label_seq INTEGER NOT NULL,     -- labels up to this one are in the model
    event_seq INTEGER NOT NULL,     -- events up to this one were decided before it
    learnt INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,      -- of code and machine: decisions are bit-identical on the same
    cause TEXT NOT NULL CHECK (cause IN ('start', 'upgrade', 'compaction')),
    name TEXT NOT NULL,
    model BLOB,                     -- NULL where a compaction has taken its records
    checksum INTEGER NOT NULL
);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    received INTEGER NOT NULL,      -- ms since 1970, never less than that of the event before
    time TEXT,                      -- as it was given, JSON
    hour INTEGER NOT NULL,          -- of the event, since 1970
    features BLOB NOT NULL,         -- JSON, the keys in their order
    given TEXT,                     -- the four costs that came with it, JSON
    fn_cost REAL NOT NULL, fp_cost REAL NOT NULL, tp_cost REAL NOT NULL, tn_cost REAL NOT NULL,
    own INTEGER NOT NULL,           -- whether these are its own costs
    flag INTEGER NOT NULL,
    score REAL NOT NULL,
    probability REAL NOT NULL,
    learnt INTEGER NOT NULL,        -- labels that the model had learnt
    base_model INTEGER NOT NULL,
    label_seq INTEGER NOT NULL,     -- labels up to this one were in the model
    reasons BLOB,                   -- JSON
    left_out INTEGER NOT NULL,      -- features that came with it whose names were not taken
    warnings BLOB,                  -- what does not fit about it, JSON; NULL where all fits
    checksum INTEGER NOT NULL
);
CREATE INDEX flags ON events (seq) WHERE flag;
CREATE TABLE pending (event INTEGER PRIMARY KEY);
CREATE TABLE labels (
    seq INTEGER PRIMARY KEY,
    event INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('label', 'deferred', 'due', 'expiry', 'revision')),
    positive INTEGER NOT NULL,
    label TEXT,                     -- as it was given, JSON
    received INTEGER NOT NULL,
    time TEXT,
    checksum INTEGER NOT NULL
);
CREATE UNIQUE INDEX learnt_once ON labels (event, iif(kind IN ('deferred', 'revision'), seq, 0));
CREATE INDEX deferred ON labels (event) WHERE kind = 'deferred';
CREATE TABLE rejected (label INTEGER PRIMARY KEY, why TEXT NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE unmatched (
    id TEXT PRIMARY KEY,
    positive INTEGER NOT NULL,
    label TEXT NOT NULL,
    received INTEGER NOT NULL,
    time TEXT,
    checksum INTEGER NOT NULL
);
CREATE INDEX unmatched_since ON unmatched (received);
CREATE TABLE names (                -- of features that events have brought
    name TEXT PRIMARY KEY,
    checksum INTEGER NOT NULL
);
CREATE TABLE hourly_costs (
    hour INTEGER PRIMARY KEY,
    events INTEGER NOT NULL, flags INTEGER NOT NULL, positives INTEGER NOT NULL,
    negatives INTEGER NOT NULL, missed INTEGER NOT NULL, false_alarms INTEGER NOT NULL,
    expired INTEGER NOT NULL, cost REAL NOT NULL, flag_nothing REAL NOT NULL, flag_all REAL NOT NULL,
    perfect REAL NOT NULL, checksum INTEGER NOT NULL
);
CREATE TABLE hourly_costs_removed ( -- of removed events; they are in hourly_costs as well
    hour INTEGER PRIMARY KEY,
    events INTEGER NOT NULL, flags INTEGER NOT NULL, positives INTEGER NOT NULL,
    negatives INTEGER NOT NULL, missed INTEGER NOT NULL, false_alarms INTEGER NOT NULL,
    expired INTEGER NOT NULL, cost REAL NOT NULL, flag_nothing REAL NOT NULL, flag_all REAL NOT NULL,
    perfect REAL NOT NULL, checksum INTEGER NOT NULL
);
CREATE TABLE operations (           -- what was decided about the service itself
    seq INTEGER PRIMARY KEY,
    received INTEGER NOT NULL,
    kind TEXT NOT NULL,             -- see OPERATIONS
    detail TEXT NOT NULL,           -- JSON
    checksum INTEGER NOT NULL       -- of what follows seq, whose numbers have no gaps
);
"""
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


def with_checksum(row: Sequence[Any]) -> tuple[Any, ...]:
    """A row as it is stored."""
    return (*row, checksum(row))


def is_intact(row: Sequence[Any]) -> bool:
    """Whether a row that was read ends with the checksum of its other values."""
    return bool(checksum(row[:-1]) == row[-1])


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


class LabelRecord(NamedTuple):
    """A label, an expiry or a revision, as it is stored."""

    seq: int
    event: int
    kind: str
    positive: int
    label: str | None
    received: int
    time: str | None


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
