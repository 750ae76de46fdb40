"""The time of a directory against the clock of the machine, and how an operator corrects it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ...errors import CostreamError
from ..storage.corrections import CLOCK, Unresolved, effective_sql
from ..storage.directory import LOG, DirectoryLock, existing
from ..storage.log import Log
from ..storage.reader import LogReader
from .clock import LONGEST_STOP, TOLERANCE


class Times(NamedTuple):
    """Where the time of a directory stands, in ms since 1970."""

    last: int  # of the last record
    system: int  # the clock of the machine
    is_unresolved: bool = False  # whether the clock was found ahead, and is not yet taken for right

    @property
    def stands_still(self) -> bool:
        """Whether records would get the time of the last one until the clock has caught up."""
        return self.last > self.system + TOLERANCE

    @property
    def is_in_doubt(self) -> bool:
        """Whether nothing would expire at a start until the clock has been steady for a while."""
        return self.is_unresolved or self.system - self.last > LONGEST_STOP


def times_of(directory: Path, seconds: Callable[[], float] = time.time) -> Times:
    """Where the time of a directory stands; a service may run."""
    log = LogReader(existing(directory) / LOG)
    try:
        return _times(log, seconds)
    except sqlite3.Error as error:
        raise CostreamError(f"{log.path} cannot be read: {error}") from None
    finally:
        log.close()


def accept(directory: Path, seconds: Callable[[], float] = time.time) -> Times:
    """Take the clock of the machine for right, so that events may expire by it at the next start."""
    with _opened(directory) as log:
        times = _times(log, seconds)
        if not times.is_in_doubt:
            raise CostreamError(
                f"there is nothing to accept: the clock and the last record of {directory} agree",
                "see costream serve clock DIR",
            )
        opened, last = Unresolved.of(log.operations(*CLOCK)), log.last("events")
        now, first = times.system, last if opened.event is None else opened.event
        detail = {"first": first + 1, "last": last, "time": now, "before": times.last}
        if opened.event is not None:
            log.correct_unmatched(opened.time, now)
        log.add_operation("clock-accepted", now, detail)
        return times


def set_back(directory: Path, seconds: Callable[[], float] = time.time) -> Times:
    """Set the time of a directory back to the clock of the machine, and count windows from there.

    Records stay as they were written. Events whose time is later than the clock count as received now.
    """
    with _opened(directory) as log:
        times = _times(log, seconds)
        now = times.system
        if times.last <= now:
            raise CostreamError(
                f"the time of {directory} is not ahead of the clock", "there is nothing to set back"
            )
        last = log.last("events")
        query = f"SELECT min(seq) FROM events WHERE {effective_sql(log.corrections())} > ?"
        first = log.read(query, (now,))[0][0]
        detail = {
            "first": last + 1 if first is None else first,
            "last": last,
            "time": now,
            "before": times.last,
            "label_seq": log.last("labels"),
            "base_model": max(one.number for one in log.base_models()),
        }
        log.correct_unmatched(now, now)
        log.add_operation("clock-set-back", now, detail)
        return times


def _times(log: LogReader, seconds: Callable[[], float]) -> Times:
    opened = Unresolved.of(log.operations(*CLOCK))
    return Times(log.last_received(), int(seconds() * 1000), opened.in_doubt_since is not None)


@contextmanager
def _opened(directory: Path) -> Iterator[Log]:
    """The log of a directory that is not served, in a transaction."""
    lock = DirectoryLock(existing(directory))
    try:
        log = Log(directory / LOG)
        try:
            log.begin()
            yield log
            log.commit()
        finally:
            log.rollback()
            log.close()
    except sqlite3.Error as error:
        raise CostreamError(f"the log of {directory} cannot be written: {error}") from None
    finally:
        lock.release()
