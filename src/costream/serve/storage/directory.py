"""The directory of a service: its lock, its log, its snapshots, its tokens."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import sys
from pathlib import Path
from typing import IO
from uuid import uuid4

from ...errors import CostreamError

LOG = "log.sqlite"
LOCK = "lock"
TOKENS = "tokens.json"
SNAPSHOTS = "snapshots"
DRAFT = re.compile(r"\.costream-backup\.[0-9a-f]{32}")


class DirectoryLock:
    """A directory is served by one process at a time; the system frees it when that ends.

    The file has the id of the process. Where the system can lock a folder, that is locked too, so that
    nobody gets in by removing the file.
    """

    def __init__(self, directory: Path) -> None:
        self._path = str(directory / LOCK)
        self._folder = _locked_folder(directory)
        try:
            keep_private(directory / LOCK)
            self._file: IO[str] = open(self._path, "a+", encoding="ascii")  # noqa: SIM115
        except OSError as error:
            self._free_folder()
            raise CostreamError(f"{directory} cannot be written: {error.strerror}") from None
        if self._folder is None or not _try_lock(self._file):
            self._file.seek(0)
            process = self._file.read(20).strip()
            self.release()
            who = f" (process {process})" if process.isdigit() else ""
            raise CostreamError(
                f"{directory} is in use by another process{who}",
                "one process serves a directory: stop that one first, or choose another directory",
            )
        self._file.seek(0)
        self._file.truncate()
        self._file.write(str(os.getpid()))
        self._file.flush()
        found = os.fstat(self._file.fileno())
        self._identity = found.st_ino, found.st_dev

    @property
    def is_held(self) -> bool:
        """Whether the directory is still where it was, with the file that was locked."""
        try:
            found = os.stat(self._path)
            return (found.st_ino, found.st_dev) == self._identity
        except OSError:
            return False

    def release(self) -> None:
        self._file.close()
        self._free_folder()

    def _free_folder(self) -> None:
        if self._folder is not None and self._folder >= 0:
            os.close(self._folder)
        self._folder = -1


def _locked_folder(folder: Path) -> int | None:
    """A folder that is open and locked; -1 where the system locks none, None where another has it."""
    if sys.platform == "win32":
        return -1
    import fcntl

    handle = -1
    try:
        handle = os.open(folder, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if handle >= 0:
            os.close(handle)
        return None if error.errno in (errno.EWOULDBLOCK, errno.EAGAIN) else -1
    return handle


class Draft:
    """A folder that is being written, locked so that one of a killed process can be recognised.

    Those of killed processes that lie in the same folder are removed.
    """

    def __init__(self, folder: Path) -> None:
        _remove_drafts(folder)
        while True:  # somebody else may take a new one for one that was left, and remove it
            self.path = folder / f".costream-backup.{uuid4().hex}"
            self.path.mkdir(mode=0o700)
            self._lock = _locked_folder(self.path)
            if self._lock is not None and self.path.is_dir():
                return
            self.remove()

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None and self._lock >= 0:
            os.close(self._lock)
        self._lock = -1


def _remove_drafts(folder: Path) -> None:
    for draft in folder.iterdir():
        if DRAFT.fullmatch(draft.name) and draft.is_dir():
            lock = _locked_folder(draft)
            if lock is not None and lock >= 0:
                shutil.rmtree(draft, ignore_errors=True)
                os.close(lock)


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


def keep_private(path: Path, make: bool = True) -> None:
    """Make a file that is not there, for its owner alone, and take it from others if it is.

    SQLite gives its write-ahead log the rights of the database. A file that is there is not opened: to
    close it would free the locks on it of another thread.
    """
    with contextlib.suppress(OSError):  # whoever opens it says why it cannot be
        if make and not path.exists():
            _make_empty(path)
    for one in (path, *(path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))):
        with contextlib.suppress(OSError):
            if one.stat().st_mode & 0o077:
                one.chmod(0o600)


def _make_empty(path: Path) -> None:
    """Make an empty file under another name, and then give it its own, if no other has it by then."""
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    _create(draft)
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    except OSError:  # a disk that has no links
        _create(path)
    finally:
        draft.unlink()


def _create(path: Path) -> None:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


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
