"""Bytes of a file or of standard input, decompressed, and cut into blocks of whole lines."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import select
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import PurePath
from typing import Any

from ..errors import CostreamError, no_file
from .foreign import FOREIGN_MAGIC, PICKLE_SUFFIXES, refuse_foreign

MAGIC = {
    ".gz": b"\x1f\x8b",
    ".bz2": b"BZh",
    ".xz": b"\xfd7zXZ\x00",
    ".zst": b"\x28\xb5\x2f\xfd",
}
KNOWN_MAGIC = (*MAGIC.values(), *FOREIGN_MAGIC)
LONGEST_MAGIC = 6
BLOCK_BYTES = 1 << 20
LONGEST_LINE = 1 << 28
NEWLINE = 10
FIRST_LINE = re.compile(rb"^[ \t]*[^\s#].*\n", re.MULTILINE)  # neither blank nor a comment


class Source:
    """A file, or standard input for the name ``-``; compressed data are known by their first bytes.

    ``size`` is the number of bytes of the file as it lies on disk, None for a pipe.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = "standard input" if str(path) == "-" else str(path)
        self._file = _open(path)
        info = os.fstat(self._file.fileno())
        self.live = not stat.S_ISREG(info.st_mode)  # a pipe: rows are wanted as they come
        self.whole = not self.live  # nothing more will come
        self.size = None if self.live else info.st_size
        self._raw = Raw(self._file)
        self._ahead = b""
        self._in_any_order = False
        self.patience = 0.0  # the seconds for which a pipe may pause without being read so far
        try:
            self.compression, self.suffix = self._kind()
            head = self._raw.peek()
            if head.startswith(FOREIGN_MAGIC) or self.suffix in PICKLE_SUFFIXES:
                refuse_foreign(self.name, self.suffix, head, None if self.live else path)
            self._stream = _decompressed(self._raw, self.compression)
        except BaseException:
            self.close()
            raise

    def _kind(self) -> tuple[str | None, str]:
        """The kind of compression, and the suffix without that."""
        try:
            head = self._raw.peek()
        except OSError as error:
            raise CostreamError(f"{self.name} cannot be read: {error.strerror or error}") from None
        compression = next((s for s, magic in MAGIC.items() if head.startswith(magic)), None)
        name = PurePath(self.name)
        suffix = name.suffix.lower()
        if suffix not in MAGIC:
            return compression, suffix
        if head and compression != suffix:
            raise CostreamError(
                f"{self.name} does not hold {suffix} data", "rename it, or compress it again"
            )
        return compression, PurePath(name.stem).suffix.lower()

    @property
    def position(self) -> int:
        """How many bytes of the file have been read, or about that where they are read in any order."""
        if self._in_any_order:
            with suppress(OSError, ValueError):  # the other thread may close it at any time
                return int(self._file.tell())
        return self._raw.count

    def start(self, length: int = 1 << 14) -> bytes:
        """The first ``length`` bytes, or a line that says something; they stay to be read."""
        data = bytearray(self._ahead)
        while len(data) < length and not FIRST_LINE.search(data):
            view = memoryview(bytearray(length))
            count = self._read(view)
            if count == 0:
                break
            data += view[:count]
        self._ahead = bytes(data)
        return self._ahead

    def readinto(self, view: memoryview) -> int:
        """Fill ``view`` as far as bytes are there; 0 at the end."""
        if self._ahead:
            count = min(len(view), len(self._ahead))
            view[:count] = self._ahead[:count]
            self._ahead = self._ahead[count:]
            return count
        return self._read(view)

    def _read(self, view: memoryview) -> int:
        try:
            if self.compression is None:
                return self._raw.readinto(view)
            return int(self._stream.readinto1(view))
        except _damage() as error:
            reason = getattr(error, "strerror", None) or error
            if self.compression is None:
                raise CostreamError(f"{self.name} cannot be read: {reason}") from None
            raise CostreamError(
                f"{self.name}: the {self.compression} data are damaged or cut short ({reason})",
                "fetch or compress the file again",
            ) from None

    def ready(self) -> bool:
        """Whether the next bytes can be had without waiting, or with as much patience as there is."""
        if not self.live or self._ahead:
            return True
        try:
            return bool(select.select([self._file], [], [], self.patience)[0])
        except (OSError, ValueError):  # not every system can tell
            return False

    def seekable(self) -> Any:
        """The data as a file that can be read in any order; a copy on disk where there is need."""
        if not self.live and self.compression is None:
            self._file.seek(0)
            self._in_any_order = True
            return self._file
        copy = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the last reference)
        view = memoryview(bytearray(1 << 20))
        while count := self.readinto(view):
            copy.write(view[:count])
        copy.seek(0)
        return copy

    def stop(self) -> None:
        """Wait no longer; a read that waits for a pipe cannot be ended."""

    def close(self) -> None:
        self._file.close()


