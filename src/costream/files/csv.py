"""CSV text as blocks of rows, by a scanner of our own."""

from __future__ import annotations

import contextlib
import csv
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Collection, Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CostreamError
from ..kernels.csv_numbers import (
    BYTES,
    FIELD_END,
    LONGEST_WORD,
    NUMBER,
    ODDS,
    RETURN,
    SKIP,
    TEXT,
    UNCLOSED,
    WRONG,
    Scan,
    gather,
    split,
)
from ..kernels.csv_numbers import ROWS as SCANNED
from ..kernels.text import BLANK, NEWLINE
from ..tables.arrow import arrow, encoded
from ..tables.infer import ROWS
from ..tables.layout import Layout
from ..tables.naming import TextSlots
from ..tables.numbers import MISSING, MISSING_NUMBERS, number_of
from ..tables.reading import Raw, Text
from ..tables.resolution import ResolvedSchema
from ..tables.schema import Schema
from .blocks import Block, Warn
from .columns import BlockReader
from .source import Source, line_blocks

DELIMITERS = ",;\t|"  # of several that are as frequent in the header, the first
HEADER = re.compile(rb'[\r\n]*((?:[^"\r\n]|"[^"]*")++)(?:\r\n|\r|\n)')
SEPARATOR = re.compile(
    rb'[\r\n]*"?sep=([\t !#-/:-@[-`{-~])"?[,;\t]*(?:\r\n|\r|\n)', re.IGNORECASE
)  # as Excel writes
NOT_UTF8 = "save the file as UTF-8 (iconv -f LATIN1 -t UTF-8)"
WIDE = {  # the marks of UTF-32 begin with those of UTF-16
    BOM_UTF32_LE: "UTF-32",
    BOM_UTF32_BE: "UTF-32",
    BOM_UTF16_LE: "UTF-16",
    BOM_UTF16_BE: "UTF-16",
}
QUOTE = "a field that contains a delimiter, a newline or a quote must be in double quotes"
PADDING = 16  # bytes after the text that the scanner may look at
OF_NUMBERS = "+-."  # delimiters between which numbers are read as text first
LAST_ASCII = 127
BLANKS = "\t\v\f "
LEAST_ODD = 4  # bytes of a number that the scanner leaves to Python, with its delimiter


def csv_blocks(
    source: Source, layout: Layout, slots: TextSlots, warn: Warn, delimiter: str | None = None
) -> Iterator[Block]:
    """CSV text whose first line names the columns, and shows the delimiter if none is given.

    The first rows say what the columns hold.
    """
    blocks = line_blocks(source, quotes=True)
    tops = (header(text, source.name, delimiter) for text in blocks)
    top = next((found for found in tops if found), None)
    if top is None:
        return
    names, delimiter, rest = top
    resolved = ResolvedSchema.of(names, layout, source.name)
    reader = BlockReader(source.name, resolved, slots, warn)
    head = _head(rest, blocks, source.whole)
    sample = Fields(source.name, names, delimiter).read(head, (), resolved.wanted)
    reader.resolve({name: encoded(sample[name][:ROWS]) for name in resolved.used}, text_file=True)
    exact = resolved.label in layout.text
    fields = Fields(source.name, names, delimiter, _missing_words(reader.schema))
    numbers = _plain_numbers(reader.schema) - {*layout.passed}
    for text in chain([head], blocks):
        columns = fields.read(text, numbers, resolved.wanted, reader.first)
        kept = {name: _as_list(columns[name]) for name in resolved.kept}
        label = None if resolved.label is None else label_texts(columns[resolved.label], exact)
        read = {name: _raw(columns[name]) for name in resolved.used if name != resolved.label}
        if fields.count:
            yield reader.block(fields.count, read, label, kept)


def tsv_blocks(source: Source, layout: Layout, slots: TextSlots, warn: Warn) -> Iterator[Block]:
    """CSV text with tabs between its fields."""
    return csv_blocks(source, layout, slots, warn, "\t")


def _as_list(column: Any) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else column.to_pylist()  # type: ignore[no-any-return]


def _raw(column: Any) -> Raw:
    return column if isinstance(column, np.ndarray) else encoded(column)


def _missing_words(schema: Schema) -> list[str]:
    """The words for missing numbers, in the cases that are worth a fast way."""
    words = {*MISSING_NUMBERS, *schema.missing}
    return sorted({form for word in words for form in (word, word.upper(), word.title())})


