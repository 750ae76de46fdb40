"""What the engine writes besides groups: snapshots, base models, rejected labels, the clock."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import time
from typing import Any

from ...errors import CostreamError
from ...report.numbers import counted
from ..storage.corrections import CORRECTING
from ..storage.database import primary_code
from ..storage.hourly_costs import CostChanges
from ..storage.log import reached
from ..storage.records import BaseModel
from .jobs import LogFailed, LogFull
from .state import EngineState

logger = logging.getLogger("costream.serve")


def log_no_snapshot(error: Exception) -> None:
    """Log that a snapshot is missing; nothing that was answered is."""
    why = str(error).partition("\n")[0] or type(error).__name__
    logger.error("a snapshot could not be written, so a start takes longer: %s", why)


class Upkeep(EngineState):
    """The methods of the engine that write what is not a row of a job."""

    def _take_back(self, error: sqlite3.Error) -> None:
        """Take back a group that could not be written; raises `LogFull` where it may be tried again."""
        code = primary_code(error)
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            try:
                self.log.rollback()
            except sqlite3.Error as worse:
                raise LogFailed(str(worse)) from None
            why = "the disk is full" if code == sqlite3.SQLITE_FULL else "the log is locked"
            raise LogFull(why) from None
        if code in (sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH):
            self.log.rollback()  # a matter of what was to be written, not of the disk
            raise error
        raise LogFailed(str(error)) from None

    def snapshot(self) -> tuple[int, bytes]:
        """The model as a file, and the last label in it, for `Snapshots.write`."""
        self._tried_learnt, self._tried_time = self.served.learnt, time.monotonic()
        notes = {
            "label_seq": self.last_label,
            "event_seq": self.last_event,
            "learnt": self.served.learnt,
            "base_model": self.base_model.number,
            "last": self.log.mark(self.last_label),
        }
        return self.last_label, self.served.dump(notes)

    def write_snapshot(self, label_seq: int, content: bytes) -> None:
        """Write what `snapshot` gave; only then does it count."""
        learnt, taken = self._tried_learnt, self._tried_time
        try:
            self.snapshots.write(label_seq, content)
        except (OSError, CostreamError, MemoryError) as error:
            log_no_snapshot(error)
        else:
            self.snapshot_learnt, self.snapshot_time = learnt, taken

    def begin_anew(self, base_model: BaseModel, before: int | None = None) -> int:
        """Let later records be learnt from another base model, which is the model as it is now.

        With ``before``, events that were received before it and wait for nothing are removed; returns
        how many.
        """
        self.log.begin()
        try:
            self.log.add_base_model(base_model)
            removed = 0 if before is None else self._forget(before)
            self.log.commit()
        except BaseException:
            self.log.rollback()
            raise
        self.base_model, self.served.base_model = base_model, base_model.content
        self.models[base_model.number] = base_model.name
        return removed

    def _forget(self, before: int) -> int:
        """Remove old events; what they add to the costs is kept, so that these can be checked."""
        gone = CostChanges()
        for events, last in self.log.old_pages(before):
            for event in events:
                gone.outcome(event, last.get(event.seq))
        gone.write(self.log, "hourly_costs_removed")
        return self.log.forget(before)

    def reject(self, labels: dict[int, str]) -> None:
        """Record that labels could not be learnt, so that nobody tries again.

        Where that cannot be written now, the next group does, or the next start finds out again: no
        snapshot is taken meanwhile.
        """
        reached("before reject")
        self._rejected |= labels
        try:
            self.log.begin()
            self._write_rejected()
            self.log.commit()
            self._rejected = {}
        except sqlite3.Error as error:
            with contextlib.suppress(LogFull):
                self._take_back(error)
        self.rejected += len(labels)
        logger.warning("%s rejected: learning failed", counted(len(labels), "label"))

    def _write_rejected(self) -> None:
        for seq, why in self._rejected.items():
            self.log.reject(seq, why)

    def _record_clock(self, now: int) -> None:
        """Record what became of a clock that was ahead, and from when events count since."""
        unresolved, last = self._unresolved, self.last_event
        for step in self.clock.steps:
            detail: dict[str, Any] = step._asdict() | {"event_seq": last}
            if step.kind in CORRECTING:
                first = last if unresolved.event is None else unresolved.event
                if step.kind == "clock-set-back":
                    first = unresolved.doubted_event
                    detail |= {"label_seq": self.last_label, "base_model": self.base_model.number}
                    self.log.correct_unmatched(now, now)
                elif unresolved.event is not None:
                    self.log.correct_unmatched(unresolved.time, now)
                detail |= {"first": first + 1, "last": last, "time": now}
            self.log.add_operation(step.kind, now, detail)
            unresolved = unresolved.after(step.kind, detail)
