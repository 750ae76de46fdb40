"""Arrays and sparse matrices as compressed sparse rows; every error names the row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._typing import Bools, Floats, Row, SparseMatrix
from ..errors import CostreamError
from ..kernels.rows import row_scales, table_rows

LARGEST = 2**32 - 4  # the largest column; an intercept shifts columns by one
NOT_FINITE = "leave the value out, or replace it with a number"


@dataclass(frozen=True)
class Batch:
    """Rows in compressed sparse form, as a `Stream` gives them; `OnlineClassifier` takes them as X.

    Attributes
    ----------
    start : ndarray of uint64, of shape (n_rows + 1,)
        Row t has the entries from ``start[t]`` up to ``start[t + 1]``.
    index : ndarray of uint32
        The column of each entry.
    value : ndarray of float64
        Its value, which may not be finite yet: `check` looks.
    width : int
        The number of columns.
    dense : bool
        Whether the rows came from a dense array, whose columns are features even where all are 0.
    to_encode : tuple of int
        The columns whose entries are still to be written: target encodings of text columns.
    slots : ndarray of int64, of shape (n_rows, len(to_encode)), or None
        The hash slot of the value that each row has in each of them; -1: none.
    lists : ndarray of int64, or None
        The slots of words, for values that are lists of them (`kernels.target_encoding`).
    times : tuple of TimeColumn
        The columns of times, whose features a model learns from once it has seen enough (`Coverage`).

    Examples
    --------
    >>> from costream.tables.arrays import as_batch
    >>> batch = as_batch([[0.0, 2.0], [3.0, 4.0]])
    >>> batch.rows, batch.index.tolist(), batch.value.tolist()
    (2, [1, 0, 1], [2.0, 3.0, 4.0])
    """

    start: NDArray[np.uint64]
    index: NDArray[np.uint32]
    value: Floats
    width: int
    dense: bool = False
    to_encode: tuple[int, ...] = ()
    slots: NDArray[np.int64] | None = None
    lists: NDArray[np.int64] | None = None
    times: tuple[Any, ...] = ()

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.start) - 1

    @cached_property
    def largest(self) -> int:
        """The largest index, -1 if all rows are empty."""
        return int(self.index.max()) if len(self.index) else -1

    @cached_property
    def scale(self) -> Floats:
        """One over the L2 norm of each row; an error names a row with a value that is not finite."""
        out = np.empty(self.rows)
        if not row_scales(self.start, self.value, out):
            bad = np.flatnonzero(~np.isfinite(self.value))
            row = int(np.searchsorted(self.start, bad[0], side="right")) - 1
            raise CostreamError(f"row {row}: a value is not finite", NOT_FINITE)
        return out

    def check(self) -> None:
        """Raise an error if a value is not finite."""
        _ = self.scale

    def rows_where(self, keep: Bools) -> Batch:
        """Some of the rows."""
        lengths = np.diff(self.start).astype(np.int64)
        entries = np.repeat(keep, lengths)
        start = np.concatenate(([0], np.cumsum(lengths[keep]))).astype(np.uint64)
        return self._with(start, entries, keep)

    def entries_where(self, keep: Bools) -> Batch:
        """The rows with some of their entries."""
        before = np.concatenate(([0], np.cumsum(keep))).astype(np.uint64)
        index, value = self.index[keep], self.value[keep]
        return replace(self, start=before[self.start], index=index, value=value, dense=False)

    def take(self, order: NDArray[np.intp]) -> Batch:
        """The rows in another order."""
        lengths = np.diff(self.start).astype(np.int64)[order]
        start = np.concatenate(([0], np.cumsum(lengths)))
        entries = np.repeat(self.start[:-1].astype(np.int64)[order] - start[:-1], lengths)
        entries += np.arange(len(entries))
        return self._with(start.astype(np.uint64), entries, order)

    def part(self, begin: int, end: int) -> Batch:
        """The rows from ``begin`` up to ``end``, without a copy of their entries."""
        start = self.start[begin : end + 1]
        entries = slice(int(start[0]), int(start[-1]))
        return self._with(start - start[0], entries, slice(begin, end))

    def _with(self, start: NDArray[np.uint64], entries: Any, rows: Any) -> Batch:
        """Some of the rows, which have some of the entries."""
        slots = None if self.slots is None else self.slots[rows]
        index, value = self.index[entries], self.value[entries]
        times = tuple(one.where(rows) for one in self.times)
        return Batch(
            start, index, value, self.width, self.dense, self.to_encode, slots, self.lists, times
        )

    def without_times(self) -> Batch:
        """The rows, whose times have been looked at; what is known of them stays known."""
        found = replace(self, times=())
        vars(found).update({key: vars(self)[key] for key in ("largest", "scale") if key in vars(self)})
        return found

    def merged(self) -> Batch:
        """Entries of a row at the same index added up, in their order."""
        rows = np.repeat(np.arange(self.rows), np.diff(self.start).astype(np.int64))
        keys, inverse = np.unique(rows * 2**32 + self.index, return_inverse=True)
        value = np.bincount(inverse, self.value, len(keys)).astype(np.float64)
        start = np.searchsorted(keys, np.arange(self.rows + 1) * 2**32).astype(np.uint64)
        index = (keys % 2**32).astype(np.uint32)
        return replace(self, start=start, index=index, value=value, dense=False)


Rows: TypeAlias = ArrayLike | SparseMatrix | Sequence[Mapping[Any, Any]] | Batch


def as_floats(what: str, x: ArrayLike) -> Floats:
    """An array of real numbers, from what may be one; text and complex numbers are refused."""
    try:
        array = np.asarray(x)
        kind = array.dtype.kind
        if kind == "O" and not any(isinstance(v, str | bytes | complex) for v in array.flat):
            array = array.astype(np.float64)
        elif kind not in "fiub":
            raise TypeError("text" if kind in "OUS" else str(array.dtype))
    except (TypeError, ValueError, OverflowError) as error:
        raise CostreamError(
            f"{what} must contain real numbers ({error})", "encode text columns, or use dict rows"
        ) from None
    # Memory of our own kind: an array that is read-only or strided would compile a second copy.
    return np.require(array, np.float64, ["C", "W"])


def as_row(x: Any) -> Row:
    """One row: a row of a data frame as a dict."""
    if hasattr(x, "items") and not isinstance(x, Mapping) and not hasattr(x, "tocsr"):
        return dict(x.items())
    return x  # type: ignore[no-any-return]


def as_batch(X: Any) -> Batch:
    """A dense array of any type and memory order, any scipy.sparse matrix, or rows read already."""
    if isinstance(X, Batch):
        return X
    if hasattr(X, "tocsr"):
        return _from_sparse(X)
    dense = as_floats("X", X)
    if dense.ndim != 2 or np.ndim(X) != 2:
        raise CostreamError(
            f"X must have two dimensions, rows and features, not {np.ndim(X)}",
            "use learn_one or X.reshape(1, -1) for a single row",
        )
    rows, width = dense.shape
    count = int(np.count_nonzero(dense))
    start, index = np.empty(rows + 1, np.uint64), np.empty(count, np.uint32)
    batch = Batch(start, index, np.zeros(count), width, dense=True)
    table_rows(dense, np.empty((rows, 0), np.int64), batch.start, batch.index, batch.value)
    return batch


def _from_sparse(X: Any) -> Batch:
    X = X.tocsr()
    if X.ndim != 2:
        raise CostreamError(f"X must have two dimensions, rows and features, not {X.ndim}")
    width = X.shape[1]
    # As unsigned numbers, negative indices are too large like others: one pass finds them all.
    largest = int(X.indices.view(f"u{X.indices.itemsize}").max()) if X.nnz else -1
    if largest > min(width - 1, LARGEST):
        raise _bad_index(X)
    if not X.has_canonical_format:  # sorted, and no entry twice
        X = X.copy()
        X.sum_duplicates()
    start, index = X.indptr.astype(np.uint64), X.indices
    index = index.view(np.uint32) if index.dtype == np.int32 else index.astype(np.uint32)
    batch = Batch(start, np.require(index, None, ["C", "W"]), as_floats("X", X.data), width)
    vars(batch)["largest"] = largest
    return batch


def _bad_index(X: Any) -> CostreamError:
    bad = (X.indices < 0) | (X.indices > min(X.shape[1] - 1, LARGEST))
    row = int(np.searchsorted(X.indptr, int(np.argmax(bad)), side="right")) - 1
    index = int(X.indices[np.argmax(bad)])
    if 0 <= index < X.shape[1]:
        hint = "hash the features: use dict rows and hash_slots"
        return CostreamError(f"row {row}: feature index {index} is beyond 2^32 - 4", hint)
    return CostreamError(f"row {row}: feature index {index} is outside the {X.shape[1]} columns")


def without(batch: Batch, limit: int) -> Batch:
    """The rows without the indices from ``limit`` up."""
    return batch.entries_where(batch.index < limit)


def as_numbers(name: str, values: ArrayLike | None, rows: int) -> Floats | None:
    """One number >= 0 a row (weights, costs); a single number serves all rows."""
    if values is None:
        return None
    try:
        if np.asarray(values).dtype.kind not in "fiubO":
            raise TypeError
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise CostreamError(f"{name} must be finite and not negative, not {values!r:.60}") from None
    if numbers.ndim == 0:
        numbers = np.full(rows, numbers)
    if numbers.shape != (rows,):
        raise CostreamError(f"{name} must have one number for each of {rows} rows")
    bad = ~((numbers >= 0) & (numbers < np.inf))
    if bad.any():
        row = int(np.argmax(bad))
        raise CostreamError(f"row {row}: {name} must be finite and not negative, not {numbers[row]}")
    return numbers
