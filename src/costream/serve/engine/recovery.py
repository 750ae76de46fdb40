"""Opening the directory of a service: the newest snapshot, the labels since, and ready."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ...costs.rows import FourCosts
from ...errors import CostreamError, NotEnoughMemoryError
from ...model.classifier import OnlineClassifier
from ...model.file import dumps, loads
from ...model.header import beginning_of
from ..settings import Settings
from ..storage.corrections import CLOCK, Unsettled
from ..storage.database import RESTORE, UNREADABLE, is_empty
from ..storage.directory import LOG, SNAPSHOTS, TOKENS, DirectoryLock, keep_private, made, sync_folder
from ..storage.log import Log
from ..storage.records import Origin
from ..storage.snapshots import Snapshots
from ..storage.wal import damage_of_wal, is_orphaned
from .clock import Clock, monotonic
from .engine import Engine
from .fingerprint import fingerprint
from .served_model import Lesson, Owner, name_of
from .warm import warm_up

logger = logging.getLogger("costream.serve")
PAGE = 1000  # labels that are read, and learnt, at once
SAY_EVERY = 100_000
decode = msgspec.json.Decoder().decode
encode = msgspec.json.Encoder().encode

Make = Callable[[], OnlineClassifier]


def open_engine(
    directory: Path,
    make: Make | None = None,
    settings: Settings | None = None,
    seconds: Callable[[], float] = time.time,
    passed: Callable[[], float] | None = None,
) -> Engine:
    """Lock a directory and bring its model to where the log ends; see `Opening`."""
    return Opening(directory, make, settings, seconds, passed).engine()


class StartCancelledError(Exception):
    """The service was stopped before it was ready; the next start begins where this one did."""


class Opening:
    """A directory that is locked and can be served, whose model is still to learn what is in the log.

    ``make`` gives the model that a new directory begins with. In one that has a model, it must be the
    same one, or None. ``passed`` gives seconds that go by whatever is done to the clock, ``seconds``;
    by default those of the system, or of ``seconds`` where that is not the system's clock.
    """

    def __init__(
        self,
        directory: Path,
        make: Make | None = None,
        settings: Settings | None = None,
        seconds: Callable[[], float] = time.time,
        passed: Callable[[], float] | None = None,
    ) -> None:
        self.directory, self.settings = directory, settings or Settings()
        self._seconds = seconds
        self._passed = passed or (monotonic if seconds is time.time else seconds)
        is_new = not (directory / LOG).exists()
        if is_new and make is None:
            raise CostreamError(
                f"{directory} is new, and there is no model to begin with",
                "say what mistakes cost, --fn-cost 200 --fp-cost 5, or give a model: -m MODEL",
            )
        first = None if make is None else make()
        self._cancelled = threading.Event()
        self._lock = DirectoryLock(made(directory))
        self._log: Log | None = None
        with self.given_back_if_it_fails():
            keep_private(directory / TOKENS, make=False)
            for file in Snapshots(directory / SNAPSHOTS, self.settings.snapshots).files():
                keep_private(file, make=False)
            why = _losses_of_files(directory, self.settings)
            self._log = log = Log(directory / LOG)
            if is_new:
                sync_folder(directory)
            log.check_bill()
            losses = _losses(log, directory, why, self.settings)
            self._origin = _origin(log, first, directory, seconds)
            _record_losses(log, losses)

    @property
    def log(self) -> Log:
        """The log, which is open."""
        assert self._log is not None
        return self._log

    @property
    def has_events(self) -> bool:
        """Whether anything was decided here."""
        return self.log.last("events") > 0

    @property
    def model(self) -> OnlineClassifier:
        """What the labels of the log are learnt from."""
        return loads(self._origin.content)

    def engine(self) -> Engine:
        """Compile what is needed, learn the labels since the newest snapshot, and be ready."""
        with self.given_back_if_it_fails():
            _check_revision(self.directory, self._origin)
            warm_up(self.model)
            owner = self._recovered(self.log)
            engine = self.engine_of(owner)
            _put_aside(engine, owner)
            if self._origin.fingerprint != fingerprint():
                _begin_anew(engine)
            _say_revision(owner)
        return engine

    def engine_of(self, owner: Owner) -> Engine:
        """The engine with a model that has learnt what is in the log."""
        clock = _clock(self.log, self._seconds, self._passed)
        return Engine(self.directory, self._lock, self.log, owner, self._origin, self.settings, clock)

    def _recovered(self, log: Log) -> Owner:
        """The model, from the newest snapshot and the labels since.

        A label at which learning fails in a way that nobody expected is found and put aside, and all is
        done again without it, so that no record stops every start. Where the machine lacks something,
        the start ends: the same label may well be learnt on another day.
        """
        one_by_one = False
        while True:
            try:
                return self._resumed(log, 1 if one_by_one else PAGE)
            except UnexpectedError as error:
                if one_by_one:
                    logger.error("label %d is put aside: %s", error.label, error)
                    log.begin()
                    log.put_aside(error.label, str(error))
                    log.commit()
                one_by_one = True

    def _resumed(self, log: Log, page: int) -> Owner:
        """The newest snapshot that will do, or the origin, and the labels since."""
        origin, snapshots = self._origin, Snapshots(self.directory / SNAPSHOTS, self.settings.snapshots)
        owner, after = Owner(origin.content, origin.learnt), origin.label_seq
        snapshot = snapshots.newest(origin.number, log.mark)
        if snapshot is not None and owner.may_resume(snapshot.notes["learnt"]):
            owner.resume(snapshot.model, snapshot.notes["learnt"])
            after = snapshot.notes["label_seq"]
        owner.core.warm_up()
        owner.learns_again = True
        owner.refused = learn_records(log, owner, after, page, self._cancelled)
        owner.learns_again = False
        owner.renew_fit()
        return owner

    def cancel(self) -> None:
        """Have `engine`, in another thread, give up soon: it raises `StartCancelledError`."""
        self._cancelled.set()

    def close(self) -> None:
        """Give the directory back."""
        if self._log is not None:
            self._log.close()
        self._lock.release()

    @contextmanager
    def given_back_if_it_fails(self) -> Iterator[None]:
        """Give the directory back where what is done with it fails."""
        try:
            yield
        except BaseException as error:
            self.close()
            if not isinstance(error, UNREADABLE):
                raise
            raise CostreamError(
                f"the log of {self.directory} cannot be read: {error}", RESTORE
            ) from None


def _clock(log: Log, seconds: Callable[[], float], passed: Callable[[], float]) -> Clock:
    """The clock, which goes on where the log ends."""
    open_since = Unsettled.of(log.operations(*CLOCK))
    is_ahead = open_since.event is not None
    return Clock(seconds, passed, log.last_received(), open_since.held_since, is_ahead)


def _losses_of_files(directory: Path, settings: Settings) -> list[str]:
    """What is lost before the log is opened, which would hide it."""
    found, path = [], directory / LOG
    if is_orphaned(path):
        why = "the log is missing or empty, and its write-ahead log is not"
        if not settings.accept_loss:
            raise lost_records(directory, [why])
        found.append(why)
        path.with_name(f"{path.name}-wal").unlink()
    damage = damage_of_wal(path)
    if damage is not None and damage.commits > 1:
        found.append(f"the write-ahead log is damaged from frame {damage.frame} on")
    elif damage is not None:  # a transaction that was under way when the power went
        logger.warning("the write-ahead log ends with what was not written whole: that is left out")
    snapshots = Snapshots(directory / SNAPSHOTS, settings.snapshots).files()
    if snapshots and is_empty(path):
        found.append(f"the log is empty, and there is a snapshot, {snapshots[0].name}")
    if found and not settings.accept_loss:
        raise lost_records(directory, found)
    return found


class Losses(NamedTuple):
    """Acknowledged records that are gone: how that is known, and by which snapshots."""

    why: list[str]
    snapshots: list[Path]


def _losses(log: Log, directory: Path, why: list[str], settings: Settings) -> Losses:
    """Refuse to go on where records are gone that were acknowledged, unless that is accepted."""
    lost = Snapshots(directory / SNAPSHOTS, settings.snapshots).of_lost_records(log)
    found = Losses([*why, *(one.why for one in lost)], [one.file for one in lost])
    if found.why and not settings.accept_loss:
        raise lost_records(directory, found.why)
    return found


def _record_losses(log: Log, losses: Losses) -> None:
    """Remember that a loss was accepted, and go on without what knows of it."""
    if not losses.why:
        return
    detail = {"events": log.last("events"), "labels": log.last("labels"), "why": losses.why}
    log.begin()
    log.add_operation("loss-accepted", log.last_received(), encode(detail).decode())
    log.commit()
    for file in losses.snapshots:
        file.unlink(missing_ok=True)
    logger.warning("records are lost, and that is accepted: %s", "; ".join(losses.why))


def lost_records(directory: Path, why: list[str]) -> CostreamError:
    """What a directory has lost, and how that is known."""
    return CostreamError(
        f"{directory} has lost records that were acknowledged: {'; '.join(why)}",
        "put log.sqlite and log.sqlite-wal back as they were; to go on without these records, start "
        "once with --accept-loss",
    )


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
    content = log.origin(1).content
    began = beginning_of(content)
    same = set()
    if began.is_read:
        same.add(
            dumps(loads(content))
        )  # as this release writes it: a model file names the one that has
    if not began.rows:
        same.add(dumps(began.fresh))  # the same options with the revision of this release
    if dumps(first) not in same:
        was = _described(began.fresh, began.rows)
        raise CostreamError(
            f"{directory} began with another model: {was}, not {_described(first, first.rows)}",
            "leave out the options of the model to go on with it, or begin in another directory",
        )


def _described(model: OnlineClassifier, rows: int) -> str:
    learnt = f" that has learnt {rows:,} rows" if rows else ""
    return f"{model.learner.name} for {model.objective!r}{learnt}"


class UnexpectedError(Exception):
    """Learning a label failed in a way that may have left the model half changed."""

    def __init__(self, label: int, error: Exception) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.label = label


def learn_records(
    log: Log,
    owner: Owner,
    after: int,
    page: int,
    cancelled: threading.Event,
    on_page: Callable[[int], None] | None = None,
) -> dict[int, str]:
    """Learn the labels of a log after one of them; returns those that could not be learnt.

    ``on_page`` is called with the number of labels learnt, now and then.
    """
    aside, refused, told = log.asides(), {}, owner.learnt
    for rows in log.in_pages(lambda seq: log.lessons(seq, page), after):
        if cancelled.is_set():
            raise StartCancelledError
        kept = [row for row in rows if row[0] not in aside]
        found: dict[int, str] = {}
        try:
            owner.learn([lesson_from(row) for row in kept], found.__setitem__)
        except Exception as error:
            if is_of_the_machine(error):
                raise short_machine(error) from error
            raise UnexpectedError(kept[0][0], error) from error
        refused.update({kept[t][0]: why for t, why in found.items()})
        if on_page is not None:
            on_page(owner.learnt)
        elif owner.learnt - told >= SAY_EVERY:
            told = owner.learnt
            logger.info("recovering: %d labels learnt", told)
    return refused


def is_of_the_machine(error: Exception) -> bool:
    """Whether an error is of a lack of memory, threads or files, and not of what was learnt."""
    if isinstance(error, MemoryError | NotEnoughMemoryError | OSError):
        return True
    return isinstance(error, RuntimeError) and "start new thread" in str(error)


def short_machine(error: Exception) -> CostreamError:
    """Why a start ends where the machine lacks something."""
    why = str(error).partition("\nhint: ")[0] or type(error).__name__
    return CostreamError(
        f"the machine is short of memory or threads: {why}",
        "nothing was changed: stop other processes or raise its limits (MemoryMax=, TasksMax=, ulimit, "
        "those of the container), then start again",
    )


def lesson_from(row: tuple[Any, ...]) -> Lesson:
    """A lesson of `Log.lessons`."""
    _, positive, label, features, own, *costs = row
    return Lesson(
        decode(features),
        FourCosts(*costs) if own else None,
        bool(positive),
        None if label is None else decode(label),
    )


def _check_revision(directory: Path, origin: Origin) -> None:
    """Raise an error for a model of a revision that this release does not read."""
    began = beginning_of(origin.content)
    if not began.is_read:
        name = began.fresh.learner.name
        raise CostreamError(
            f"{directory} has revision {began.revision} of {name}, which this release does not read",
            f"go on with costream {began.release}, or learn all records again: costream serve relearn "
            f"{directory}",
        )


def _put_aside(engine: Engine, owner: Owner) -> None:
    if owner.refused:
        engine.put_aside(owner.refused)
        owner.refused = {}


def _say_revision(owner: Owner) -> None:
    """Say that this release has a newer revision of the learner than the model."""
    learner = owner.core.learner
    if learner.revision < type(learner).revision:
        logger.info(
            "the model goes on with revision %d of %s; costream serve relearn learns all records again "
            "with revision %d",
            learner.revision,
            learner.name,
            type(learner).revision,
        )


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
        content, label_seq, learnt = owner.origin, 0, 0
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
