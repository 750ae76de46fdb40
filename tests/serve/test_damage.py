"""Directories that are damaged, in use, or of another release; learning that fails in the middle."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from costream import CostreamError
from costream.model.core import Core
from costream.serve import Client
from costream.serve.engine.engine import Engine
from costream.serve.engine.recovery import open_engine
from costream.serve.engine.served_model import ServedModel
from costream.serve.engine.service import Refused, Service
from costream.serve.messages import Event, Label
from costream.serve.storage.log import Log
from helpers.commands import compiled_only, fail
from helpers.crashes import World, crashed, trained
from helpers.dying_service import UNLEARNABLE, some_refused
from helpers.engines import Hand, label, score
from helpers.histories import faults_of, records_of, replay
from helpers.processes import running

pytestmark = [compiled_only, pytest.mark.slow]
NEW = ("-l", "carow-diag", "--fn-cost", 200, "--fp-cost", 5)


def started(directory: Path) -> Engine:
    return open_engine(directory, trained, seconds=Hand())


def learn(engine: Engine, begin: int, end: int) -> None:
    world = World(5)
    names = [f"e{number}" for number in range(begin, end)]
    score(engine, *(Event(**world.event(name)) for name in names))
    label(engine, *(Label(name, world.truth(name)) for name in names))


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A directory with two snapshots, and labels after them."""
    engine = started(tmp_path / "fraud")
    for begin in (0, 30, 60):
        learn(engine, begin, begin + 30)
        if begin < 60:
            engine.snapshots.write(*engine.snapshot())
    crashed(engine)
    return tmp_path / "fraud"


def bits_of(directory: Path) -> bytes:
    engine = started(directory)
    bits = engine.served.dump({})
    crashed(engine)
    return bits


def snapshots(directory: Path) -> list[Path]:
    return sorted((directory / "snapshots").glob("*.costream"), reverse=True)


def as_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGE: dict[str, Callable[[Path], Any]] = {
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "a byte short": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "a byte long": lambda path: path.write_bytes(path.read_bytes() + b"x"),
    "empty": lambda path: path.write_bytes(b""),
    "random": lambda path: path.write_bytes(random.Random(1).randbytes(path.stat().st_size)),
    "random after its first line": lambda path: path.write_bytes(
        path.read_bytes()[:17] + random.Random(2).randbytes(5000)
    ),
    "missing": lambda path: path.unlink(),
    "a folder": as_a_folder,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("which", [1, 2], ids=["the newest", "all"])
def test_a_damaged_snapshot_changes_no_bit(
    directory: Path, damage: Callable[[Path], Any], which: int
) -> None:
    for path in snapshots(directory)[:which]:
        damage(path)
    assert bits_of(directory) == replay(records_of(directory)).bits


def test_a_flipped_bit_of_a_snapshot_changes_no_bit_of_the_model(directory: Path) -> None:
    path = snapshots(directory)[0]
    content, right = path.read_bytes(), replay(records_of(directory)).bits
    for at in range(0, len(content), len(content) // 60):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        assert bits_of(directory) == right, f"byte {at} of {len(content)}"


def test_a_sound_snapshot_is_used(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learnt: list[int] = []
    monkeypatch.setattr(ServedModel, "learn", lambda _, examples: learnt.append(len(examples)) or {})
    crashed(started(directory))
    assert learnt == [30]


# --- who else is there --------------------------------------------------------------------------------


def test_a_second_process_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    with running(tmp_path / "fraud", *NEW) as process, Client(process.ready()) as client:
        before = client.score("a", {"amount": 1.0})
        why = fail(1, "serve", "--dir", tmp_path / "fraud", "--port", 0)
        assert "is in use by another process" in why
        assert client.score("a", {"amount": 1.0}) == before
        assert client.label("a", True).learnt == 1
        assert process.stop() == 0


def test_a_directory_of_a_newer_release_is_left_as_it_is(directory: Path) -> None:
    with closing(sqlite3.connect(directory / "log.sqlite")) as db:
        db.execute("PRAGMA user_version = 99")
    before = {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}
    with pytest.raises(CostreamError, match="written by a newer release"):
        started(directory)
    after = {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}
    del before[directory / "lock"], after[directory / "lock"]
    assert after == before


def test_a_log_that_cannot_be_read_is_reported_and_leaves_the_directory_free(directory: Path) -> None:
    log = directory / "log.sqlite"
    content = log.read_bytes()
    page = 4096  # the first one, with the names of the tables, stays
    log.write_bytes(content[:page] + random.Random(3).randbytes(len(content) - page))
    with pytest.raises(CostreamError, match="cannot be read"):
        started(directory)
    log.write_bytes(content)
    crashed(started(directory))


# --- learning that fails ------------------------------------------------------------------------------


def fails_once_at(monkeypatch: pytest.MonkeyPatch, amount: float) -> None:
    """Let learning a row fail once, as nobody expects it to."""
    sound, failures = Core.learn_row, iter([KeyError("unexpected")])

    def unsound(self: Core, x: dict[str, Any], *rest: Any, **more: Any) -> float:
        failure = next(failures, None) if x["amount"] == amount else None
        if failure is not None:
            raise failure
        return sound(self, x, *rest, **more)

    monkeypatch.setattr(Core, "learn_row", unsound)


def test_a_group_that_was_learnt_in_part_is_learnt_whole_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails_once_at(monkeypatch, 3.0)

    async def served() -> str | None:
        service = Service.open(tmp_path, trained)
        await service.start()
        await service.score([Event(f"e{n}", {"amount": float(n)}) for n in range(6)])
        with pytest.raises(Refused):
            await service.label([Label(f"e{n}", n > 2) for n in range(6)])
        await service.stop()
        return service.failure

    assert asyncio.run(served()) is not None
    engine = open_engine(tmp_path)
    bits, learnt = engine.served.dump({}), engine.served.learnt
    engine.close()
    records = records_of(tmp_path)
    assert learnt == len(records.examples) - len(records.rejected) == 6
    assert bits == replay(records).bits


def test_what_could_not_be_rejected_for_want_of_room_is_rejected_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = started(tmp_path)
    learn(engine, 0, 30)
    label(engine, Label("odd", False))
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL

    def refuse(*_: object) -> None:
        raise full

    with some_refused():
        with monkeypatch.context() as patch:
            patch.setattr(Log, "reject", refuse)
            score(engine, Event("odd", {UNLEARNABLE: 1.0}))
        engine.close()
        started(tmp_path).close()
        records = records_of(tmp_path)
        assert faults_of(records) == []
        assert records.rejected_labels == replay(records).refused != set()


def test_a_snapshot_that_could_not_be_written_does_not_count(tmp_path, caplog):
    engine = started(tmp_path / "fraud")
    learnt = engine.snapshot_learnt
    learn(engine, 0, 3)
    folder = tmp_path / "fraud" / "snapshots"
    folder.rename(tmp_path / "elsewhere")
    engine.write_snapshot(*engine.snapshot())
    assert engine.snapshot_learnt == learnt
    assert "a snapshot could not be written" in caplog.text
    (tmp_path / "elsewhere").rename(folder)
    engine.close()  # which tries again
    assert len(list(folder.iterdir())) == 1
