"""Rows as objects: the lines of JSON, lists of dicts, and columns made of them."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from datetime import tzinfo
from itertools import chain
from typing import Any, TypeAlias

import msgspec
import numpy as np

from ..costs.rows import row_name
from ..errors import CostreamError
from .reading import Ints, Raw
from .schema import leave_out
from .values import SCALARS, as_raw, spread

BY_LINE = json.JSONDecoder()
DECODER = msgspec.json.Decoder(dict[str, Any])
DEEPEST = 20  # objects in objects
ONE_OBJECT = "write one JSON object per line; jq -c '.[]' converts an array"
TWICE = "the name occurs twice, with a point and in an object"
SPARSE = 4  # rows with fewer than one in so many of the keys are read entry by entry

Record: TypeAlias = dict[Any, Any]
Where: TypeAlias = Callable[[int], str]


def read_lines(
    text: memoryview, file: str, before: int, ignore: Collection[Any] = ()
) -> tuple[list[int], list[Record]]:
    """The number of each line that is not blank, and its object, flat; `before` lines came earlier."""
    numbers, rows = decode_lines(text, file, before)
    if count(text, b"{") > len(rows):  # in objects, or in text
        rows = flattened(rows, lambda t: f"{file}, line {numbers[t]}", ignore)
    return numbers, rows


def count(text: memoryview | bytes, byte: bytes) -> int:
    """How often a text has a byte; several times as fast as Python for one that is frequent."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord(byte)))


def decode_lines(text: memoryview, file: str, before: int) -> tuple[list[int], list[Record]]:
    """The number of each line that is not blank, and its object; `before` lines came earlier."""
    lines = without_mark(text, before)
    return decoded(lines, DECODER, before) or _line_by_line(lines, file, before)


def without_mark(text: memoryview, before: int) -> bytes:
    """The text without the mark of UTF-8 with which a file may begin."""
    return bytes(text) if before else bytes(text).removeprefix(BOM_UTF8)


def decoded(
    lines: bytes, decoder: msgspec.json.Decoder[Any], before: int
) -> tuple[list[int], list[Any]] | None:
    """The numbers and objects of lines, all at once; None unless each is an object by itself."""
    try:
        rows = decoder.decode_lines(lines)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    # Where lines start with { and end with }, no object goes on in the next line; as many lines as
    # objects then show that each line has one.
    if _all_lines_are_rows(lines, len(rows)):
        return list(range(before + 1, before + 1 + len(rows))), rows
    numbers = []
    for number, line in enumerate(lines.split(b"\n"), before + 1):
        line = line.strip()
        if line:
            numbers.append(number)
            if not (line.startswith(b"{") and line.endswith(b"}")):
                return None
    return (numbers, rows) if len(numbers) == len(rows) else None


def _all_lines_are_rows(lines: bytes, rows: int) -> bool:
    """Whether there are as many lines as rows, and all start with { and end with }."""
    chars = np.frombuffer(lines, np.uint8)
    ends = np.flatnonzero(chars[:-1] == ord("\n"))  # but for that of the last line
    if rows != len(ends) + 1 or chars[0] != ord("{"):
        return False
    last = chars[ends - 1]
    last = np.where(last == ord("\r"), chars[ends - 2], last)
    return bool((last == ord("}")).all() and (chars[ends + 1] == ord("{")).all())


def _line_by_line(lines: bytes, file: str, before: int) -> tuple[list[int], list[Record]]:
    """The numbers and objects of lines, one after the other; an error names the line."""
    try:
        lines.decode()
    except UnicodeDecodeError as error:
        number = before + 1 + lines[: error.start].count(b"\n")
        raise CostreamError(f"{file}, line {number}: not UTF-8", "save the file as UTF-8") from None
    numbers, rows = [], []
    for number, line in enumerate(lines.split(b"\n"), before + 1):
        row: Record | None
        try:
            row = DECODER.decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            row = _by_python(line.decode(), f"{file}, line {number}")
        if row is not None:
            numbers.append(number)
            rows.append(row)
    return numbers, rows


def _by_python(line: str, where: str) -> Record | None:
    """A line as Python reads it, which takes NaN and halves of characters; None for a blank one."""
    if not line or line.isspace():
        return None
    try:
        row = BY_LINE.decode(line)
    except json.JSONDecodeError as error:
        place = f"{where}, column {error.colno}"
        raise CostreamError(f"{place}: not JSON ({error.msg})", ONE_OBJECT) from None
    except (ValueError, RecursionError) as error:  # a number too long, brackets too deep
        raise CostreamError(f"{where}: not readable ({error!s:.80})") from None
    if not isinstance(row, dict):
        raise CostreamError(f"{where}, column 1: not a JSON object", ONE_OBJECT)
    return row


def flattened(
    rows: Sequence[Mapping[Any, Any]], where: Where = row_name, ignore: Collection[Any] = ()
) -> list[Record]:
    """Rows with the values of nested objects by dotted names; those without any are as they were.

    An object whose name is in `ignore` is left out with all it holds. Errors name a row by `where`.
    """
    records = _as_dicts(rows, where)
    kinds = set(map(type, chain.from_iterable(map(dict.values, records))))
    if not any(issubclass(kind, Mapping) for kind in kinds):
        return records
    dotted: dict[Any, dict[Any, str]] = {}
    flat, ignored = [], frozenset(ignore)
    for t, row in enumerate(records):
        try:
            flat.append(_flat(row, ignored, dotted))
        except _Invalid as invalid:
            raise CostreamError(f"{where(t)}, key {invalid}", invalid.hint) from None
    return flat


