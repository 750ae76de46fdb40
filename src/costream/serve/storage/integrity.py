"""Whether a log is as it was written: the file, the checksums, the order of records, and the costs."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..messages import decode
from .corrections import CLOCK, Unresolved, corrections_of
from .database import UNREADABLE
from .hourly_costs import CostChanges
from .reader import LogReader
from .records import (
    EVENT,
    HOURLY,
    HOURS,
    LABEL,
    LEARNT_KINDS,
    OLDEST,
    OPERATIONS,
    TABLES,
    BaseModel,
    EventRecord,
    LabelRecord,
    Operation,
    checksum,
    checksum_of_event,
    is_intact,
)
from .wal import damage_of_wal

PAGE = 1000  # rows that are read at once
MOST = 20  # faults of the file that are reported
NEAR = 1e-9  # of what was added up: sums in another order differ by their rounding
NAMES = {
    "base_models": "base model",
    "labels": "label",
    "rejected": "rejected label",
    "unmatched": "label without an event",
    "operations": "operation",
    "names": "name of a feature",
    "hourly_costs": "row of hourly costs",
    "hourly_costs_removed": "row of hourly costs of removed events",
}
Differs = Callable[[str], None]


class Integrity:
    """A look through all tables of a log, at one moment of it."""

    def __init__(self, log: LogReader, differs: Differs) -> None:
        self.log, self.differs = log, differs
        self.records = 0
        self.is_readable = True

    def run(self) -> None:
        """Report what is not as it was written; a file that cannot be read is not looked at further."""
        damage = damage_of_wal(self.log.path)
        if damage is not None:  # unless somebody was writing just then
            damage = damage_of_wal(self.log.path)
        if damage is not None and damage.commits:  # else it is of a group that was taken back
            self.differs(f"the write-ahead log is damaged from frame {damage.frame} on")
        try:
            self.log.read("BEGIN")
            if self._file():
                self._tables()
        except (*UNREADABLE, OverflowError, ValueError, TypeError, KeyError) as error:
            self.is_readable = False
            self.differs(f"the log cannot be read: {error}")
        finally:
            self.log.end_reading()

    def _file(self) -> bool:
        """SQLite's own check, and the tables as they should be."""
        faults = [row[0] for row in self.log.read(f"PRAGMA integrity_check({MOST})")]
        if faults != ["ok"]:
            self.is_readable = False
            for one in faults:
                self.differs(f"the database: {one.splitlines()[-1]}")
            return False
        with_schema = sqlite3.connect(":memory:")
        with_schema.executescript("".join(TABLES[: self.log.format - OLDEST + 1]))
        query = "SELECT type, name, tbl_name, sql FROM sqlite_master"
        wanted = {*with_schema.execute(query)}
        with_schema.close()
        if {*self.log.read(query)} != wanted:
            self.is_readable = False
            self.differs("the tables are not those of a log")
        return self.is_readable

    def _tables(self) -> None:
        for table, name in NAMES.items():
            for rows in self._pages(table):
                self._checksums(name, rows, 1 if table == "operations" else 0)
        operations = [Operation._make(r[:-1]) for r in self.log.read("SELECT * FROM operations")]
        base_models = [BaseModel._make(row[:-1]) for row in self.log.read("SELECT * FROM base_models")]
        if not self.is_readable:  # what the rest is compared with
            return
        self._operations(operations)
        self._base_models(base_models)
        removed = [one for one in base_models if one.cause == "compaction"]
        at = removed[-1] if removed else BaseModel(0, 0, 0, 0, 0, "", "", "", None)
        backs = [decode(one.detail) for one in operations if one.kind == "clock-set-back"]
        self._order("labels", at.label_seq, {one["label_seq"] for one in backs})
        self._order("events", at.event_seq, {one["last"] for one in backs})
        self._events()
        self._strays()

    def _pages(self, table: str) -> Iterator[list[Any]]:
        """All rows, in pages: by the number of the row."""
        query = f"SELECT rowid, * FROM {table} WHERE rowid > ? ORDER BY rowid LIMIT {PAGE}"
        for rows in self.log.in_pages(lambda after: self.log.read(query, (after,)), -(1 << 62)):
            yield [row[1:] for row in rows]

    def _checksums(self, name: str, rows: Sequence[Any], skipped: int = 0, at: int = 0) -> None:
        self.records += len(rows)
        of = checksum_of_event if name == "event" else checksum
        for row in rows:
            if not is_intact(row[skipped:], of):
                self.is_readable &= name not in ("base model", "operation")
                self.differs(f"{name} {row[at]!r} is not as it was written")

    def _operations(self, operations: list[Operation]) -> None:
        if [one.seq for one in operations] != list(range(1, len(operations) + 1)):
            self.differs("operations are missing")
        if any(one.kind not in OPERATIONS for one in operations):
            self.differs("there are operations of an unknown kind")
        corrections_of(operations)
        Unresolved.of(one for one in operations if one.kind in CLOCK)

    def _base_models(self, base_models: list[BaseModel]) -> None:
        if [one.number for one in base_models] != list(range(1, len(base_models) + 1)):
            self.differs("base models are missing")
        newest = max((one.number for one in base_models if one.cause == "compaction"), default=0)
        for one in base_models:
            if one.model is None:
                if not 1 < one.number < newest:
                    self.differs(f"the content of base model {one.number} is missing")
            elif not one.name.endswith(f"-{hashlib.sha256(one.model).hexdigest()[:8]}"):
                self.differs(f"the content of base model {one.number} is not the one of its name")

    def _order(self, table: str, removed: int, backs: set[int]) -> None:
        """Sequence numbers have gaps only where something was removed, and times never fall."""
        last, time = 0, 0
        query = f"SELECT seq, received FROM {table} WHERE seq > ? ORDER BY seq LIMIT {PAGE}"
        for rows in self.log.in_pages(lambda after: self.log.read(query, (after,)), -(1 << 62)):
            for seq, received in rows:
                if seq != last + 1 and seq > max(removed, last) + 1:
                    self.differs(f"{table} are missing before {seq}")
                if received < time and not any(last <= back < seq for back in backs):
                    self.differs(f"{table[:-1]} {seq} was received before the one before it")
                last, time = seq, received

    def _events(self) -> None:
        made, scales = CostChanges(), defaultdict[int, float](float)
        query = f"SELECT {EVENT}, checksum FROM events e WHERE seq > ? ORDER BY seq LIMIT {PAGE}"
        for rows in self.log.in_pages(lambda after: self.log.read(query, (after,)), -(1 << 62)):
            self._checksums("event", rows, at=1)
            events = [EventRecord._make(row[:-1]) for row in rows]
            ends = events[0].seq, events[-1].seq
            known = defaultdict[int, list[LabelRecord]](list)
            found = f"SELECT {LABEL} FROM labels l WHERE event BETWEEN ? AND ? ORDER BY seq"
            for row in self.log.read(found, ends):
                known[row[1]].append(LabelRecord._make(row))
            waiting = "SELECT event FROM pending WHERE event BETWEEN ? AND ?"
            pending = {row[0] for row in self.log.read(waiting, ends)}
            for event in events:
                own = known.pop(event.seq, [])
                made.outcome(event, own[-1] if own else None)
                costs = (event.fn_cost, event.fp_cost, event.tp_cost, event.tn_cost)
                scales[event.hour] += len(own) * max(map(abs, costs))
                if (event.seq in pending) == any(one.kind in LEARNT_KINDS for one in own):
                    self.differs(f"event {event.id!r} waits for a label or not, against its records")
            for seq in known:
                self.differs(f"there are labels of event {seq}, which is missing")
        self._costs(made, scales)

    def _costs(self, made: CostChanges, scales: dict[int, float]) -> None:
        """The costs of an hour are those of its events, removed ones included."""
        wanted: dict[int, list[float]] = {row[0]: list(row[1:]) for row in made.hours}
        for hour, *values in self.log.read(f"SELECT {HOURS} FROM hourly_costs_removed"):
            old = wanted.get(hour, [0] * len(HOURLY))
            wanted[hour] = [a + b for a, b in zip(old, values, strict=True)]
            scales[hour] = scales.get(hour, 0.0) + sum(map(abs, values[7:]))
        stored = {row[0]: row[1:] for row in self.log.read(f"SELECT {HOURS} FROM hourly_costs")}
        for hour in sorted({*wanted, *stored}):
            near = NEAR * (1.0 + scales.get(hour, 0.0))
            ours, theirs = wanted.get(hour), stored.get(hour)
            for at, name in enumerate(HOURLY):
                a, b = (0.0 if one is None else one[at] for one in (ours, theirs))
                if not abs(a - b) <= (near if at > 6 else 0):
                    self.differs(f"costs: {name} of hour {hour} is {b!r}, by the records {a!r}")
            if ours is None:
                self.differs(f"there are costs of hour {hour}, and no events")

    def _strays(self) -> None:
        """Rows beside the records that belong to none, or should not be there."""
        for query, what in (
            (
                "SELECT l.seq FROM labels l LEFT JOIN events e ON e.seq = l.event WHERE e.seq IS NULL",
                "label {} is of no event",
            ),
            (
                "SELECT event FROM pending LEFT JOIN events ON seq = event WHERE seq IS NULL",
                "event {} waits for a label, and is missing",
            ),
            (
                "SELECT r.label FROM rejected r LEFT JOIN labels l ON l.seq = r.label "
                f"AND l.kind IN {LEARNT_KINDS} WHERE l.seq IS NULL",
                "label {} was rejected, and is missing",
            ),
            (
                "SELECT e.seq FROM unmatched u JOIN events e ON e.id = u.id",
                "a label waits for event {}, which is there",
            ),
        ):
            for row in self.log.read(f"{query} LIMIT {MOST}"):
                self.differs(what.format(row[0]))
