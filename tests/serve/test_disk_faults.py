"""A disk that is full or fails: each has one answer, and nothing acknowledged is lost."""

from __future__ import annotations

import errno
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from costream import save
from costream.serve.connection import Connection
from costream.serve.engine.recovery import open_engine
from helpers.commands import compiled_only
from helpers.crashes import trained
from helpers.faults import Disk, compiled
from helpers.histories import costs_of, faults_of, records_of, replay, stored_costs
from helpers.processes import PATIENCE, Process, running

pytestmark = [compiled_only, pytest.mark.slow]
WAL = "log.sqlite-wal"
DRAFT = "*.costream."  # a snapshot before it has its name


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("faults"))


@pytest.fixture
def disk(library: Path, tmp_path: Path) -> Disk:
    return Disk(library, tmp_path)


@pytest.fixture
def start(tmp_path: Path, disk: Disk) -> Any:
    """Start a service on the disk; gives what `running` gives."""
    save(trained(), tmp_path / "trained.costream")

    def started(*options: object, **more: Any) -> Any:
        more = {"environment": disk.environment, **more}
        return running(tmp_path / "fraud", "-m", tmp_path / "trained.costream", *options, **more)

    return started


class Asking:
    """Requests that are sent once; what was acknowledged is kept."""

    def __init__(self, process: Process) -> None:
        self._connection = Connection(process.ready(), None, PATIENCE, 0)
        self.events: dict[str, dict[str, Any]] = {}
        self.labels: dict[str, dict[str, Any]] = {}

    def score(self, name: str) -> tuple[int, Any, str | None]:
        status, body, wait = self._post(
            "/v1/score", {"id": name, "features": {"amount": len(name) + 1.0}}
        )
        if status == 200:
            self.events[name] = body
        return status, body, wait

    def label(self, name: str) -> tuple[int, Any, str | None]:
        status, body, wait = self._post("/v1/labels", {"id": name, "label": "7" in name})
        if status in (200, 202):
            self.labels[name] = body
        return status, body, wait

    def many(self, begin: str, count: int) -> None:
        """Events and their labels, all of which must be acknowledged."""
        for number in range(count):
            assert self.score(f"{begin}-{number}")[0] == 200
            assert self.label(f"{begin}-{number}")[0] == 200

    def finds(self, name: str) -> bool:
        return self._connection.send("GET", f"/v1/events/{name}", None)[0] == 200

    def is_ready(self) -> bool:
        return self._connection.send("GET", "/health/ready", None)[0] == 200

    def close(self) -> None:
        self._connection.close()

    def _post(self, path: str, message: dict[str, Any]) -> tuple[int, Any, str | None]:
        status, text, wait = self._connection.send("POST", path, msgspec.json.encode(message))
        return status, msgspec.json.decode(text), wait


@pytest.fixture
def asking() -> Any:
    made: list[Asking] = []

    def ask(process: Process) -> Asking:
        made.append(Asking(process))
        return made[-1]

    yield ask
    for one in made:
        one.close()


def check(directory: Path, *asked: Asking) -> None:
    """All that was acknowledged is recorded, and the model is that of the records."""
    records = records_of(directory)
    engine = open_engine(directory)
    bits = engine.served.dump({})
    engine.close()
    events, labels = records.by_id, records.labels_of_events()
    for one in asked:
        assert {name: events[name]["score"] for name in one.events} == {
            name: answer["score"] for name, answer in one.events.items()
        }
        assert all(labels.get(events[name]["seq"]) for name in one.labels)
    assert faults_of(records) == []
    assert stored_costs(records) == costs_of(records)
    assert replay(records).bits == bits


