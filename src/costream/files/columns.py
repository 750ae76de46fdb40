"""Columns of a file as blocks of rows, with their labels and costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import Floats
from ..costs.objective import CostColumn
from ..costs.rows import NO_COSTS, GivenCosts, bad_cost, filled
from ..labels.parsing import missing, numbered
from ..tables.extras import Extras
from ..tables.infer import ROWS
from ..tables.leakage import RawRows
from ..tables.naming import TextSlots
from ..tables.reader import TableReader
from ..tables.reading import Raw, Reading, Text, silent
from ..tables.resolution import ResolvedSchema
from ..tables.schema import Column, Schema
from ..tables.times import Moments
from .blocks import Block, Warn, rows_where

Where = Callable[[int], str]


class BlockReader:
    """Turns columns into blocks, and counts the rows."""

    def __init__(self, file: str, columns: ResolvedSchema, slots: TextSlots, warn: Warn) -> None:
        self.file = file
        self.columns = columns
        self.layout = columns.layout
        self.first = 1  # the number of the next block's first row
        self._slots = slots
        self._warn = warn
        self._tables: TableReader | None = None

    @property
    def schema(self) -> Schema:
        """What the columns hold, once the first rows have been seen."""
        return self.columns.schema

    @property
    def reading(self) -> Reading:
        assert self._tables is not None
        return self._tables.reading

    def resolve(self, sample: Mapping[str, Raw], text_file: bool = False) -> None:
        """Decide by the first rows what the columns hold, and say what may surprise."""
        nothing = Text(np.empty(0, np.int64), [])
        columns = self.columns
        first = {name: _first(sample.get(name, nothing)) for name in columns.names}
        if columns.costs and columns.label in first:
            label = first[columns.label]
            for key, remark in columns.leave_out_leaking(first, _some_labels(label)).items():
                self._warn(key, f"{self.file}: {remark}")
        for remark in columns.resolve(first, text_file=text_file):
            self._warn(remark, f"{self.file}: {remark}")
        absent = columns.absent(self.file)
        if absent is not None:
            self._warn(absent, absent)
        self._tables = TableReader(columns.schema, self._slots, self._warn)

    def where(self, t: int, column: str = "") -> str:
        """Where a value of the next block stands, or the row alone."""
        return _row(self.file, self.first, t, column)

    def block(
        self,
        count: int,
        columns: Mapping[str, Raw],
        label: Raw | None,
        kept: dict[str, list[Any]],
        extras: Extras | None = None,
        line: Where | None = None,
    ) -> Block:
        """The next block, from its columns of features and costs, its label and what is kept.

        ``line`` names a row where it is not known by its number.
        """
        assert self._tables is not None
        where = line or partial(_row, self.file, self.first)
        at = partial(_at_key, line) if line else partial(_row, self.file, self.first)
        labels = _label(count, label)
        costs, unknown = self._costs(columns, labels, where)  # first, since they may be features, too
        rows, names = self._tables.batch(count, columns, at, extras)
        self.first += count
        block = Block(
            rows,
            names,
            labels,
            where,
            GivenCosts(**costs) if costs else NO_COSTS,
            kept,
            self.columns,
            self._moments(columns),
            raw=RawRows(columns),
        )
        if unknown.any():
            block = self._without(block, unknown)
        return block

    def _without(self, block: Block, unknown: NDArray[np.bool_]) -> Block:
        """The block without the rows whose costs are not known."""
        options = " ".join(f"--{cost.replace('_', '-')} NUMBER" for cost in self.columns.costs)
        first = int(np.argmax(unknown))
        self._warn(
            "rows without a cost",
            f"{block.where(first)} has no cost, and rows without one are skipped (costs for them: "
            f"{options})",
        )
        return replace(rows_where(block, ~unknown), without_cost=int(np.count_nonzero(unknown)))

    def _moments(self, columns: Mapping[str, Raw]) -> Moments | None:
        """The times of the rows, where a column of that is named."""
        name = next(iter(self.layout.time), None)
        if name is None or name not in columns:
            return None
        return self.reading.moments(columns[name], self.schema.by_name[name], silent)

    def _costs(
        self, columns: Mapping[str, Raw], labels: NDArray[Any], where: Where
    ) -> tuple[dict[str, Floats], NDArray[np.bool_]]:
        """The costs of rows, and which rows to learn have none; an empty one takes its default."""
        found, unknown = {}, np.zeros(len(labels), np.bool_)
        for cost, known in self.columns.costs.items():
            if known.name not in columns:
                values = np.full(len(labels), np.nan)
            else:
                values = self._cost(columns[known.name], cost, known, where)
            absent = np.isnan(values)
            if self.layout.learns and absent.any():  # a row without a label is skipped anyway
                values = np.where(absent & missing(labels), 0.0, values)
                if known.default is None:
                    unknown |= np.isnan(values)
                    values = np.where(np.isnan(values), 0.0, values)
            found[cost] = filled(cost, values, known, len(labels), where)
        return found, unknown

    def _cost(self, raw: Raw, cost: str, known: CostColumn, where: Where) -> Floats:
        """A column of costs, NaN where it is empty."""
        column = self.schema.by_name.get(known.name, Column(known.name, "cost"))

        def invalid(row: int, value: Any) -> None:
            raise bad_cost(where(row), cost, value, known)

        return self.reading.numbers(raw, column, invalid)


def _first(raw: Raw) -> Raw:
    """The first rows of a column."""
    if not isinstance(raw, Text):
        return raw[:ROWS]
    codes = raw.codes[:ROWS]
    return Text(codes, raw.values[: int(codes.max(initial=-1)) + 1])


def _some_labels(raw: Raw) -> list[Any]:
    """The labels of some rows, None for missing ones."""
    labels = _label(0, raw)
    return [None if gone else one for one, gone in zip(labels, missing(labels), strict=True)]


def _row(file: str, first: int, t: int, column: str = "") -> str:
    row = f"{file}, row {first + t}"
    return f"{row}, column {column}" if column else row


def _at_key(line: Where, t: int, column: str) -> str:
    return f"{line(t)}, key {column}"


def _label(count: int, label: Raw | None) -> NDArray[Any]:
    if label is None:
        return np.full(count, np.nan)
    if isinstance(label, Text):
        return numbered([*label.values, None], label.codes)  # the code -1 is the last value
    return np.array(label)
