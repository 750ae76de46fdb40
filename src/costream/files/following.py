"""Files that grow: their rows as they are written, across rotations, like ``tail -F``."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress

from ..errors import CostreamError
from .formats import BINARY, FORMATS, SUFFIXES, format_named, titles
from .reader import Stream
from .source import MAGIC, Source

POLL = 0.1  # seconds between two looks at a file that has no more bytes
LINES_ONLY = (
    f"only {titles(one for one in FORMATS.values() if not one.is_binary)} can be followed; "
    "without --follow it is read once"
)


class Growing(Source):
    """A file that is still being written: at its end a read waits for more, until it is rotated.

    A file has been rotated if its name stands for another file, or if it is shorter than what has been
    read of it. As long as no file has its name, it may still be written to. As with ``tail -F``, two
    things go unnoticed: a truncation after which the file is longer than before when we look again,
    and a file that comes and goes while the one before it is still being read.
    """

    def __init__(self, path: str | os.PathLike[str], stopped: threading.Event) -> None:
        if str(path) == "-" or (os.path.exists(path) and not _is_file_or_folder(path)):
            name = "standard input" if str(path) == "-" else path
            raise CostreamError(
                f"{name} cannot be followed: it is not a file",
                "leave out --follow: the rows of a pipe are read as they come",
            )
        super().__init__(path)
        self.whole = False
        self._path = path
        self._stopped = stopped
        try:
            self._refuse_whole_files()
        except CostreamError:
            self.close()
            raise

    def _refuse_whole_files(self) -> None:
        """Raise an error for files that are of use only when they are complete."""
        if self.compression or os.path.splitext(self.name)[1].lower() in MAGIC:
            raise CostreamError(f"{self.name} is compressed and cannot be followed", LINES_ONLY)
        known = SUFFIXES.get(self.suffix)
        binary = self._raw.peek().startswith(tuple(BINARY)) if known is None else known.is_binary
        if binary:
            raise _binary(self.name)

    def ready(self) -> bool:
        """Whether there are bytes that have not been read."""
        return bool(self._ahead) or self._length() > self.position

    def stop(self) -> None:
        """Wait no longer, neither for this file nor for the next one."""
        self._stopped.set()

    def _read(self, view: memoryview) -> int:
        rotated = False
        while not self._stopped.is_set() and self._length() >= self.position:
            count = super()._read(view)
            if count or rotated:  # what was written up to the rotation, and shortly after, is read
                return count
            rotated = self._replaced()
            time.sleep(POLL)
        return 0

    def _length(self) -> int:
        return os.fstat(self._file.fileno()).st_size

    def _replaced(self) -> bool:
        try:
            return not os.path.samestat(os.stat(self._path), os.fstat(self._file.fileno()))
        except OSError:  # no file has the name at the moment
            return False


class Following:
    """The streams of the files that a name stands for, one after the other, each as it grows.

    A stream gives a block as soon as there are whole lines, waits at the end of its file, and ends when
    the file has been rotated and read; the next stream begins with the first line of the new file. A
    line without a newline is a row only if its file has been rotated. A stream that is stopped, or
    closed before its end, is the last one. ``open_stream`` makes a `Stream` of a source.
    """

    def __init__(self, path: str | os.PathLike[str], open_stream: Callable[[Source], Stream]) -> None:
        self._path = path
        self._open_stream = open_stream
        self._stream: Stream | None = None
        self._stopping = False
        # Looked at, never waited for: a handler that sets what its own thread waits for may hang.
        self._stopped = threading.Event()

    def __iter__(self) -> Iterator[Stream]:
        source: Growing | None = Growing(self._path, self._stopped)
        while source is not None:
            with closing(source):
                if source.start() and not self._stopped.is_set():  # the first line tells the format
                    with self._open_stream(source) as stream:
                        self._stream = stream
                        if format_named(stream.format).is_binary:
                            raise _binary(source.name)
                        if not self._stopping:
                            yield stream
            source = self._next_file()

    def _next_file(self) -> Growing | None:
        """The file that has the name now, or will have it; None if stopped."""
        while not self._stopped.is_set():
            with suppress(CostreamError):
                return Growing(self._path, self._stopped)
            if os.path.exists(self._path):  # created just now, or else the error is raised again
                return Growing(self._path, self._stopped)
            time.sleep(POLL)
        return None

    def stop(self) -> None:
        """Give no more blocks and no more streams; a signal handler may call this."""
        self._stopping = True
        if self._stream is not None:
            self._stream.stop()  # before its source ends, which would make a row of half a line
        self._stopped.set()

    def close(self) -> None:
        """Stop, and close the file."""
        self.stop()
        if self._stream is not None:
            self._stream.close()

    def __enter__(self) -> Following:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _binary(name: str) -> CostreamError:
    kinds = titles((one for one in FORMATS.values() if one.is_binary), "or")
    return CostreamError(f"{name} is a {kinds} file and cannot be followed", LINES_ONLY)


def _is_file_or_folder(path: str | os.PathLike[str]) -> bool:
    return os.path.isfile(path) or os.path.isdir(path)
