"""Opening the directory of a service: the newest snapshot, the labels since, and ready."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from ..classifier import OnlineClassifier
from ..errors import CostreamError
from ..modelfile import dumps, load
from ..row_costs import FourCosts
from .directory import LOG, SNAPSHOTS, DirectoryLock, made, sync_folder
from .engine import Engine
from .fingerprint import fingerprint
from .log import Log
from .owner import Lesson, Owner, name_of
from .records import Origin
from .settings import Settings
from .snapshots import Snapshots

logger = logging.getLogger("costream.serve")
PAGE = 1000  # labels that are read, and learnt, at once
SAY_EVERY = 100_000
decode = msgspec.json.Decoder().decode

Make = Callable[[], OnlineClassifier]


def open_engine(
    directory: Path,
    make: Make | None = None,
    settings: Settings | None = None,
    seconds: Callable[[], float] = time.time,
) -> Engine:
    """Lock a directory and bring its model to where the log ends.

    ``make`` gives the model that a new directory begins with. In one that has a model, it must be the
    same one, or None.
    """
    settings = settings or Settings()
    is_new = not (directory / LOG).exists()
    if is_new and make is None:
        raise CostreamError(
            f"{directory} is new, and there is no model to begin with",
            "say what mistakes cost, --fn-cost 200 --fp-cost 5, or give a model: -m MODEL",
        )
    first = None if make is None else make()
    lock = DirectoryLock(made(directory))
    log = None
    try:
        log = Log(directory / LOG)
        if is_new:
            sync_folder(directory)
        origin = _origin(log, first, directory, seconds)
        owner = _recovered(log, origin, directory, settings)
        engine = Engine(directory, lock, log, owner, origin, settings, seconds)
        _put_aside(engine, owner)
        if origin.fingerprint != fingerprint():
            _begin_anew(engine)
        return engine
    except BaseException as error:
        if log is not None:
            log.close()
        lock.release()
        if not isinstance(error, sqlite3.Error):
            raise
        raise CostreamError(
            f"the log of {directory} cannot be read: {error}",
            "restore it from a backup: costream serve backup makes one",
        ) from None


def _origin(
    log: Log, first: OnlineClassifier | None, directory: Path, seconds: Callable[[], float]
) -> Origin:
    """What the model begins with: that of the log, or a first one."""
    origins = log.origins()
    if not origins:
        if first is None:
            raise CostreamError(
                f"{directory} has no model", "give one: -m MODEL, or --fn-cost and --fp-cost"
            )
        now = int(seconds() * 1000)
        content = dumps(first)
        origin = Origin(1, now, 0, 0, 0, fingerprint(), "start", name_of(content), content)
        log.begin()
        log.add_origin(origin)
        log.commit()
        return origin
    if first is not None:
        _check_same(log, first, directory)
    return log.origin(origins[-1].number)


def _check_same(log: Log, first: OnlineClassifier, directory: Path) -> None:
    """Raise an error if a directory began with another model than the one that is asked for."""
    began = log.origin(1).content
    if dumps(load(began)) != dumps(first):  # a model file names the release that has written it
        was = _described(Owner(began).model)
        raise CostreamError(
            f"{directory} began with another model: {was}, not {_described(first)}",
            "leave out the options of the model to go on with it, or begin in another directory",
        )


def _described(model: OnlineClassifier) -> str:
    learnt = f" that has learnt {model.rows:,} rows" if model.rows else ""
    return f"{model.learner.name} for {model.objective!r}{learnt}"


def _recovered(log: Log, origin: Origin, directory: Path, settings: Settings) -> Owner:
    """The model, from the newest snapshot and the labels since.

    A label at which learning fails in a way that nobody expected is found and put aside, and all is
    done again without it, so that no record stops every start.
    """
    one_by_one = False
    while True:
        try:
            return _resumed(log, origin, directory, settings, one_by_one)
        except UnexpectedError as error:
            if one_by_one:
                logger.error("label %d is put aside: %s", error.label, error)
                log.begin()
                log.put_aside(error.label, str(error))
                log.commit()
            one_by_one = True


class UnexpectedError(Exception):
    """Learning a label failed in a way that may have left the model half changed."""

    def __init__(self, label: int, error: Exception) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.label = label


def _resumed(log: Log, origin: Origin, directory: Path, settings: Settings, one_by_one: bool) -> Owner:
    """The newest snapshot that will do, or the origin, and the labels since."""
    owner, after = Owner(origin.content, origin.learnt), origin.label_seq
    snapshot = Snapshots(directory / SNAPSHOTS, settings.snapshots).newest(origin.number, log.mark)
    if snapshot is not None and owner.may_resume(snapshot.notes["learnt"]):
        owner.resume(snapshot.model, snapshot.notes["learnt"])
        after = snapshot.notes["label_seq"]
    owner.core.warm_up()
    owner.core.score_row({}, 1.0)
    owner.refused = learn_records(log, owner, after, 1 if one_by_one else PAGE)
    return owner


def learn_records(log: Log, owner: Owner, after: int, page: int = PAGE) -> dict[int, str]:
    """Learn the labels of a log after one of them; returns those that could not be learnt."""
    aside, refused, told = log.asides(), {}, owner.learnt
    for rows in log.in_pages(lambda seq: log.lessons(seq, page), after):
        kept = [row for row in rows if row[0] not in aside]
        found: dict[int, str] = {}
        try:
            owner.learn([lesson_from(row) for row in kept], found.__setitem__)
        except MemoryError:
            raise
        except Exception as error:
            raise UnexpectedError(kept[0][0], error) from error
        refused.update({kept[t][0]: why for t, why in found.items()})
        if owner.learnt - told >= SAY_EVERY:
            told = owner.learnt
            logger.info("recovering: %d labels learnt", told)
    return refused


def lesson_from(row: tuple[Any, ...]) -> Lesson:
    """A lesson of `Log.lessons`."""
    _, positive, label, features, own, *costs = row
    return Lesson(
        decode(features),
        FourCosts(*costs) if own else None,
        bool(positive),
        None if label is None else decode(label),
    )


def _put_aside(engine: Engine, owner: Owner) -> None:
    if owner.refused:
        engine.put_aside(owner.refused)
        owner.refused = {}


def _begin_anew(engine: Engine) -> None:
    """Make the model as it is an origin: this release or machine computes other bits."""
    engine.begin_anew(new_origin(engine, "upgrade"))
    logger.warning(
        "this release or this machine may compute other bits than the one before: "
        "the model after %d labels is the new origin",
        engine.owner.learnt,
    )


def new_origin(engine: Engine, cause: str) -> Origin:
    """The model as it is, for later records to be learnt from."""
    owner, old = engine.owner, engine.origin
    if owner.infers:  # it learns all of its few labels again at every start
        content, label_seq, learnt = old.content, old.label_seq, old.learnt
    else:
        content, label_seq, learnt = owner.dump({}), engine.last_label, owner.learnt
    number, now = old.number + 1, engine.clock.now()
    return Origin(
        number,
        now,
        label_seq,
        engine.last_event,
        learnt,
        fingerprint(),
        cause,
        name_of(content),
        content,
    )
