"""Opening the directory of a service: the newest snapshot, the labels since, and ready."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ...costs.rows import FourCosts
from ...errors import CostreamError, NotEnoughMemoryError
from ...model.classifier import OnlineClassifier
from ...model.file import dumps, loads
from ...model.header import beginning_of
from ..messages import decode
from ..settings import Settings
from ..storage.corrections import CLOCK, Unresolved
from ..storage.database import RESTORE, UNREADABLE, is_empty
from ..storage.directory import LOG, SNAPSHOTS, TOKENS, DirectoryLock, keep_private, made, sync_folder
from ..storage.log import Log
from ..storage.records import BaseModel, LearntRecord
from ..storage.snapshots import Snapshots
from ..storage.wal import damage_of_wal, is_orphaned
from .clock import Clock, monotonic
from .engine import Engine
from .fingerprint import fingerprint
from .served_model import ServedModel, TrainingExample, name_of
from .warm import warm_up

logger = logging.getLogger("costream.serve")
PAGE = 1000  # labels that are read, and learnt, at once
LOG_EVERY = 100_000  # labels between two lines about progress

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
                "give the costs of mistakes, --fn-cost 200 --fp-cost 5, or a model: -m MODEL",
            )
        first = None if make is None else make()
        self._cancelled = threading.Event()
        self._lock = DirectoryLock(made(directory))
        self._log: Log | None = None
        with self.given_back_if_it_fails():
            keep_private(directory / TOKENS, make=False)
            self._snapshots = Snapshots(directory / SNAPSHOTS, self.settings.snapshots)
            for file in self._snapshots.files():
                keep_private(file, make=False)
            why = self._losses_of_files()
            self._log = log = Log(directory / LOG)
            if is_new:
                sync_folder(directory)
            log.check_hourly_costs()
            lost = self._snapshots.of_lost_records(log)
            why += [one.why for one in lost]
            self._check_losses(why)
            self._base_model = _base_model(log, first, directory, seconds)
            if why:
                _record_losses(log, why, [one.file for one in lost])

    def _losses_of_files(self) -> list[str]:
        """What is lost before the log is opened, which would hide it."""
        found, path = [], self.directory / LOG
        if is_orphaned(path):
            found.append("the log is missing or empty, and its write-ahead log is not")
            self._check_losses(found)
            path.with_name(f"{path.name}-wal").unlink()
        damage = damage_of_wal(path)
        if damage is not None and damage.commits > 1:
            found.append(f"the write-ahead log is damaged from frame {damage.frame} on")
        elif damage is not None:  # a transaction that was under way when the power went
            logger.warning("the write-ahead log ends with what was not written whole: that is left out")
        snapshots = self._snapshots.files()
        if snapshots and is_empty(path):
            found.append(f"the log is empty, and there is a snapshot, {snapshots[0].name}")
        self._check_losses(found)
        return found

    def _check_losses(self, why: list[str]) -> None:
        """Refuse to go on where records are gone that were acknowledged, unless that is accepted."""
        if why and not self.settings.accept_loss:
            raise lost_records(self.directory, why)

    @property
    def log(self) -> Log:
        assert self._log is not None
        return self._log

    @property
    def has_events(self) -> bool:
        return self.log.last("events") > 0

    @property
    def model(self) -> OnlineClassifier:
        """What the labels of the log are learnt from."""
        return loads(self._base_model.content)

    def engine(self) -> Engine:
        """Compile what is needed, learn the labels since the newest snapshot, and be ready."""
        with self.given_back_if_it_fails():
            _check_revision(self.directory, self._base_model)
            warm_up(self.model)
            served = self._recovered(self.log)
            engine = self.engine_of(served)
            if served.refused:
                engine.reject(served.refused)
                served.refused = {}
            if self._base_model.fingerprint != fingerprint():
                _begin_anew(engine)
            _log_revision(served)
        return engine

    def engine_of(self, served: ServedModel) -> Engine:
        """The engine with a model that has learnt what is in the log."""
        clock = _clock(self.log, self._seconds, self._passed)
        return Engine(
            self.directory, self._lock, self.log, served, self._base_model, self.settings, clock
        )

    def _recovered(self, log: Log) -> ServedModel:
        """The model, from the newest snapshot and the labels since.

        A label at which learning fails in a way that nobody expected is found and rejected, and all is
        done again without it, so that no record stops every start. Where the machine lacks something,
        the start ends: the same label may well be learnt on another day.
        """
        one_by_one = False
        while True:
            try:
                return self._resumed(log, 1 if one_by_one else PAGE)
            except UnexpectedError as error:
                if one_by_one:
                    logger.error("label %d is rejected: %s", error.label, error)
                    log.begin()
                    log.reject(error.label, str(error))
                    log.commit()
                one_by_one = True

    def _resumed(self, log: Log, page: int) -> ServedModel:
        """The newest snapshot that will do, or the base model, and the labels since."""
        base_model = self._base_model
        served, after = ServedModel(base_model.content, base_model.learnt), base_model.label_seq
        snapshot = self._snapshots.newest(base_model.number, log.mark)
        if snapshot is not None and served.may_resume(snapshot.notes["learnt"]):
            served.resume(snapshot.model, snapshot.notes["learnt"])
            after = snapshot.notes["label_seq"]
        served.core.warm_up()
        served.learns_again = True
        served.refused = learn_records(log, served, after, page, self._cancelled)
        served.learns_again = False
        served.renew_fit()
        return served

    def cancel(self) -> None:
        """Have `engine`, in another thread, stop soon: it raises `StartCancelledError`."""
        self._cancelled.set()

    def close(self) -> None:
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
    open_since = Unresolved.of(log.operations(*CLOCK))
    is_ahead = open_since.event is not None
    return Clock(seconds, passed, log.last_received(), open_since.in_doubt_since, is_ahead)


def _record_losses(log: Log, why: list[str], snapshots: list[Path]) -> None:
    """Remember that a loss was accepted, and go on without what knows of it."""
    detail = {"events": log.last("events"), "labels": log.last("labels"), "why": why}
    log.begin()
    log.add_operation("loss-accepted", log.last_received(), detail)
    log.commit()
    for file in snapshots:
        file.unlink(missing_ok=True)
    logger.warning("records are lost, and that is accepted: %s", "; ".join(why))


def lost_records(directory: Path, why: list[str]) -> CostreamError:
    """What a directory has lost, and how that is known."""
    return CostreamError(
        f"{directory} has lost records that were acknowledged: {'; '.join(why)}",
        "put log.sqlite and log.sqlite-wal back as they were; to go on without these records, start "
        "once with --accept-loss",
    )


def _base_model(
    log: Log, first: OnlineClassifier | None, directory: Path, seconds: Callable[[], float]
) -> BaseModel:
    """What the model begins with: the base model of the log, or a first one."""
    base_models = log.base_models()
    if not base_models:
        if first is None:
            raise CostreamError(
                f"{directory} has no model", "give one: -m MODEL, or --fn-cost and --fp-cost"
            )
        now = int(seconds() * 1000)
        content = dumps(first)
        base_model = BaseModel(1, now, 0, 0, 0, fingerprint(), "start", name_of(content), content)
        log.begin()
        log.add_base_model(base_model)
        log.commit()
        return base_model
    if first is not None:
        _check_same(log, first, directory)
    return log.base_model(base_models[-1].number)


def _check_same(log: Log, first: OnlineClassifier, directory: Path) -> None:
    """Raise an error if a directory began with another model than the one that is asked for."""
    content = log.base_model(1).content
    began = beginning_of(content)
    same = set()
    if began.is_read:
        same.add(dumps(loads(content)))  # as this release writes it: a model file names its release
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
    served: ServedModel,
    after: int,
    page: int,
    cancelled: threading.Event,
    on_page: Callable[[int], None] | None = None,
) -> dict[int, str]:
    """Learn the labels of a log after one of them; returns those that could not be learnt.

    ``on_page`` is called with the number of labels learnt, now and then.
    """
    rejected, refused, logged = log.rejected(), {}, served.learnt
    for rows in log.in_pages(lambda seq: log.examples(seq, page), after):
        if cancelled.is_set():
            raise StartCancelledError
        kept = [row for row in rows if row.seq not in rejected]
        try:
            found = served.learn([example_from(row) for row in kept])
        except Exception as error:
            if is_of_the_machine(error):
                raise short_machine(error) from error
            raise UnexpectedError(kept[0].seq, error) from error
        refused.update({kept[t].seq: why for t, why in found.items()})
        if on_page is not None:
            on_page(served.learnt)
        elif served.learnt - logged >= LOG_EVERY:
            logged = served.learnt
            logger.info("recovering: %d labels learnt", logged)
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


def example_from(row: LearntRecord) -> TrainingExample:
    """A training example of `Log.examples`."""
    return TrainingExample(
        decode(row.features),
        FourCosts(*row.costs) if row.own else None,
        bool(row.positive),
        None if row.label is None else decode(row.label),
        row.forecast,
    )


def _check_revision(directory: Path, base_model: BaseModel) -> None:
    began = beginning_of(base_model.content)
    if not began.is_read:
        name = began.fresh.learner.name
        raise CostreamError(
            f"{directory} has revision {began.revision} of {name}, which this release does not read",
            f"go on with costream {began.release}, or learn all records again: costream serve relearn "
            f"{directory}",
        )


def _log_revision(served: ServedModel) -> None:
    """Log that this release has a newer revision of the learner than the model."""
    learner = served.core.learner
    if learner.revision < type(learner).revision:
        logger.info(
            "the model goes on with revision %d of %s; costream serve relearn learns all records again "
            "with revision %d",
            learner.revision,
            learner.name,
            type(learner).revision,
        )


def _begin_anew(engine: Engine) -> None:
    """Make the model as it is the new base model: this release or machine computes other bits."""
    engine.begin_anew(new_base_model(engine, "upgrade"))
    logger.warning(
        "this release or this machine may compute other bits than the one before: "
        "the model after %d labels is the new base model",
        engine.served.learnt,
    )


def new_base_model(engine: Engine, cause: str) -> BaseModel:
    """The model as it is, for later records to be learnt from."""
    served, old = engine.served, engine.base_model
    if served.infers:  # it learns all of its few labels again at every start
        content, label_seq, learnt = served.base_model, 0, 0
    else:
        content, label_seq, learnt = served.dump({}), engine.last_label, served.learnt
    number, now = old.number + 1, engine.clock.now()
    return BaseModel(
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