def _plain_numbers(schema: Schema) -> set[str]:
    """The columns of numbers that are written as Python writes them; none if some stand for missing."""
    odd = any(number_of(word, ".", "", frozenset()) is not None for word in schema.missing)
    return set() if odd else {one.name for one in schema.columns if one.is_plain}


def _head(rest: memoryview, blocks: Iterator[memoryview], whole: bool) -> memoryview:
    """The first rows of a file, as many as say what its columns hold; of a pipe what is there."""
    head = bytes(rest)
    while whole and head.count(b"\n") < ROWS:
        more = next(blocks, None)
        if more is None:
            break
        head += bytes(more)
    return memoryview(head)


def header(
    lines: memoryview, file: str, delimiter: str | None
) -> tuple[list[str], str, memoryview] | None:
    """The names of the columns, the delimiter, and the lines after; None if all lines are blank.

    A line ``sep=;`` before them, as Excel has it, names the delimiter.
    """
    _check_encoding(bytes(lines[:4]), file)
    if bytes(lines[:3]) == BOM_UTF8:
        lines = lines[3:]
    if separator := SEPARATOR.match(lines):
        delimiter = delimiter or separator[1].decode("latin-1")
        lines = lines[separator.end() :]
    found = HEADER.match(lines)
    if found is None:
        if not bytes(lines).strip(b"\r\n"):
            return None
        raise CostreamError(f"{file}: a double quote in the header is never closed", QUOTE)
    try:
        line = str(found[1], "utf-8")
        delimiter = delimiter or max(DELIMITERS, key=line.count)
        names = [name.strip() for name in next(csv.reader([line], delimiter=delimiter))]
    except UnicodeDecodeError as error:
        raise CostreamError(f"{file}: the header cannot be read ({error})", NOT_UTF8) from None
    except csv.Error as error:
        raise CostreamError(f"{file}: the header cannot be read ({error})", QUOTE) from None
    if "" in names:
        raise CostreamError(
            f"{file}: column {names.index('') + 1} has no name",
            "save a data frame without its index: index=False",
        )
    return names, delimiter, lines[found.end() :]


def _check_encoding(start: bytes, file: str) -> None:
    """Raise an error if the first bytes say that the text is UTF-16 or UTF-32."""
    wide = next((name for mark, name in WIDE.items() if start.startswith(mark)), None)
    if wide is None and len(start) == 4:  # two letters without a mark
        gone = [byte == 0 for byte in start]
        wide = {(False, True): "UTF-16LE", (True, False): "UTF-16BE"}.get((gone[0], gone[1]))
        wide = wide if gone[:2] == gone[2:] else None
    if wide is not None:
        raise CostreamError(
            f"{file}: the text is {wide}, and not UTF-8",
            f"save the file as UTF-8 (iconv -f {wide} -t UTF-8)",
        )


def label_texts(column: Any, exact: bool) -> Text:
    """Labels, None for missing ones; where they are ``exact``, words such as NA are labels."""
    text = encoded(column)
    if exact:
        return text
    return Text(text.codes, [None if value in MISSING else value for value in text.values])


