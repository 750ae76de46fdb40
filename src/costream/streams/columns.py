"""Columns of a table as sparse rows: numbers by their column, text by its value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CostreamError
from ..inputs import NOT_FINITE, Batch
from ..kernels.rows import table_rows
from .block import Block, Floats
from .hashing import TextSlots
from .labels import numbered
from .roles import Roles, feature_name

Ints = NDArray[np.int64]

REMEMBERED = 1 << 16
BAD_COST = "the cost of an error must be finite and not negative"


@dataclass(frozen=True)
class Text:
    """A column by its distinct values: the place of each row's value among them, -1 for none."""

    codes: Ints
    values: list[Any]


Column = Floats | Text | None  # None: nothing is known of it yet


class Rows:
    """Turns columns into blocks, and counts the rows."""

    def __init__(self, file: str, roles: Roles, slots: TextSlots) -> None:
        self.file = file
        self.roles = roles
        self._known = Names(slots)
        self.first = 1  # the number of the next block's first row

    def where(self, t: int, column: str) -> str:
        """Where a value of the next block stands."""
        return f"{self.file}, row {self.first + t}, column {column}"

    def block(self, count: int, columns: Mapping[str, Column], label: Column) -> Block:
        """The next block, from its columns of features and costs, and its label."""
        numbers, texts = {}, {}
        for name in self.roles.features:
            column = columns[name]
            if isinstance(column, Text):
                texts[name] = column
            elif column is not None:
                numbers[name] = column
        names = {feature_name(name): at for at, name in enumerate(numbers)}
        dense = self._dense(count, numbers)
        codes = _places(count, texts, names, self._known)
        rows = _sparse(dense, codes, len(names))
        fn_cost, fp_cost = (
            None if name is None else self._cost(count, columns[name], name)
            for name in (self.roles.fn_cost, self.roles.fp_cost)
        )
        where = partial(_row, self.file, self.first)
        self.first += count
        return Block(
            merged_in_place(rows) if _repeats(codes, len(numbers)) else rows,
            list(names),
            _label(count, label),
            where,
            fn_cost,
            fp_cost,
        )

    def _dense(self, count: int, numbers: dict[str, Floats]) -> Floats:
        """The numbers of all columns, 0 for missing ones; an error names an infinite one."""
        dense = np.empty((count, len(numbers)))
        for at, column in enumerate(numbers.values()):
            dense[:, at] = column
        if not np.isfinite(dense).all():
            infinite = np.argwhere(np.isinf(dense))
            if len(infinite):
                t, at = infinite[0].tolist()
                place = self.where(t, list(numbers)[at])
                raise CostreamError(f"{place}: the value is infinite", NOT_FINITE)
            dense[np.isnan(dense)] = 0.0
        return dense

    def _cost(self, count: int, column: Column, name: str) -> Floats:
        cost = np.full(count, np.nan) if column is None else column
        if isinstance(cost, Text):
            raise bad_cost(self.where(0, name), [*cost.values, None][cost.codes[0]])
        bad = ~((cost >= 0) & (cost < np.inf))
        if bad.any():
            t = int(np.argmax(bad))
            raise bad_cost(self.where(t, name), cost[t])
        return cost


def bad_cost(where: str, cost: Any) -> CostreamError:
    """The complaint about the cost of a row."""
    if cost is None or cost != cost:
        return CostreamError(f"{where}: there is no cost", BAD_COST)
    return CostreamError(f"{where}: {cost} is no cost", BAD_COST)


def _row(file: str, first: int, t: int) -> str:
    return f"{file}, row {first + t}"


def _label(count: int, label: Column) -> NDArray[Any]:
    if isinstance(label, Text):
        return numbered([*label.values, None], label.codes)  # the code -1 is the last value
    return np.full(count, np.nan) if label is None else label


class Names(dict[tuple[str, str], str]):
    """The feature name of a column and a value; the common ones are remembered."""

    def __init__(self, slots: TextSlots) -> None:
        super().__init__()
        self._slots = slots

    def __missing__(self, key: tuple[str, str]) -> str:
        if len(self) >= REMEMBERED:
            self.clear()
        self[key] = name = self._slots.name(*key)
        return name


def _places(count: int, texts: dict[str, Text], names: dict[Any, int], known: Names) -> Ints:
    """The column of each text value, -1 for none; new ones are added to ``names``.

    Values are named in the order in which they come row by row, so that names do not depend on where
    blocks end.
    """
    places = [np.full(len(text.values) + 1, -1) for text in texts.values()]  # the code -1 is the last
    columns, values = list(texts), [text.values for text in texts.values()]
    at, code = _in_order(list(texts.values()))
    keys = ((columns[i], values[i][k]) for i, k in zip(at.tolist(), code.tolist(), strict=True))
    found = np.array([names.setdefault(known[key], len(names)) for key in keys], np.int64)
    codes = np.empty((count, len(columns)), np.int64)
    for i, text in enumerate(texts.values()):
        places[i][code[at == i]] = found[at == i]
        codes[:, i] = places[i][text.codes]
    return codes


def _in_order(texts: list[Text]) -> tuple[Ints, Ints]:
    """The column and the code of each value that is in a row, row by row as they come."""
    found = [np.empty((3, 0), np.int64)]
    for i, text in enumerate(texts):
        first = np.full(len(text.values) + 1, -1)
        first[text.codes[::-1]] = np.arange(len(text.codes))[::-1]  # of several, the last one stays
        first[[k for k, value in enumerate([*text.values, None]) if not value]] = -1
        code = np.flatnonzero(first >= 0)
        found.append(np.stack([np.full(len(code), i), code, first[code]]))
    at, code, first = np.concatenate(found, axis=1)
    order = np.lexsort((at, first))
    return at[order], code[order]


def _repeats(codes: Ints, numbers: int) -> bool:
    """Whether a row has a feature twice: two values, or a value and a number, share its name."""
    ordered = np.sort(codes, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    return bool(twice.any() or ((codes >= 0) & (codes < numbers)).any())


def _sparse(dense: Floats, codes: Ints, width: int) -> Batch:
    count = np.count_nonzero(dense) + np.count_nonzero(codes >= 0)
    start, index = np.empty(len(dense) + 1, np.uint64), np.empty(count, np.uint32)
    rows = Batch(start, index, np.empty(count), width)
    table_rows(dense, codes, rows.start, rows.index, rows.value)
    return rows


def merged_in_place(rows: Batch) -> Batch:
    """Entries of a row at the same index added up, where the first of them stands.

    Unlike `Batch.merged` this keeps the order of a row, which is the same in every block.
    """
    row = np.repeat(np.arange(rows.rows), np.diff(rows.start).astype(np.int64))
    _, first, inverse = np.unique(row * 2**32 + rows.index, return_index=True, return_inverse=True)
    value = np.bincount(inverse, rows.value, len(first)).astype(np.float64)
    order = np.argsort(first)
    start = np.searchsorted(first[order], rows.start.astype(np.int64)).astype(np.uint64)
    return Batch(start, rows.index[first[order]], value[order], rows.width)
