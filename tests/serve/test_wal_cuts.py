"""A write-ahead log that ends early, or is damaged: what is left are whole groups, from the first on.

``kill -9`` leaves all that was written to the page cache, so it says nothing about `fsync`. Here a copy
of a live directory is cut as a loss of power could cut it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from costream.serve.engine.engine import Engine
from costream.serve.engine.jobs import ExpireJob, LabelJob, ScoreJob
from costream.serve.engine.recovery import open_engine
from costream.serve.messages import Event, Label
from costream.serve.settings import Settings
from helpers.commands import compiled_only
from helpers.crashes import World, crashed, trained
from helpers.dying_service import some_refused
from helpers.engines import Hand, score
from helpers.histories import Records, costs_of, faults_of, records_of, replay, stored_costs

pytestmark = [compiled_only, pytest.mark.slow]
HEADER, FRAME_HEADER = 32, 24  # bytes of a write-ahead log, and of each of its frames
WAL = "log.sqlite-wal"
MINUTE = 60.0


class Written(NamedTuple):
    """A copy of the directory of a live engine, and the records after each commit."""

    directory: Path
    groups: list[tuple[int, Records]]  # the length of the write-ahead log, and what is recorded by then
    snapshot: int  # the length of the write-ahead log when a snapshot was taken

    @property
    def frames(self) -> list[int]:
        """Where frames begin, and where the last one ends."""
        content = (self.directory / WAL).read_bytes()
        page = int.from_bytes(content[8:12], "big")
        return list(range(HEADER, len(content) + 1, FRAME_HEADER + page))

    def left(self, length: int) -> Records | None:
        """What must be left where only so many bytes are good."""
        return next((records for end, records in reversed(self.groups) if end <= length), None)


@pytest.fixture(scope="module", autouse=True)
def _refusing():
    with some_refused():
        yield


def event(world: World, name: str) -> Event:
    return Event(**world.event(name))


def started(directory: Path, clock: Hand | None = None) -> Engine:
    settings = Settings(expire=2 * MINUTE, accept_loss=True)
    return open_engine(directory, trained, settings, clock or Hand())


def write(engine: Engine, clock: Hand, world: World, rounds: int) -> int:
    """Groups of all kinds: events, labels, revisions, unmatched ones, expiries, and some rejected.

    Returns the length of the write-ahead log when a snapshot was taken.
    """
    snapshot = 0
    engine.run([LabelJob([Label(f"odd-{n}", False) for n in range(rounds)])])
    score(engine, event(world, "first"))
    engine.run([LabelJob([Label("first", False)])])
    for n in range(rounds):
        names = [f"{n}-{k}" for k in range(6)]
        labels = [Label(one, world.truth(one)) for one in names[:4]]
        early = LabelJob([Label(f"{n + 1}-0", world.truth(f"{n + 1}-0"))])
        engine.run([ScoreJob([event(world, one) for one in names]), early])
        engine.run([LabelJob(labels), LabelJob([Label(names[1], not world.truth(names[1]))])])
        clock.seconds += MINUTE
        engine.run([ScoreJob([event(world, f"odd-{n}")]), ExpireJob()])
        if n == rounds // 2:
            engine.snapshots.write(*engine.snapshot())
            snapshot = engine.log.wal_bytes
    return snapshot


def written(directory: Path, rounds: int) -> Written:
    """Write with a live engine, and copy its directory while it is open."""
    clock, world = Hand(), World(1)
    engine = started(directory / "live", clock)
    groups = [(engine.log.wal_bytes, records_of(directory / "live"))]
    commit = engine.log.commit

    def noted() -> None:
        commit()
        groups.append((engine.log.wal_bytes, records_of(directory / "live")))

    engine.log.commit = noted
    snapshot = write(engine, clock, world, rounds)
    shutil.copytree(directory / "live", directory / "copy")
    engine.close()
    return Written(directory / "copy", groups, snapshot)


@pytest.fixture(
    scope="module", params=[3, pytest.param(30, marks=pytest.mark.long)], ids=["quick", "long"]
)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Written:
    return written(tmp_path_factory.mktemp("cuts"), request.param)


def cut(length: int) -> Callable[[bytes], bytes]:
    return lambda content: content[:length]


def flipped(at: int) -> Callable[[bytes], bytes]:
    return lambda content: content[:at] + bytes([content[at] ^ 0x10]) + content[at + 1 :]


def recovered(
    made: Written, scratch: Path, damage: Callable[[bytes], bytes], good: int
) -> tuple[Records, bytes]:
    """The records and the bits of the model, after a start on a damaged copy."""
    shutil.copytree(made.directory, scratch)
    if good < made.snapshot:  # it is taken of what is on disk: where that is not, it was not taken
        shutil.rmtree(scratch / "snapshots")
    (scratch / WAL).write_bytes(damage((scratch / WAL).read_bytes()))
    (scratch / f"{WAL[:-4]}-shm").unlink()  # a new start of the machine leaves none
    engine = started(scratch)
    bits = engine.served.dump({})
    engine.close()
    records = records_of(scratch)
    shutil.rmtree(scratch)
    return records, bits


def check(made: Written, scratch: Path, damage: Callable[[bytes], bytes], good: int) -> None:
    """A start on a damaged copy gives the groups within the good bytes, and their model."""
    records, bits = recovered(made, scratch, damage, good)
    about = f"{good} bytes are good"
    wanted = made.left(good)
    if wanted is None:  # not even the base model is left: it begins anew
        assert (records.events, records.labels, records.unmatched) == ([], [], []), about
    else:
        assert replace(records, rejected=wanted.rejected) == wanted, about
    assert faults_of(records) == [], about
    assert stored_costs(records) == costs_of(records), about
    again = replay(records)
    assert again.bits == bits, about
    # Where the record of it was cut off, a rejected label is found out again.
    assert again.refused == records.rejected_labels, about
    assert again.other_decisions == [], about


def test_a_log_cut_between_frames_is_a_prefix_of_its_groups(made: Written, tmp_path: Path) -> None:
    for end in made.frames:
        check(made, tmp_path / "cut", cut(end), end)


def test_a_log_cut_within_a_frame_is_a_prefix_of_its_groups(made: Written, tmp_path: Path) -> None:
    inside = [1, FRAME_HEADER, FRAME_HEADER + 1000]
    for number, begin in enumerate(made.frames[:-1]):
        check(made, tmp_path / "cut", cut(begin + inside[number % 3]), begin)


def test_a_log_with_a_flipped_bit_ends_before_that_frame(made: Written, tmp_path: Path) -> None:
    inside = [5, 20, FRAME_HEADER + 7]  # the size of the database, the checksum, the page
    for number, begin in enumerate(made.frames[:-1]):
        check(made, tmp_path / "cut", flipped(begin + inside[number % 3]), begin)


def test_the_groups_are_of_all_kinds(made: Written) -> None:
    last = made.groups[-1][1]
    assert {one["kind"] for one in last.labels} == {"label", "expiry", "revision"}
    assert last.unmatched
    assert last.rejected


def test_a_snapshot_of_lost_records_is_not_used_when_others_have_their_numbers(
    made: Written, tmp_path: Path
) -> None:
    """As where an older log is put back from a backup, but the snapshots stay."""
    shutil.copytree(made.directory, tmp_path / "cut")
    path = tmp_path / "cut" / WAL
    early = next(end for end, records in made.groups if len(records.examples) == 1)
    path.write_bytes(path.read_bytes()[:early])
    [snapshot] = [int(one.stem) for one in (tmp_path / "cut" / "snapshots").glob("*.costream")]
    engine = started(tmp_path / "cut")
    for number in count():
        if engine.last_label > snapshot:
            break
        score(engine, Event(f"other-{number}", {"amount": float(number)}))
        engine.run([LabelJob([Label(f"other-{number}", number % 3 == 0)])])
    crashed(engine)
    again = started(tmp_path / "cut")
    bits = again.served.dump({})
    again.close()
    assert bits == replay(records_of(tmp_path / "cut")).bits
