"""Columns of a table as sparse rows: the same features, in the same order, wherever they come from.

A row has first its numbers, then what its columns of text say, then tags and words, and whatever the
schema does not know. New features are numbered in the order in which they come row by row, so that
nothing depends on where blocks end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from shlex import quote
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._typing import Floats
from ..errors import CostreamError
from ..kernels.rates import LISTED
from ..kernels.rows import table_rows
from .arrays import NOT_FINITE, Batch
from .cells import Ints, Raw, Text
from .coverage import TimeColumn
from .hashing import TextSlots, slot_of
from .naming import NONE, Names, feature_name
from .numbers import number_of
from .reading import Misfit, Reading
from .schema import Column, Schema
from .times import FEATURES, NAT, time_features, time_features_of, time_of
from .words import counted, too_many_message

RATE_BITS = 18  # running rates have 2^18 slots
GROUPED = {
    decimal: re.compile(rf"[^\d.,]*[1-9]\d{{0,2}}{re.escape(sign)}\d{{3}}[^\d.,]*")
    for decimal, sign in ((".", ","), (",", "."))
}
MISSING_VALUE = "missing"  # amount=missing is the feature of a missing number
Where = Callable[[int, str], str]  # the row and the column of a value, as errors call it


def fixed_names(column: Column) -> list[Any]:
    """The features that a column has, whatever its values are."""
    if column.kind == "time":
        return time_names(column.name)
    if column.kind == "text":
        return []
    return [feature_name(column.name)]


def time_names(key: Any) -> list[Any]:
    """The features of a column of times."""
    return [f"{key}.{part}" for part in FEATURES]


def rate_names(column: Column) -> list[str]:
    """The features of the running rates of positives of a column's values, or of its words."""
    if not column.rate:
        return []
    return [f"{column.name} rate", *([f"{column.name} highest rate"] if column.words else [])]


def text_names(features: Iterable[Any], schema: Schema | None) -> Iterator[str]:
    """The features that are text values, such as ``country=DE``, among those of a model."""
    columns = () if schema is None else schema.features
    fixed = {name for one in columns for name in [*fixed_names(one), *rate_names(one)]}
    return (one for one in features if isinstance(one, str) and "=" in one and one not in fixed)


@lru_cache(maxsize=1 << 16)
def rate_slot(column: str, value: str) -> int:
    """The slot of a value among the running rates."""
    return slot_of(f"{column}={value}", RATE_BITS)


def list_words(column: Column, words: Counter[str], lists: list[int]) -> int:
    """Add the slots of words to ``lists``; returns what stands for them, `NONE` if there is none."""
    if not words:
        return NONE
    place = len(lists)
    lists += [len(words), *(rate_slot(column.name, word) for word in words)]
    return LISTED + 2 * place


def misfit_message(where: str, value: Any, column: Column) -> str:
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


def is_grouped(value: Any, column: Column) -> bool:
    """Whether a text has what may separate thousands, or be the decimal sign, in a column without."""
    if column.thousands or not isinstance(value, str):
        return False
    return GROUPED[column.decimal].fullmatch(value.strip()) is not None


def grouped_message(value: str, column: Column) -> str:
    """The warning of a separator of thousands in a column that has had none so far."""
    sign = "," if column.decimal == "." else "."
    return (
        f"column {column.name}: in {value.strip():.40}, {sign!r} is taken to separate thousands, which "
        f"there were none of before; if it is the decimal sign, say --decimal {sign} (in Python: "
        f"Schema(decimal={sign!r}))"
    )


class Word(NamedTuple):
    """A text value of a column."""

    column: str
    text: str


