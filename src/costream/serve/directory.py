"""The directory of a service: its lock, its log, its snapshots, its tokens."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import IO

from ..errors import CostreamError

LOG = "log.sqlite"
LOCK = "lock"
TOKENS = "tokens.json"
SNAPSHOTS = "snapshots"


class DirectoryLock:
    """A directory is served by one process at a time; the system frees it when that ends."""

    def __init__(self, directory: Path) -> None:
        try:
            self._file: IO[str] = open(directory / LOCK, "a+", encoding="ascii")  # noqa: SIM115
        except OSError as error:
            raise CostreamError(f"{directory} cannot be written: {error.strerror}") from None
        if not _try_lock(self._file):
            self._file.seek(0)
            owner = self._file.read(20).strip()
            self._file.close()
            who = f" (process {owner})" if owner.isdigit() else ""
            raise CostreamError(
                f"{directory} is in use by another process{who}",
                "one process serves a directory: stop that one first, or choose another directory",
            )
        self._file.seek(0)
        self._file.truncate()
        self._file.write(str(os.getpid()))
        self._file.flush()

    def release(self) -> None:
        self._file.close()


def _try_lock(file: IO[str]) -> bool:
    if sys.platform == "win32":
        import msvcrt

        with contextlib.suppress(OSError):
            file.seek(1 << 20)  # beyond what is written, so that others can read who it is
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            return True
        return False
    import fcntl

    with contextlib.suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def made(directory: Path) -> Path:
    """The directory, made if it is not there, for its owner alone."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        (directory / SNAPSHOTS).mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise CostreamError(f"{directory} cannot be made: {error.strerror}") from None
    return directory


def existing(directory: Path) -> Path:
    """The directory of a service; an error if there is none."""
    if not (directory / LOG).is_file():
        raise CostreamError(
            f"{directory} has no log of a service", f"costream serve --dir {directory} begins one"
        )
    return directory


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on disk, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
