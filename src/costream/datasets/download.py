"""Files from the network, which are kept only when they are whole and what was wanted."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import CostreamError

OnProgress = Callable[
    [int, int | None], None
]  # for each file: bytes so far, and in all where that is known

PATIENCE = 30.0  # seconds without a byte after which a server is given up
AT_ONCE = 1 << 16
DRAFTS = ".download-"  # a folder of files that are not whole, or not checked


class Unreachable(CostreamError):  # noqa: N818 (as a network says it)
    """What is at an address could not be had, or not all of it."""


def data_folder() -> Path:
    """Where data sets are kept for this user."""
    base = os.environ.get("COSTREAM_CACHE_DIR")
    if base:
        return Path(base).expanduser() / "data"
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "costream" / "data"


def name_of(address: str) -> str:
    """The name of the file at an address.

    >>> name_of("https://example.org/binary/ijcnn1.bz2")
    'ijcnn1.bz2'
    """
    return address.rpartition("/")[2]


@contextmanager
def downloaded(
    addresses: Sequence[str], folder: Path, on_progress: OnProgress | None = None
) -> Iterator[list[Path]]:
    """Files to be looked at: they go into ``folder`` afterwards, or nowhere if an error is raised.

    Each download has a place of its own until then, so that several at once do no harm.
    """
    drafts = _draft_folder(folder)
    try:
        paths = [drafts / name_of(address) for address in addresses]
        for address, path in zip(addresses, paths, strict=True):
            _fetch(address, path, on_progress)
        yield paths
        for path in paths:
            _keep(path, folder)
    finally:
        shutil.rmtree(drafts, ignore_errors=True)


def _draft_folder(folder: Path) -> Path:
    with _disk(folder):
        folder.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=DRAFTS, dir=folder))


def _keep(path: Path, folder: Path) -> None:
    target = folder / path.name
    with _disk(target):
        try:
            os.replace(path, target)
        except PermissionError:  # not every system gives up a file that someone else is reading
            if not target.is_file():
                raise


def _fetch(address: str, path: Path, on_progress: OnProgress | None) -> None:
    """Copy what is at an address into a new file."""
    from urllib.request import Request, urlopen

    request = Request(address, headers={"User-Agent": "costream"})
    with _network(address):
        answer = urlopen(request, timeout=PATIENCE)
    with answer, _disk(path), open(path, "xb") as file:
        length = answer.headers.get("Content-Length") or ""
        total = int(length) if length.isdecimal() else None
        done = 0
        for chunk in _chunks(answer, address):
            file.write(chunk)
            done += len(chunk)
            if on_progress is not None:
                on_progress(done, total)
    if total is not None and done < total:
        reason = f"the connection broke after {done:,} of {total:,} bytes"
        raise Unreachable(f"{address} cannot be downloaded: {reason}")


def _chunks(answer: Any, address: str) -> Iterator[bytes]:
    while True:
        with _network(address):
            chunk = answer.read(AT_ONCE)
        if not chunk:
            return
        yield chunk


@contextmanager
def _disk(path: Path) -> Iterator[None]:
    """Whatever the system complains of within is an error about the folder of the data."""
    try:
        yield
    except OSError as error:
        raise CostreamError(
            f"{path} cannot be written: {error.strerror or error}",
            "set another folder for downloads with COSTREAM_CACHE_DIR",
        ) from None


@contextmanager
def _network(address: str) -> Iterator[None]:
    """Whatever goes wrong within is an error about the address."""
    from http.client import HTTPException

    try:
        yield
    except (OSError, HTTPException) as error:
        raise Unreachable(f"{address} cannot be downloaded: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """Why a download failed, in the words of the server or of the system."""
    from http.client import IncompleteRead
    from urllib.error import HTTPError

    if isinstance(error, HTTPError):
        error.close()
        return f"the server answers {error.code} ({error.reason})"
    if isinstance(error, IncompleteRead):
        return "the connection broke"
    cause = getattr(error, "reason", None) or error
    if isinstance(cause, TimeoutError):
        return f"the server is silent for {PATIENCE:g} seconds"
    return str(getattr(cause, "strerror", None) or cause) or type(cause).__name__
