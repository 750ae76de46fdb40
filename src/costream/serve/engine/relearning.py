"""All records of a directory learnt again, from a fresh model of this release."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ...errors import CostreamError
from ...model.classifier import OnlineClassifier
from ...model.file import dumps
from ...model.header import beginning_of
from ..storage.directory import existing
from ..storage.log import Log
from .recovery import PAGE, Opening, UnexpectedError, learn_records, new_base_model
from .served_model import ServedModel

OnProgress = Callable[[int, int], None]  # labels learnt, of how many


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
    """Learn all labels, and return how many could not be learnt."""
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
