"""Tables of Python as raw columns: frames of pandas and polars, tables of pyarrow, lists of dicts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import tzinfo
from functools import partial
from itertools import chain
from typing import Any, Protocol

import numpy as np

from ..errors import CostreamError
from ..inputs import NOT_FINITE, as_floats
from ..row_costs import row_name
from .arrow import arrow, raw_column, readable, whole_text
from .cells import Raw, Text
from .infer import ROWS
from .reader import Extras
from .reading import Reading, is_none, is_number
from .records import columns_of, flattened
from .row import by_type
from .schema import leave_out
from .times import on_clock
from .values import as_raw

Where = Callable[[int], str]
RARE = 0.1  # a key of fewer rows goes by the type of each value, row by row


class Table(Protocol):
    """Rows whose columns have names."""

    names: list[str]
    rows: int

    def columns(
        self,
        names: Sequence[str],
        as_text: Collection[str],
        zone: tzinfo | None,
        rows: int | None = None,
    ) -> dict[str, Raw]:
        """Some columns, of the first rows if ``rows`` says so; whole numbers as text where asked."""

    def values(self, name: str) -> Any:
        """A column as an array of what it holds, NaN or None where that is missing."""

    def extras(self, known: Collection[str], reading: Reading) -> Extras:
        """The features of keys that no schema knows."""


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
    listed = [one if isinstance(one, str) else str(one) for one in names]
    if len(listed) != width:
        raise CostreamError(f"{len(listed)} names for {width} columns")
    if len(set(listed)) < len(listed):
        twice = next(name for name in listed if listed.count(name) > 1)
        raise CostreamError(f"the name {twice!r} is used for more than one column")
    return listed


class PandasTable:
    """A data frame of pandas."""

    def __init__(self, frame: Any, names: Sequence[Any] | None) -> None:
        self._frame = frame
        self.names = _checked(list(frame.columns) if names is None else names, frame.shape[1])
        self.rows = len(frame)
        self._places = {name: at for at, name in enumerate(self.names)}

    def columns(
        self,
        names: Sequence[str],
        as_text: Collection[str],
        zone: tzinfo | None,
        rows: int | None = None,
    ) -> dict[str, Raw]:
        found = {}
        for name in names:
            if name in self._places:
                series = self._frame.iloc[:rows, self._places[name]]
                found[name] = _series(series, name, name in as_text, zone)
        return found

    def values(self, name: str) -> Any:
        series = self._frame.iloc[:, self._places[name]]
        if getattr(series.dtype, "kind", "O") not in "fiub":
            return series.to_numpy(object)  # text, dates or objects, of which some may be numbers
        return series.to_numpy(float, na_value=np.nan)

    def extras(self, known: Collection[str], reading: Reading) -> Extras:
        return Extras()


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


class ArrowTable:
    """A table of pyarrow, or of polars."""

    def __init__(self, table: Any, names: Sequence[Any] | None) -> None:
        pa = arrow()
        self._table = pa.Table.from_batches([table]) if isinstance(table, pa.RecordBatch) else table
        self.names = _checked(table.column_names if names is None else names, self._table.num_columns)
        self.rows = table.num_rows
        self._places = {name: at for at, name in enumerate(self.names)}

    def columns(
        self,
        names: Sequence[str],
        as_text: Collection[str],
        zone: tzinfo | None,
        rows: int | None = None,
    ) -> dict[str, Raw]:
        found: dict[str, Raw] = {}
        part = self._table if rows is None else self._table.slice(0, rows)
        for name in names:
            if name in self._places:
                array = part.column(self._places[name])
                found[name] = arrow_column(array.combine_chunks(), name, name in as_text, zone)
        return found

    def values(self, name: str) -> Any:
        column = self._table.column(self._places[name])
        return _objects(column.to_pylist())

    def extras(self, known: Collection[str], reading: Reading) -> Extras:
        return Extras()


def arrow_column(array: Any, name: str, as_text: bool, zone: tzinfo | None) -> Raw:
    """A column of pyarrow."""
    if not readable(array.type):
        raise CostreamError(
            f"column {name}: {array.type!s:.60} is neither a number nor text",
            leave_out(name),
        )
    text = whole_text(array) if as_text else None
    return raw_column(array, row_name, name, zone) if text is None else text


class NamedArray:
    """An array of numbers whose columns have names."""

    def __init__(self, array: Any, names: Sequence[Any]) -> None:
        self._array = as_floats("X", array)
        if self._array.ndim != 2:
            raise CostreamError(
                f"X must have two dimensions, rows and features, not {self._array.ndim}"
            )
        self.names = _checked(names, self._array.shape[1])
        self.rows = len(self._array)
        bad = np.argwhere(~np.isfinite(self._array))
        if len(bad):
            raise CostreamError(f"row {bad[0][0]}: a value is not finite", NOT_FINITE)

    def columns(
        self,
        names: Sequence[str],
        as_text: Collection[str],
        zone: tzinfo | None,
        rows: int | None = None,
    ) -> dict[str, Raw]:
        places = {name: at for at, name in enumerate(self.names)}
        return {name: self._array[:rows, places[name]] for name in names if name in places}

    def values(self, name: str) -> Any:
        return self._array[:, self.names.index(name)]

    def extras(self, known: Collection[str], reading: Reading) -> Extras:
        return Extras()


class Records:
    """A list of dicts; keys may differ from row to row."""

    def __init__(
        self, rows: Sequence[Mapping[Any, Any]], where: Where = row_name, flat: bool = False
    ) -> None:
        self._records: Any = rows if flat else flattened(rows, where)
        self._where = where
        self.rows = len(self._records)
        self.names = usual_keys(self._records[:ROWS])

    def columns(
        self,
        names: Sequence[str],
        as_text: Collection[str],
        zone: tzinfo | None,
        rows: int | None = None,
    ) -> dict[str, Raw]:
        columns: Any = columns_of(self._records[:rows], list(names), self._where, as_text, zone)
        return columns  # type: ignore[no-any-return]

    def values(self, name: str) -> Any:
        return _objects([row.get(name) for row in self._records])

    def extras(self, known: Collection[str], reading: Reading) -> Extras:
        """The features of keys that no schema knows, by the types of their values."""
        return extras_of(self._records, known, reading, self._where)


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
