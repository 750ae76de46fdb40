"""A log in which the disk has changed something: it is found, and reported in a sentence."""

from __future__ import annotations

import contextlib
import random
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from costream import CostreamError
from costream.serve.engine import served_model
from costream.serve.engine.maintenance import compact
from costream.serve.engine.recovery import open_engine
from costream.serve.engine.verify import check
from costream.serve.messages import Event, Label
from costream.serve.storage.records import checksum
from helpers.commands import compiled_only, costream, fail, in_process
from helpers.crashes import crashed
from helpers.engines import DAY, Hand, expire, label, opened, score

pytestmark = compiled_only
WAL = "log.sqlite-wal"
TABLES = (
    "base_models",
    "events",
    "pending",
    "labels",
    "rejected",
    "unmatched",
    "hourly_costs",
    "hourly_costs_removed",
    "operations",
)


def write(directory: Path, rounds: int) -> Any:
    """An engine with records of all kinds: revisions, expiries, unmatched and dropped labels."""
    clock = Hand()
    engine = opened(directory, clock, expire=2 * DAY, keep_unmatched=DAY)
    for n in range(rounds):
        names = [f"e{n}-{k}" for k in range(5)]
        events = [Event(one, {"amount": float(len(one) + n % 7), "shop": f"s{n % 4}"}) for one in names]
        score(engine, *events, Event(f"own-{n}", {"amount": 1.0}, fn_cost=10.0 * n, time=1e9 + n))
        label(engine, *(Label(one, n % 3 == 0) for one in names[:3]), Label(f"nobody-{n}", True))
        label(engine, Label(names[0], n % 3 != 0))
        clock.seconds += DAY / 2
        expire(engine)
    return engine


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory whose service was stopped."""
    directory = tmp_path_factory.mktemp("flips") / "closed"
    write(directory, 40).close()
    return directory


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory whose service was killed: half of it is in the write-ahead log."""
    folder = tmp_path_factory.mktemp("flips")
    engine = write(folder / "live", 6)
    engine.log.shorten_wal()
    for n in range(30):
        score(engine, Event(f"late-{n}", {"amount": float(n)}))
    shutil.copytree(folder / "live", folder / "killed")
    (folder / "killed" / "log.sqlite-shm").unlink()
    crashed(engine)
    return folder / "killed"


def dump(directory: Path) -> Any:
    """All tables, or None where they cannot be read."""
    with closing(sqlite3.connect(directory / "log.sqlite")) as db:
        try:
            rows = [db.execute(f"SELECT * FROM {one} ORDER BY 1").fetchall() for one in TABLES]
            schema = db.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
            marks = [
                db.execute(f"PRAGMA {one}").fetchone() for one in ("application_id", "user_version")
            ]
        except (sqlite3.Error, UnicodeError):
            return None
    return rows, schema, marks


def fault_of(directory: Path) -> str | None:
    """What ``replay --check`` finds, or None for nothing: any other error is one of ours."""
    try:
        found = check(directory)
    except CostreamError as error:
        return str(error)
    return found.examples[0] if found.differences else None


def flip(directory: Path, copy: Path, name: str, at: int, bit: int) -> Path:
    if copy.exists():
        shutil.rmtree(copy)
    shutil.copytree(directory, copy)
    content = bytearray((copy / name).read_bytes())
    content[at] ^= 1 << bit
    (copy / name).write_bytes(content)
    return copy


