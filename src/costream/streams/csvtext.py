"""CSV text as columns. All fields are read as text; the first values of a column say what it holds."""

from __future__ import annotations

import csv
import re
from codecs import BOM_UTF8
from collections.abc import Callable
from typing import Any

import numpy as np

from ..aliases import Floats
from ..errors import CostreamError
from ..objective import CostColumn
from ..row_costs import bad_cost
from .arrow import arrow, encoded
from .columns import Column, Text, misfit, not_a_number

MISSING = frozenset(("", "NA", "N/A", "NaN", "nan", "NULL", "null", "None"))
DELIMITERS = ",;\t|"  # of several that are as frequent in the header, the first
HEADER = re.compile(rb'[\r\n]*((?:[^"\r\n]|"[^"]*")++)(?:\r\n|\r|\n)')
ROW = re.compile(r"Row #(\d+)")
COUNTS = re.compile(r"Expected (\d+) columns, got (\d+)")
NOT_UTF8 = "save the file as UTF-8 (iconv -f LATIN1 -t UTF-8)"
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
    """The names of the columns, the delimiter, and the lines after; None if all lines are blank."""
    if bytes(lines[:3]) == BOM_UTF8:
        lines = lines[3:]
    found = HEADER.match(lines)
    if found is None:
        if not bytes(lines).strip(b"\r\n"):
            return None
        raise CostreamError(f"{file}: a double quote in the header is never closed", QUOTE)
    try:
        line = str(found[1], "utf-8")
        delimiter = delimiter or max(DELIMITERS, key=line.count)
        names = next(csv.reader([line], delimiter=delimiter))
    except (UnicodeDecodeError, csv.Error) as error:
        raise CostreamError(f"{file}: the header cannot be read ({error})", NOT_UTF8) from None
    if "" in names:
        raise CostreamError(
            f"{file}: column {names.index('') + 1} has no name",
            "save a data frame without its index: index=False",
        )
    return names, delimiter, lines[found.end() :]


class Kinds:
    """What each column holds: numbers, or else only true and false, or else text.

    The first block in which a column has a value decides. ``text``, ``costs`` and ``numbers`` name
    columns that are known before.
    """

    def __init__(
        self, text: tuple[str, ...], costs: dict[str, CostColumn], numbers: frozenset[str]
    ) -> None:
        self._costs = {one.name: (cost, one) for cost, one in costs.items()}
        self._known: dict[str, Reading] = dict.fromkeys(text, exact_text)
        self._known.update(dict.fromkeys(numbers | set(self._costs), as_numbers))

    def read(self, name: str, column: Any, where: Callable[[int, str], str]) -> Column:
        """The column as what it holds; an error names the first value that does not fit."""
        known = self._known.get(name)
        found: Column = None
        if known is not None:
            found = known(column)
            if found is None and known is as_numbers:
                found = as_booleans(column)
            if found is None:
                raise self._misfit(known, column, name, where)
            return found
        for reading in (as_numbers, as_booleans, as_text):
            found = reading(column)
            if found is not None:
                break
        if isinstance(found, np.ndarray) and np.isnan(found).all():
            return None
        self._known[name] = reading
        return found

    def _misfit(
        self, known: Reading, column: Any, name: str, where: Callable[[int, str], str]
    ) -> CostreamError:
        """The error for the first field that does not fit, found by halving."""
        start, count = 0, len(column)
        while count > 1:
            half = count // 2
            if known(column.slice(start, half)) is None:
                count = half
            else:
                start, count = start + half, count - half
        value = column[start].as_py()
        if name in self._costs:
            return bad_cost(where(start, ""), self._costs[name][0], value, self._costs[name][1])
        if known is as_numbers:
            return not_a_number(where(start, name), value, name)
        return misfit(where(start, name), value, name, "is neither true nor false")


Reading = Callable[[Any], Floats | Text | None]


def as_numbers(column: Any) -> Floats | None:
    """The fields as numbers, NaN for missing ones; None if some are no numbers."""
    pa, compute = arrow(), arrow("compute")
    try:
        floats = column.cast(pa.float64())
    except pa.ArrowInvalid:
        bare = compute.utf8_trim_whitespace(column)
        gone = compute.is_in(bare, pa.array(sorted(MISSING)))
        try:
            floats = compute.if_else(gone, None, bare).cast(pa.float64())
        except pa.ArrowInvalid:
            return None
    return np.asarray(floats.to_numpy(zero_copy_only=False))


def as_booleans(column: Any) -> Floats | None:
    """True and false, in any case, as 1 and 0; None if there is something else."""
    words = {"true": 1.0, "false": 0.0, **dict.fromkeys(map(str.lower, MISSING), np.nan)}
    text = exact_text(column)
    numbers = [words.get(value.strip().lower()) for value in text.values]
    return None if None in numbers else np.array(numbers, np.float64)[text.codes]


def exact_text(column: Any) -> Text:
    """The fields as they stand."""
    return encoded(column)


def as_text(column: Any) -> Text:
    """The fields as text, None for missing ones."""
    text = encoded(column)
    return Text(text.codes, [None if value in MISSING else value for value in text.values])
