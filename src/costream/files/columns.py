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
from ..costs.rows import GivenCosts, bad_cost, filled
from ..labels.parsing import missing, numbered
from ..tables.cells import Moments, Raw, Text
from ..tables.hashing import TextSlots
from ..tables.infer import ROWS
from ..tables.known import gone
from ..tables.leakage import RawRows, cost_tells, left_out_message
from ..tables.reader import Extras, TableReader
from ..tables.reading import Reading, silent
from ..tables.schema import Column, Schema
from .blocks import Block, Tell, rows_where
from .layout import Layout
from .roles import Roles

Where = Callable[[int], str]


class BlockReader:
    """Turns columns into blocks, and counts the rows."""

    def __init__(self, file: str, roles: Roles, layout: Layout, slots: TextSlots, tell: Tell) -> None:
        self.file = file
        self.roles = roles
        self.layout = layout
        self.first = 1  # the number of the next block's first row
        self._slots = slots
        self._tell = tell
        self._tables: TableReader | None = None
        self._time: str | None = None

    @property
    def schema(self) -> Schema:
        """What the columns hold, once the first rows have been seen."""
        assert self._tables is not None
        return self._tables.schema

    @property
    def reading(self) -> Reading:
        """How values are read."""
        assert self._tables is not None
        return self._tables.reading

    @property
    def names(self) -> list[str]:
        """The columns of features and costs."""
        costs = [one.name for one in self.roles.costs.values()]
        return list(dict.fromkeys([*(one.name for one in self.schema.features), *costs]))

    @property
    def known_names(self) -> set[str]:
        """All columns that have a meaning, even if it is to be left out."""
        return {*self.schema.by_name, *self.roles.columns, *self.layout.special}

    @property
    def plain_numbers(self) -> set[str]:
        """The columns of numbers that are written as Python writes them."""
        return {one.name for one in self.schema.columns if one.is_plain}

    @property
    def texts(self) -> set[str]:
        """The columns of text."""
        return set(self.schema.named("text"))

    def settle(self, sample: Mapping[str, Raw], text_file: bool = False) -> None:
        """Decide by the first rows what the columns hold, and say what may surprise."""
        nothing = Text(np.empty(0, np.int64), [])
        first = {name: _first(sample.get(name, nothing)) for name in self.roles.columns}
        kinds = self.roles.kinds | self._leaking_costs(first)
        schema, remarks = self.layout.settle(first, kinds, text_file)
        for remark in remarks:
            self._tell(remark, f"{self.file}: {remark}")
        absent = gone(self.layout.known.schema, self.roles.columns, self.file)
        if absent is not None:
            self._tell(absent, absent)
        self._tables = TableReader(schema, self._slots, self._tell)
        self._time = next(iter(self.layout.time), None)

    def _leaking_costs(self, first: Mapping[str, Raw]) -> dict[str, str]:
        """The columns of costs that tell the labels of the first rows, which are not features then."""
        found: dict[str, str] = {}
        known, own = self.layout.known.schema, self.roles.label
        if own is None or own not in first:
            return found
        label = _label(_length(first[own]), first[own])
        labels = [None if gone else one for one, gone in zip(label, missing(label), strict=True)]
        reading = Reading(self.layout.wishes)
        for one in self.roles.costs.values():
            new = known is None or one.name not in known.by_name
            if new and one.name in self.roles.features and one.name in first:
                column = self.layout.wishes.by_name.get(one.name, Column(one.name, "cost"))
                column = column if column.kind == "number" else Column(one.name, "cost")
                if cost_tells(reading.numbers(first[one.name], column, silent), labels):
                    self._tell(f"{one.name} leaks", f"{self.file}: {left_out_message(one.name)}")
                    found[one.name] = "cost"
        return found

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
            GivenCosts(**costs),
            self.roles.label,
            kept,
            self.schema,
            self._moments(columns),
            raw=RawRows(columns),
        )
        if unknown.any():
            block = self._without(block, unknown)
        return block

    def _without(self, block: Block, unknown: NDArray[np.bool_]) -> Block:
        """The block without the rows whose costs are not known."""
        options = " ".join(f"--{cost.replace('_', '-')} NUMBER" for cost in self.roles.costs)
        first = int(np.argmax(unknown))
        self._tell(
            "rows without a cost",
            f"{block.where(first)} has no cost, and rows without one are passed over (costs for them: "
            f"{options})",
        )
        return replace(rows_where(block, ~unknown), without_cost=int(np.count_nonzero(unknown)))

    def _moments(self, columns: Mapping[str, Raw]) -> Moments | None:
        """The times of the rows, where a column of that is named."""
        if self._time is None or self._time not in columns:
            return None
        column = self.schema.by_name[self._time]
        assert self._tables is not None
        return self._tables.reading.moments(columns[self._time], column, silent)

    def _costs(
        self, columns: Mapping[str, Raw], labels: NDArray[Any], where: Where
    ) -> tuple[dict[str, Floats], NDArray[np.bool_]]:
        """The costs of rows, and which rows to learn have none; an empty one takes its default."""
        found, unknown = {}, np.zeros(len(labels), np.bool_)
        for cost, known in self.roles.costs.items():
            if known.name not in columns:
                values = np.full(len(labels), np.nan)
            else:
                values = self._cost(columns[known.name], cost, known, where)
            absent = np.isnan(values)
            if self.roles.learns and absent.any():  # a row without a label is passed over anyway
                values = np.where(absent & missing(labels), 0.0, values)
                if known.default is None:
                    unknown |= np.isnan(values)
                    values = np.where(np.isnan(values), 0.0, values)
            found[cost] = filled(cost, values, known, len(labels), where)
        return found, unknown

    def _cost(self, raw: Raw, cost: str, known: CostColumn, where: Where) -> Floats:
        """A column of costs, NaN where it is empty."""
        assert self._tables is not None
        column = self.schema.by_name.get(known.name, Column(known.name, "cost"))

        def misfit(row: int, value: Any) -> None:
            raise bad_cost(where(row), cost, value, known)

        return self._tables.reading.numbers(raw, column, misfit)


def _first(raw: Raw) -> Raw:
    """The first rows of a column."""
    if not isinstance(raw, Text):
        return raw[:ROWS]
    codes = raw.codes[:ROWS]
    return Text(codes, raw.values[: int(codes.max(initial=-1)) + 1])


def _length(raw: Raw) -> int:
    return len(raw.codes) if isinstance(raw, Text) else len(raw)


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
