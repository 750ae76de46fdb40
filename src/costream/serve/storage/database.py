"""SQLite databases of ours: how they are opened, and whether they can be read."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from ...errors import CostreamError
from .records import APPLICATION, FORMAT, OLDEST, TABLES
from .wal import is_orphaned

UNREADABLE = (sqlite3.Error, UnicodeError)  # what a damaged file gives: SQLite may quote its bytes
RESTORE = "restore it from a backup: costream serve backup makes one"


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open a database of ours; transactions are begun and ended by hand."""
    if is_orphaned(path):  # which SQLite would take for a new one
        raise CostreamError(f"{path} is missing or empty, and its write-ahead log is not", RESTORE)
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


def damaged(path: Path, why: str) -> CostreamError:
    """An error about a log that a disk or somebody has changed."""
    return CostreamError(f"{path} is damaged: {why}", RESTORE)


def version_of(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def check_format(db: sqlite3.Connection, path: Path) -> int:
    """The format of a database; an error unless it is new, 0, or ours and can be read."""
    try:
        db.execute("BEGIN")  # all three at one moment: another process may be making the tables
        version = version_of(db)
        application = int(db.execute("PRAGMA application_id").fetchone()[0])
        tables = int(db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        db.execute("COMMIT")
    except UNREADABLE as error:
        raise damaged(path, f"it cannot be read: {error}") from None
    if tables and application != APPLICATION:
        raise CostreamError(f"{path} is a database of something else", "choose another directory")
    if tables and version < OLDEST:
        raise CostreamError(
            f"{path} was written by an older release (format {version}, this one reads {OLDEST})",
            "begin in another directory, or go on with that release",
        )
    if version > FORMAT:
        raise CostreamError(
            f"{path} was written by a newer release (format {version}, this one reads {FORMAT})",
            "install a newer costream",
        )
    return version


def make_tables(db: sqlite3.Connection) -> None:
    """Make what a log lacks, within a transaction, which `executescript` would end."""
    version = version_of(db)
    if version < FORMAT:
        for part in TABLES[version - OLDEST + 1 if version else 0 :]:
            for statement in part.split(";\n"):
                db.execute(statement)
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(f"PRAGMA user_version = {FORMAT}")


def primary_code(error: sqlite3.Error) -> int:
    """The primary code of an error of SQLite, without the details."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def is_empty(path: Path) -> bool:
    if not path.exists():
        return True
    with closing(connect(path, read_only=True)) as db:
        try:
            return not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        except UNREADABLE as error:
            raise damaged(path, f"it cannot be read: {error}") from None
