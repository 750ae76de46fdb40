"""Engines of a service for tests: a cheap learner, a clock to be set, short ways to send things."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from costream import Cost, OnlineClassifier
from costream.serve.engine.engine import Engine
from costream.serve.engine.jobs import ExpireJob, LabelJob, Scored, ScoreJob
from costream.serve.engine.recovery import open_engine
from costream.serve.messages import Event, Label, LabelAnswer, Problem
from costream.serve.settings import Settings
from costream.serve.storage.records import EVENT, LABEL, checksum, checksum_of_event

DAY = 86400.0
START = 1_800_000_000.0


class Hand:
    """A clock that stands where it is put."""

    def __init__(self, seconds: float = START) -> None:
        self.seconds = seconds

    def __call__(self) -> float:
        return self.seconds


class Hands(Hand):
    """A clock, and the time that has really passed: ``go`` moves both."""

    def __init__(self, seconds: float = START) -> None:
        super().__init__(seconds)
        self.really = 1000.0

    def go(self, seconds: float) -> None:
        self.seconds += seconds
        self.really += seconds

    def passed(self) -> float:
        return self.really


def fresh(learner: str = "carow-diag") -> OnlineClassifier:
    return OnlineClassifier(learner, Cost(fn_cost=200, fp_cost=5))


def opened(
    directory: Path, clock: Hand | None = None, learner: str = "carow-diag", **settings: Any
) -> Engine:
    """The engine of a directory, which begins with a fresh model."""
    passed = clock.passed if isinstance(clock, Hands) else None
    return open_engine(directory, lambda: fresh(learner), Settings(**settings), clock or Hand(), passed)


def score(engine: Engine, *events: Event, reasons: int | None = None) -> list[Scored | Problem]:
    job = ScoreJob(list(events), reasons)
    engine.run([job])
    return job.results


def label(engine: Engine, *labels: Label) -> list[LabelAnswer | Problem]:
    job = LabelJob(list(labels))
    engine.run([job])
    return job.results


def expire(engine: Engine) -> int:
    job = ExpireJob()
    engine.run([job])
    return job.expired


def statuses(results: list[Any]) -> list[Any]:
    return [one.status for one in results]


def changed(directory: Path, folder: Path, statement: str, *, sealed: bool = False) -> Path:
    """A copy of a log in which something is not as it was; ``sealed`` corrects the checksums."""
    with sqlite3.connect(directory / "log.sqlite") as source:
        folder.mkdir()
        with sqlite3.connect(folder / "log.sqlite") as copy:
            source.backup(copy)
            copy.execute(statement)
            kinds = (("events e", EVENT, checksum_of_event), ("labels l", LABEL, checksum))
            for table, columns, of in kinds if sealed else ():
                for row in copy.execute(f"SELECT {columns} FROM {table}").fetchall():
                    copy.execute(
                        f"UPDATE {table[:-2]} SET checksum = ? WHERE seq = ?", (of(row), row[0])
                    )
            copy.commit()
    return folder
