"""JSON lines as blocks of rows: an object in each line, whose values say what they are."""

from __future__ import annotations

import json
from array import array
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..aliases import Bools, Floats
from ..errors import CostreamError
from ..inputs import NOT_FINITE, Batch, Block
from ..objective import CostColumn
from ..row_costs import GivenCosts, bad_cost, filled
from ..spelling import missing, numbered
from . import lines
from .columns import merged_in_place, not_a_number
from .hashing import TextSlots
from .layout import Layout
from .naming import REMEMBERED, Names
from .roles import check_costs, label_column, no_column, no_cost_column
from .source import Source

DECODER = json.JSONDecoder()
LARGEST = int(np.finfo(np.float64).max)
ONE_OBJECT = "write one JSON object per line; jq -c '.[]' converts an array"
Object = dict[str, Any]


def jsonl_blocks(source: Source, layout: Layout, slots: TextSlots) -> Iterator[Block]:
    """JSON objects, one a line: numbers, true and false by their key, text by key and value.

    Keys may differ from line to line; null, NaN, zero and empty text are no features. A label that is
    needed must be in the first block.
    """
    check_costs(layout)
    features, before, label = _Features(slots), 0, None
    for text in lines.line_blocks(source, lines.BLOCK_BYTES):
        objects = _objects(text, source.name, before)
        if label is None:
            kept = list(objects)
            label = _label_key([row for _, row in kept], layout, source.name)
            objects = iter(kept)
        rows = _Rows(source.name, layout, label, features)
        rows.read(objects)
        features.forget()
        before += bytes(text).count(b"\n")
        if rows.numbers:
            yield rows.block()


def _label_key(rows: list[Object], layout: Layout, file: str) -> str | None:
    """The key of the label, as the layout or the keys of some rows say."""
    keys = dict.fromkeys(chain.from_iterable(rows))
    label = label_column(keys, layout)
    if keys and label is None and layout.label is not None and layout.needs(layout.label):
        raise no_column(layout.label, keys, file)
    for cost, column in layout.costs.items():
        if keys and layout.needs(column.name) and column.name not in keys:
            raise no_cost_column(cost, layout, keys, file)
    for name in layout.keep:
        if keys and name not in keys:
            raise no_column(name, keys, file)
    return label


def _objects(text: memoryview, file: str, before: int) -> Iterator[tuple[int, Object]]:
    """The number of each line that is not blank, and its object."""
    if before == 0 and bytes(text[:3]) == BOM_UTF8:
        text = text[3:]
    try:
        decoded = str(text, "utf-8")
    except UnicodeDecodeError as error:
        number = before + 1 + bytes(text[: error.start]).count(b"\n")
        raise CostreamError(f"{file}, line {number}: not UTF-8", "save the file as UTF-8") from None
    for number, line in enumerate(decoded.split("\n"), before + 1):
        if not line or line.isspace():
            continue
        try:
            value = DECODER.decode(line)
        except json.JSONDecodeError as error:
            where = f"{file}, line {number}, column {error.colno}"
            raise CostreamError(f"{where}: not JSON ({error.msg})", ONE_OBJECT) from None
        except (ValueError, RecursionError) as error:  # a number too long, brackets too deep
            raise CostreamError(f"{file}, line {number}: not readable ({error!s:.80})") from None
        if not isinstance(value, dict):
            raise CostreamError(f"{file}, line {number}, column 1: not a JSON object", ONE_OBJECT)
        yield number, value


class _Numbers(dict[Any, int]):
    """The numbers of features, remembered."""

    def __init__(self, number: Callable[[Any], int]) -> None:
        super().__init__()
        self._number = number

    def __missing__(self, key: Any) -> int:
        self[key] = number = self._number(key)
        return number


class _Features:
    """The features of a stream."""

    def __init__(self, slots: TextSlots) -> None:
        self.names = Names(slots)
        self.columns = _Numbers(self.names.column)  # by their keys
        self.texts = _Numbers(self.names.text)  # by key and value

    def forget(self) -> None:
        """Keep no more than is worth it."""
        if len(self.texts) > REMEMBERED:
            self.texts.clear()


