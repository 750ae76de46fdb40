"""One row, written into the row buffer of the compiled calls: a dict, an array or a sparse matrix."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._typing import Floats, Names, Row, SparseMatrix
from ..errors import CostreamError
from ..kernels.row_kernels import DENSE, VALUES, new_row_buffer
from ..tables.arrays import NOT_FINITE, Batch, as_batch, as_floats
from ..tables.row import RowReader
from .features import BARRED, Features
from .readers import Readers

FROM = 8 * DENSE  # where a packed row starts, in bytes


class Packers(dict[int, Callable[..., None]]):
    """For each n a function that writes dense, n, label, three costs, n values and n indices."""

    def __missing__(self, n: int) -> Callable[..., None]:
        self[n] = struct.Struct(f"={6 + n}d8x{n}I").pack_into
        return self[n]


PACKERS = Packers()


class RowBuffer:
    """The row that is scored or learnt next: `fill` writes it, compiled calls read ``array``."""

    def __init__(self, features: Features, readers: Readers) -> None:
        self._features, self._readers = features, readers
        self.is_unknown = False  # whether the model has none of the features of the last dict scored
        self.was_read = False  # whether the row is to be counted once it is learnt
        self.misread: RowReader | None = None  # if a dict lacks a number or has an invalid one
        self._slots: list[int] = []  # of the row, among the text values to encode
        self._lists: list[int] = []  # and those of its words
        self._times: Mapping[Any, int] = {}
        self._length = -1
        self._lengthen(0)

    def _lengthen(self, length: int) -> bool:
        """Make the buffer hold rows of up to ``length`` entries; returns whether there is a new one."""
        if length <= self._length:
            return False
        self._length = max(2 * length, 32)
        self.array = new_row_buffer(self._length)
        self._bytes = memoryview(self.array).cast("B")  # type: ignore[arg-type]
        self._indices = self.array.view(np.uint32)
        return True

    def fill(
        self, x: Row, label: float, cost: float = 0.0, class_cost: float = 0.0, cost_ratio: float = 1.0
    ) -> bool:
        """Write a row, as it came; its costs are those of a `Chunk`.

        Returns whether the row kernel must be bound again: the model or the buffer has grown. A label
        other than 0 admits unseen features. A dict of known names and an array of known
        columns are the fast ways, which do not look at values; all else is read.
        """
        names = self._features.names
        if names is not None and isinstance(x, dict):
            n, plain = len(x), self._readers.plain_keys
            if plain is None or tuple(x) == plain:
                try:  # itemgetter is the fastest way to look up many keys, and fails below two
                    slots = itemgetter(*x)(names)
                    PACKERS[n](
                        self._bytes,
                        FROM,
                        0,
                        n,
                        label,
                        cost,
                        class_cost,
                        cost_ratio,
                        *x.values(),
                        *slots,
                    )
                    return False
                except (KeyError, TypeError, struct.error, Warning):
                    pass
        elif isinstance(x, np.ndarray) and x.ndim == 1 and x.dtype.kind in "fiub":
            n = len(x)
            if n <= self._features.count and self._features.positional:
                longer = self._lengthen(n)
                PACKERS[0](self._bytes, FROM, 1, n, label, cost, class_cost, cost_ratio)
                self.array[VALUES : VALUES + n] = x
                return longer
        return self.read(x, label, cost, class_cost, cost_ratio)

    def read(
        self,
        x: Row,
        label: float,
        cost: float = 0.0,
        class_cost: float = 0.0,
        cost_ratio: float = 1.0,
        check: bool = False,
    ) -> bool:
        """Write a row whose values are looked at; with ``check`` those of a known array as well."""
        if hasattr(x, "items") and not isinstance(x, Mapping) and not hasattr(x, "tocsr"):
            x = dict(x.items())  # a row of a data frame
        features, learn = self._features, label != 0.0
        count = features.count
        if isinstance(x, Mapping):
            index, values = self._named(x, learn)
        else:
            index, values = self._array(x, learn, learn or check)
        n = len(index)
        longer = self._lengthen(n)
        PACKERS[0](self._bytes, FROM, 0, n, label, cost, class_cost, cost_ratio)
        self.array[VALUES : VALUES + n] = values
        place = 2 * (VALUES + n + 1)
        self._indices[place : place + n] = index
        return longer or features.count != count or features.dropped

    # --- dicts ----------------------------------------------------------------------------------

    def _named(self, x: Mapping[Any, Any], learn: bool) -> tuple[NDArray[Any], Floats]:
        found = self.read_dict(x, learn)
        features, readers = self._features, self._readers
        if learn and readers.has_new_numbers:
            features.columns(readers.rows.fixed, learn)
            readers.has_new_numbers = False
        index = features.columns(found, learn)
        if not learn:
            own = found if readers.schema is None else readers.rows.own(x)
            places = index if own is found else features.columns(own, learn)
            self.is_unknown = any(own.values()) and places.min() >= features.count
        return self._admitted(index, np.array([*found.values()], np.float64))

    def read_dict(self, x: Mapping[Any, Any], learn: bool = False) -> dict[Any, float]:
        """The features of a dict row, target encodings among them, and the parts of times by now."""
        readers, self._lists = self._readers, []
        rows = readers.rows
        found, self._slots, self._times = rows.read(x, learn, readers.coverage, self._lists)
        self.was_read = learn
        if rows.gone or rows.invalid:
            self.misread = rows
        if self._slots:
            encoding = readers.require_target_encoding()
            values = encoding.write_one(self._slots, self._lists)
            for name, slot, value in zip(rows.encodings, self._slots, values, strict=True):
                if slot >= 0:
                    found[name] = value
        return found

    def count(self, positive: bool, weight: float) -> None:
        """Count the row, which was read and learnt, in the target encoding and the time covered."""
        self.was_read = False
        if self._slots:
            self._readers.require_target_encoding().learn_one(
                self._slots, positive, weight, self._lists
            )
        if self._times:
            self._readers.coverage.learn_one(self._times)

    def as_batch(self, x: Row) -> tuple[Batch, Names | None]:
        """One row as a batch, and the names of its features where it has any."""
        if isinstance(x, Mapping):
            found = self.read_dict(x)
            n = len(found)
            start, index = np.array([0, n], np.uint64), np.arange(n, dtype=np.uint32)
            return Batch(start, index, np.array([*found.values()], np.float64), n), list(found)
        rows: Any = x if hasattr(x, "tocsr") else [x]
        return as_batch(rows), None

    # --- arrays ---------------------------------------------------------------------------------

    def _array(
        self, x: ArrayLike | SparseMatrix, learn: bool, check: bool
    ) -> tuple[NDArray[Any], Floats]:
        """The columns and values of an array row, or of a sparse matrix of one row."""
        index: NDArray[Any]
        features, self._slots = self._features, []
        if hasattr(x, "tocsr"):
            batch = as_batch(x)
            if batch.rows != 1:
                raise CostreamError(f"expected one row, not {batch.rows}", "use learn_many")
            index, values, width = batch.index, batch.value, batch.largest + 1
        else:
            row = as_floats("a row", x)
            if row.ndim != 1:
                raise CostreamError(f"a row must have one dimension, not {row.ndim}", "use learn_many")
            index, width = row.nonzero()[0], len(row)
            values = row[index]
        if check or not features.positional:
            bad = np.flatnonzero(~np.isfinite(values))
            if len(bad):
                raise CostreamError(f"feature {index[bad[0]]} is not finite", NOT_FINITE)
        if not features.positional:
            return self._admitted(features.columns(index.tolist(), learn), values)
        if learn:
            features.reach(width - 1)
        if width > features.limit:
            index = np.where(index < features.limit, index, BARRED)
            return self._admitted(index, values)
        return index, values

    def _admitted(self, index: NDArray[Any], values: Floats) -> tuple[NDArray[Any], Floats]:
        """The row without the features that the model cannot have; hashed ones added up."""
        if BARRED in index:
            index, values = index[index != BARRED], values[index != BARRED]
        if self._features.hash_slots is not None:
            index, inverse = np.unique(index, return_inverse=True)
            values = np.bincount(inverse, values, len(index)).astype(np.float64)
        return index, values
