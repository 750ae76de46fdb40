"""Columns as they come, and their values as the kind of a column wants them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from numbers import Real
from shlex import quote
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._typing import Bools, Floats
from .numbers import MISSING, MISSING_NUMBERS, number_of, plain_numbers
from .schema import Column, Schema
from .times import NAT, PANDAS_MISSING, Moments, iso_moments, moment_of, time_of

Ints: TypeAlias = NDArray[np.int64]
LARGEST = int(np.finfo(np.float64).max)
YES_NO = {"true": 1.0, "false": 0.0}
FLAGS = {**YES_NO, "yes": 1.0, "no": 0.0, "y": 1.0, "n": 0.0, "t": 1.0, "f": 0.0}
_NEVER_NONE = (str, int)  # tuples that need not be made for each value
_MAYBE_NAN = (np.generic, Decimal)
_NUMBERS = (int, float, Real, np.bool_, Decimal)
_TIMES = (date, np.datetime64)
GROUPED = {  # what may separate thousands, by the decimal sign
    decimal: re.compile(rf"[^\d.,]*[1-9]\d{{0,2}}{re.escape(sign)}\d{{3}}[^\d.,]*")
    for decimal, sign in ((".", ","), (",", "."))
}
Invalid = Callable[[int, Any], None]  # called with the row and the value


@dataclass(frozen=True)
class Text:
    """A column by its distinct values: the place of each row's value among them, -1 for none."""

    codes: Ints
    values: list[Any]

    def first_rows(self) -> list[int]:
        """The first row of each value, -1 for a value that is in none."""
        first = np.full(len(self.values) + 1, -1)
        first[self.codes[::-1]] = np.arange(len(self.codes))[::-1]  # of several, the last one stays
        return [*map(int, first[:-1])]

    def counts(self) -> list[int]:
        """How many rows have each value."""
        return [*map(int, np.bincount(self.codes + 1, minlength=len(self.values) + 1)[1:])]


Raw: TypeAlias = Floats | Bools | Moments | Text


def is_none(value: Any) -> bool:
    """Whether a value stands for a missing one: None, NaN, NaT and what pandas calls NA."""
    if value is None:
        return True
    if isinstance(value, float):
        return value != value
    if isinstance(value, _NEVER_NONE):
        return False
    if isinstance(value, _MAYBE_NAN):
        return bool(value != value)
    return type(value).__name__ in PANDAS_MISSING


def is_time(value: Any) -> bool:
    return isinstance(value, _TIMES)


def is_number(value: Any) -> bool:
    return isinstance(value, _NUMBERS) and not isinstance(value, np.timedelta64)  # for NumPy one


def silent(_row: int, _value: Any) -> None:
    """Say nothing of a value that does not fit: the rows are read twice."""