class _Invalid(Exception):  # noqa: N818
    """Why an object cannot be made flat."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key}: {problem}")
        self.hint = leave_out(key, "key")


def _as_dicts(rows: Sequence[Mapping[Any, Any]], where: Where) -> list[Record]:
    """The rows as dicts and nothing else, whose order is the order of their values."""
    if isinstance(rows, list) and set(map(type, rows)) <= {dict}:
        return rows
    for t, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise CostreamError(
                f"{where(t)}: not a dict but of type {type(row).__name__}",
                "each row of a list must be a dict of names and values",
            )
    return [dict(row) for row in rows]


def _flat(row: Record, ignore: Collection[Any], dotted: dict[Any, dict[Any, str]]) -> Record:
    """A row with dotted names in the place of nested objects."""
    flat: Record = {}
    for key, value in row.items():
        if type(value) in SCALARS or not isinstance(value, Mapping):
            if key in flat:
                raise _Invalid(key, TWICE)
            flat[key] = value
        elif key not in ignore and not _add(flat, value, key, DEEPEST - 1, ignore, dotted):
            raise _Invalid(key, f"objects are nested more than {DEEPEST} deep")
    return flat


def _add(
    flat: Record,
    inside: Mapping[Any, Any],
    prefix: Any,
    deeper: int,
    ignore: Collection[Any],
    dotted: dict[Any, dict[Any, str]],
) -> bool:
    """Add the values of an object by dotted names; whether it has no others in it that are too deep."""
    names = dotted.setdefault(prefix, {})
    for key, value in inside.items():
        name = names.get(key)
        if name is None:
            name = names[key] = f"{prefix}.{key}"
        if name in ignore:
            continue
        if type(value) in SCALARS or not isinstance(value, Mapping):
            if name in flat:
                raise _Invalid(name, TWICE)
            flat[name] = value
        elif deeper == 0 or not _add(flat, value, name, deeper - 1, ignore, dotted):
            return False
    return True


def as_lists(rows: list[Record], ignore: Collection[Any] = ()) -> dict[Any, list[Any]] | None:
    """The values of each key of rows that are all built alike, without flat rows; None for others.

    The names are those of `flattened`, which also has the errors.
    """
    found: dict[Any, list[Any]] = {}
    return found if _lists_into(found, rows, None, DEEPEST, ignore) else None


def _lists_into(
    found: dict[Any, list[Any]], rows: list[Record], prefix: Any, deeper: int, ignore: Collection[Any]
) -> bool:
    """Add the values of rows to those found; whether all are built alike."""
    keys = list(rows[0]) if rows else []
    if not all(map(keys.__eq__, map(list, rows))):
        return False
    every = list(chain.from_iterable(map(dict.values, rows)))
    for k, key in enumerate(keys):
        name = key if prefix is None else f"{prefix}.{key}"
        values = every[k :: len(keys)]
        kinds = set(map(type, values))
        if dict not in kinds:
            if name in found:
                return False
            if prefix is None or name not in ignore:
                found[name] = values
        elif name not in ignore and (
            kinds != {dict} or not deeper or not _lists_into(found, values, name, deeper - 1, ignore)
        ):
            return False
    return True


def columns_of(
    rows: Sequence[Mapping[Any, Any]],
    names: Sequence[Hashable],
    where: Where = row_name,
    as_text: Collection[Hashable] = (),
    zone: tzinfo | None = None,
) -> dict[Hashable, Raw]:
    """The columns of flat rows: numbers, times, or text by its distinct values.

    A column of numbers and booleans is an array of floats, NaN where there is none, as is one without
    any value. A column of times is an array of them: those with an offset in `zone` (or else UTC), the
    others as they stand. Anything else is text, whose values are Python's own if they are not all
    strings; so is every column in `as_text`. A list is a tuple. Errors name the row by `where`, and
    the key.
    """
    entries = entries_of(rows, names, where, as_text, zone)
    return {name: spread(raw, places, len(rows)) for name, (places, raw) in entries.items()}


def entries_of(
    rows: Sequence[Mapping[Any, Any]],
    names: Sequence[Hashable],
    where: Where = row_name,
    as_text: Collection[Hashable] = (),
    zone: tzinfo | None = None,
    from_json: bool = False,
) -> dict[Hashable, tuple[Ints | None, Raw]]:
    """As `columns_of`, but of rows with few of the names only what they have: which rows, and their
    values; None instead of the rows means all of them. What comes from JSON is read a bit faster."""
    records = _as_dicts(rows, where)
    columns = _gathered(records, names)
    found: dict[Hashable, tuple[Ints | None, Raw]] = {}
    for name, (places, values) in columns.items():
        raw = as_raw(values, name, _at(where, places), name in as_text, zone, from_json)
        found[name] = (None if places is None else np.array(places, np.int64), raw)
    return found


def _at(where: Where, places: list[int] | None) -> Where:
    return where if places is None else lambda k: where(places[k])


def _gathered(
    rows: list[Record], names: Sequence[Hashable]
) -> dict[Hashable, tuple[list[int] | None, list[Any]]]:
    """The values of each column, and the rows that they are of (None: all)."""
    keys = list(rows[0]) if rows else []
    if all(map(keys.__eq__, map(list, rows))):
        every = list(chain.from_iterable(map(dict.values, rows)))
        first = {key: k for k, key in enumerate(keys)}
        none = [None] * len(rows)
        return {
            name: (None, every[first[name] :: len(keys)] if name in first else none) for name in names
        }
    if SPARSE * sum(map(len, rows)) > len(rows) * len(names):
        return {name: (None, [row.get(name) for row in rows]) for name in names}
    found: dict[Hashable, tuple[list[int], list[Any]]] = {name: ([], []) for name in names}
    for t, row in enumerate(rows):
        for key, value in row.items():
            column = found.get(key)
            if column is not None:
                column[0].append(t)
                column[1].append(value)
    return dict(found)
