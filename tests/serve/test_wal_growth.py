"""The write-ahead log grows while somebody reads an old state, and is cut back when they have gone."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from costream.serve.engine import service
from costream.serve.engine.recovery import open_engine
from costream.serve.engine.service import Service
from costream.serve.messages import Event, Label
from costream.serve.storage import log
from costream.serve.storage.log import Log
from helpers.crashes import trained
from helpers.histories import faults_of, records_of, replay
from helpers.processes import PATIENCE

LIMIT = 400_000  # bytes


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "PAGES_OF_WAL", 50)
    monkeypatch.setattr(log, "LARGEST_WAL", LIMIT)
    monkeypatch.setattr(service, "LARGEST_WAL", LIMIT)
    monkeypatch.setattr(service, "TICK", 0.02)


def served(directory: Path, story: Callable[[Service], Awaitable[None]]) -> None:
    """Run a story with a service that is stopped at the end."""

    async def run() -> None:
        opened = Service.open(directory, trained)
        await opened.start()
        try:
            await story(opened)
        finally:
            await opened.stop()

    asyncio.run(run())


async def write(opened: Service, begin: int, end: int) -> None:
    """Events and labels, in groups of 250."""
    for at in range(begin, end, 250):
        names = [f"e{number}" for number in range(at, at + 250)]
        await opened.score([Event(name, {"amount": float(len(name)), "shop": name}) for name in names])
        await opened.label([Label(name, name.endswith("7")) for name in names])


async def until(happens: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not happens() and time.monotonic() < end:
        await asyncio.sleep(0.01)


def test_the_log_grows_under_a_reader_and_is_cut_back_after_it(tmp_path: Path) -> None:
    sizes: list[int] = []

    async def story(opened: Service) -> None:
        await write(opened, 0, 250)
        with closing(sqlite3.connect(tmp_path / "log.sqlite", isolation_level=None)) as reader:
            reader.execute("BEGIN")
            seen = reader.execute("SELECT count(*) FROM events").fetchone()[0]
            await write(opened, 250, 2500)
            sizes.append(opened.engine.log.wal_bytes)
            assert reader.execute("SELECT count(*) FROM events").fetchone()[0] == seen
        await until(lambda: opened.engine.log.wal_bytes <= LIMIT)
        sizes.append(opened.engine.log.wal_bytes)
        assert opened.failure is None

    served(tmp_path, story)
    assert sizes[0] > LIMIT >= sizes[1]


def test_nothing_is_lost_under_a_reader(tmp_path: Path) -> None:
    async def story(opened: Service) -> None:
        with closing(sqlite3.connect(tmp_path / "log.sqlite", isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM events").fetchone()
            await write(opened, 0, 1000)

    served(tmp_path, story)
    records = records_of(tmp_path)
    assert (len(records.events), len(records.examples)) == (1000, 1000)
    assert faults_of(records) == []
    engine = open_engine(tmp_path)
    bits = engine.served.dump({})
    engine.close()
    assert bits == replay(records).bits


def test_without_readers_the_log_stays_short(tmp_path: Path) -> None:
    sizes: list[int] = []

    async def story(opened: Service) -> None:
        for begin in range(0, 3000, 500):
            await write(opened, begin, begin + 500)
            await until(lambda: opened.engine.log.wal_bytes <= LIMIT)
            sizes.append(opened.engine.log.wal_bytes)

    served(tmp_path, story)
    assert max(sizes) <= LIMIT


@pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR], ids=["full", "failing"])
def test_a_log_that_cannot_be_cut_back_refuses_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(_: Log) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = code
        raise error

    monkeypatch.setattr(Log, "shorten_wal", refuse)
    monkeypatch.setattr(service, "LARGEST_WAL", 0)
    found: list[str] = []

    async def story(opened: Service) -> None:
        await opened.score([Event("a", {"amount": 1.0})])
        opened._tidy = True
        found.extend(one.status for one in await opened.label([Label("a", True)]))

    served(tmp_path, story)
    assert found == ["learnt"]
