"""``costream lab`` as it is installed: kills and missing data."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest

from helpers.commands import COSTREAM, compiled_only, costream, succeed, write_libsvm

pytestmark = compiled_only

LONG = """
title = "Long"
datasets = ["rows"]
files.rows = {path = "rows.libsvm"}
metrics = ["sum", "cost"]
runs = 20

[[learners]]
learner = "acog-ii"
grid.eta = "1e-5..1e5"
"""


@pytest.fixture
def long(tmp_path: Path) -> Path:
    write_libsvm(tmp_path / "rows.libsvm", rows=1000)
    (tmp_path / "long.toml").write_text(LONG)
    return tmp_path / "long.toml"


def stop_early(command: list[str], results: Path, how: signal.Signals) -> int:
    """Start a run and stop it when it has some results; returns how many there are."""
    listening = partial(
        signal.signal, signal.SIGINT, signal.SIG_DFL
    )  # what runs in the background may not
    running = subprocess.Popen([COSTREAM, *command], stderr=subprocess.DEVNULL, preexec_fn=listening)
    until = time.monotonic() + 60
    while running.poll() is None and time.monotonic() < until:
        if results.exists() and results.stat().st_size > 500:
            running.send_signal(how)
            break
        time.sleep(0.001)
    running.wait()
    return results.read_bytes().count(b"\n")


@pytest.mark.slow
@pytest.mark.parametrize(("jobs", "how"), [(1, signal.SIGINT), (3, signal.SIGKILL)])
def test_a_run_that_was_stopped_ends_with_the_same_bytes(
    long: Path, tmp_path: Path, jobs: int, how: signal.Signals
) -> None:
    succeed("lab", "run", long, "--no-report", "--output", tmp_path / "straight")
    command = [
        "lab",
        "run",
        str(long),
        "--no-report",
        "--jobs",
        str(jobs),
        "--output",
        str(tmp_path / "out"),
    ]
    results = tmp_path / "out" / "long.results.jsonl"
    kept = stop_early(command, results, how)
    for _ in range(9):  # on a busy machine a run may be done before we look at it again
        if kept < 440:
            break
        shutil.rmtree(tmp_path / "out")
        kept = stop_early(command, results, how)
    assert 0 < kept < 440
    assert f"{440 - kept} new trials" in costream(*command).stderr
    assert results.read_bytes() == (tmp_path / "straight" / "long.results.jsonl").read_bytes()


def nothing_at_hand(tmp_path: Path) -> dict[str, str]:
    places = {"COSTREAM_DATA": str(tmp_path), "COSTREAM_CACHE_DIR": str(tmp_path / "cache")}
    return {**os.environ, **places}


def test_a_missing_data_set_is_named_loudly(tmp_path: Path) -> None:
    lines = [f"{'+1' if n % 3 else '-1'} 1:{n % 5} 2:1" for n in range(30)]
    (tmp_path / "rows.libsvm").write_text("\n".join(lines) + "\n")
    (tmp_path / "two.toml").write_text(
        'title = "Two"\ndatasets = ["rows", "kddcup08"]\nfiles.rows = {path = "rows.libsvm"}\n'
        'runs = 2\nlearners = ["perceptron"]\n'
    )
    command = ("lab", "run", tmp_path / "two.toml", "--no-download", "--output", tmp_path / "out")
    assert "MISSING kddcup08" in costream(*command, env=nothing_at_hand(tmp_path)).stderr
    assert "KDDCUP08" in (tmp_path / "out" / "report.html").read_text()
