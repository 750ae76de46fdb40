"""Features beside the columns of numbers and single values: words, tags, keys that no schema knows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Batch
from .coverage import TimeColumn
from .naming import time_names
from .reading import Ints, Text
from .schema import Column
from .times import NAT, time_features_of


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


def tags(column: Column, text: Text) -> Extras:
    """The features of lists: one for each of their values."""
    found = Extras()
    lists = [code for code, value in enumerate(text.values) if isinstance(value, tuple)]
    for row in np.flatnonzero(np.isin(text.codes, lists)).tolist() if lists else ():
        for tag in dict.fromkeys(text.values[text.codes[row]]):
            if tag is not None:
                found.add(row, Word(column.name, tag), 1.0)
    return found


def time_columns(
    times: list[tuple[Any, NDArray[np.int64]]], names: list[Any]
) -> tuple[TimeColumn, ...]:
    """Columns of times, with the places of their features; -1 for one that no row has."""
    places = {name: at for at, name in enumerate(names)}
    return tuple(
        TimeColumn(key, tuple(places.get(name, -1) for name in time_names(key)), moments)
        for key, moments in times
    )


def with_extras(rows: Batch, extras: Extras, places: Ints) -> Batch:
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
