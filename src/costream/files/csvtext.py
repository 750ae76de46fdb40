"""CSV text as columns of text."""

from __future__ import annotations

import csv
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from typing import Any

from ..errors import CostreamError
from ..tables.arrow import arrow, encoded
from ..tables.cells import Text
from ..tables.numbers import MISSING

DELIMITERS = ",;\t|"  # of several that are as frequent in the header, the first
HEADER = re.compile(rb'[\r\n]*((?:[^"\r\n]|"[^"]*")++)(?:\r\n|\r|\n)')
ROW = re.compile(r"Row #(\d+)")
COUNTS = re.compile(r"Expected (\d+) columns, got (\d+)")
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


class Fields:
    """The fields of a CSV file, a block of whole lines at a time; ``count`` is its number of rows."""

    def __init__(self, file: str, names: list[str], delimiter: str) -> None:
        self.file = file
        self.names = names
        self.delimiter = delimiter
        self.count = 0

    def read(self, lines: memoryview, wanted: list[str], first: int) -> dict[str, Any]:
        """The wanted columns; row ``first`` is the first one."""
        pa, part = arrow(), arrow("csv")
        lines = lines if len(lines) else memoryview(b"\n")  # pyarrow wants at least one line
        quotes, valid = _scan(lines)
        columns = wanted or self.names
        read = part.ReadOptions(use_threads=False, column_names=self.names, block_size=len(lines) + 1)
        parse = part.ParseOptions(
            delimiter=self.delimiter, quote_char='"' if quotes else False, newlines_in_values=True
        )
        convert = part.ConvertOptions(
            column_types=dict.fromkeys(columns, pa.string()),
            include_columns=columns,
            check_utf8=not valid,
        )
        try:
            table = part.read_csv(pa.py_buffer(lines), read, parse, convert)
        except pa.ArrowException as error:
            raise self._unreadable(str(error), first) from None
        self.count = table.num_rows
        return {name: table.column(name).combine_chunks() for name in wanted}

    def _unreadable(self, reason: str, first: int) -> CostreamError:
        row, counts = ROW.search(reason), COUNTS.search(reason)
        where = f"{self.file}, row {first + int(row[1]) - 1}" if row else self.file
        if counts:
            return CostreamError(f"{where}: {counts[2]} fields instead of {counts[1]}", QUOTE)
        if "UTF8" in reason:
            return CostreamError(f"{where}: the text is not UTF-8", NOT_UTF8)
        return CostreamError(f"{where}: the CSV text cannot be read ({reason:.120})", QUOTE)


def _scan(lines: memoryview) -> tuple[bool, bool]:
    """Whether there are quotes and whether all is UTF-8: once for a block is cheaper than by field."""
    try:
        return '"' in str(lines, "utf-8"), True
    except UnicodeDecodeError:
        return True, False


def header(
    lines: memoryview, file: str, delimiter: str | None
) -> tuple[list[str], str, memoryview] | None:
    """The names of the columns, the delimiter, and the lines after; None if all lines are blank.

    A line ``sep=;`` before them, as Excel has it, tells the delimiter.
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


def texts(column: Any) -> Text:
    """The fields of a column as they stand."""
    return encoded(column)


def label_texts(column: Any, exact: bool) -> Text:
    """Labels, None for missing ones; where they are ``exact``, words such as NA are labels."""
    text = encoded(column)
    if exact:
        return text
    return Text(text.codes, [None if value in MISSING else value for value in text.values])
