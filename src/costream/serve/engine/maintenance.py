"""What is done to the directory of a service besides serving it: backup, compaction, learning again."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ...errors import CostreamError
from ...model.classifier import OnlineClassifier
from ...model.file import dumps
from ...model.header import beginning_of
from ..storage.database import check_format, connect
from ..storage.directory import LOG, TOKENS, Draft, existing, keep_private, sync_folder
from ..storage.log import Log
from .recovery import PAGE, Opening, UnexpectedError, learn_records, new_base_model, open_engine
from .served_model import INFER_AFTER, ServedModel

PAGES = 1000  # of a database, copied at once
OnProgress = Callable[[int, int], None]


class Copied(NamedTuple):
    """What a backup holds."""

    events: int
    labels: int
    size: int  # bytes


class Compacted(NamedTuple):
    """What a compaction has removed and kept; sizes are bytes of the log."""

    removed: int
    kept: int
    size_before: int
    size: int
    shrunk: bool


def backup(directory: Path, target: Path, on_progress: OnProgress | None = None) -> Copied:
    """Copy the log of a directory as it is at one moment, while a service may write it.

    The target is not there yet, or is empty; the copy is whole and on disk, or there is none.
    ``on_progress`` is called with the pages that are copied, and all of them.
    """
    log = existing(directory) / LOG
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise CostreamError(f"{target} is there already", "name a directory that is not there yet")
    if not target.parent.is_dir():
        raise CostreamError(f"there is no folder for {target}", f"make {target.parent} first")
    draft = None
    try:
        draft = Draft(target.parent)
        copied = _copy(log, draft.path / LOG, on_progress)
        if (directory / TOKENS).is_file():
            shutil.copy(directory / TOKENS, draft.path / TOKENS)
        sync_folder(draft.path)
        if target.exists():
            target.rmdir()
        draft.path.rename(target)
        sync_folder(target.parent)
    except OSError as error:
        raise CostreamError(f"{target} cannot be written: {error.strerror}") from None
    except sqlite3.Error as error:
        raise CostreamError(f"{log} cannot be copied: {error}") from None
    finally:
        if draft is not None:
            draft.remove()
    return copied


def _copy(log: Path, to: Path, on_progress: OnProgress | None) -> Copied:
    """SQLite's own backup; a read transaction keeps the moment while others write."""
    keep_private(to)
    source, copy = connect(log, read_only=True), connect(to)
    try:
        check_format(source, log)
        source.execute("BEGIN")
        events = int(source.execute("SELECT count(*) FROM events").fetchone()[0])
        labels = int(source.execute("SELECT count(*) FROM labels").fetchone()[0])

        def report(_status: int, remaining: int, total: int) -> None:
            if on_progress is not None:
                on_progress(total - remaining, total)

        source.backup(copy, pages=PAGES, progress=report)
        found = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise CostreamError(
                f"the copy of {log} is damaged: {found}",
                "the disk or the log is: run costream replay DIR --check, and look at the disk",
            )
    finally:
        copy.close()
        source.close()
    return Copied(events, labels, to.stat().st_size)


def compact(directory: Path, keep: float) -> Compacted:
    """Make the model as it is the new base model, and remove old events that wait for nothing.

    Those received more than ``keep`` seconds ago go with their labels, and the costs stay as they are.
    Where nothing is so old, nothing is changed.
    """
    log = existing(directory) / LOG
    before = log.stat().st_size
    engine = open_engine(directory)
    try:
        if engine.served.infers:
            raise CostreamError(
                f"{directory} has learnt {engine.served.learnt:,} labels, and the first "
                f"{INFER_AFTER:,} are needed at every start",
                "compact it later: it is small as it is",
            )
        base_model = new_base_model(engine, "compaction")
        if engine.clock.is_in_doubt:
            raise CostreamError(
                f"the clock is far after the last record of {directory}, and may be wrong",
                "if it is right, confirm it first: costream serve clock DIR --accept",
            )
        until = base_model.made - int(keep * 1000)
        if not engine.log.old(until):
            return Compacted(0, engine.log.count("events"), before, before, True)
        try:
            removed = engine.begin_anew(base_model, until)
        except sqlite3.Error as error:
            raise CostreamError(
                f"{directory} could not be compacted: {error}", "it is as it was"
            ) from None
        shrunk = True
        try:
            engine.log.shrink()
        except sqlite3.Error:  # a full disk: the room is used again by later events
            shrunk = False
        kept = engine.log.count("events")
    finally:
        engine.close()
    return Compacted(removed, kept, before, log.stat().st_size, shrunk)


# --- all records learnt again, from a fresh model of this release ------------------------------------


class Relearnt(NamedTuple):
    """What was learnt again."""

    learner: str
    revision: int
    before: int  # the revision that the directory learnt with
    labels: int
    refused: int  # labels that could not be learnt
    removed: int  # labels that compactions have removed
    decisions: int  # which stay as they were recorded


def relearn(
    directory: Path, accept_removed: bool = False, on_progress: OnProgress | None = None
) -> Relearnt:
    """Learn all labels of a log again in their order, and make the result the new base model.

    Labels that compactions have removed are not learnt, if that is accepted.
    """
    opening = Opening(existing(directory))
    log = opening.log
    with opening.given_back_if_it_fails():
        first, last = log.base_model(1).content, log.base_models()[-1]
        fresh = _fresh(directory, first)
        removed = _removed(directory, log, accept_removed)
        served = ServedModel(dumps(fresh))
        refused = _learn_all(log, served, on_progress)
        before = beginning_of(log.base_model(last.number).content).revision
        engine = opening.engine_of(served)
        base_model = new_base_model(engine, "upgrade")
        if engine.clock.is_in_doubt:  # the next start has to find that it may be wrong
            base_model = base_model._replace(made=log.last_received())
        try:
            engine.begin_anew(base_model)
        except sqlite3.Error as error:
            raise CostreamError(f"{directory} cannot be written: {error}", "it is as it was") from None
        learner = fresh.learner
        decisions = engine.events
    engine.close()
    return Relearnt(learner.name, learner.revision, before, served.learnt, refused, removed, decisions)


def _fresh(directory: Path, first: bytes) -> OnlineClassifier:
    began = beginning_of(first)
    if began.rows:
        raise CostreamError(
            f"{directory} began with a model of {began.rows:,} rows, which are not in its log",
            "train that model again with this release, and begin a new directory with it",
        )
    return began.fresh


def _removed(directory: Path, log: Log, is_accepted: bool) -> int:
    """How many labels compactions have removed; an error unless that is accepted."""
    query = "SELECT coalesce(sum(positives + negatives), 0) FROM hourly_costs_removed"
    removed = int(log.read(query)[0][0])
    if removed and not is_accepted:
        raise CostreamError(
            f"{removed:,} labels of {directory} were removed by compactions and cannot be learnt again",
            "go on as it is, or learn what is left: --accept-removed",
        )
    return removed


def _learn_all(log: Log, served: ServedModel, on_progress: OnProgress | None) -> int:
    kinds = "SELECT count(*) FROM labels WHERE kind IN ('label', 'due', 'expiry')"
    total = int(log.read(kinds)[0][0])
    served.learns_again = True
    try:
        refused = learn_records(
            log, served, 0, PAGE, threading.Event(), on_progress and (lambda n: on_progress(n, total))
        )
    except UnexpectedError as error:
        raise CostreamError(
            f"labels from {error.label:,} on cannot be learnt: {error}", "nothing was changed"
        ) from None
    served.learns_again = False
    return len(refused)
