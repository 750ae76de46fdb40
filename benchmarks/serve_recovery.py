"""How long the service of `serve.py` takes to start again after it was killed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from serve_load import Rows
from serve_rivals import MODEL, free_port, new_model
from timing import best_of

from costream import load

BEFORE, AFTER = 10_000, 100_000  # labels before the snapshot, and after it
PAGE = 1000
GOAL = 4.0  # seconds
LONGEST = 300.0  # seconds

Found = tuple[str, float, str, float | None, str, float | None]


def measured(
    folder: Path, rows: Rows, repeat: int, before: int = BEFORE, after: int = AFTER
) -> Iterator[Found]:
    """What it takes, in one process and by a start of the command, beside ways without a snapshot."""
    killed, bare = folder / "killed", folder / "bare"
    write(killed, rows, folder / MODEL, before, after)
    shutil.copytree(killed, bare)
    for file in (bare / "snapshots").iterdir():
        file.unlink()
    repeat = min(repeat, 3)
    opened, without, plain = best_of(
        repeat,
        lambda: reopen(killed),
        lambda: reopen(bare),
        lambda: learn_plainly(rows, folder / MODEL, after),
    )
    labels = f"{after:,} labels after the snapshot"
    all_labels = f"without a snapshot: {before + after:,} labels from the base model"
    alone = f"learn_many of {after:,} rows in memory, {PAGE:,} at a time"
    yield f"opening a directory with {labels}", opened, "s", GOAL, all_labels, without
    yield f"opening a directory with {labels}", opened, "s", GOAL, alone, plain
    start, from_base_model = (
        fastest(repeat, lambda one=one: start_until_ready(one, folder / "started"))
        for one in (killed, bare)
    )
    yield (
        f"from the start of a process until ready, {labels}",
        start,
        "s",
        GOAL,
        all_labels,
        from_base_model,
    )


def write(folder: Path, rows: Rows, model: Path, before: int, after: int) -> None:
    """A directory as a kill leaves it, so many labels after its last snapshot."""
    from costream.serve.engine.recovery import open_engine
    from costream.serve.settings import Settings

    engine = open_engine(folder, lambda: load(model), Settings(snapshot_labels=10**9))
    record(engine, rows, range(before))
    engine.snapshots.write(*engine.snapshot())
    record(engine, rows, range(before, before + after))
    engine.snapshot_learnt = engine.served.learnt  # so that closing takes no other one
    engine.close()


def record(engine: Any, rows: Rows, numbers: range) -> None:
    """Events and then their labels, in groups of a thousand."""
    from costream.serve.engine.jobs import LabelJob, ScoreJob
    from costream.serve.messages import Event, Label

    for first in range(numbers.start, numbers.stop, PAGE):
        part = range(first, min(first + PAGE, numbers.stop))
        places = [(f"event-{number:09d}", number % len(rows.features)) for number in part]
        engine.run([ScoreJob([Event(name, rows.features[at]) for name, at in places])])
        engine.run([LabelJob([Label(name, int(rows.positive[at])) for name, at in places])])


def reopen(folder: Path) -> None:
    from costream.serve.engine.recovery import open_engine

    engine = open_engine(folder)
    engine.snapshot_learnt = engine.served.learnt  # so that closing takes no snapshot
    engine.close()


def learn_plainly(rows: Rows, model: Path, count: int) -> None:
    """Learn as many rows from memory, as the service does from its log."""
    one = load(model) if model.exists() else new_model()
    for first in range(0, count, PAGE):
        at = first % (len(rows.features) - PAGE + 1)
        one.learn_many(rows.features[at : at + PAGE], rows.positive[at : at + PAGE].astype(int))


def fastest(repeat: int, measure: Callable[[], float]) -> float:
    return min(measure() for _ in range(repeat))


def start_until_ready(killed: Path, folder: Path) -> float:
    """Seconds from the start of the command, in a copy, until the service is ready."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(killed, folder)  # since a service that has learnt so much takes a snapshot
    port = free_port()
    command = [sys.executable, "-m", "costream", "serve", "--dir", str(folder), "--port", str(port)]
    begin = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        while not is_ready(port):
            if process.poll() is not None or time.perf_counter() - begin > LONGEST:
                raise RuntimeError("the service did not start")
            time.sleep(0.005)
        return time.perf_counter() - begin
    finally:
        process.terminate()
        process.wait(60)


def is_ready(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/health/ready")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