class Fields:
    """The fields of CSV text, a block of whole lines at a time.

    ``missing`` are words besides the empty one that are NaN in columns of numbers, with or without
    blanks around. A column with such a word of more than seven bytes is read as text; numbers are never
    missing.
    """

    def __init__(
        self, file: str, names: list[str], delimiter: str, missing: Collection[str] = ()
    ) -> None:
        self.count = 0  # the rows of the last block
        self._file = file
        self._names = names
        self._delimiter = delimiter
        self._kinds = np.zeros(256, np.uint8)
        self._kinds[[*BLANKS.encode()]] = BLANK
        self._kinds[[NEWLINE, RETURN, ord(delimiter)]] = FIELD_END
        self._missing = _words(missing)
        self._buffer = bytearray()
        self._text = np.empty(0, np.uint8)
        self._odd = np.empty((0, 3), np.int64)

    def read(
        self, lines: memoryview, numbers: Collection[str], wanted: list[str], row: int = 1
    ) -> dict[str, Any]:
        """The wanted columns: arrays of floats for ``numbers``, pyarrow's strings for all others.

        A column of numbers in which something else is found comes as strings. All floats are columns of
        one matrix, row by row in memory, that has the order of the file. ``row`` is the first one, for
        messages.
        """
        needed = set(wanted)
        known = set() if self._delimiter in OF_NUMBERS else needed & set(numbers)
        floats = [name for name in self._names if name in known]
        texts = [name for name in self._names if name in needed and name not in known]
        rows = self._room(lines)
        scan = self._scan(lines, rows, floats, texts)
        self.count = int(scan.state[SCANNED])
        self._check(scan, row)
        found: dict[str, Any] = self._strings(scan, rows, texts, row)
        matrix = scan.value.reshape(rows, len(floats))[: self.count]
        found.update(zip(floats, matrix.T, strict=True))
        invalid = [name for name, odd in zip(floats, scan.invalid, strict=True) if odd]
        if invalid:
            scan = self._scan(lines, rows, [], invalid)
            found.update(self._strings(scan, rows, invalid, row))
        return {name: found[name] for name in wanted}

    def _room(self, lines: memoryview) -> int:
        """Make room for the text, with some after it: the most rows that it may have."""
        size = len(lines)
        if len(self._buffer) < size + PADDING:
            self._buffer = bytearray(size + PADDING)
            self._text = np.frombuffer(self._buffer, np.uint8)
            self._odd = np.empty((size // LEAST_ODD + 1, 3), np.int64)
        text = np.frombuffer(lines, np.uint8)
        ends = int(np.count_nonzero(text == NEWLINE)) + int(np.count_nonzero(text == RETURN))
        return min(ends, size // len(self._names)) + 1  # a field takes a byte; lines may be blank

    def _scan(self, lines: memoryview, rows: int, floats: list[str], texts: list[str]) -> Scan:
        """Split the text, and read the numbers that the scanner leaves."""
        size = len(lines)
        self._text[:size] = np.frombuffer(lines, np.uint8)  # a copy, as quotes are taken out
        self._text[size : size + PADDING] = NEWLINE
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
            invalid=np.zeros(len(floats), np.uint8),
            state=np.zeros(4, np.int64),
        )
        split(scan, size, ord(self._delimiter), rows)
        for k, begin, end in scan.odd[: int(scan.state[ODDS])].tolist():
            value[k] = float(self._text[begin:end].tobytes())
        return scan

    def _check(self, scan: Scan, row: int) -> None:
        """Raise an error about the row at which a scan has stopped."""
        wrong, where = int(scan.state[WRONG]), f"{self._file}, row {row + self.count}"
        if wrong == UNCLOSED:
            raise CostreamError(f"{where}: a double quote is never closed", QUOTE)
        if wrong:
            raise CostreamError(f"{where}: {wrong} fields instead of {len(self._names)}", QUOTE)

    def _strings(self, scan: Scan, rows: int, texts: list[str], row: int) -> dict[str, Any]:
        """The columns of text that a scan has noted."""
        if not texts:
            return {}
        pa, count = arrow(), self.count
        data = np.zeros(int(scan.state[BYTES]) + PADDING, np.uint8)
        offset = np.empty((len(texts), count + 1), np.int32)
        gather(scan, count, rows, offset.ravel(), data)
        buffer = pa.py_buffer(data)
        found = {
            name: pa.StringArray.from_buffers(count, pa.py_buffer(one), buffer)
            for name, one in zip(texts, offset, strict=True)
        }
        if data.max() > LAST_ASCII:
            for one in found.values():
                self._check_text(one, row)
        return found

    def _check_text(self, column: Any, row: int) -> None:
        """Raise an error about the first value that is not UTF-8."""
        with contextlib.suppress(arrow().ArrowInvalid):
            column.validate(full=True)
            return
        for t, value in enumerate(column.cast(arrow().binary()).to_pylist(), row):
            try:
                value.decode()
            except UnicodeDecodeError:
                where = f"{self._file}, row {t}"
                raise CostreamError(f"{where}: the text is not UTF-8", NOT_UTF8) from None


def _words(missing: Collection[str]) -> NDArray[np.uint64]:
    """Words as the scanner compares them: bytes as a number, the first one lowest, the size on top."""
    known = (word.strip(BLANKS).encode() for word in missing)
    words = (word.ljust(7, b"\0") + bytes([len(word)]) for word in known if len(word) <= LONGEST_WORD)
    return np.array(sorted(int.from_bytes(word, "little") for word in words), np.uint64)
