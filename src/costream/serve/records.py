"""The records of a log: its tables, and rows of them."""

from __future__ import annotations

from typing import NamedTuple

FORMAT, OLDEST = 2, 1  # of what is written, and of what can be read
APPLICATION = 0x436F5374  # "CoSt", which tells our databases from others
LEARNT_KINDS = ("label", "due", "expiry")

TABLES = """
CREATE TABLE origins (
    number INTEGER PRIMARY KEY,
    made INTEGER NOT NULL,          -- ms since 1970
    label_seq INTEGER NOT NULL,     -- labels up to this one are in the model
    event_seq INTEGER NOT NULL,     -- events up to this one were decided before it
    learnt INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,      -- of code and machine: the same bits are promised on the same
    cause TEXT NOT NULL CHECK (cause IN ('start', 'upgrade', 'compaction')),
    name TEXT NOT NULL,
    model BLOB                      -- NULL where a compaction has taken its records
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
    origin INTEGER NOT NULL,
    label_seq INTEGER NOT NULL,     -- labels up to this one were in the model
    reasons BLOB                    -- JSON
);
CREATE INDEX flags ON events (seq) WHERE flag;
CREATE TABLE pending (event INTEGER PRIMARY KEY);
CREATE TABLE labels (
    seq INTEGER PRIMARY KEY,
    event INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('label', 'held', 'due', 'expiry', 'revision')),
    positive INTEGER NOT NULL,
    label TEXT,                     -- as it was given, JSON
    received INTEGER NOT NULL,
    time TEXT
);
CREATE UNIQUE INDEX learnt_once ON labels (event, iif(kind IN ('held', 'revision'), seq, 0));
CREATE INDEX held ON labels (event) WHERE kind = 'held';
CREATE TABLE aside (label INTEGER PRIMARY KEY, why TEXT NOT NULL);
CREATE TABLE parked (
    id TEXT PRIMARY KEY,
    positive INTEGER NOT NULL,
    label TEXT NOT NULL,
    received INTEGER NOT NULL,
    time TEXT
);
CREATE INDEX parked_since ON parked (received);
CREATE TABLE bill (
    hour INTEGER PRIMARY KEY,
    events INTEGER NOT NULL, flags INTEGER NOT NULL, positives INTEGER NOT NULL,
    negatives INTEGER NOT NULL, missed INTEGER NOT NULL, false_alarms INTEGER NOT NULL,
    expired INTEGER NOT NULL, cost REAL NOT NULL, flag_nothing REAL NOT NULL, flag_all REAL NOT NULL,
    perfect REAL                    -- NULL where format 1 did not know it, and events are gone
);
"""

# From format 1 to 2: what perfect decisions would have cost, where all events of an hour are there.
TO_FORMAT_2 = """
ALTER TABLE bill ADD COLUMN perfect REAL;
UPDATE bill SET perfect = 0.0 WHERE positives + negatives = 0;
WITH outcomes AS (SELECT event, positive, max(seq) FROM labels GROUP BY event),
hours AS (
    SELECT e.hour AS hour, count(*) AS labelled,
        sum(iif(o.positive, min(e.tp_cost, e.fn_cost), min(e.fp_cost, e.tn_cost))) AS perfect
    FROM outcomes o JOIN events e ON e.seq = o.event GROUP BY e.hour
)
UPDATE bill SET perfect = hours.perfect FROM hours
WHERE hours.hour = bill.hour AND hours.labelled = bill.positives + bill.negatives;
"""


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
    origin: int
    label_seq: int
    reasons: bytes | None


class LabelRecord(NamedTuple):
    """A label, an expiry or a revision, as it is stored."""

    seq: int
    event: int
    kind: str
    positive: int
    label: str | None
    received: int
    time: str | None


class ParkedLabel(NamedTuple):
    """A label whose event has not come."""

    id: str
    positive: int
    label: str
    received: int
    time: str | None


class Origin(NamedTuple):
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


BILL = (
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
LABEL = ", ".join(LabelRecord._fields)
