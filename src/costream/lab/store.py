"""Results on disk: a line of JSON for each trial, appended as it finishes.

A file of results holds the trials of one experiment in the order of its plan, so that its bytes do not
depend on how many jobs ran, or on how often they were killed. Times, which differ from run to run, are
kept in a file of their own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from .._files import write_atomically
from ..errors import CostreamError

RESULTS, TIMES = ".results.jsonl", ".times.jsonl"


class Store:
    """All results in a folder, found by their key."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._results: dict[str, dict[str, Any]] = {}
        self._seconds: dict[str, float] = {}
        self._held: dict[str, list[str]] = {}  # the keys of each file, in its order
        if folder.exists() and not folder.is_dir():
            raise CostreamError(f"{folder} is not a folder")
        for path in sorted(folder.glob("*" + RESULTS)):
            records = list(_read(path))
            self._held[path.name] = [record["key"] for record in records]
            self._results |= {record["key"]: record for record in records}
        for path in sorted(folder.glob("*" + TIMES)):
            self._seconds |= {record["key"]: record["seconds"] for record in _read(path)}

    def __contains__(self, key: str) -> bool:
        return key in self._results

    def __getitem__(self, key: str) -> dict[str, Any]:
        return self._results[key]

    def seconds(self, key: str) -> float | None:
        """How long a trial took on this machine, if that is known."""
        return self._seconds.get(key)

    def held(self, name: str) -> list[str]:
        return self._held.get(name + RESULTS, [])

    @contextmanager
    def writing(self, name: str) -> Iterator[Writer]:
        """Append to the results of an experiment; one process at a time."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            paths = [self.folder / (name + end) for end in (RESULTS, TIMES)]
            for path in paths:
                _mend(path)
            with open(paths[0], "ab") as results, open(paths[1], "ab") as times:
                _lock(results, paths[0])
                yield Writer(self, name, results, times)
        except OSError as error:
            raise CostreamError(f"results cannot be written: {error}") from None

    def put_in_order(self, name: str, keys: list[str]) -> None:
        """Let the file of an experiment hold just these results, in this order."""
        if self.held(name) == keys:
            return
        path = self.folder / (name + RESULTS)
        write_atomically(path, b"".join(_line(self._results[key]) for key in keys))
        self._held[path.name] = list(keys)

    def add(self, name: str, record: dict[str, Any]) -> None:
        self._results[record["key"]] = record
        self._held.setdefault(name + RESULTS, []).append(record["key"])

    def add_seconds(self, key: str, seconds: float) -> None:
        self._seconds[key] = seconds


class Writer:
    """Appends results of one experiment, each at once."""

    def __init__(self, store: Store, name: str, results: BinaryIO, times: BinaryIO) -> None:
        self._store, self._name, self._results, self._times = store, name, results, times
        self._held = set(store.held(name))

    def append(self, record: dict[str, Any], seconds: float | None = None) -> None:
        key = record["key"]
        if key not in self._held:
            self._held.add(key)
            self._store.add(self._name, record)
            self._results.write(_line(record))
            self._results.flush()
        if seconds is not None:
            self._store.add_seconds(key, seconds)
            self._times.write(_line({"key": key, "seconds": seconds}))
            self._times.flush()


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, separators=(", ", ": ")).encode() + b"\n"


def _read(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a file; a last line that was cut short by a kill is left out."""
    for number, line in enumerate(path.read_bytes().splitlines(keepends=True), 1):
        try:
            record = json.loads(line) if line.endswith(b"\n") else None
        except ValueError:
            raise CostreamError(
                f"{path}, line {number}: not a result", "delete the file to compute it again"
            ) from None
        if record is not None:
            yield record


def _mend(path: Path) -> None:
    """Cut off a last line that is not whole."""
    if path.exists():
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            os.truncate(path, whole)


def _lock(file: BinaryIO, path: Path) -> None:
    """Keep a second process out; the system lets go of the lock when this one ends."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise CostreamError(
            f"{path} is being written by another process", "wait for it, or use --output"
        ) from None
