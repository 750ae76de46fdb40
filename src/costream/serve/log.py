"""The log of a service: an SQLite database of records, in write-ahead mode, every commit on disk.

Events and labels are only ever added; what an event waits for, parked labels and the bill are kept
beside them, in the same transactions.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import CostreamError
from .records import (
    APPLICATION,
    BILL,
    EVENT,
    FORMAT,
    LABEL,
    OLDEST,
    TABLES,
    TO_FORMAT_2,
    EventRecord,
    LabelRecord,
    Origin,
    ParkedLabel,
)

PAGES_OF_WAL = 4000  # written back into the database after so many
LARGEST_WAL = 64 << 20  # bytes; a larger one is cut when nobody reads it
MOST_VALUES = 512  # rows, or ids, in one statement
OLD = "FROM events WHERE received < :before AND seq NOT IN (SELECT event FROM pending)"


class LogReader:
    """What can be read of a log, from any thread, and while another process writes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader = connect(path, read_only=True)
        check_format(self._reader, path)
        self._reading = threading.Lock()

    def close(self) -> None:
        self._reader.close()

    def read(self, query: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[Any]:
        """The rows of a query over what is committed."""
        with self._reading:
            return self._reader.execute(query, values).fetchall()

    def count(self, table: str) -> int:
        return int(self.read(f"SELECT count(*) FROM {table}")[0][0])

    def origins(self) -> list[Origin]:
        """All origins, the newest last, without their models."""
        names = ", ".join(Origin._fields[:-1])
        rows = self.read(f"SELECT {names}, NULL FROM origins ORDER BY number")
        return [Origin._make(row) for row in rows]

    def origin(self, number: int) -> Origin:
        """An origin with its model."""
        return Origin._make(self.read("SELECT * FROM origins WHERE number = ?", (number,))[0])

    def asides(self) -> set[int]:
        """The labels that were put aside."""
        return {row[0] for row in self.read("SELECT label FROM aside")}

    def events(self, after: int, last: int, most: int) -> list[EventRecord]:
        """Events after one of them up to another one."""
        rows = self.read(
            f"SELECT {EVENT} FROM events e WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
            (after, last, most),
        )
        return [EventRecord._make(row) for row in rows]

    def outcomes(self, events: Sequence[int], last: int) -> dict[int, bool]:
        """What events are by their last labels, up to one of these."""
        found: dict[int, bool] = {}
        for marks, part in _parts(events):
            query = f"SELECT event, positive FROM labels WHERE event IN ({marks}) AND seq <= ?"
            rows = self.read(f"{query} ORDER BY seq", [*part, last])
            found.update({event: bool(positive) for event, positive in rows})
        return found

    def lessons(self, after: int, most: int) -> list[tuple[Any, ...]]:
        """Labels to be learnt after one of them: seq, positive, label, features, own, four costs."""
        return self.read(
            "SELECT l.seq, l.positive, l.label, e.features, e.own, e.fn_cost, e.fp_cost, e.tp_cost, "
            "e.tn_cost FROM labels l JOIN events e ON e.seq = l.event "
            "WHERE l.seq > ? AND l.kind IN ('label', 'due', 'expiry') ORDER BY l.seq LIMIT ?",
            (after, most),
        )

    def in_pages(
        self, page: Callable[[int], list[Any]], after: int = 0, key: Callable[[Any], int] | None = None
    ) -> Iterator[list[Any]]:
        """Pages of rows, each read by itself, so that nobody reads for long: ``page(after)``."""
        while rows := page(after):
            yield rows
            after = rows[-1][0] if key is None else key(rows[-1])

    def old(self, before: int) -> int:
        """How many events received before a time wait for nothing."""
        return int(self.read(f"SELECT count(*) {OLD}", {"before": before})[0][0])

    def mark(self, label_seq: int) -> list[int] | None:
        """What tells a label from that of the same number in another history of the directory."""
        rows = self.read("SELECT event, positive, received FROM labels WHERE seq = ?", (label_seq,))
        return list(rows[0]) if rows else None

    def last(self, table: str) -> int:
        """The last sequence number of events or labels, those no longer kept included."""
        origin = {"events": "event_seq", "labels": "label_seq"}[table]
        query = f"SELECT max(coalesce(max(seq), 0), (SELECT coalesce(max({origin}), 0) FROM origins))"
        return int(self.read(f"{query} FROM {table}")[0][0])

    def last_received(self) -> int:
        """The latest time in the log."""
        newest = [f"(SELECT received FROM {t} ORDER BY seq DESC LIMIT 1)" for t in ("events", "labels")]
        values = self.read(f"SELECT {', '.join(newest)}, (SELECT max(made) FROM origins)")[0]
        return max((one for one in values if one is not None), default=0)


class Log(LogReader):
    """The database, as its one writer has it."""

    def __init__(self, path: Path) -> None:
        self._db = connect(path)
        try:
            self._prepare(path)
            super().__init__(path)
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
        if not version_of(db):
            db.executescript(
                f"BEGIN IMMEDIATE;{TABLES}PRAGMA application_id = {APPLICATION};"
                f"PRAGMA user_version = {FORMAT};COMMIT;"
            )
        elif version_of(db) == 1:
            db.executescript(f"BEGIN IMMEDIATE;{TO_FORMAT_2}PRAGMA user_version = {FORMAT};COMMIT;")
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
        """Put the transaction on disk; returns when it is there."""
        self._db.execute("COMMIT")

    def rollback(self) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    @property
    def wal_bytes(self) -> int:
        """The size of the write-ahead log."""
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

    # --- writing --------------------------------------------------------------------------------

    def add_origin(self, origin: Origin) -> None:
        self._insert("origins", [origin])

    def add_events(self, events: Sequence[EventRecord]) -> None:
        self._insert("events", events)
        self._insert("pending", [(one.seq,) for one in events])

    def add_labels(self, labels: Sequence[LabelRecord]) -> None:
        self._insert("labels", labels)

    def no_longer_pending(self, events: Sequence[int]) -> None:
        for marks, part in _parts(events):
            self._db.execute(f"DELETE FROM pending WHERE event IN ({marks})", part)

    def put_aside(self, label: int, why: str) -> None:
        self._db.execute("INSERT OR IGNORE INTO aside VALUES (?, ?)", (label, why[:1000]))

    def park(self, label: ParkedLabel) -> None:
        self._db.execute("INSERT OR REPLACE INTO parked VALUES (?, ?, ?, ?, ?)", label)

    def unpark(self, ids: Sequence[str]) -> None:
        for marks, part in _parts(ids):
            self._db.execute(f"DELETE FROM parked WHERE id IN ({marks})", part)

    def give_up_parked(self, before: int) -> int:
        """Forget labels that were parked before a time; returns how many."""
        return self._db.execute("DELETE FROM parked WHERE received < ?", (before,)).rowcount

    def forget(self, before: int) -> int:
        """Remove events received before a time that wait for nothing, with their labels; how many."""
        old = f"SELECT seq {OLD}"
        labels = f"SELECT seq FROM labels WHERE event IN ({old})"
        given = {"before": before}
        self._db.execute(f"DELETE FROM aside WHERE label IN ({labels})", given)
        self._db.execute(f"DELETE FROM labels WHERE event IN ({old})", given)
        gone = self._db.execute(f"DELETE FROM events WHERE seq IN ({old})", given).rowcount
        self._db.execute(  # the first one says what the directory began with
            "UPDATE origins SET model = NULL "
            "WHERE number > 1 AND number < (SELECT max(number) FROM origins)"
        )
        return gone

    def shrink(self) -> None:
        """Give the room of what was removed back to the disk."""
        self._db.execute("VACUUM")
        self.shorten_wal()

    def add_to_bill(self, hours: Iterable[tuple[Any, ...]]) -> None:
        """Add to what hours have cost."""
        sums = ", ".join(f"{name} = {name} + excluded.{name}" for name in BILL)
        self._db.executemany(
            f"INSERT INTO bill VALUES ({', '.join('?' * (len(BILL) + 1))}) "
            f"ON CONFLICT (hour) DO UPDATE SET {sums}",
            hours,
        )

    def _insert(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Insert rows, many with one statement: each statement lets other threads in."""
        at = 0
        while at < len(rows):
            size = _power_of_two(min(len(rows) - at, MOST_VALUES))
            width = len(rows[0])
            row = f"({', '.join('?' * width)})"
            values = [value for one in rows[at : at + size] for value in one]
            self._db.execute(f"INSERT INTO {table} VALUES {', '.join([row] * size)}", values)
            at += size

    # --- what the writer looks up ---------------------------------------------------------------

    def events_of(self, ids: Sequence[str]) -> dict[str, EventRecord]:
        """The events that have one of these ids."""
        found = {}
        for marks, part in _parts(ids):
            for row in self._db.execute(f"SELECT {EVENT} FROM events e WHERE id IN ({marks})", part):
                found[row[1]] = EventRecord._make(row)
        return found

    def last_labels(self, events: Sequence[int]) -> dict[int, LabelRecord]:
        """The last label of each of some events."""
        found: dict[int, LabelRecord] = {}
        for marks, part in _parts(events):
            query = f"SELECT {LABEL} FROM labels WHERE event IN ({marks}) ORDER BY seq"
            for row in self._db.execute(query, part):
                found[row[1]] = LabelRecord._make(row)
        return found

    def parked_of(self, ids: Sequence[str]) -> dict[str, ParkedLabel]:
        found = {}
        for marks, part in _parts(ids):
            for row in self._db.execute(f"SELECT * FROM parked WHERE id IN ({marks})", part):
                found[row[0]] = ParkedLabel._make(row)
        return found

    def pending_until(self, received: int, most: int) -> list[EventRecord]:
        """The oldest events that wait for a label and were received by some time."""
        rows = self._db.execute(
            f"SELECT {EVENT} FROM pending p JOIN events e ON e.seq = p.event ORDER BY p.event LIMIT ?",
            (most,),
        )
        found = []
        for row in rows:
            event = EventRecord._make(row)
            if event.received > received:
                break
            found.append(event)
        return found

    def held(self, most: int) -> list[EventRecord]:
        """The oldest events whose label waits for the end of the window."""
        rows = self._db.execute(
            f"SELECT DISTINCT {EVENT} FROM labels l JOIN pending p ON p.event = l.event "
            "JOIN events e ON e.seq = l.event WHERE l.kind = 'held' "
            "AND l.event >= (SELECT min(event) FROM pending) ORDER BY l.event LIMIT ?",
            (most,),
        )
        return [EventRecord._make(row) for row in rows]


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open a database of ours; transactions are begun and ended by hand."""
    mode = "ro" if read_only else "rwc"
    try:
        db = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=512,
        )
        db.execute("PRAGMA busy_timeout = 5000")
        db.execute("PRAGMA query_only = ON" if read_only else "PRAGMA foreign_keys = OFF")
        return db
    except sqlite3.OperationalError as error:
        raise CostreamError(f"{path} cannot be opened: {error}") from None


def version_of(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def check_format(db: sqlite3.Connection, path: Path) -> None:
    """Raise an error unless a database is new, or ours and of a format that can be read."""
    try:
        version = version_of(db)
        application = int(db.execute("PRAGMA application_id").fetchone()[0])
        tables = int(db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    except sqlite3.DatabaseError as error:
        raise CostreamError(
            f"{path} cannot be read: {error}",
            "restore it from a backup: costream serve backup makes one",
        ) from None
    if tables and application != APPLICATION:
        raise CostreamError(f"{path} is a database of something else", "choose another directory")
    if tables and version < OLDEST:
        raise CostreamError(
            f"{path} was written by an older release (format {version}, this one reads {FORMAT})",
            "begin in another directory, or go on with that release",
        )
    if version > FORMAT:
        raise CostreamError(
            f"{path} was written by a newer release (format {version}, this one reads {FORMAT})",
            "install a newer costream",
        )


def primary_code(error: sqlite3.Error) -> int:
    """What SQLite says went wrong, without the details."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def _power_of_two(number: int) -> int:
    """The largest power of two that is not larger: few different statements, which are kept."""
    return 1 << (number.bit_length() - 1)


def _parts(values: Sequence[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Values in parts for ``IN (...)``, filled up with NULL so that there are few statements."""
    for at in range(0, len(values), MOST_VALUES):
        part = list(values[at : at + MOST_VALUES])
        size = 1 << (len(part) - 1).bit_length()
        yield ", ".join("?" * size), part + [None] * (size - len(part))
