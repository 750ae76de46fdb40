"""Backups of a directory that is served, and compaction of one that is not."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from costream import CostreamError
from costream.serve.engine import served_model
from costream.serve.engine.engine import Engine
from costream.serve.engine.maintenance import backup, compact
from costream.serve.engine.recovery import open_engine
from costream.serve.engine.replay import total_costs
from costream.serve.engine.verify import check
from costream.serve.messages import Event, Label
from costream.serve.storage.log import Log
from helpers.commands import compiled_only
from helpers.engines import DAY, START, Hand, fresh, label, opened, score

pytestmark = compiled_only


@pytest.fixture(autouse=True)
def infers_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served_model, "INFER_AFTER", 20)


def learn(engine: Engine, begin: int, end: int) -> None:
    for t in range(begin, end):
        score(engine, Event(f"e{t}", {"amount": float(t % 7), "shop": f"s{t % 5}"}))
        label(engine, Label(f"e{t}", t % 7 > 4))


def bits(engine: Engine) -> bytes:
    return engine.served.dump({})


# --- backup -----------------------------------------------------------------------------------------


def test_a_backup_of_a_service_that_runs_is_the_same_model(tmp_path: Path) -> None:
    engine = opened(tmp_path / "fraud")
    learn(engine, 0, 60)
    assert backup(tmp_path / "fraud", tmp_path / "copy")[:2] == (60, 60)
    before = bits(engine)
    learn(engine, 60, 70)
    engine.close()
    copy = open_engine(tmp_path / "copy")
    assert bits(copy) == before
    copy.close()


def test_a_backup_is_of_one_moment_while_a_service_writes(tmp_path: Path) -> None:
    engine, stop = opened(tmp_path / "fraud"), threading.Event()
    learn(engine, 0, 30)

    def write() -> None:
        at = 30
        while not stop.is_set():
            learn(engine, at, at + 1)
            at += 1

    writer = threading.Thread(target=write)
    writer.start()
    copies = [backup(tmp_path / "fraud", tmp_path / f"copy{n}") for n in range(5)]
    stop.set()
    writer.join()
    engine.close()
    for n, copied in enumerate(copies):
        found = check(tmp_path / f"copy{n}")
        assert (found.decisions, found.differences) == (copied.events, 0)


def test_a_backup_replaces_nothing(tmp_path: Path) -> None:
    opened(tmp_path / "fraud").close()
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "mine").write_text("keep")
    with pytest.raises(CostreamError, match="is there already"):
        backup(tmp_path / "fraud", tmp_path / "copy")
    assert (tmp_path / "copy" / "mine").read_text() == "keep"


def test_a_backup_that_fails_leaves_nothing(tmp_path: Path) -> None:
    opened(tmp_path / "fraud").close()
    (tmp_path / "fraud" / "log.sqlite").write_bytes(b"damaged" * 1000)
    with pytest.raises(CostreamError, match="cannot be read"):
        backup(tmp_path / "fraud", tmp_path / "copy")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["fraud"]


# --- compaction -------------------------------------------------------------------------------------


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A directory of 40 events long ago, one of which waits for its label, and 20 newer ones."""
    clock = Hand(START)
    engine = opened(tmp_path, clock)
    learn(engine, 0, 40)
    score(engine, Event("waits", {"amount": 1.0}))
    clock.seconds += 4000 * DAY  # ahead of the clock of the machine, which compaction goes by
    learn(engine, 40, 60)
    engine.close()
    return tmp_path


def test_old_events_go_and_those_that_wait_stay(old: Path) -> None:
    found = compact(old, 90 * DAY)
    assert (found.removed, found.kept) == (40, 21)
    engine = open_engine(old)
    assert engine.find("e0") is None
    assert engine.find("waits") is not None
    engine.close()


def test_compaction_changes_neither_model_nor_costs(old: Path) -> None:
    engine = open_engine(old)
    before, total = engine.served.learnt, engine.summary().total
    scores = [engine.served.decide(Event("x", {"amount": float(t), "shop": "s1"})) for t in range(9)]
    engine.close()
    compact(old, 90 * DAY)
    engine = open_engine(old)
    again = [engine.served.decide(Event("x", {"amount": float(t), "shop": "s1"})) for t in range(9)]
    assert (engine.served.learnt, engine.summary().total, again) == (before, total, scores)
    engine.close()


def test_a_compacted_directory_goes_on_and_is_checked_from_there(old: Path) -> None:
    compact(old, 90 * DAY)
    engine = open_engine(old, lambda: fresh())
    learn(engine, 60, 80)
    label(engine, Label("waits", True))
    assert engine.served.learnt == 81
    score(engine, Event("last", {"amount": 1.0}))
    engine.close()
    found = check(old)
    assert (found.decisions, found.compacted, found.differences) == (21, 21, 0)


def test_other_learners_can_be_compared_on_what_is_kept(old: Path) -> None:
    compact(old, 90 * DAY)
    live, *_ = total_costs(old)
    assert live.tally.rows == 20


def test_an_answer_from_before_a_compaction_is_still_given(old: Path) -> None:
    engine = open_engine(old)
    [first] = score(engine, Event("e59", {"amount": 3.0, "shop": "s4"}))
    engine.close()
    compact(old, 90 * DAY)
    engine = open_engine(old)
    assert score(engine, Event("e59", {"amount": 3.0, "shop": "s4"})) == [first]
    engine.close()


def test_a_directory_can_be_compacted_again(old: Path) -> None:
    compact(old, 90 * DAY)
    engine = open_engine(old, lambda: fresh())
    label(engine, Label("waits", True))
    engine.close()
    assert compact(old, 90 * DAY).removed == 1
    open_engine(old, lambda: fresh()).close()


def test_too_few_labels_to_compact(tmp_path: Path) -> None:
    engine = opened(tmp_path)
    learn(engine, 0, 10)
    engine.close()
    with pytest.raises(CostreamError, match="has learnt 10 labels"):
        compact(tmp_path, DAY)


def test_a_compaction_that_fails_leaves_everything_as_it_was(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Log, "forget", fail)
        with pytest.raises(CostreamError, match="could not be compacted"):
            compact(old, 90 * DAY)
    engine = open_engine(old)
    assert (engine.base_model.number, engine.find("e0") is not None) == (1, True)
    engine.close()
