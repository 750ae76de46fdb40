"""CSV text without quotes as columns, faster than pyarrow reads it: numbers need no text in between."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels.csv_numbers import (
    BYTES,
    FIELD_END,
    LONGEST_WORD,
    NUMBER,
    ODDS,
    RETURN,
    ROWS,
    SKIP,
    TEXT,
    WRONG,
    Scan,
    gather,
    split,
)
from ..kernels.text import BLANK, NEWLINE
from ..tables.arrow import arrow

PADDING = 16  # bytes after the text that the scanner may look at
OF_NUMBERS = "0123456789+-.eE"  # no delimiter, if numbers are to be read
LAST_ASCII = 127
BLANKS = "\t\v\f "
LEAST_ODD = 4  # bytes of a number that the scanner leaves to Python, with its delimiter


class QuickFields:
    """The fields of CSV text, a block of whole lines at a time, where there are no double quotes.

    Parameters
    ----------
    names : list of str
        The names of all columns, all different.
    delimiter : str
        What stands between fields.
    missing : collection of str, optional
        Words besides the empty one that are NaN in columns of numbers, with or without blanks around. A
        column with such a word of more than seven bytes is read as text; numbers are never missing.

    Attributes
    ----------
    count : int
        The rows of the last block.
    """

    def __init__(self, names: list[str], delimiter: str, missing: Collection[str] = ()) -> None:
        self.count = 0
        self._names = names
        self._delimiter = delimiter
        self._able = (
            len(delimiter) == 1 and delimiter.isascii() and delimiter not in OF_NUMBERS + '"\r\n'
        )
        self._kinds = np.zeros(256, np.uint8)
        self._kinds[[*BLANKS.encode()]] = BLANK
        if self._able:
            self._kinds[[NEWLINE, RETURN, ord(delimiter)]] = FIELD_END
        self._missing = _words(missing)
        self._buffer = bytearray()
        self._text = np.empty(0, np.uint8)
        self._odd = np.empty((0, 3), np.int64)

    def read(
        self, lines: memoryview, numbers: Collection[str], wanted: list[str]
    ) -> dict[str, Any] | None:
        """The wanted columns: arrays of floats for ``numbers``, pyarrow's strings for all others.

        A column of numbers in which something else is found comes as strings. All floats are columns of
        one matrix, row by row in memory, that has the order of the file. None: the text has quotes or
        carriage returns within lines, some row has another number of fields, or it is not UTF-8.
        """
        size = len(lines)
        rows = self._take(lines) if self._able else None
        if rows is None:
            return None
        needed, known = set(wanted), set(numbers)
        floats = [name for name in self._names if name in needed and name in known]
        texts = [name for name in self._names if name in needed and name not in known]
        scan = self._scan(size, rows, floats, texts)
        if scan.state[WRONG]:
            return None
        self.count = int(scan.state[ROWS])
        found: dict[str, Any] = self._strings(scan, rows, texts)
        matrix = scan.value.reshape(rows, len(floats))[: self.count]
        found.update(zip(floats, matrix.T, strict=True))
        misfits = [name for name, odd in zip(floats, scan.misfit, strict=True) if odd]
        if misfits:
            scan = self._scan(size, rows, [], misfits)
            found.update(self._strings(scan, rows, misfits))
        return {name: found[name] for name in wanted}

    def _take(self, lines: memoryview) -> int | None:
        """Copy the text to where there is room after it: the most rows it may have, or None."""
        size = len(lines)
        if len(self._buffer) < size + PADDING:
            self._buffer = bytearray(size + PADDING)
            self._text = np.frombuffer(self._buffer, np.uint8)
            self._odd = np.empty((size // LEAST_ODD + 1, 3), np.int64)
        self._text[:size] = np.frombuffer(lines, np.uint8)
        self._text[size : size + PADDING] = NEWLINE
        if self._buffer.find(b'"', 0, size) >= 0:
            return None
        if size and self._text[:size].max() > LAST_ASCII:
            try:
                str(lines, "utf-8")
            except UnicodeDecodeError:
                return None
        newlines = int(np.count_nonzero(self._text[:size] == NEWLINE))
        return min(newlines, size // len(self._names)) + 1  # a field takes a byte; lines may be blank

    def _scan(self, size: int, rows: int, floats: list[str], texts: list[str]) -> Scan:
        """Split the text, and read the numbers that the scanner leaves."""
        tasks = dict.fromkeys(floats, NUMBER) | dict.fromkeys(texts, TEXT)
        value = np.empty(rows * len(floats))
        scan = Scan(
            text=self._text,
            kinds=self._kinds,
            task=np.array([tasks.get(name, SKIP) for name in self._names], np.uint8),
            missing=self._missing,
            value=value,
            bits=value.view(np.uint64),
            begin=np.empty(rows * len(texts), np.uint32),
            end=np.empty(rows * len(texts), np.uint32),
            odd=self._odd,
            misfit=np.zeros(len(floats), np.uint8),
            state=np.zeros(4, np.int64),
        )
        split(scan, size, ord(self._delimiter), rows)
        for k, begin, end in scan.odd[: int(scan.state[ODDS])].tolist():
            value[k] = float(self._text[begin:end].tobytes())
        return scan

    def _strings(self, scan: Scan, rows: int, texts: list[str]) -> dict[str, Any]:
        """The columns of text that a scan has noted."""
        if not texts:
            return {}
        pa, count = arrow(), self.count
        data = np.empty(int(scan.state[BYTES]) + PADDING, np.uint8)
        offset = np.empty((len(texts), count + 1), np.int32)
        gather(scan, count, rows, offset.ravel(), data)
        buffer = pa.py_buffer(data)
        return {
            name: pa.StringArray.from_buffers(count, pa.py_buffer(one), buffer)
            for name, one in zip(texts, offset, strict=True)
        }


def _words(missing: Collection[str]) -> NDArray[np.uint64]:
    """Words as the scanner compares them: bytes as a number, the first one lowest, the size on top."""
    known = (word.strip(BLANKS).encode() for word in missing)
    words = (word.ljust(7, b"\0") + bytes([len(word)]) for word in known if len(word) <= LONGEST_WORD)
    return np.array(sorted(int.from_bytes(word, "little") for word in words), np.uint64)