class Raw(io.RawIOBase):
    """A file without a buffer, so that a read gives what is there; it counts what has been read."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._first = b""
        self.count = 0

    def readable(self) -> bool:
        return True

    def peek(self) -> bytes:
        """The first bytes, as many as tell a kind of compressed data; they stay to be read."""
        while any(len(self._first) < len(m) and m.startswith(self._first) for m in KNOWN_MAGIC):
            more = self._wait(lambda: self._file.read(LONGEST_MAGIC - len(self._first)))
            if not more:
                break
            self._first += more
        return self._first

    def _wait(self, read: Callable[[], Any]) -> Any:
        """Read, and again where a pipe that does not block has nothing yet."""
        while (result := read()) is None:
            select.select([self._file], [], [])
        return result

    def readinto(self, view: Any) -> int:
        if self._first:
            count = min(len(view), len(self._first))
            view[:count] = self._first[:count]
            self._first = self._first[count:]
        else:
            count = int(self._wait(lambda: self._file.readinto(view)))
        self.count += count
        return count


def _open(path: str | os.PathLike[str]) -> Any:
    try:
        if str(path) == "-":
            # Not sys.stdin, whose lock a thread that waits for input would hold to the end.
            return open(0 if sys.stdin is None else sys.stdin.fileno(), "rb", 0, closefd=False)
        return open(path, "rb", 0)
    except FileNotFoundError:
        raise no_file(path) from None
    except IsADirectoryError:
        raise CostreamError(f"{path} is a folder", "name a file, or - for standard input") from None
    except (OSError, ValueError) as error:
        raise CostreamError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None


def _decompressed(stream: Any, compression: str | None) -> Any:
    if compression == ".gz":
        return gzip.GzipFile(fileobj=stream)
    if compression == ".bz2":
        return bz2.BZ2File(stream)
    if compression == ".xz":
        return lzma.LZMAFile(stream)
    return _zstd().ZstdFile(stream) if compression == ".zst" else stream


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def _damage() -> tuple[type[Exception], ...]:
    """What the readers of files and of compressed data raise."""
    zstd = sys.modules.get("compression.zstd") or sys.modules.get("backports.zstd")
    known = (OSError, EOFError, lzma.LZMAError, zlib.error)
    return known if zstd is None else (*known, zstd.ZstdError)


def line_blocks(
    source: Source, size: int | None = None, *, quotes: bool = False
) -> Iterator[memoryview]:
    """Blocks of whole lines, each ended by a newline; a block is gone when the next is asked for.

    From a pipe a block comes as soon as there is a whole line and nothing more can be had; for the
    first one `Source.patience` says how long to wait. With ``quotes`` a newline between double quotes
    ends no line.
    """
    buffer, filled = bytearray((size or BLOCK_BYTES) + 1), 0
    while True:
        count = source.readinto(memoryview(buffer)[filled : len(buffer) - 1])
        if count == 0:
            if filled and buffer[filled - 1] != NEWLINE:
                buffer[filled] = NEWLINE
                filled += 1
            if filled:
                yield memoryview(buffer)[:filled]
            return
        filled += count
        full = filled == len(buffer) - 1
        if not full and source.ready():
            continue
        end = _last_line(buffer, filled, quotes)
        if end == 0:
            if full:
                buffer = _longer(buffer, source.name, quotes)
            continue
        yield memoryview(buffer)[:end]
        source.patience = 0.0
        filled -= end
        buffer[:filled] = buffer[end : end + filled]


def _last_line(buffer: bytearray, filled: int, quotes: bool) -> int:
    """Where the last whole line ends, 0 if there is none."""
    end = buffer.rfind(b"\n", 0, filled) + 1
    if not quotes:
        return end
    if buffer.find(b'"', 0, end) < 0:  # several times as fast as to count them
        return end
    within = buffer.count(b'"', 0, end) % 2 == 1
    while end and within:
        before = buffer.rfind(b"\n", 0, end - 1) + 1
        within ^= buffer.count(b'"', before, end) % 2 == 1
        end = before
    return end


def _longer(buffer: bytearray, name: str, quotes: bool) -> bytearray:
    if len(buffer) > LONGEST_LINE:
        hint = "is there a double quote that is never closed?" if quotes else None
        raise CostreamError(f"{name}: a line is longer than {LONGEST_LINE >> 20} MiB", hint)
    longer = bytearray(2 * len(buffer))
    longer[: len(buffer)] = buffer
    return longer
