"""The log of a service: an SQLite database of records, in write-ahead mode, every commit on disk.

Events and labels are only ever added; what an event waits for, unmatched labels and the costs of hours
are kept beside them, in the same transactions.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from operator import add
from pathlib import Path
from typing import Any

from ..messages import encode
from .corrections import effective
from .database import check_format, connect, make_tables, primary_code, version_of
from .directory import keep_private
from .reader import BASE_MODEL, LogReader
from .records import (
    EVENT,
    FORMAT,
    HOURS,
    LABEL,
    MOST_VALUES,
    OPERATIONS,
    PUT_HOUR,
    BaseModel,
    EventRecord,
    LabelRecord,
    UnmatchedLabel,
    checksum,
    in_parts,
    insertion,
    stored_event,
    with_checksum,
)

PAGES_OF_WAL = 4000  # written back into the database after so many
LARGEST_WAL = 64 << 20  # bytes; a larger one is cut when nobody reads it
UNMATCHED = ", ".join(UnmatchedLabel._fields)
MOST_HOURS = 10_000  # rows of costs that are kept in memory
POINTS = (  # at which a crash must lose nothing; tests make the process die there
    "before commit",
    "after commit",
    "after learn",
    "before answer",
    "before reject",
    "before rename",
    "after rename",
)


def _nothing(_point: str) -> None:
    """What happens at a point, but for tests."""


hook: Callable[[str], None] = _nothing


def _files_of(path: Path) -> list[Path]:
    """The database, and what SQLite keeps beside it as long as it is open."""
    beside = (path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))
    return [path, *(one for one in beside if one.exists())]


def reached(point: str) -> None:
    """Call the hook at one of the `POINTS`."""
    hook(point)


class Log(LogReader):
    """The database, as its one writer has it."""

    def __init__(self, path: Path) -> None:
        keep_private(path)
        self._hours: dict[str, dict[int, tuple[Any, ...]]] = {}  # rows of costs, by table and hour
        self._db = connect(path)
        try:
            self._prepare(path)
            super().__init__(path)
            self._files = {one: one.stat() for one in _files_of(path)}
            self.correct()
        except BaseException:
            self._db.close()
            raise

    def _prepare(self, path: Path) -> None:
        db = self._db
        check_format(db, path)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute(f"PRAGMA wal_autocheckpoint = {PAGES_OF_WAL}")
        db.execute(f"PRAGMA journal_size_limit = {LARGEST_WAL}")
        if version_of(db) < FORMAT:
            db.execute("BEGIN IMMEDIATE")
            make_tables(db)
            db.execute("COMMIT")
        self._write_back()

    def _write_back(self) -> None:
        """Write what another process has left in the write-ahead log into the database.

        Where a sync has failed, the system takes what it could not write for written. We still read it,
        but later records must not stand behind it: a loss of power would take all of them.
        """
        try:
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.OperationalError as error:
            if primary_code(error) != sqlite3.SQLITE_FULL:
                raise

    def close(self) -> None:
        """Close the database; all that was committed is in it."""
        super().close()
        self._db.close()

    # --- transactions ---------------------------------------------------------------------------

    def begin(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        self._db.execute("COMMIT")

    def rollback(self) -> None:
        self._hours.clear()  # it may hold what is taken back
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    @property
    def is_in_place(self) -> bool:
        """Whether the files are still those that were opened; what is written to others is lost."""
        try:
            return all(os.path.samestat(os.stat(one), known) for one, known in self._files.items())
        except OSError:
            return False

    @property
    def wal_bytes(self) -> int:
        try:
            return self.path.with_name(f"{self.path.name}-wal").stat().st_size
        except OSError:
            return 0

    def shorten_wal(self) -> None:
        """Write the write-ahead log back into the database and cut it, unless somebody reads it."""
        self._db.execute("PRAGMA busy_timeout = 0")
        try:
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.OperationalError as error:
            if primary_code(error) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
        finally:
            self._db.execute("PRAGMA busy_timeout = 5000")

    def probe(self) -> None:
        """Write something that changes nothing, to learn whether there is room."""
        self._db.execute(f"PRAGMA user_version = {FORMAT}")

    def correct(self) -> None:
        """Read again which times of events count as others."""
        self._corrections = self.corrections()

    # --- writing --------------------------------------------------------------------------------

    def add_base_model(self, base_model: BaseModel) -> None:
        self._insert("base_models", [with_checksum(base_model)])

    def add_events(self, events: Sequence[EventRecord]) -> None:
        self._insert("events", list(map(stored_event, events)))
        self._db.execute("INSERT INTO pending SELECT seq FROM events WHERE seq >= ?", (events[0].seq,))

    def add_names(self, names: Collection[str]) -> None:
        self._insert("names", [with_checksum((name,)) for name in names])

    def add_labels(self, labels: Sequence[LabelRecord]) -> None:
        self._insert("labels", [(*one, checksum(one)) for one in labels])

    def no_longer_pending(self, events: Sequence[int]) -> None:
        for marks, part in in_parts(events):
            self._db.execute(f"DELETE FROM pending WHERE event IN ({marks})", part)

    def add_operation(self, kind: str, received: int, detail: Mapping[str, Any]) -> None:
        """Record what was decided about the service itself."""
        assert kind in OPERATIONS
        row = with_checksum((received, kind, encode(detail).decode()))
        self._db.execute("INSERT INTO operations VALUES (NULL, ?, ?, ?, ?)", row)

    def reject(self, label: int, why: str) -> None:
        row = with_checksum((label, why[:1000]))
        self._db.execute("INSERT OR IGNORE INTO rejected VALUES (?, ?, ?)", row)

    def keep_unmatched(self, label: UnmatchedLabel) -> None:
        row = with_checksum(label)
        self._db.execute("INSERT OR REPLACE INTO unmatched VALUES (?, ?, ?, ?, ?, ?)", row)

    def remove_unmatched(self, ids: Sequence[str]) -> None:
        for marks, part in in_parts(ids):
            self._db.execute(f"DELETE FROM unmatched WHERE id IN ({marks})", part)

    def expire_unmatched(self, before: int) -> int:
        """Forget unmatched labels that were received before a time; returns how many."""
        return self._db.execute("DELETE FROM unmatched WHERE received < ?", (before,)).rowcount

    def correct_unmatched(self, since: int, received: int) -> None:
        """Let unmatched labels that were received after a time count as received at another one."""
        rows = self._db.execute(
            f"SELECT {UNMATCHED} FROM unmatched WHERE received > ?", (since,)
        ).fetchall()
        for row in rows:
            self.keep_unmatched(UnmatchedLabel._make(row)._replace(received=received))

    def old_pages(self, before: int) -> Iterator[tuple[list[EventRecord], dict[int, LabelRecord]]]:
        """The events that `forget` would remove, and their last labels."""
        query = f"SELECT seq {self.old_events()} ORDER BY seq"
        seqs = [row[0] for row in self._db.execute(query, {"before": before})]
        for marks, part in in_parts(seqs):
            rows = self._db.execute(f"SELECT {EVENT} FROM events e WHERE seq IN ({marks})", part)
            yield [EventRecord._make(row) for row in rows], self.last_labels(part)

    def forget(self, before: int) -> int:
        """Remove events received before a time that wait for nothing, with their labels; how many."""
        old = f"SELECT seq {self.old_events()}"
        labels = f"SELECT seq FROM labels WHERE event IN ({old})"
        given = {"before": before}
        self._db.execute(f"DELETE FROM rejected WHERE label IN ({labels})", given)
        self._db.execute(f"DELETE FROM labels WHERE event IN ({old})", given)
        gone = self._db.execute(f"DELETE FROM events WHERE seq IN ({old})", given).rowcount
        newest = max(one.number for one in self.base_models())
        for row in self._db.execute(f"SELECT {BASE_MODEL} FROM base_models").fetchall():
            if 1 < row[0] < newest:  # the first one is what the directory began with
                self._db.execute("DELETE FROM base_models WHERE number = ?", row[:1])
                self.add_base_model(BaseModel._make(row)._replace(model=None))
        return gone

    def shrink(self) -> None:
        """Give the room of what was removed back to the disk."""
        self._db.execute("VACUUM")
        self.shorten_wal()

    def add_hourly_costs(self, hours: Sequence[tuple[Any, ...]], table: str = "hourly_costs") -> None:
        known = self._hours.setdefault(table, {})
        unknown = [row[0] for row in hours if row[0] not in known]
        if unknown:
            if len(known) > MOST_HOURS:
                known.clear()
                unknown = [row[0] for row in hours]
            query = f"SELECT {HOURS} FROM {table} WHERE hour IN ({{}})"
            known |= {row[0]: row for row in self._rows(query, unknown)}
        rows = []
        for row in hours:
            old = known.get(row[0])
            new = row if old is None else (row[0], *map(add, old[1:], row[1:]))
            known[row[0]] = new
            rows.append((*new, checksum(new)))
        self._db.executemany(PUT_HOUR.format(table), rows)

    def _insert(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Insert rows, many with one statement: each statement lets other threads in."""
        at = 0
        while at < len(rows):
            size = 1 << (min(len(rows) - at, MOST_VALUES).bit_length() - 1)  # few different statements
            values = list(chain.from_iterable(rows[at : at + size]))
            self._db.execute(insertion(table, len(rows[0]), size), values)
            at += size

    # --- what the writer looks up ---------------------------------------------------------------

    def events_of(self, ids: Sequence[str]) -> dict[str, EventRecord]:
        rows = self._rows(f"SELECT {EVENT} FROM events e WHERE id IN ({{}})", ids)
        return {row[1]: EventRecord._make(row) for row in rows}

    def last_labels(self, events: Sequence[int]) -> dict[int, LabelRecord]:
        rows = self._rows(f"SELECT {LABEL} FROM labels l WHERE event IN ({{}}) ORDER BY seq", events)
        return {row[1]: LabelRecord._make(row) for row in rows}

    def unmatched_of(self, ids: Sequence[str]) -> dict[str, UnmatchedLabel]:
        rows = self._rows(f"SELECT {UNMATCHED} FROM unmatched WHERE id IN ({{}})", ids)
        return {row[0]: UnmatchedLabel._make(row) for row in rows}

    def _rows(self, query: str, values: Sequence[Any]) -> Iterator[Any]:
        """The rows of a query that has ``IN ({})``, however many values there are."""
        for marks, part in in_parts(values):
            yield from self._db.execute(query.format(marks), part)

    def pending_until(self, received: int, most: int, size: int) -> list[EventRecord]:
        """The oldest events that wait for a label and were received by some time.

        So many at most, and no more once they have so many bytes.
        """
        rows = self._db.execute(
            f"SELECT {EVENT} FROM pending p JOIN events e ON e.seq = p.event ORDER BY p.event LIMIT ?",
            (most,),
        )
        found = []
        for row in rows:
            event = EventRecord._make(row)
            if size <= 0 or effective(self._corrections, event.seq, event.received) > received:
                break
            found.append(event)
            size -= len(event.features)
        return found

    def deferred(self, most: int) -> list[EventRecord]:
        """The oldest events whose label is deferred to the end of the window."""
        rows = self._db.execute(
            f"SELECT DISTINCT {EVENT} FROM labels l JOIN pending p ON p.event = l.event "
            "JOIN events e ON e.seq = l.event WHERE l.kind = 'deferred' "
            "AND l.event >= (SELECT min(event) FROM pending) ORDER BY l.event LIMIT ?",
            (most,),
        )
        return [EventRecord._make(row) for row in rows]