def until(happens: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < end, f"this never happened: {what}"
        time.sleep(0.02)


# --- a full disk ------------------------------------------------------------------------------------


def test_a_service_on_a_full_disk_is_not_ready_until_there_is_room_though_nobody_asks(
    tmp_path: Path, start: Any, asking: Any, disk: Disk
) -> None:
    with start() as process:
        client = asking(process)
        client.many("before", 3)
        disk.fails(errno.ENOSPC, "w", WAL)
        assert client.score("refused")[0] == 503
        end = time.monotonic() + 2.5  # some of its own attempts to write
        while time.monotonic() < end:
            assert not client.is_ready()
            time.sleep(0.1)
        disk.recovers()
        until(client.is_ready, "ready again")
        client.many("after", 3)
        assert "nothing can be written: the disk is full" in process.output
        assert "the log can be written again" in process.output
        assert process.stop() == 0
    check(tmp_path / "fraud", client)


def test_on_a_full_disk_requests_are_refused_until_there_is_room(
    tmp_path: Path, start: Any, disk: Disk, asking: Any
) -> None:
    with start() as process:
        ask = asking(process)
        ask.many("before", 5)
        ask.score("waits")
        disk.fails(errno.ENOSPC, "w", WAL)
        for request in (lambda: ask.score("new"), lambda: ask.label("waits")):
            status, body, wait = request()
            assert (status, wait) == (503, "5")
            assert "disk is full" in body["error"]
        assert not ask.finds("new")
        disk.recovers()
        assert ask.score("new")[1]["learnt"] == 5
        assert ask.label("waits")[1] == {"id": "waits", "status": "learnt", "learnt": 6}
        assert process.stop() == 0
    check(tmp_path / "fraud", ask)


def test_expiry_goes_on_when_there_is_room(tmp_path: Path, start: Any, disk: Disk, asking: Any) -> None:
    with start("--expire", "1s") as process:
        ask = asking(process)
        ask.score("waits")
        disk.fails(errno.ENOSPC, "w", WAL)
        until(lambda: "w" in disk.calls, "an expiry that cannot be written")
        disk.recovers()
        path = "/v1/events/waits"
        until(
            lambda: b'"expired"' in ask._connection.send("GET", path, None)[1], "the event has expired"
        )
        assert process.stop() == 0
    check(tmp_path / "fraud", ask)


def test_a_disk_that_is_full_at_the_end_loses_nothing(
    tmp_path: Path, start: Any, disk: Disk, asking: Any
) -> None:
    with start() as process:
        ask = asking(process)
        ask.many("before", 5)
        disk.fails(errno.ENOSPC, "w", "*fraud/")  # log, write-ahead log and snapshots
        assert process.stop() == 0
        assert "a snapshot could not be written" in process.output
    check(tmp_path / "fraud", ask)


# --- a disk that fails ------------------------------------------------------------------------------


@pytest.mark.parametrize("calls", ["s", "w"], ids=["sync", "write"])
@pytest.mark.parametrize("times", [1, -1], ids=["once", "always"])
def test_where_the_log_cannot_be_written_the_service_refuses_and_ends(
    tmp_path: Path, start: Any, disk: Disk, asking: Any, calls: str, times: int
) -> None:
    with start() as process:
        ask = asking(process)
        ask.many("before", 5)
        disk.fails(errno.EIO, calls, WAL, times)
        status, body, _ = ask.score("refused")
        assert (status, body["error"]) == (503, "the log cannot be written")
        assert process.ended() == 1
        assert "the log cannot be written any more" in process.output
    assert "w" not in disk.calls[1:]  # a commit that is tried again would write
    disk.recovers()
    check(tmp_path / "fraud", ask)


def test_after_a_failed_sync_a_new_start_goes_on(
    tmp_path: Path, start: Any, disk: Disk, asking: Any
) -> None:
    with start() as process:
        first = asking(process)
        first.many("before", 5)
        disk.fails(errno.EIO, "s", WAL)
        first.score("unknown")
        process.ended()
    disk.recovers()
    with start() as process:
        second = asking(process)
        assert second.score("unknown")[0] == 200  # whether it was recorded or not
        second.many("after", 5)
        assert process.stop() == 0
    check(tmp_path / "fraud", first, second)


def test_what_a_failed_sync_has_left_is_not_built_upon(
    tmp_path: Path, start: Any, disk: Disk, asking: Any
) -> None:
    """After a failed sync the system takes what was written for clean and never writes it again.

    The next process still reads it. A loss of power then takes it out of the middle of the log.
    """
    wal, copy = tmp_path / "fraud" / WAL, tmp_path / "copy"
    with start() as process:
        first = asking(process)
        first.many("before", 5)
        disk.fails(errno.EIO, "s", WAL)
        good = wal.stat().st_size
        first.score("never on disk")
        process.ended()
    left = wal.read_bytes()[good:]
    disk.recovers()
    with start() as process:
        second = asking(process)
        second.many("after", 5)
        process.kill()
    shutil.copytree(tmp_path / "fraud", copy)
    content = (copy / WAL).read_bytes()
    if left and content[good:].startswith(left):
        (copy / WAL).write_bytes(content[:good] + bytes(len(left)) + content[good + len(left) :])
    (copy / "log.sqlite-shm").unlink()
    check(copy, first, second)


# --- snapshots ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO], ids=["full", "failing"])
@pytest.mark.parametrize("calls", ["s", "w"], ids=["sync", "write"])
def test_a_snapshot_that_cannot_be_written_is_only_logged(
    tmp_path: Path, start: Any, disk: Disk, asking: Any, error: int, calls: str
) -> None:
    with start("--snapshot-every", 5) as process:
        ask = asking(process)
        disk.fails(error, calls, DRAFT)
        ask.many("during", 12)
        until(lambda: "a snapshot could not be written" in process.output, "a line about it")
        assert list((tmp_path / "fraud" / "snapshots").iterdir()) == []
        disk.recovers()
        ask.many("after", 12)
        assert ask.is_ready()
        assert process.stop() == 0
    assert list((tmp_path / "fraud" / "snapshots").glob("*.costream"))
    check(tmp_path / "fraud", ask)
