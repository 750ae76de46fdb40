"""The lock of a directory, the rights of its files, and what a killed backup leaves."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from costream import CostreamError
from costream.serve import Client
from costream.serve.engine.maintenance import backup
from costream.serve.engine.recovery import open_engine
from costream.serve.http.tokens import Tokens
from costream.serve.messages import Event, Label
from costream.serve.storage.directory import Draft
from helpers.commands import compiled_only
from helpers.engines import label, opened, score
from helpers.processes import running

pytestmark = [
    compiled_only,
    pytest.mark.skipif(sys.platform == "win32", reason="rights and locks of POSIX systems"),
]
NEW = ("-l", "carow-diag", "--fn-cost", 200, "--fp-cost", 5)


# --- the lock -----------------------------------------------------------------------------------------


def test_a_removed_lock_file_lets_nobody_in(tmp_path: Path) -> None:
    engine = opened(tmp_path)
    (tmp_path / "lock").unlink()
    with pytest.raises(CostreamError, match="in use by another process"):
        open_engine(tmp_path)
    engine.close()


def moved(directory: Path) -> None:
    directory.rename(directory.with_name("elsewhere"))


def replaced(directory: Path) -> None:
    shutil.copytree(directory, directory.with_name("copy"))
    directory.rename(directory.with_name("elsewhere"))
    directory.with_name("copy").rename(directory)


def other_log(directory: Path) -> None:
    shutil.copy(directory / "log.sqlite", directory / "other")
    (directory / "other").rename(directory / "log.sqlite")


NOT_OURS = "the lock file was removed, or the directory moved or replaced"
NOT_THE_LOG = "log.sqlite, log.sqlite-wal or log.sqlite-shm was removed or replaced"
CHANGES = {
    "lock removed": (lambda directory: (directory / "lock").unlink(), NOT_OURS),
    "directory moved": (moved, NOT_OURS),
    "directory replaced": (replaced, NOT_OURS),
    "log replaced": (other_log, NOT_THE_LOG),
}


@pytest.mark.slow
@pytest.mark.parametrize(("change", "message"), CHANGES.values(), ids=CHANGES)
def test_a_service_whose_directory_is_no_longer_its_own_stops(
    tmp_path: Path, change: Callable[[Path], None], message: str
) -> None:
    with running(tmp_path / "fraud", *NEW) as process:
        change(tmp_path / "fraud")
        assert process.ended() == 1
        assert message in process.output


@pytest.mark.slow
@pytest.mark.parametrize("name", ["log.sqlite-wal", "log.sqlite-shm"])
def test_a_write_ahead_log_that_is_removed_under_a_service_loses_nothing(
    tmp_path: Path, name: str
) -> None:
    """It is noticed, and what was in it is written to the database at the end."""
    with running(tmp_path / "fraud", *NEW) as process:
        with Client(process.url or "") as service:
            service.score("a", {"amount": 1.0})
        (tmp_path / "fraud" / name).unlink()
        assert process.ended() == 1
        assert NOT_THE_LOG in process.output
    engine = open_engine(tmp_path / "fraud")
    assert engine.last_event == 1
    engine.close()


# --- the rights of files ------------------------------------------------------------------------------


@contextlib.contextmanager
def umask(mask: int):
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def shared(directory: Path) -> list[str]:
    """The files that others than their owner may read or write."""
    files = [one for one in directory.rglob("*") if one.is_file()]
    return [str(one) for one in files if stat.S_IMODE(one.stat().st_mode) & 0o077]


@pytest.mark.parametrize("mask", [0o000, 0o022])
def test_files_are_for_their_owner_alone_in_any_directory(tmp_path: Path, mask: int) -> None:
    with umask(mask):
        (tmp_path / "open").mkdir(mode=0o777)
        engine = opened(tmp_path / "open")
        score(engine, Event("a", {"amount": 1.0}))
        label(engine, Label("a", True))
        engine.snapshots.write(*engine.snapshot())
        backup(tmp_path / "open", tmp_path / "copy")
        names = {one.name for one in (tmp_path / "open").rglob("*") if one.is_file()}
        assert {"log.sqlite", "log.sqlite-wal", "log.sqlite-shm", "lock"} < names
        assert shared(tmp_path) == []
        engine.close()


def test_tokens_and_snapshots_are_taken_from_others_at_a_start(tmp_path: Path) -> None:
    directory = tmp_path / "fraud"
    engine = opened(directory)
    score(engine, Event("a", {"amount": 1.0}))
    label(engine, Label("a", True))
    engine.close()
    Tokens.of(directory).add("till", ["score"])
    files = [directory / "tokens.json", *(directory / "snapshots").iterdir()]
    assert len(files) == 2
    for one in files:
        one.chmod(0o666)
    opened(directory).close()
    assert [stat.S_IMODE(one.stat().st_mode) for one in files] == [0o600] * 2


def test_files_that_others_could_read_are_taken_from_them(tmp_path: Path) -> None:
    opened(tmp_path).close()
    (tmp_path / "log.sqlite").chmod(0o644)
    (tmp_path / "lock").chmod(0o666)
    opened(tmp_path).close()
    assert shared(tmp_path) == []


# --- a killed backup ----------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from pathlib import Path
from costream.serve.engine.maintenance import backup
backup(Path(sys.argv[1]), Path(sys.argv[2]), lambda done, total: os.kill(os.getpid(), signal.SIGKILL))
"""
ENDED = """
import os, sys
from costream.cli import main
from costream.serve.engine import maintenance
copied = maintenance._copy
def killed(*arguments):
    os.kill(os.getpid(), {number})
    return copied(*arguments)
maintenance._copy = killed
sys.argv[1:1] = ["serve", "backup"]
main()
"""


@pytest.mark.parametrize("name", ["monday", "tuesday"])
def test_the_next_backup_removes_what_a_killed_one_has_left(tmp_path: Path, name: str) -> None:
    opened(tmp_path / "fraud").close()
    copies = tmp_path / "copies"
    copies.mkdir()
    command = [sys.executable, "-c", KILLED, tmp_path / "fraud", copies / "monday"]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert len([*copies.iterdir()]) == 1  # a draft
    backup(tmp_path / "fraud", copies / name)
    assert [*copies.iterdir()] == [copies / name]


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_backup_that_is_ended_leaves_nothing(tmp_path: Path, which: signal.Signals) -> None:
    opened(tmp_path / "fraud").close()
    program = ENDED.format(number=int(which))
    command = [sys.executable, "-c", program, tmp_path / "fraud", tmp_path / "copy"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 128 + which
    assert [one.name for one in tmp_path.iterdir()] == ["fraud"]


def test_the_draft_of_a_backup_that_runs_stays(tmp_path: Path) -> None:
    opened(tmp_path / "fraud").close()
    draft = Draft(tmp_path)
    backup(tmp_path / "fraud", tmp_path / "copy")
    assert draft.path.is_dir()
    draft.remove()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["copy", "fraud"]