class Reading:
    """How the values of columns are read: missing words, zone, what to call for invalid values."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.words = MISSING | frozenset(schema.missing)
        self.words_of_numbers = MISSING_NUMBERS | self.words
        self.zone = schema.zone

    # --- one value ------------------------------------------------------------------------------

    def number(self, value: Any, column: Column) -> float | None:
        """A number, NaN for a missing one; None where it is not a number, or neither yes nor no."""
        if column.kind == "yes/no":
            return self._flag(value, column)
        return self._number(value, column, YES_NO)

    def _flag(self, value: Any, column: Column) -> float | None:
        number = self._number(value, column, FLAGS)
        return number if number is None or number != number or number in (0.0, 1.0) else None

    def _number(self, value: Any, column: Column, words: dict[str, float]) -> float | None:
        if isinstance(value, float):
            return float(value)
        if isinstance(value, str):
            word = words.get(value.strip().lower())
            if word is not None:
                return word
            return number_of(value, column.decimal, column.thousands, self.words_of_numbers)
        if is_none(value):
            return math.nan
        if not is_number(value):
            return None
        if isinstance(value, int) and abs(value) > LARGEST:
            return math.inf if value > 0 else -math.inf
        return float(str(value)) if isinstance(value, Decimal) else float(value)

    def text(self, value: Any, column: Column) -> str | None:
        """Text, None for a missing one."""
        if isinstance(value, str):
            if column.exact:
                return str(value) or None
            found = value.strip()
            if column.key and found.endswith(".0") and found[:-2].isdigit():
                found = found[:-2]
            return None if found in self.words else found
        if is_none(value):
            return None
        if isinstance(value, bool | np.bool_):
            return "true" if value else "false"
        if is_number(value) and not isinstance(value, int):
            number = float(str(value)) if isinstance(value, Decimal) else float(value)
            whole = math.isfinite(number) and number.is_integer() and abs(number) < 1e16
            return str(int(number)) if whole else str(number)
        if isinstance(value, np.datetime64):
            value = value.astype("datetime64[us]").item()
        return str(value)

    def moment(self, value: Any, column: Column) -> int | None:
        """A time in microseconds since 1970, `NAT` for a missing one; None where it is not a time."""
        if isinstance(value, str):
            return time_of(value, column.day_first, self.words_of_numbers, self.zone)
        if is_none(value):
            return NAT
        return moment_of(value, self.zone) if is_time(value) or is_number(value) else None

    def is_missing(self, value: Any, column: Column | None) -> bool:
        """Whether a value is missing in its column; None: in one that nobody knows."""
        if is_none(value) or (isinstance(value, str | list | tuple) and not value):
            return True
        if column is None or not column.is_feature or not isinstance(value, str):
            return False
        if column.kind == "text":
            return self.text(value, column) is None
        if column.kind == "time":
            return self.moment(value, column) == NAT
        number = self.number(value, column)
        return number is not None and number != number

    # --- a column -------------------------------------------------------------------------------

    def numbers(self, raw: Raw, column: Column, invalid: Invalid) -> Floats:
        """A column as numbers, NaN for missing ones and for invalid values."""
        if isinstance(raw, Text):
            quick = None
            if column.decimal == "." and column.kind != "yes/no":
                quick = plain_numbers(raw.values, self.words_of_numbers)
            if quick is not None:
                return np.array([*quick, math.nan])[raw.codes]
            found = _each(raw, lambda value: self.number(value, column), math.nan, invalid)
            return np.asarray(found, np.float64)
        if raw.dtype.kind == "M":
            _all_invalid(raw, invalid)
            return np.full(len(raw), np.nan)
        numbers = np.asarray(raw, np.float64)
        if column.kind == "yes/no" and not np.isin(raw, (0, 1)).all():
            odd = ~np.isin(numbers, (0.0, 1.0)) & ~np.isnan(numbers)
            if odd.any():
                invalid(int(np.argmax(odd)), float(numbers[odd][0]))
                numbers = np.where(odd, np.nan, numbers)
        return numbers

    def moments(self, raw: Raw, column: Column, invalid: Invalid) -> Moments:
        """A column as times, NaT for missing ones and for invalid values."""
        if isinstance(raw, Text):
            plain = iso_moments(raw.values)
            if plain is not None:
                return np.append(plain, np.datetime64("NaT"))[raw.codes]
            found = _each(raw, lambda value: self.moment(value, column), NAT, invalid, np.int64)
            return np.asarray(found.view("datetime64[us]"))
        if raw.dtype.kind != "M":
            return self.moments(distinct(raw), column, invalid)
        return np.asarray(raw, "datetime64[us]")

    def texts(self, raw: Raw, column: Column) -> Text:
        """A column as text, None for missing values; lists stay tuples of text."""
        if not isinstance(raw, Text):
            raw = distinct(raw)
        values = [
            tuple(self.text(one, column) for one in value)
            if isinstance(value, tuple)
            else self.text(value, column)
            for value in raw.values
        ]
        return merged(Text(raw.codes, values))


def is_grouped(value: Any, column: Column) -> bool:
    """Whether a text has what may separate thousands, or be the decimal sign, in a column without."""
    if column.thousands or not isinstance(value, str):
        return False
    return GROUPED[column.decimal].fullmatch(value.strip()) is not None


def distinct(raw: Any) -> Text:
    """An array by its distinct values."""
    if raw.dtype.kind == "M":
        gone = np.isnat(raw)
    else:
        gone = np.isnan(raw) if raw.dtype.kind == "f" else np.zeros(len(raw), np.bool_)
    values, codes = np.unique(raw[~gone], return_inverse=True)
    found = np.full(len(raw), -1, np.int64)
    found[~gone] = codes
    listed = list(values) if raw.dtype.kind == "M" else values.tolist()
    return Text(found, listed)


def merged(text: Text) -> Text:
    """A column whose values are distinct; None is a missing value."""
    places: dict[Any, int] = {}
    for value in text.values:
        if value is not None:
            places.setdefault(value, len(places))
    if len(places) == len(text.values):
        return text
    new = np.array([*(-1 if v is None else places[v] for v in text.values), -1], np.int64)
    return Text(new[text.codes], list(places))


def _each(
    raw: Text, read: Callable[[Any], Any], none: Any, invalid: Invalid, dtype: Any = np.float64
) -> Any:
    """Each distinct value read; those that cannot be read are none, and the first one is reported."""
    found = [read(value) for value in raw.values]
    if None in found:
        rows = raw.first_rows()
        bad = [(rows[at], at) for at, one in enumerate(found) if one is None and rows[at] >= 0]
        if bad:
            row, at = min(bad)
            invalid(row, raw.values[at])
        found = [none if one is None else one for one in found]
    return np.array([*found, none], dtype)[raw.codes]


def _all_invalid(raw: Any, invalid: Invalid) -> None:
    there = np.flatnonzero(~np.isnat(raw))
    if len(there):
        invalid(int(there[0]), raw[there[0]].item())


# --- warnings ---------------------------------------------------------------------------------------


def invalid_message(where: str, value: Any, column: Column) -> str:
    """The warning of a value that does not fit into its column."""
    what = {"number": "a number", "time": "a time", "yes/no": "yes or no, true or false"}[column.kind]
    name, other = column.name, "," if column.decimal == "." else "."
    otherwise = ""
    if isinstance(value, str) and column.kind == "number":
        reads = number_of(value, other, "", frozenset()) is not None
        otherwise = f"--decimal {other} reads such numbers, " if reads else ""
    elif isinstance(value, str) and column.kind == "time" and column.day_first is not None:
        reads = time_of(value, not column.day_first, digits=False) is not None
        order = "month" if column.day_first else "day"
        otherwise = f"--{order}-first reads such times, " if reads else ""
    return (
        f"{where}: {value!r:.60} is not {what}; such values count as missing ({otherwise}"
        f"--text {quote(name)} reads the column as text, --ignore {quote(name)} leaves it out; in "
        f'Python: Schema({{{name!r}: "text"}}) or "left out")'
    )


def grouped_message(value: str, column: Column) -> str:
    """The warning of a separator of thousands in a column that has had none so far."""
    sign = "," if column.decimal == "." else "."
    return (
        f"column {column.name}: in {value.strip():.40}, {sign!r} is taken to separate thousands, which "
        f"there were none of before; if it is the decimal sign, say --decimal {sign} (in Python: "
        f"Schema(decimal={sign!r}))"
    )
