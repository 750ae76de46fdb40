"""Columns of a table as sparse rows: the same features, in the same order, wherever they come from.

A row has first its numbers, then its text, then tags and words, and whatever the
schema does not know. New features are numbered in the order in which they come row by row, so that
nothing depends on where blocks end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import reduce
from shlex import quote
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._typing import Floats
from ..errors import CostreamError
from ..kernels.rows import table_rows
from .arrays import NOT_FINITE, Batch
from .extras import Extras, Word, merged_in_place, tags, time_columns, with_extras
from .naming import MISSING_VALUE, NONE, Names, TextSlots, encoding_names, encoding_slot, fixed_names
from .reading import Ints, Invalid, Raw, Reading, Text, grouped_message, invalid_message, is_grouped
from .schema import Column, Schema
from .times import time_features
from .words import counted, list_words, too_many_message

Where = Callable[[int, str], str]  # the row and the column of a value, as errors call it


class TableReader:
    """Turns raw columns into rows, following a schema; numbers features as they come."""

    def __init__(self, schema: Schema, slots: TextSlots, warn: Callable[[str, str], None]) -> None:
        self.schema = schema
        self.slots = slots
        self.reading = Reading(schema)
        self._names = Names(slots)
        self._warn = warn

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
        others: list[Extras] = []
        for column in self.schema.features:
            raw = columns.get(column.name)
            if raw is None:
                raw = Text(np.full(count, -1), [])
            if column.kind == "text":
                text = self.reading.texts(raw, column)
                if column.words and not column.target_encoding:
                    others.append(self._words(column, text))
                    continue
                if not column.words and any(isinstance(value, tuple) for value in text.values):
                    others.append(tags(column, text))
                texts.append((column, text))
                continue
            numbers += fixed_names(column)
            if column.kind == "time":
                moments = self.reading.moments(raw, column, self._invalid(column, where))
                times.append((column.name, moments.astype(np.int64)))
                dense += list(time_features(moments).T)
                continue
            values = self._numbers(raw, column, where)
            dense.append(values)
            if column.missing_indicator and (gone := np.isnan(values)).any():  # of numbers alone
                texts.append((column, Text(np.where(gone, 0, -1), [MISSING_VALUE])))
        table = self._dense(count, dense, numbers, where)
        others += [] if extras is None else [extras]
        found = reduce(Extras.then, others) if others else None
        rows, names = self._rows(table, numbers, texts, found)
        dated = time_columns(times, numbers) if times else ()  # numbers are first
        if found is not None:
            dated += found.time_columns(count, names)
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
            self._warn(f"{column.name} words", too_many_message(column.name))

        return [counted(value, too_many) for value in text.values]

    def _invalid(self, column: Column, where: Where) -> Invalid:
        """What is called with the row and each value that is invalid in a column."""

        def invalid(row: int, value: Any) -> None:
            self._warn(column.name, invalid_message(where(row, column.name), value, column))

        return invalid

    def _numbers(self, raw: Raw, column: Column, where: Where) -> Floats:
        """One column of numbers."""
        if isinstance(raw, Text):
            grouped = next((value for value in raw.values if is_grouped(value, column)), None)
            if grouped is not None:
                self._warn(f"{column.name} thousands", grouped_message(grouped, column))
        return self.reading.numbers(raw, column, self._invalid(column, where))

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
        extras: Extras | None,
    ) -> tuple[Batch, list[Any]]:
        """Sparse rows, the names of their features, and the slots of target encodings."""
        encodings = [name for column, _ in texts for name in encoding_names(column)]
        place_of_encoding = iter(range(len(encodings)))
        fixed = [self._names.name(name) for name in [*numbers, *encodings]]
        lists: list[int] = []
        slots = np.full((len(dense), len(encodings)), NONE, np.int64)
        codes: list[Ints] = []
        named = self._named([(c, t) for c, t in texts if not c.target_encoding], extras)
        plain = iter(named.columns)
        for column, text in texts:
            if column.target_encoding:
                for found in self._slots(column, text, lists):
                    at = next(place_of_encoding)
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
        if extras:
            rows = with_extras(rows, extras, places[named.extras])
        if extras or named.may_share(fixed):
            rows = merged_in_place(rows)
        if encodings:
            columns = tuple(range(len(numbers), len(fixed)))
            flat_lists = np.array(lists, np.int64) if lists else None
            rows = replace(rows, to_encode=columns, slots=slots, lists=flat_lists)
        return rows, names

    def _slots(self, column: Column, text: Text, lists: list[int]) -> list[Ints]:
        """The slot of each value in the target encoding, `NONE` for a missing one.

        The slots of words come at the end of ``lists``, and a value has two numbers for its list.
        """
        if not column.words:
            slots = [encoding_slot(column.name, str(value)) for value in text.values]
            return [np.array([*slots, NONE], np.int64)[text.codes]]
        counts = self._counted(column, text)
        places = [list_words(column, value, lists) for value in counts]
        first = np.array([*places, NONE], np.int64)[text.codes]
        return [first, np.where(first >= 0, first + 1, NONE)]

    def _named(self, texts: list[tuple[Column, Text]], extras: Extras | None) -> Named:
        """The number of each value of each column, and of each extra; new ones in the order of rows."""
        known = [self._names.known(column.name, text.values) for column, text in texts]
        names, rows = (extras.names, extras.rows) if extras else ([], [])
        new: list[tuple[Any, ...]] = []
        for at, (numbers, (_, text)) in enumerate(zip(known, texts, strict=True)):
            if None in numbers:
                first = text.first_rows()
                new += [(first[code], 0, at, code) for code, one in enumerate(numbers) if one is None]
        keys = [name if type(name) is str else (type(name), name) for name in names]
        last = len(keys) - 1
        first_of = dict(zip(reversed(keys), range(last, -1, -1), strict=True))  # of each name
        slot_of_key = dict.fromkeys(first_of, NONE)
        new += [(rows[at], 1, at, 0) for at in first_of.values()]
        for row, section, at, code in sorted(new):
            if section:
                slot_of_key[keys[at]] = self._numbered(names[at])
                continue
            column, text = texts[at]
            unused = row < 0 or isinstance(text.values[code], tuple)
            known[at][code] = NONE if unused else self._names.learn(column.name, text.values[code])
        return Named(
            [np.array([*numbers, NONE], np.int64) for numbers in known],
            np.fromiter(map(slot_of_key.__getitem__, keys), np.int64, len(keys)),
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


def _sparse(dense: Floats, codes: Ints, width: int) -> Batch:
    count = np.count_nonzero(dense) + np.count_nonzero(codes >= 0)
    start, index = np.empty(len(dense) + 1, np.uint64), np.empty(count, np.uint32)
    rows = Batch(start, index, np.empty(count), width)
    table_rows(dense, codes, rows.start, rows.index, rows.value)
    return rows