def places(path: Path, count: int) -> list[tuple[int, int]]:
    """Bits all over a file, some of them in each page."""
    chance, size = random.Random(8), path.stat().st_size
    return [
        (n * size // count + chance.randrange(size // count), chance.randrange(8)) for n in range(count)
    ]


def unseen(directory: Path, tmp_path: Path, name: str, count: int) -> tuple[list[Any], int]:
    """Flipped bits that change what the log says and are not found; and how many were found."""
    shutil.copytree(directory, tmp_path / "whole")
    right, found, missed = dump(tmp_path / "whole"), 0, []
    for at, bit in places(directory / name, count):
        copy = flip(directory, tmp_path / "copy", name, at, bit)
        if fault_of(copy) is not None:
            found += 1
        elif dump(copy) != right:
            missed.append((at, bit))
    return missed, found


@pytest.mark.slow
def test_flipped_bits_of_the_log_are_found(closed: Path, tmp_path: Path) -> None:
    missed, found = unseen(closed, tmp_path, "log.sqlite", 300)
    assert (missed, found > 100) == ([], True)  # others are of parts of pages that hold nothing


@pytest.mark.slow
def test_flipped_bits_of_the_write_ahead_log_are_found(killed: Path, tmp_path: Path) -> None:
    missed, found = unseen(killed, tmp_path, WAL, 100)
    assert (missed, found) == ([], 100)


@pytest.mark.slow
def test_what_a_group_that_was_taken_back_has_left_is_no_damage(killed: Path, tmp_path: Path) -> None:
    """Frames after the last transaction that do not end one, as a full disk leaves them."""
    directory = tmp_path / "copy"
    shutil.copytree(killed, directory)
    wal = directory / "log.sqlite-wal"
    content = wal.read_bytes()
    page = int.from_bytes(content[8:12], "big")
    salts = content[16:24]
    left = (7).to_bytes(4, "big") + bytes(4) + salts + bytes(8) + bytes(page)
    wal.write_bytes(content + left)
    assert check(directory).differences == 0


@pytest.mark.parametrize("name", ["log.sqlite", WAL])
def test_a_start_on_flipped_bits_goes_well_or_says_why(killed: Path, tmp_path: Path, name: str) -> None:
    for at, bit in places(killed / name, 100):
        copy = flip(killed, tmp_path / "copy", name, at, bit)
        with contextlib.suppress(CostreamError):
            open_engine(copy).close()


def test_the_log_without_a_flipped_bit_is_the_same(closed: Path, killed: Path) -> None:
    assert [fault_of(closed), fault_of(killed)] == [None, None]


# --- what somebody has changed ------------------------------------------------------------------------


CHANGES = {
    "a total": ("UPDATE hourly_costs SET cost = cost + 1", "row of hourly costs"),
    "an event": ("UPDATE events SET time = '1' WHERE seq = 7", "event 'e1-0' is not as it was written"),
    "a label": ("UPDATE labels SET received = received + 1 WHERE seq = 9", "label 9 is not"),
    "a label removed": ("DELETE FROM labels WHERE seq = 9", "labels are missing before 10"),
    "an event removed": ("DELETE FROM events WHERE seq = 9", "events are missing before 10"),
    "what waits": ("DELETE FROM pending WHERE event = (SELECT max(event) FROM pending)", "waits for"),
    "an operation": ("DELETE FROM operations WHERE seq = 1", "operations are missing"),
    "a label without an event": ("UPDATE unmatched SET positive = 0", "label without an event"),
    "a base model": ("UPDATE base_models SET learnt = 5", "base model 1 is not"),
    "a model": ("UPDATE base_models SET model = zeroblob(9)", "base model 1 is not"),
    "a table": ("CREATE TABLE more (x)", "the tables are not those of a log"),
}


@pytest.mark.parametrize(("statement", "message"), CHANGES.values(), ids=CHANGES)
def test_what_somebody_has_changed_is_found(
    closed: Path, tmp_path: Path, statement: str, message: str
) -> None:
    shutil.copytree(closed, tmp_path / "copy")
    with closing(sqlite3.connect(tmp_path / "copy" / "log.sqlite")) as db:
        db.execute(statement)
        db.commit()
    assert message in str(fault_of(tmp_path / "copy"))


def test_totals_are_made_again_whatever_their_checksum_says(closed: Path, tmp_path: Path) -> None:
    shutil.copytree(closed, tmp_path / "copy")
    with closing(sqlite3.connect(tmp_path / "copy" / "log.sqlite")) as db:
        *row, _ = db.execute("SELECT * FROM hourly_costs LIMIT 1").fetchone()
        row[8] += 0.5
        db.execute(
            "UPDATE hourly_costs SET cost = ?, checksum = ? WHERE hour = ?",
            (row[8], checksum(row), row[0]),
        )
        db.commit()
    assert re.match(r"costs: cost of hour \d+ is", str(fault_of(tmp_path / "copy")))


def test_the_command_says_what_is_damaged_and_fails(closed: Path, tmp_path: Path) -> None:
    shutil.copytree(closed, tmp_path / "copy")
    with closing(sqlite3.connect(tmp_path / "copy" / "log.sqlite")) as db:
        db.execute("UPDATE hourly_costs SET events = events + 1")
        db.commit()
    done = costream("replay", tmp_path / "copy", "--check")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "differs: row of hourly costs" in done.stderr


def test_a_total_cost_on_a_damaged_log_is_a_sentence(closed: Path, tmp_path: Path) -> None:
    shutil.copytree(closed, tmp_path / "copy")
    log = tmp_path / "copy" / "log.sqlite"
    content = log.read_bytes()
    log.write_bytes(content[:4096] + bytes(len(content) - 4096))
    assert "is damaged" in fail(1, "replay", tmp_path / "copy", "-l", "perceptron")


# --- after a compaction -------------------------------------------------------------------------------


@pytest.fixture
def compacted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(served_model, "INFER_AFTER", 5)
    clock = Hand(4_000_000_000.0)  # ahead of the clock of the machine, which compaction goes by
    engine = opened(tmp_path / "old", clock, expire=DAY)
    for n in range(40):
        score(engine, Event(f"e{n}", {"amount": n / 7}, fn_cost=0.1 * n, time=1e9 + 900 * n))
        if n % 3:
            label(engine, Label(f"e{n}", n % 2 == 0))
        clock.seconds += DAY / 4
        expire(engine)
    engine.close()
    assert compact(tmp_path / "old", DAY).removed > 30
    return tmp_path / "old"


def test_right_after_a_compaction_all_is_the_same(compacted: Path) -> None:
    found = in_process("replay", compacted, "--check")
    assert "the costs checked: bit-identical" in found.stdout


def test_totals_are_made_again_after_a_compaction(compacted: Path) -> None:
    with closing(sqlite3.connect(compacted / "log.sqlite")) as db:
        db.execute(
            "DELETE FROM hourly_costs_removed WHERE hour = (SELECT min(hour) FROM hourly_costs_removed)"
        )
        db.commit()
    assert "costs: events of hour" in str(fault_of(compacted))


def test_what_a_compaction_has_kept_is_checked(compacted: Path) -> None:
    with closing(sqlite3.connect(compacted / "log.sqlite")) as db:
        db.execute("UPDATE events SET score = score + 1 WHERE seq = (SELECT max(seq) FROM events)")
        db.commit()
    assert "event 'e39' is not as it was written" in str(fault_of(compacted))


def test_a_compaction_can_be_done_again_and_checked(compacted: Path) -> None:
    engine = opened(compacted, Hand(4_000_000_000.0 + 60 * DAY), expire=DAY)
    engine.close()
    assert fault_of(compacted) is None
