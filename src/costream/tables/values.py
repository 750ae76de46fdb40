"""Values of Python as columns: numbers, times, text, and what is none of them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Mapping
from datetime import date, datetime, tzinfo
from decimal import Decimal
from itertools import chain
from numbers import Real
from typing import Any

import numpy as np

from ..costs.rows import row_name
from ..errors import CostreamError
from .arrays import NOT_FINITE
from .reading import LARGEST, Ints, Raw, Text
from .schema import leave_out
from .times import NAT, PANDAS_MISSING, Moments, moment_of

NONE = type(None)
NUMBERS = frozenset({float, int, bool})
QUICK = (
    NUMBERS | {NONE, np.bool_} | {np.dtype(code).type for code in "efdbhilqBHILQ"}
)  # no long doubles
SCALARS = NUMBERS | {str, NONE}  # what JSON has besides arrays and objects


def as_raw(
    values: list[Any],
    name: Hashable,
    where: Callable[[int], str] = row_name,
    as_text: bool = False,
    zone: tzinfo | None = None,
    from_json: bool = False,
) -> Raw:
    """The column of some values; an error names the row and the key.

    Values of JSON have few types, of which an array of numbers takes the right ones only.
    """
    if from_json and not as_text and values and type(values[0]) is not bool:
        try:
            return np.frombuffer(array("d", values))
        except (TypeError, OverflowError):
            pass
    kinds = set(map(type, values))
    if kinds == {bool}:
        return np.array(values, np.bool_)
    if kinds == {bool, NONE}:
        return _distinct(values, values)
    if not as_text and kinds <= QUICK:
        try:
            if NONE in kinds:
                values = [np.nan if value is None else value for value in values]
            return np.fromiter(values, np.float64, len(values))
        except OverflowError:
            pass
    elif kinds - {NONE} in ({str}, {int}, {bool}):
        return _distinct(values, values)
    elif kinds <= {list, NONE} and {str}.issuperset(
        map(type, chain.from_iterable(filter(None, values)))
    ):
        tags = [None if value is None else tuple(value) for value in values]
        return _distinct(tags, tags)
    cells = []
    for t, value in enumerate(values):
        try:
            cells.append(plain(value))
        except (TypeError, OverflowError) as error:
            raise _invalid(value, f"{where(t)}, key {name}", name, error) from None
    return _of_plain(cells, name, where, as_text, zone)


def plain(value: Any) -> Any:
    """One value as str, bool, int, float, Decimal, datetime, date, np.datetime64 or a tuple of them.

    None stands for a missing one, NaN among them. Anything else is a TypeError that says what it is; a
    number beyond the largest float is an OverflowError.
    """
    kind = type(value)
    if kind in SCALARS:
        return _finite(value)
    if isinstance(value, str):
        return str.__str__(value)
    if kind.__name__ in PANDAS_MISSING:
        return None
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else value
    if isinstance(value, datetime | date):
        return value
    if isinstance(value, Decimal):
        return None if value.is_nan() else value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.timedelta64):  # for NumPy an integer
        raise TypeError(_described(value))
    if isinstance(value, np.integer | int):
        return _finite(int(value))
    if isinstance(value, Real):
        return _finite(float(value))
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return tuple(_member(one) for one in value)
    raise TypeError(_described(value))


def _member(value: Any) -> Any:
    """A value in a list."""
    if isinstance(value, list | tuple | np.ndarray | Mapping):
        inner = "objects" if isinstance(value, Mapping) else "arrays"
        raise TypeError(f"an array of {inner}")
    return plain(value)


def _finite(value: Any) -> Any:
    """A number that fits a float, or text; None for NaN."""
    if value != value:
        return None
    if type(value) is int and abs(value) > LARGEST:
        raise OverflowError
    return value


def _described(value: Any) -> str:
    """What cannot be a feature."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, np.ndarray):
        return "an array of arrays" if value.ndim else "an array without dimensions"
    if isinstance(value, bytes | bytearray | memoryview):
        return "bytes"
    return f"a value of type {type(value).__name__}"


def _invalid(value: Any, place: str, name: Hashable, error: Exception) -> CostreamError:
    """The error for a value that cannot be a feature."""
    if isinstance(error, OverflowError):
        return CostreamError(f"{place}: the number is too large", NOT_FINITE)
    hint = leave_out(name, "key")
    if isinstance(value, bytes | bytearray | memoryview):
        hint = f"decode them to text, or {hint}"
    return CostreamError(f"{place}: {error} cannot be a feature", hint)


def _of_plain(
    cells: list[Any], name: Hashable, where: Callable[[int], str], as_text: bool, zone: tzinfo | None
) -> Raw:
    """The column of plain values."""
    kinds = set(map(type, cells)) - {NONE}
    if kinds == {str}:
        return _distinct(cells, cells)
    if not as_text and kinds <= NUMBERS | {Decimal}:
        return np.array([np.nan if cell is None else number(cell) for cell in cells], np.float64)
    if not as_text and all(issubclass(kind, date | np.datetime64) for kind in kinds):
        moments = [NAT if cell is None else moment_of(cell, zone) for cell in cells]
        if None in moments:
            t = moments.index(None)
            raise CostreamError(
                f"{where(t)}, key {name}: {cells[t]} is beyond the years of times",
                leave_out(name, "key"),
            )
        return np.array(moments, np.int64).view("datetime64[us]")
    return _distinct(cells, [None if cell is None else _key(cell) for cell in cells])


def number(cell: bool | int | float | Decimal) -> float:
    """The float of a plain number; a decimal goes through its text."""
    return float(str(cell)) if isinstance(cell, Decimal) else float(cell)


def _key(cell: Any) -> Hashable:
    """The identity of a value: 1, 1.0 and True are three."""
    if type(cell) is tuple:
        return tuple(map(_key, cell))
    return type(cell), cell if type(cell) in (str, int, bool) else str(cell)


def _distinct(values: list[Any], keys: list[Any]) -> Text:
    """Text by its distinct values, in the order in which they come; None is none."""
    if keys is values:
        found = dict.fromkeys(keys)
        found.pop(None, None)
        distinct = list(found)
    else:
        first: dict[Any, Any] = {}
        for key, value in zip(keys, values, strict=True):
            if key is not None:
                first.setdefault(key, value)
        distinct, found = list(first.values()), first
    codes: dict[Any, int] = {key: code for code, key in enumerate(found)}
    codes[None] = -1
    return Text(np.fromiter(map(codes.__getitem__, keys), np.int64, len(keys)), distinct)


def spread(raw: Raw, places: Ints | None, rows: int) -> Raw:
    """A column of all rows from its values in some of them."""
    if places is None:
        return raw
    if not isinstance(raw, Text) and raw.dtype == np.bool_:  # an array of them has none missing
        if len(raw) == rows:
            return raw
        truths = raw.tolist()
        raw = _distinct(truths, truths)
    if isinstance(raw, Text):
        codes = np.full(rows, -1, np.int64)
        codes[places] = raw.codes
        return Text(codes, raw.values)
    column: Moments | Any = np.full(rows, np.nan if raw.dtype == np.float64 else "NaT", raw.dtype)
    column[places] = raw
    return column
