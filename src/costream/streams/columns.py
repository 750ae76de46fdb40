"""Columns of a table as sparse rows: numbers by their column, text by its value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..aliases import Floats
from ..errors import CostreamError
from ..inputs import NOT_FINITE, Batch, Block
from ..kernels.rows import table_rows
from ..objective import CostColumn
from ..row_costs import GivenCosts, bad_cost, filled
from ..spelling import missing, numbered
from .hashing import TextSlots
from .naming import NONE, Ints, Names
from .roles import Roles


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
        self._names = Names(slots)
        self.first = 1  # the number of the next block's first row

    def where(self, t: int, column: str) -> str:
        """Where a value of the next block stands, or the row alone."""
        row = f"{self.file}, row {self.first + t}"
        return f"{row}, column {column}" if column else row

    def block(
        self, count: int, columns: Mapping[str, Column], label: Column, kept: dict[str, list[Any]]
    ) -> Block:
        """The next block, from its columns of features and costs, its label and what is kept."""
        numbers, texts = {}, {}
        for name in self.roles.features:
            column = columns[name]
            if isinstance(column, Text):
                texts[name] = column
            elif column is not None:
                numbers[name] = column
        labels = _label(count, label)
        dense = self._dense(count, numbers)
        codes, names = self._codes(count, list(numbers), texts)
        rows = _sparse(dense, codes, len(names))
        costs = {
            cost: self._cost(columns[one.name], cost, one, labels)
            for cost, one in self.roles.costs.items()
        }
        where = partial(_row, self.file, self.first)
        self.first += count
        return Block(
            merged_in_place(rows) if texts else rows,
            names,
            labels,
            where,
            GivenCosts(**costs),
            self.roles.label,
            kept,
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

    def _codes(self, count: int, numbers: list[str], texts: dict[str, Text]) -> tuple[Ints, list[Any]]:
        """The feature of each text value, `NONE` for no value, and the names of all features."""
        columns = [self._names.column(name) for name in numbers]
        found = _numbers(texts, self._names)
        places, names = self._names.local(columns, np.concatenate([*found, [NONE]]))
        codes = np.empty((count, len(texts)), np.int64)
        for at, (number, text) in enumerate(zip(found, texts.values(), strict=True)):
            codes[:, at] = places[number][text.codes]
        return codes, names

    def _cost(self, column: Column, cost: str, known: CostColumn, labels: NDArray[Any]) -> Floats:
        """The costs of rows; an empty one takes the default of its column."""
        values: Any = np.full(len(labels), np.nan) if column is None else column
        if isinstance(values, Text):
            texts = [*values.values, None]
            t = next(t for t, code in enumerate(values.codes) if texts[code] is not None)
            raise bad_cost(f"{self.file}, row {self.first + t}", cost, texts[values.codes[t]], known)
        if self.roles.learns:  # a row without a label is passed over, and needs no cost
            values = np.where(np.isnan(values) & missing(labels), 0.0, values)
        # a copy: memory of pyarrow is read-only
        return filled(cost, values, known, len(labels), partial(_row, self.file, self.first))


def not_a_number(where: str, value: Any, column: str) -> CostreamError:
    """The error for a value in a column of numbers."""
    return misfit(where, value, column, "is not a number")


def misfit(where: str, value: Any, column: str, what: str) -> CostreamError:
    """The error for a value that does not fit into its column."""
    return CostreamError(
        f"{where}: {value!r:.60} {what}",
        f"--text {column} treats the column as text, --ignore {column} leaves it out "
        "(in Python: text= and ignore=)",
    )


def _row(file: str, first: int, t: int) -> str:
    return f"{file}, row {first + t}"


def _label(count: int, label: Column) -> NDArray[Any]:
    if isinstance(label, Text):
        return numbered([*label.values, None], label.codes)  # the code -1 is the last value
    return np.full(count, np.nan) if label is None else np.array(label)


def _numbers(texts: dict[str, Text], names: Names) -> list[Ints]:
    """The number of each value of each column, `NONE` for those that are in no row.

    New ones are named in the order in which they come row by row, so that names do not depend on where
    blocks end.
    """
    known = [names.known(column, text.values) for column, text in texts.items()]
    new = []
    for at, (numbers, text) in enumerate(zip(known, texts.values(), strict=True)):
        if None in numbers:
            first = _first_rows(text)
            new += [(first[code], at, code) for code, number in enumerate(numbers) if number is None]
    columns = list(texts.items())
    for first_row, at, code in sorted(new):
        column, text = columns[at]
        known[at][code] = NONE if first_row < 0 else names.learn(column, text.values[code])
    return [np.array([*numbers, NONE], np.int64) for numbers in known]  # the code -1 is the last one


def _first_rows(text: Text) -> list[int]:
    """The first row of each value, -1 for a value that is in none."""
    first = np.full(len(text.values) + 1, -1)
    first[text.codes[::-1]] = np.arange(len(text.codes))[::-1]  # of several, the last one stays
    return first.tolist()


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
    keys = row * 2**32 + rows.index
    if not (np.diff(np.sort(keys)) == 0).any():
        return rows
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    value = np.bincount(inverse, rows.value, len(first)).astype(np.float64)
    order = np.argsort(first)
    start = np.searchsorted(first[order], rows.start.astype(np.int64)).astype(np.uint64)
    return Batch(start, rows.index[first[order]], value[order], rows.width)
