"""The service: it brings requests to the engine in groups, from one event loop."""

from __future__ import annotations

import asyncio
import logging
import math
import shutil
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from ...errors import place_of
from ..messages import Event, Label, LabelAnswer, Problem
from ..settings import Settings
from ..storage.log import LARGEST_WAL
from .engine import Engine
from .jobs import ExpireJob, Job, LabelJob, LogFailed, LogFull, Scored, ScoreJob
from .recovery import Make, open_engine

logger = logging.getLogger("costream.serve")
ROWS_A_GROUP = 2000
SECONDS_A_GROUP = 0.05  # for decisions and their reasons; what takes longer is cut into groups
TICK = 1.0  # seconds between looks at what has expired
RETRY_AFTER = 1  # seconds, when the queue is full
RETRY_FULL = 5  # seconds, when the disk is
ROOM = 4_000_000  # bytes that are free where a disk is no longer full; a request may need as much

Queued = list[tuple[Job, asyncio.Future[Any]]]


class Refused(Exception):  # noqa: N818
    """A request that was not taken: nothing of it is recorded."""

    def __init__(self, problem: Problem, retry_after: int | None = None) -> None:
        super().__init__(problem.error)
        self.problem = problem
        self.retry_after = retry_after


class Service:
    """The engine of a directory behind a queue.

    Where the log cannot be written any more, ``failure`` says why: the process must end, and what was
    answered is kept. ``stopping`` is set when the service stops, for streams to end.

    >>> import asyncio, tempfile
    >>> from costream import Cost, OnlineClassifier
    >>> from costream.serve import Event, Service
    >>> async def one(directory):
    ...     service = Service.open(directory, lambda: OnlineClassifier("carow-diag", Cost(200, 5)))
    ...     await service.start()
    ...     scored = await service.score([Event("p1", {"amount": 20.0})])
    ...     await service.stop()
    ...     return scored[0].answer.id, scored[0].answer.learnt
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     asyncio.run(one(directory))
    ('p1', 0)
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.settings = engine.settings
        self.failure: str | None = None
        self.full: str | None = None  # why nothing can be written now
        self._full_rows = 0  # of the group that could not be written
        self.queued = 0
        self.is_ready = False  # whether requests are taken
        self._takes_events = True
        self._queue: deque[tuple[Job, asyncio.Future[Any]]] = deque()
        self._closing = False
        self._tidy = False  # whether to look at the write-ahead log after the next group
        self._refused: dict[int, Refused] = {}

    @classmethod
    def open(
        cls,
        directory: str | Path,
        make: Make | None = None,
        settings: Settings | None = None,
        clock: Callable[[], float] = time.time,
        passed: Callable[[], float] | None = None,
    ) -> Service:
        """Lock a directory and recover its model; see `Opening`."""
        return cls(open_engine(Path(directory), make, settings, clock, passed))

    @property
    def directory(self) -> Path:
        return self.engine.directory

    async def start(self) -> None:
        """Begin to take requests, on the running event loop."""
        self.stopping = asyncio.Event()
        self._wake = asyncio.Event()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="costream-engine")
        self._files = ThreadPoolExecutor(1, thread_name_prefix="costream-snapshot")
        self._writing: asyncio.Future[Any] | None = None
        loop = asyncio.get_running_loop()
        for executor in (self._worker, self._files):  # a machine without threads is found out here
            await loop.run_in_executor(executor, bool)
        self._driver = asyncio.create_task(self._drive())
        self._ticker = asyncio.create_task(self._tick())
        if self._room() < ROOM // 4:
            self._now_full("the disk is full", ROWS_A_GROUP)
        self.is_ready = True

    @property
    def not_ready(self) -> str | None:
        """Why no events are taken; None where they are."""
        if not self.is_ready:
            return "the service takes no requests"
        if self.full is not None:
            return self.full
        if self.engine.pending >= self.settings.max_pending:
            return f"{self.engine.pending:,} events wait for their labels: labels are taken, events not"
        return None

    async def stop(self) -> None:
        """Answer what was accepted, take a snapshot, and give the directory back."""
        if self._closing:
            return
        self._closing, self.is_ready = True, False
        self.stopping.set()
        self._ticker.cancel()
        self._wake.set()
        await self._driver
        if self._writing is not None:
            await asyncio.wait([self._writing])
        self._worker.shutdown()
        self._files.shutdown()
        self.engine.close()

    def abandon(self) -> None:
        """Give the directory back after the event loop has ended without `stop`.

        The next start finds everything in the log. No snapshot is taken: a group may be half done.
        """
        self._closing, self.is_ready = True, False
        self._worker.shutdown()
        self._files.shutdown()
        self.engine.release()

    # --- requests -------------------------------------------------------------------------------

    async def score(self, events: list[Event], reasons: int | None = None) -> list[Scored | Problem]:
        """Decide on events: an answer or a problem for each, committed to disk.

        With ``reasons`` None flags get as many as the settings allow. `Refused` is raised if the queue
        is full, the log has failed or the service stops.
        """
        job = ScoreJob(events, reasons)
        await self._submit(job)
        return job.results

    async def label(self, labels: list[Label]) -> list[LabelAnswer | Problem]:
        """Record labels and learn them: an answer or a problem for each; `Refused` as in `score`."""
        return (await self.record(labels)).results

    async def record(self, labels: list[Label]) -> LabelJob:
        """As `label`, with the numbers of the records that were made."""
        job = LabelJob(labels)
        await self._submit(job)
        return job

    def _submit(self, job: Job) -> asyncio.Future[Any]:
        if self.failure is not None:
            raise Refused(
                Problem("the log cannot be written", "the service must be restarted", status=503)
            )
        if self._closing:
            raise Refused(Problem("the service is stopping", "try again", status=503), RETRY_AFTER)
        if self.queued + job.rows > self.settings.max_queue:
            problem = Problem("too many requests wait to be written", "try again", status=503)
            raise Refused(problem, RETRY_AFTER)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._queue.append((job, future))
        self.queued += job.rows
        self._wake.set()
        return future

    # --- the driver -----------------------------------------------------------------------------

    async def _drive(self) -> None:
        """Take groups from the queue until the service stops and the queue is empty."""
        while True:
            if not self._queue:
                if self._closing:
                    return
                self._wake.clear()
                await self._wake.wait()
                continue
            group = self._next_group()
            await self._run([job for job, _ in group])
            waiting: Queued = []
            begun: Queued = []
            for job, future in group:
                if job.done == job.rows or id(job) in self._refused:
                    self.queued -= job.rows
                    if not future.done():
                        self._answer(job, future)
                else:
                    (begun if job.done else waiting).append((job, future))
            self._queue.extendleft(reversed(waiting))
            self._queue.extend(begun)  # a large one waits for those that came meanwhile

    def _next_group(self) -> Queued:
        group: Queued = []
        rows = 0
        while self._queue and (not group or rows + self._queue[0][0].rows <= ROWS_A_GROUP):
            group.append(self._queue.popleft())
            rows += group[-1][0].rows
        return group

    def _answer(self, job: Job, future: asyncio.Future[Any]) -> None:
        refused = self._refused.pop(id(job), None)
        if refused is None:
            future.set_result(None)
        elif isinstance(job, ExpireJob) or not job.done:
            future.set_exception(refused)
        else:  # some of its rows are on disk: the others say that they are not
            rows = job.events if isinstance(job, ScoreJob) else job.labels
            left = [msgspec.structs.replace(refused.problem, id=row.id) for row in rows[job.done :]]
            job.results[job.done :] = left
            future.set_result(None)

    async def _run(self, jobs: list[Job]) -> None:
        """Run a group. If it cannot be written, its jobs are refused; a bad one is found singly."""
        self._refused = {}
        try:
            await self._run_group(jobs)
        except LogFull as full:
            self._now_full(str(full), sum(job.rows for job in jobs))
            problem = Problem(str(full), "nothing was recorded: make room, then try again", status=503)
            self._refuse(jobs, Refused(problem, RETRY_FULL))
        except LogFailed as failed:
            self._fail(str(failed))
            problem = Problem("the log cannot be written", "the service must be restarted", status=503)
            self._refuse(jobs, Refused(problem))
        except Exception as error:
            if len(jobs) == 1:
                logger.error("a request could not be handled: %s", place_of(error))
                self._refuse(jobs, Refused(Problem("the request could not be handled", status=500)))
                return
            found: dict[int, Refused] = {}
            for job in jobs:
                await self._run([job])
                found |= self._refused
            self._refused = found

    async def _run_group(self, jobs: list[Job]) -> None:
        if self.failure is not None:
            raise LogFailed(self.failure)
        if not self.engine.holds_directory:
            raise LogFailed("the lock file was removed, or the directory moved or replaced")
        if self._tidy and not self.engine.log.is_in_place:
            raise LogFailed("log.sqlite, log.sqlite-wal or log.sqlite-shm was removed or replaced")
        loop = asyncio.get_running_loop()
        self.engine.begin(jobs, SECONDS_A_GROUP, probe=self.full is not None)
        await loop.run_in_executor(self._worker, self.engine.commit)
        if self.full is not None:
            self._look_for_room(sum(job.rows for job in jobs))
        try:
            if self.engine.takes_long():
                await loop.run_in_executor(self._worker, self.engine.finish)
            else:
                self.engine.finish()
        except Exception as error:  # the log is ahead of the model, which only a new start can mend
            raise LogFailed(f"learning failed: {type(error).__name__}") from error
        try:
            await self._tidy_up()
        except Exception as error:  # what was asked for is done all the same
            logger.error("tidying up failed: %s: %s", type(error).__name__, error)

    async def _tidy_up(self) -> None:
        """Shorten the write-ahead log, and have a snapshot written, where it is time."""
        tidy, self._tidy = self._tidy, False
        loop = asyncio.get_running_loop()
        if tidy and self.engine.log.wal_bytes > LARGEST_WAL:
            await loop.run_in_executor(self._worker, self.engine.log.shorten_wal)
        if self.engine.snapshot_is_due() and (self._writing is None or self._writing.done()):
            saved = await loop.run_in_executor(self._worker, self.engine.snapshot)
            self._writing = loop.run_in_executor(self._files, self.engine.write_snapshot, *saved)

    def _refuse(self, jobs: list[Job], refused: Refused) -> None:
        self._refused |= {id(job): refused for job in jobs}

    def _fail(self, why: str) -> None:
        if self.failure is None:
            logger.critical("the log cannot be written any more: %s", why)
        self.failure, self.is_ready = why, False

    def _now_full(self, why: str, rows: int) -> None:
        if self.full is None:
            logger.error("nothing can be written: %s; requests are refused until it can", why)
        self.full, self._full_rows = why, max(rows, self._full_rows)

    def _look_for_room(self, rows: int) -> None:
        """Something was written. The disk is full until there is room for as much as did not fit."""
        if rows >= max(1, self._full_rows) or self._room() >= ROOM:
            self.full, self._full_rows = None, 0
            logger.warning("the log can be written again")

    def _room(self) -> float:
        try:
            return shutil.disk_usage(self.directory).free
        except OSError:
            return math.inf

    def _log_pending(self) -> None:
        takes = self.engine.pending < self.settings.max_pending
        if takes != self._takes_events:
            self._takes_events = takes
            why = "events are taken again" if takes else "no more events are taken (--max-pending)"
            logger.warning("%d events wait for their labels: %s", self.engine.pending, why)

    async def _tick(self) -> None:
        """Let events expire, and keep the write-ahead log short."""
        while True:
            await asyncio.sleep(TICK)
            self._log_pending()
            job, self._tidy = ExpireJob(), True
            try:
                await self._submit(job)
                while job.expired:
                    job = ExpireJob()
                    await self._submit(job)
            except Refused:
                continue
