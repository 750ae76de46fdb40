"""Records that are gone, labels that are dropped, a service that takes nothing: each is reported."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from costream import CostreamError
from costream.serve.engine.engine import Engine
from costream.serve.engine.maintenance import backup
from costream.serve.engine.recovery import open_engine
from costream.serve.engine.verify import check
from costream.serve.http.tokens import Tokens
from costream.serve.messages import Event, Label
from costream.serve.settings import Settings
from costream.serve.storage.reader import LogReader
from helpers.asked import asked
from helpers.asked import label as labelled
from helpers.asked import score as sent
from helpers.commands import compiled_only, fail
from helpers.crashes import crashed
from helpers.engines import DAY, Hand, expire, fresh, label, opened, score

pytestmark = compiled_only
WAL = "log.sqlite-wal"
ACCEPTING = Settings(accept_loss=True)


def learn(engine: Engine, begin: int, end: int) -> None:
    for t in range(begin, end):
        score(engine, Event(f"e{t}", {"amount": float(t % 7)}))
        label(engine, Label(f"e{t}", t % 7 > 4))


def left_by_a_kill(tmp_path: Path, act: Callable[[Engine], None]) -> Path:
    """A directory as a killed process leaves it: what it has done last is in the write-ahead log."""
    engine = opened(tmp_path / "live")
    learn(engine, 0, 10)
    engine.log.shorten_wal()
    act(engine)
    shutil.copytree(tmp_path / "live", tmp_path / "left")
    (tmp_path / "left" / f"{WAL[:-4]}-shm").unlink()
    crashed(engine)
    return tmp_path / "left"


def with_a_snapshot(engine: Engine) -> None:
    learn(engine, 10, 20)
    engine.snapshots.write(*engine.snapshot())


# --- records that are gone ----------------------------------------------------------------------------


def test_a_write_ahead_log_that_is_gone_is_found_by_a_newer_snapshot(tmp_path: Path) -> None:
    directory = left_by_a_kill(tmp_path, with_a_snapshot)
    (directory / WAL).unlink()
    with pytest.raises(CostreamError, match="20 labels, the log 10"):
        open_engine(directory)


def test_what_was_lost_can_be_put_back_after_a_start_was_refused(tmp_path: Path) -> None:
    directory = left_by_a_kill(tmp_path, with_a_snapshot)
    (directory / WAL).rename(tmp_path / "wal")
    with pytest.raises(CostreamError, match="lost records"):
        open_engine(directory, fresh)
    (tmp_path / "wal").rename(directory / WAL)
    engine = open_engine(directory)
    assert engine.served.learnt == 20
    engine.close()


def test_events_that_are_gone_are_found_too(tmp_path: Path) -> None:
    def act(engine: Engine) -> None:
        score(engine, Event("waits", {"amount": 1.0}))
        engine.snapshots.write(*engine.snapshot())

    directory = left_by_a_kill(tmp_path, act)
    (directory / WAL).unlink()
    with pytest.raises(CostreamError, match="11 events, the log 10"):
        open_engine(directory)


def test_a_loss_that_is_accepted_is_recorded_and_the_service_goes_on(tmp_path: Path) -> None:
    directory = left_by_a_kill(tmp_path, with_a_snapshot)
    (directory / WAL).unlink()
    engine = open_engine(directory, settings=ACCEPTING)
    [accepted] = engine.log.operations("loss-accepted")
    found = json.loads(accepted.detail)
    assert (found["events"], found["labels"]) == (10, 10)
    assert "20 labels, the log 10" in found["why"][0]
    learn(engine, 100, 120)
    engine.close()
    again = open_engine(directory)  # which need not accept it again
    assert again.served.learnt == 30
    again.close()
    assert check(directory).differences == 0


def test_a_log_that_is_gone_whole_is_not_begun_anew(tmp_path: Path) -> None:
    directory = left_by_a_kill(tmp_path, with_a_snapshot)
    for path in directory.glob("log.sqlite*"):
        path.unlink()
    with pytest.raises(CostreamError, match="the log is empty, and there is a snapshot"):
        open_engine(directory, fresh)
    assert not (directory / "log.sqlite").exists()


@pytest.mark.parametrize("left", ["missing", "empty"])
def test_a_write_ahead_log_without_its_log_is_not_thrown_away(tmp_path: Path, left: str) -> None:
    directory = left_by_a_kill(tmp_path, lambda engine: learn(engine, 10, 20))
    path, wal = directory / "log.sqlite", directory / WAL
    content = wal.read_bytes()
    path.rename(tmp_path / "log")
    if left == "empty":
        path.touch()
    for attempt in (
        partial(open_engine, directory, fresh),
        partial(Tokens.of(directory).add, "a", ["read"]),
    ):
        with pytest.raises(CostreamError, match="its write-ahead log is not"):
            attempt()
    assert wal.read_bytes() == content
    (tmp_path / "log").replace(path)
    engine = open_engine(directory)
    assert engine.served.learnt == 20
    engine.close()


def test_a_lost_log_can_be_accepted_too(tmp_path: Path) -> None:
    directory = left_by_a_kill(tmp_path, lambda engine: learn(engine, 10, 20))
    (directory / "log.sqlite").unlink()
    engine = open_engine(directory, fresh, ACCEPTING)
    assert engine.served.learnt == 0
    assert engine.log.operations("loss-accepted")
    engine.close()


def test_a_refused_start_changes_nothing_and_needs_no_model_to_say_why(tmp_path: Path) -> None:
    engine = opened(tmp_path / "live")
    learn(engine, 0, 10)
    with_a_snapshot(engine)
    shutil.copytree(tmp_path / "live", tmp_path / "left")
    crashed(engine)
    directory = tmp_path / "left"
    for end in ("-wal", "-shm"):
        (directory / f"log.sqlite{end}").unlink()
    for make in (None, fresh):
        with pytest.raises(CostreamError, match="lost records that were acknowledged"):
            open_engine(directory, make)
    with closing(LogReader(directory / "log.sqlite")) as log:
        assert log.base_models() == []


def test_an_older_log_beside_newer_snapshots_is_a_loss(tmp_path: Path) -> None:
    engine = opened(tmp_path / "fraud")
    learn(engine, 0, 10)
    backup(tmp_path / "fraud", tmp_path / "copy")
    learn(engine, 10, 20)
    engine.close()
    shutil.copy(tmp_path / "copy" / "log.sqlite", tmp_path / "fraud" / "log.sqlite")
    with pytest.raises(CostreamError, match="lost records"):
        open_engine(tmp_path / "fraud")
    open_engine(tmp_path / "fraud", settings=ACCEPTING).close()


def test_a_damaged_write_ahead_log_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    directory = left_by_a_kill(tmp_path, lambda engine: learn(engine, 10, 20))
    content = bytearray((directory / WAL).read_bytes())
    content[len(content) // 3] ^= 1
    (directory / WAL).write_bytes(content)
    with pytest.raises(CostreamError, match="the write-ahead log is damaged from frame"):
        open_engine(directory)
    assert (directory / WAL).read_bytes() == content
    engine = open_engine(directory, settings=ACCEPTING)
    assert 10 <= engine.served.learnt < 20
    engine.close()


def test_a_check_of_a_log_that_has_lost_all_says_so(tmp_path: Path) -> None:
    engine = opened(tmp_path / "live")
    with_a_snapshot(engine)
    shutil.copytree(tmp_path / "live", tmp_path / "left")
    crashed(engine)
    for end in ("-wal", "-shm"):
        (tmp_path / "left" / f"log.sqlite{end}").unlink()
    with pytest.raises(CostreamError, match=r"has lost records .* the log has 0"):
        check(tmp_path / "left")


def test_the_command_refuses_and_accepts(tmp_path: Path) -> None:
    directory = left_by_a_kill(tmp_path, with_a_snapshot)
    (directory / WAL).unlink()
    why = fail(1, "serve", "--dir", directory, "--port", 0)
    assert "has lost records that were acknowledged" in why
    assert "--accept-loss" in why


# --- labels that are dropped --------------------------------------------------------------------------


def test_labels_that_are_dropped_are_logged_and_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Hand()
    engine = opened(tmp_path, clock, keep_unmatched=DAY)
    label(engine, Label("a", True), Label("b", False))
    clock.seconds += 2 * DAY
    expire(engine)
    assert "2 labels dropped: no event came in time" in caplog.messages
    assert (engine.status().unmatched, engine.status().unmatched_expired) == (0, 2)
    engine.close()
    again = opened(tmp_path, clock)
    assert again.status().unmatched_expired == 2
    again.close()


# --- a service that takes nothing ---------------------------------------------------------------------


def test_a_service_that_takes_no_more_events_is_not_ready_and_takes_labels(tmp_path: Path) -> None:
    with asked(tmp_path, settings={"max_pending": 2}) as client:
        sent(client, "a")
        sent(client, "b")
        answer = client.get("/health/ready")
        assert answer.status_code == 503
        assert "2 events wait for their labels: labels are taken" in answer.json()["error"]
        assert "costream_ready 0.0" in client.get("/metrics").text
        labelled(client, "a")
        assert client.get("/health/ready").status_code == 200