class Extras:
    """Features that stand in no column of numbers or of single values, in the order of rows."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        self.names: list[Any] = []  # a `Word`, or the name of a number
        self.values: list[float] = []
        self.times: dict[Any, dict[int, int]] = {}  # by key the moments of rows

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, row: int, name: Any, value: float) -> None:
        """Add a feature at the end."""
        self.rows.append(row)
        self.names.append(name)
        self.values.append(value)

    def add_time(self, row: int, key: Any, moment: int) -> None:
        """Add the time of a key that no schema knows."""
        self.times.setdefault(key, {})[row] = moment
        for name, value in zip(time_names(key), time_features_of(moment), strict=True):
            self.add(row, name, value)

    def time_columns(self, count: int, names: list[Any]) -> tuple[TimeColumn, ...]:
        """The times of the keys as columns."""
        times = []
        for key, one in self.times.items():
            moments = np.full(count, NAT)
            moments[[*one]] = [*one.values()]
            times.append((key, moments))
        return time_columns(times, names)

    def then(self, more: Extras) -> Extras:
        """These features, and in each row some more after them."""
        if not more.rows or not self.rows:
            return more if more.rows else self
        found, rows = Extras(), [*self.rows, *more.rows]
        names, values = [*self.names, *more.names], [*self.values, *more.values]
        for at in sorted(range(len(rows)), key=rows.__getitem__):
            found.add(rows[at], names[at], values[at])
        found.times = more.times  # those of tags have none
        return found


class TableReader:
    """Turns raw columns into rows, following a schema; numbers features as they come."""

    def __init__(self, schema: Schema, slots: TextSlots, tell: Callable[[str, str], None]) -> None:
        self.schema = schema
        self.slots = slots
        self.reading = Reading(schema)
        self._names = Names(slots)
        self._tell = tell

    def batch(
        self,
        count: int,
        columns: Mapping[str, Raw],
        where: Where,
        extras: Extras | None = None,
    ) -> tuple[Batch, list[Any]]:
        """Rows and the names of their features; ``columns`` that are not there are missing."""
        numbers: list[Any] = []
        dense: list[Floats] = []
        texts: list[tuple[Column, Text]] = []
        times: list[tuple[Any, NDArray[np.int64]]] = []
        found = Extras()
        for column in self.schema.features:
            raw = columns.get(column.name)
            if raw is None:
                raw = Text(np.full(count, -1), [])
            if column.kind == "text":
                text = self.reading.texts(raw, column)
                if column.words and not column.rate:
                    found = found.then(self._words(column, text))
                    continue
                found = found if column.words else found.then(_tags(column, text))
                texts.append((column, text))
                continue
            numbers += fixed_names(column)
            if column.kind == "time":
                moments = self.reading.moments(raw, column, self._misfit(column, where))
                times.append((column.name, moments.astype(np.int64)))
                dense += list(time_features(moments).T)
                continue
            values = self._numbers(raw, column, where)
            dense.append(values)
            if column.marks and (gone := np.isnan(values)).any():  # numbers alone have marks
                texts.append((column, Text(np.where(gone, 0, -1), [MISSING_VALUE])))
        table = self._dense(count, dense, numbers, where)
        found = found if extras is None else found.then(extras)
        rows, names = self._rows(table, numbers, texts, found)
        dated = (*time_columns(times, numbers), *found.time_columns(count, names))  # numbers are first
        return (replace(rows, times=dated) if dated else rows), names

    def _words(self, column: Column, text: Text) -> Extras:
        """The words of a column with their counts, in the order of rows."""
        found, counts = Extras(), self._counted(column, text)
        names = [[Word(column.name, one) for one in value] for value in counts]
        values = [list(map(float, value.values())) for value in counts]
        for row in np.flatnonzero(text.codes >= 0).tolist():
            code = text.codes[row]
            found.rows += [row] * len(names[code])
            found.names += names[code]
            found.values += values[code]
        return found

    def _counted(self, column: Column, text: Text) -> list[Counter[str]]:
        """The words of each value, with their counts."""

        def too_many() -> None:
            self._tell(f"{column.name} words", too_many_message(column.name))

        return [counted(value, too_many) for value in text.values]

    def _misfit(self, column: Column, where: Where) -> Misfit:
        """What is told the row and the value of what does not fit into a column."""

        def misfit(row: int, value: Any) -> None:
            self._tell(column.name, misfit_message(where(row, column.name), value, column))

        return misfit

    def _numbers(self, raw: Raw, column: Column, where: Where) -> Floats:
        """One column of numbers."""
        if isinstance(raw, Text):
            grouped = next((value for value in raw.values if is_grouped(value, column)), None)
            if grouped is not None:
                self._tell(f"{column.name} thousands", grouped_message(grouped, column))
        return self.reading.numbers(raw, column, self._misfit(column, where))

    def _dense(self, count: int, columns: list[Floats], names: list[Any], where: Where) -> Floats:
        """The numbers of all columns, 0 for missing ones; an error names an infinite one."""
        dense = np.empty((count, len(columns)))
        for at, column in enumerate(columns):
            dense[:, at] = column
        if not np.isfinite(dense).all():
            infinite = np.argwhere(np.isinf(dense))
            if len(infinite):
                t, at = infinite[0].tolist()
                name = str(names[at])
                hint = f"{NOT_FINITE}; --text {quote(name)} reads the column as text"
                raise CostreamError(f"{where(t, name)}: the value is infinite", hint)
            dense[np.isnan(dense)] = 0.0
        return dense

    def _rows(
        self,
        dense: Floats,
        numbers: list[Any],
        texts: list[tuple[Column, Text]],
        extras: Extras,
    ) -> tuple[Batch, list[Any]]:
        """Sparse rows, the names of their features, and the slots of running rates."""
        rates = [name for column, _ in texts for name in rate_names(column)]
        rate = iter(range(len(rates)))
        fixed = [self._names.name(name) for name in [*numbers, *rates]]
        lists: list[int] = []
        slots = np.full((len(dense), len(rates)), NONE, np.int64)
        codes: list[Ints] = []
        named = self._named([(c, t) for c, t in texts if not c.rate], extras)
        plain = iter(named.columns)
        for column, text in texts:
            if column.rate:
                for found in self._slots(column, text, lists):
                    at = next(rate)
                    slots[:, at] = found
                    codes.append(np.where(found >= 0, fixed[len(numbers) + at], NONE))
            else:
                codes.append(np.asarray(next(plain)[text.codes]))
        used = np.concatenate([*codes, named.extras, [NONE]])
        places, names = self._names.local(fixed, used)
        table = np.empty((len(dense), len(codes)), np.int64)
        for at, one in enumerate(codes):
            table[:, at] = places[one]
        rows = _sparse(dense, table, len(names))
        if len(extras):
            rows = _with_extras(rows, extras, places[named.extras])
        if len(extras) or named.may_share(fixed):
            rows = merged_in_place(rows)
        if rates:
            columns = tuple(range(len(numbers), len(fixed)))
            listed = np.array(lists, np.int64) if lists else None
            rows = replace(rows, rates=columns, slots=slots, lists=listed)
        return rows, names

    def _slots(self, column: Column, text: Text, lists: list[int]) -> list[Ints]:
        """The slot of each value among the running rates, `NONE` for a missing one.

        The slots of words come at the end of ``lists``, and a value has two numbers for its list.
        """
        if not column.words:
            slots = [rate_slot(column.name, str(value)) for value in text.values]
            return [np.array([*slots, NONE], np.int64)[text.codes]]
        counts = self._counted(column, text)
        places = [list_words(column, value, lists) for value in counts]
        first = np.array([*places, NONE], np.int64)[text.codes]
        return [first, np.where(first >= 0, first + 1, NONE)]

    def _named(self, texts: list[tuple[Column, Text]], extras: Extras) -> Named:
        """The number of each value of each column, and of each extra; new ones in the order of rows."""
        known = [self._names.known(column.name, text.values) for column, text in texts]
        new: list[tuple[Any, ...]] = []
        for at, (numbers, (_, text)) in enumerate(zip(known, texts, strict=True)):
            if None in numbers:
                first = text.first_rows()
                new += [(first[code], 0, at, code) for code, one in enumerate(numbers) if one is None]
        keys = [name if type(name) is str else (type(name), name) for name in extras.names]
        last = len(keys) - 1
        first_of = dict(zip(reversed(keys), range(last, -1, -1), strict=True))  # of each name
        listed = dict.fromkeys(first_of, NONE)
        new += [(extras.rows[at], 1, at, 0) for at in first_of.values()]
        for row, section, at, code in sorted(new):
            if section:
                listed[keys[at]] = self._numbered(extras.names[at])
                continue
            column, text = texts[at]
            unused = row < 0 or isinstance(text.values[code], tuple)
            known[at][code] = NONE if unused else self._names.learn(column.name, text.values[code])
        return Named(
            [np.array([*numbers, NONE], np.int64) for numbers in known],
            np.fromiter(map(listed.__getitem__, keys), np.int64, len(keys)),
        )

    def _numbered(self, name: Any) -> int:
        if isinstance(name, Word):
            return self._names.text(name)
        return self._names.column(name) if isinstance(name, str) else self._names.name(name)


class Named(NamedTuple):
    """The numbers of text values, column by column, and those of extras."""

    columns: list[Ints]
    extras: Ints

    def may_share(self, fixed: list[int]) -> bool:
        """Whether two columns, or two values of one, are the same feature."""
        numbers = np.concatenate([*self.columns, [NONE]])
        numbers = np.concatenate([numbers[numbers != NONE], fixed])
        return len(np.unique(numbers)) < len(numbers)


def time_columns(
    times: list[tuple[Any, NDArray[np.int64]]], names: list[Any]
) -> tuple[TimeColumn, ...]:
    """Columns of times, with the places of their features; -1 for one that no row has."""
    if not times:
        return ()
    places = {name: at for at, name in enumerate(names)}
    return tuple(
        TimeColumn(key, tuple(places.get(name, -1) for name in time_names(key)), moments)
        for key, moments in times
    )


def _tags(column: Column, text: Text) -> Extras:
    """The features of lists: one for each of their values."""
    found = Extras()
    lists = [code for code, value in enumerate(text.values) if isinstance(value, tuple)]
    for row in np.flatnonzero(np.isin(text.codes, lists)).tolist() if lists else ():
        for tag in dict.fromkeys(text.values[text.codes[row]]):
            if tag is not None:
                found.add(row, Word(column.name, tag), 1.0)
    return found


def _sparse(dense: Floats, codes: Ints, width: int) -> Batch:
    count = np.count_nonzero(dense) + np.count_nonzero(codes >= 0)
    start, index = np.empty(len(dense) + 1, np.uint64), np.empty(count, np.uint32)
    rows = Batch(start, index, np.empty(count), width)
    table_rows(dense, codes, rows.start, rows.index, rows.value)
    return rows


def _with_extras(rows: Batch, extras: Extras, places: Ints) -> Batch:
    """Rows with more entries at their ends."""
    lengths = np.diff(rows.start).astype(np.int64)
    own = np.repeat(np.arange(rows.rows), lengths)
    row = np.concatenate([own, extras.rows]).astype(np.int64)
    index = np.concatenate([rows.index, places]).astype(np.uint32)
    value = np.concatenate([rows.value, extras.values])
    sort = np.argsort(row, kind="stable")
    start = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=rows.rows)))).astype(np.uint64)
    return Batch(start, index[sort], value[sort], rows.width)


def merged_in_place(rows: Batch) -> Batch:
    """Entries of a row at the same index added up, where the first of them stands.

    Unlike `Batch.merged` this keeps the order of a row, which is the same in every block.
    """
    row = np.repeat(np.arange(rows.rows), np.diff(rows.start).astype(np.int64))
    keys = row * 2**32 + rows.index
    if not (np.diff(np.sort(keys)) == 0).any():
        return rows
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    value = np.bincount(inverse, rows.value, len(first)).astype(np.float64)
    order = np.argsort(first)
    start = np.searchsorted(first[order], rows.start.astype(np.int64)).astype(np.uint64)
    return Batch(start, rows.index[first[order]], value[order], rows.width)