class _Rows:
    """The rows of a block, read one by one."""

    def __init__(self, file: str, layout: Layout, label: str | None, features: _Features) -> None:
        self.file = file
        self.layout = layout
        self.label = label
        self.numbers: list[int] = []  # of the lines
        self.special = list(layout.special | ({label} if label is not None else set()))
        self.shared = sorted(layout.cost_names - set(self.special))  # features as well
        self._special_values: list[list[Any]] = []
        self._kept: dict[str, list[Any]] = {key: [] for key in layout.keep}
        self._features = features
        self._known_numbers = layout.numbers
        self._start, self._index, self._value = array("Q", [0]), array("I"), array("d")
        self.where = partial(_line, file, self.numbers)

    def read(self, objects: Iterator[tuple[int, Object]]) -> None:
        """Of each row the numbers and then the text, as in other tables; the objects are used up."""
        special, shared, as_text = self.special, self.shared, self.layout.text
        for number, row in objects:
            self.numbers.append(number)
            for key, kept in self._kept.items():
                kept.append(row.get(key))
            values = [row.pop(key, None) for key in special]
            self._special_values.append(values + [row.get(key) for key in shared])
            try:
                for key in as_text:
                    row[key] = _text(row.get(key))
                self._add(row)
            except (TypeError, OverflowError):
                raise self._unfit(row) from None

    def _add(self, row: Object) -> None:
        index, value = self._index, self._value
        texts = [pair for pair in row.items() if type(pair[1]) is str]
        for key, text in texts:
            if key in self._known_numbers and text:
                raise not_a_number(f"{self.where(-1)}, key {key}", text, key)
            del row[key]
        if None in row.values():
            row = {key: one for key, one in row.items() if one is not None}
        value.extend(row.values())
        index.extend(map(self._features.columns.__getitem__, row))
        for pair in texts:
            if pair[1]:
                index.append(self._features.texts[pair])
                value.append(1.0)
        self._start.append(len(index))

    def block(self) -> Block:
        names = self.special + self.shared
        columns = dict(zip(names, zip(*self._special_values, strict=True), strict=True))
        none = (None,) * len(self.numbers)
        given = none if self.label is None else columns[self.label]
        label = self._labels(given)
        costs = {
            cost: self._cost(cost, one, columns[one.name], missing(label))
            for cost, one in self.layout.costs.items()
            if self.layout.needs(one.name) or any(value is not None for value in columns[one.name])
        }
        return Block(*self._rows(), label, self.where, GivenCosts(**costs), self.label, self._kept)

    def _rows(self) -> tuple[Batch, list[Any]]:
        """The rows, and the names of their features."""
        used = np.array(self._index)
        places, names = self._features.names.local([], used)
        index = places[used].astype(np.uint32)
        rows = Batch(np.array(self._start), index, np.array(self._value), len(names))
        rows = self._nonzero(rows, names)
        return merged_in_place(rows), names

    def _nonzero(self, rows: Batch, names: list[Any]) -> Batch:
        """The rows without zeros and NaN; an error names an infinite value."""
        infinite = np.flatnonzero(np.isinf(rows.value))
        if len(infinite):
            t = int(np.searchsorted(rows.start, infinite[0], side="right")) - 1
            place = f"{self.where(t)}, key {names[rows.index[infinite[0]]]}"
            raise CostreamError(f"{place}: the value is infinite", NOT_FINITE)
        keep = (rows.value != 0.0) & ~np.isnan(rows.value)
        if keep.all():
            return rows
        return rows.entries_where(keep)

    def _unfit(self, row: Object) -> CostreamError:
        """The error for an array, an object or a number that is too large in the last row."""
        key, value = next(pair for pair in row.items() if not _is_plain(pair[1]))
        place = f"{self.where(-1)}, key {key}"
        if isinstance(value, int):
            return CostreamError(f"{place}: the number is too large", NOT_FINITE)
        kind = "object" if isinstance(value, dict) else "array"
        return CostreamError(
            f"{place}: an {kind} cannot be a feature",
            f"leave the key out with --ignore {key} (in Python: ignore=)",
        )

    def _labels(self, values: tuple[Any, ...]) -> NDArray[Any]:
        try:
            return numbered(list(values), np.arange(len(values)))
        except (TypeError, OverflowError):
            t = next(t for t, one in enumerate(values) if not _is_plain(one))
            raise CostreamError(
                f"{self.where(t)}, key {self.label}: {values[t]!s:.40} is not a label",
                "a label is text, a number, true or false",
            ) from None

    def _cost(self, cost: str, known: CostColumn, values: tuple[Any, ...], unlabelled: Bools) -> Floats:
        """The costs of rows; an empty one takes the default of its key."""
        for t, one in enumerate(values):
            if one is not None and (not isinstance(one, int | float) or abs(one) > LARGEST):
                raise bad_cost(self.where(t), cost, one, known)
        numbers = np.array([np.nan if one is None else float(one) for one in values])
        if self.layout.learns:  # a row without a label is passed over, and needs no cost
            numbers[np.isnan(numbers) & unlabelled] = 0.0
        return filled(cost, numbers, known, len(numbers), self.where)


def _line(file: str, numbers: list[int], t: int) -> str:
    return f"{file}, line {numbers[t]}"


def _is_plain(value: Any) -> bool:
    """Whether a value is text or none, or a number that is not too large."""
    if isinstance(value, int):
        return abs(value) <= LARGEST
    return not isinstance(value, dict | list)


def _text(value: Any) -> str | None:
    """A value as text; NaN is none."""
    if value is None or isinstance(value, str):
        return value
    if not _is_plain(value):
        raise TypeError
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value != value else str(value)
