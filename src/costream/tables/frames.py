"""Tables of Python as raw columns: frames of pandas and polars, tables of pyarrow, lists of dicts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import tzinfo
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from ..costs.rows import row_name
from ..errors import CostreamError
from .arrays import NOT_FINITE, as_floats
from .arrow import arrow, raw_column, readable, whole_text
from .extras import Extras
from .infer import ROWS
from .reading import Raw, Reading, Text, is_none, is_number
from .records import columns_of, flattened
from .row import TimeKey, by_type
from .schema import leave_out
from .times import on_clock
from .values import as_raw

Where = Callable[[int], str]
RARE = 0.1  # a key of fewer rows goes by the type of each value, row by row


class Table(ABC):
    """Rows whose columns have names."""

    def __init__(self, names: Sequence[Any], width: int, rows: int) -> None:
        self.names = _checked(names, width)
        self.rows = rows
        self._places = {name: at for at, name in enumerate(self.names)}

    def columns(
        self,
        names: Sequence[str],
        as_text: Collection[str],
        zone: tzinfo | None,
        rows: int | None = None,
    ) -> dict[str, Raw]:
        """Some columns, of the first rows if ``rows`` says so; whole numbers as text where asked."""
        there = [name for name in names if name in self._places]
        return {name: self._column(name, name in as_text, zone, rows) for name in there}

    @abstractmethod
    def _column(self, name: str, as_text: bool, zone: tzinfo | None, rows: int | None) -> Raw:
        """One column."""

    @abstractmethod
    def values(self, name: str) -> Any:
        """A column as an array of what it holds, NaN or None where that is missing."""

    def extras(self, known: Collection[str], reading: Reading) -> Extras:
        return Extras()


def as_table(X: Any, names: Sequence[Any] | None = None) -> Table | None:
    """Rows whose columns have names; None for arrays, sparse matrices and rows already read."""
    if isinstance(X, np.ndarray) or hasattr(X, "tocsr"):
        return None
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return PandasTable(X, names)
    if hasattr(X, "to_arrow") and hasattr(X, "columns"):
        return ArrowTable(X.to_arrow(), names)
    if hasattr(X, "column_names") and hasattr(X, "num_rows"):
        return ArrowTable(X, names)
    if isinstance(X, list | tuple) and len(X) and isinstance(X[0], Mapping):
        return Records(X)
    return None


def _checked(names: Sequence[Any], width: int) -> list[str]:
    found = [one if isinstance(one, str) else str(one) for one in names]
    if len(found) != width:
        raise CostreamError(f"{len(found)} names for {width} columns")
    if len(set(found)) < len(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise CostreamError(f"the name {twice!r} is used for more than one column")
    return found


class PandasTable(Table):
    """A data frame of pandas."""

    def __init__(self, frame: Any, names: Sequence[Any] | None) -> None:
        super().__init__(list(frame.columns) if names is None else names, frame.shape[1], len(frame))
        self._frame = frame

    def _column(self, name: str, as_text: bool, zone: tzinfo | None, rows: int | None) -> Raw:
        return _series(self._frame.iloc[:rows, self._places[name]], name, as_text, zone)

    def values(self, name: str) -> Any:
        series = self._frame.iloc[:, self._places[name]]
        if getattr(series.dtype, "kind", "O") not in "fiub":
            return series.to_numpy(object)  # text, dates or objects, of which some may be numbers
        return series.to_numpy(float, na_value=np.nan)


def _series(series: Any, name: str, as_text: bool, zone: tzinfo | None) -> Raw:
    """A column of pandas."""
    dtype = series.dtype
    kind = getattr(dtype, "kind", "O")
    if hasattr(dtype, "categories") and hasattr(series, "cat"):
        codes = np.array(series.cat.codes, np.int64)
        return Text(codes, [_word(value) for value in series.cat.categories.tolist()])
    if hasattr(dtype, "subtype"):  # sparse
        series, kind = series.sparse.to_dense(), dtype.subtype.kind
    if kind == "M":
        if getattr(dtype, "tz", None) is None:
            return np.array(series.to_numpy("datetime64[us]"))
        there = series.dt.tz_convert("UTC").dt.tz_localize(None)
        return on_clock(there.to_numpy("datetime64[us]"), zone)
    if kind == "b" and not series.isna().any():
        return series.to_numpy(np.bool_)  # type: ignore[no-any-return]
    if kind in "iu" and as_text:
        return as_raw(series.to_numpy(object).tolist(), name, row_name, True, zone)
    if kind in "iuf" and not as_text:
        return series.to_numpy(np.float64, na_value=np.nan)  # type: ignore[no-any-return]
    values = [None if is_none(value) else value for value in series.to_numpy(object).tolist()]
    return as_raw(values, name, row_name, as_text, zone)


def _word(value: Any) -> Any:
    """A category, which is text whatever it is."""
    if isinstance(value, str):
        return value
    if is_number(value) and not isinstance(value, int) and float(value).is_integer():
        return str(int(value))
    return str(value).lower() if isinstance(value, bool | np.bool_) else str(value)


class ArrowTable(Table):
    """A table of pyarrow, or of polars."""

    def __init__(self, table: Any, names: Sequence[Any] | None) -> None:
        pa = arrow()
        own = table.schema.names if names is None else names
        super().__init__(own, table.num_columns, table.num_rows)
        self._table = pa.Table.from_batches([table]) if isinstance(table, pa.RecordBatch) else table

    def _column(self, name: str, as_text: bool, zone: tzinfo | None, rows: int | None) -> Raw:
        array = self._table.column(self._places[name]).slice(0, rows).combine_chunks()
        return arrow_column(array, name, as_text, zone)

    def values(self, name: str) -> Any:
        column = self._table.column(self._places[name])
        return _objects(column.to_pylist())


def arrow_column(array: Any, name: str, as_text: bool, zone: tzinfo | None) -> Raw:
    """A column of pyarrow."""
    if not readable(array.type):
        raise CostreamError(
            f"column {name}: {array.type!s:.60} is neither a number nor text",
            leave_out(name),
        )
    text = whole_text(array) if as_text else None
    return raw_column(array, row_name, name, zone) if text is None else text


class NamedArray(Table):
    """An array of numbers whose columns have names."""

    def __init__(self, array: Any, names: Sequence[Any]) -> None:
        self._array = as_floats("X", array)
        if self._array.ndim != 2:
            raise CostreamError(
                f"X must have two dimensions, rows and features, not {self._array.ndim}"
            )
        super().__init__(names, self._array.shape[1], len(self._array))
        bad = np.argwhere(~np.isfinite(self._array))
        if len(bad):
            raise CostreamError(f"row {bad[0][0]}: a value is not finite", NOT_FINITE)

    def _column(self, name: str, as_text: bool, zone: tzinfo | None, rows: int | None) -> Raw:
        return self._array[:rows, self._places[name]]

    def values(self, name: str) -> Any:
        return self._array[:, self._places[name]]


class Records(Table):
    """A list of dicts; keys may differ from row to row."""

    def __init__(self, rows: Sequence[Mapping[Any, Any]]) -> None:
        self._records: Any = flattened(rows, row_name)
        names = usual_keys(self._records[:ROWS])
        super().__init__(names, len(names), len(self._records))

    def columns(
        self,
        names: Sequence[str],
        as_text: Collection[str],
        zone: tzinfo | None,
        rows: int | None = None,
    ) -> dict[str, Raw]:
        columns: Any = columns_of(self._records[:rows], list(names), row_name, as_text, zone)
        return columns  # type: ignore[no-any-return]

    def _column(self, name: str, as_text: bool, zone: tzinfo | None, rows: int | None) -> Raw:
        return self.columns([name], {name} if as_text else (), zone, rows)[name]

    def values(self, name: str) -> Any:
        return _objects([row.get(name) for row in self._records])

    def extras(self, known: Collection[str], reading: Reading) -> Extras:
        return extras_of(self._records, known, reading, row_name)


def _objects(values: list[Any]) -> Any:
    array = np.empty(len(values), object)
    array[:] = values
    return array


def records_of(X: Any, names: Sequence[Any] | None = None) -> list[Mapping[Any, Any]]:
    """The rows of a table as dicts, by the names of its columns or by others."""
    if isinstance(X, list | tuple):
        return list(X)
    if hasattr(X, "iloc"):
        columns = [X.iloc[:, at].tolist() for at in range(X.shape[1])]
        own = list(X.columns) if names is None else names
        if not columns:
            return [{} for _ in range(len(X))]
        return [dict(zip(own, row, strict=True)) for row in zip(*columns, strict=True)]
    rows = X.to_dicts() if hasattr(X, "to_dicts") else X.to_pylist()
    return rows if names is None else [dict(zip(names, row.values(), strict=True)) for row in rows]


def usual_keys(rows: Sequence[Mapping[Any, Any]]) -> list[str]:
    """The keys of some rows, but for those that few of them have."""
    counts: dict[Any, int] = {}
    for key in chain.from_iterable(rows):
        counts[key] = counts.get(key, 0) + 1
    return [key for key, n in counts.items() if isinstance(key, str) and n >= RARE * len(rows)]


def extras_of(
    rows: Sequence[Mapping[Any, Any]], known: Collection[str], reading: Reading, where: Where
) -> Extras:
    """The features of keys that no schema knows, by the types of their values."""
    found = Extras()
    names = frozenset(known)
    for t, row in enumerate(rows):
        if names.issuperset(row):
            continue
        others = {key: value for key, value in row.items() if key not in names}
        features = by_type(others, reading, partial(_unfit, where, t))
        for name, value in features:
            if isinstance(name, TimeKey):
                found.add_time(t, name.key, int(value))
            else:
                found.add(t, name, value)
    return found


def _unfit(where: Where, t: int, key: Any, value: Any) -> CostreamError:
    place = f"{where(t)}, key {key}"
    if is_number(value):
        what = "the number is too large" if isinstance(value, int) else "the value is infinite"
        return CostreamError(f"{place}: {what}", NOT_FINITE)
    kind = "an object" if isinstance(value, Mapping) else f"a value of type {type(value).__name__}"
    return CostreamError(
        f"{place}: {'an array of arrays' if isinstance(value, list | tuple) else kind} cannot be a "
        "feature",
        leave_out(key, "key"),
    )
