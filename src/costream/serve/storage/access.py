"""Whether a directory demands a token: remembered in its log, which is backed up and never lost alone.

A directory that ever had a token demands one, whatever becomes of the file of tokens, until somebody
who has the directory itself opens it again.
"""

from __future__ import annotations

import getpass
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ...errors import CostreamError
from ..messages import encode
from .database import check_format, connect, make_tables, version_of
from .directory import LOG, keep_private, made, sync_folder
from .records import OPERATIONS, with_checksum

REQUIRED, NOT_REQUIRED = "token-required", "token-not-required"
ADDED, REMOVED = "token-added", "token-removed"
LATEST = f"SELECT kind FROM operations WHERE kind IN ('{REQUIRED}', '{NOT_REQUIRED}') ORDER BY seq"


def is_recorded(directory: Path) -> bool:
    """Whether it is in the log of a directory that a token is needed; False where there is no log."""
    path = directory / LOG
    if not path.is_file():
        return False
    with closing(connect(path, read_only=True)) as db:
        check_format(db, path)
        try:
            return bool(version_of(db)) and is_required(db)
        except sqlite3.Error as error:
            raise CostreamError(
                f"{path} cannot be read: {error}",
                "restore it from a backup: costream serve backup makes one",
            ) from None


def is_required(db: sqlite3.Connection) -> bool:
    """Whether a token is needed by the latest record."""
    found = db.execute(f"{LATEST} DESC LIMIT 1").fetchone()
    return found is not None and found[0] == REQUIRED


@contextmanager
def changing(directory: Path) -> Iterator[sqlite3.Connection]:
    """A transaction on the log of a directory, which is made if it is not there.

    One process at a time is in it; a service that runs waits for its end, as for a slow disk.
    """
    path = made(directory) / LOG
    try:
        if not path.exists():
            keep_private(path)
            sync_folder(directory)
        with closing(connect(path)) as db:
            check_format(db, path)
            db.execute("PRAGMA synchronous = FULL")
            db.execute("BEGIN IMMEDIATE")
            make_tables(db)
            yield db  # closing without a commit takes everything back
            db.execute("COMMIT")
    except (OSError, sqlite3.Error) as error:
        why = getattr(error, "strerror", None) or error
        raise CostreamError(
            f"{directory} cannot be written: {why}", "look at the disk and the rights of its files"
        ) from None


def record(db: sqlite3.Connection, kind: str, **detail: object) -> None:
    """Write down what was decided, and who has."""
    assert kind in OPERATIONS
    text = encode({**detail, "by": local_user()}).decode()
    now = int(time.time() * 1000)
    db.execute("INSERT INTO operations VALUES (NULL, ?, ?, ?, ?)", with_checksum((now, kind, text)))


def require_in(db: sqlite3.Connection) -> None:
    """Have a log remember that a token is needed, unless it does."""
    if not is_required(db):
        record(db, REQUIRED)


def local_user() -> str:
    """The name of the user that runs a command."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container may run under a number without a name
        return f"uid {os.getuid()}" if hasattr(os, "getuid") else "unknown"
