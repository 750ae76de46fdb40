"""From what users have to rows of the model: dict rows, array rows, arrays and sparse matrices."""

from __future__ import annotations

import copy
import struct
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._typing import Floats, Names, Row, SparseMatrix
from ..errors import CostreamError, PlainWarning
from ..kernels.records import Chunk
from ..kernels.row_kernels import DENSE, VALUES, new_row_buffer
from ..kernels.rows import RowRules, prepare
from ..tables.arrays import NOT_FINITE, Batch, as_batch, as_floats, without
from ..tables.coverage import Coverage
from ..tables.naming import RATE_BITS, TextSlots, plain_keys, text_names
from ..tables.reader import TableReader
from ..tables.row import RowReader
from ..tables.schema import HASH_BITS, Schema
from .features import BARRED, Features
from .target_encoding import Rates

UNKNOWN = "the model knows none of the features of these rows: are they named as they were learnt?"
FROM = 8 * DENSE  # where a packed row starts, in bytes


class Packers(dict[int, Callable[..., None]]):
    """For each n a function that writes dense, n, label, three costs, n values and n indices."""

    def __missing__(self, n: int) -> Callable[..., None]:
        self[n] = struct.Struct(f"={6 + n}d8x{n}I").pack_into
        return self[n]


PACKERS = Packers()


class Encoder:
    """Numbers the features of rows, checks and normalises them, and adds the intercept."""

    def __init__(
        self,
        features: Features,
        normalize: bool,
        fit_intercept: bool,
        schema: Schema | None = None,
        rates: Rates | None = None,
        by_type: bool = False,
        settled: bool = True,
        coverage: Coverage | None = None,
    ) -> None:
        self.features = features
        self.normalize = normalize
        self.fit_intercept = fit_intercept
        self.schema = schema
        self.is_settled = settled and schema is not None  # whether tables need not say what they hold
        self.rates = rates  # of text columns with many values
        self.by_type = by_type  # whether tables go by the types of their values, as dicts do
        self.coverage = coverage or Coverage()  # of columns of times
        self.row_slots: list[int] = []  # of the row in the buffer, among the rates
        self.row_times: Mapping[Any, int] = {}  # of the row in the buffer
        self.was_read = False  # whether the row in the buffer is to be counted once it is learnt
        self.row_lists: list[int] = []  # and those of its words
        self.unfit_row: RowReader | None = None  # if the last dict lacks a number or has an invalid one
        self.told: set[str] = set()  # what has been said about rows and columns
        self.is_quiet = False  # whether nothing is to be said that may quote a row
        self.on_words: Callable[[str], None] | None = None  # is given words that quote none, then
        self.is_unknown = False  # whether the model has none of the features of the last dict scored
        self._is_new = False  # whether the features of the schema's numbers are still to be made
        self._length = -1
        self._lengthen(0)
        self.forget_slots()

    @property
    def size(self) -> int:
        """The number of slots in use: features, and the intercept."""
        return self.features.count + self.fit_intercept

    @property
    def rules(self) -> RowRules:
        return RowRules(self.normalize, self.fit_intercept, self.size)

    # --- what columns hold ----------------------------------------------------------------------

    def adopt(self, schema: Schema | None) -> None:
        """Read rows by a schema from now on."""
        self.is_settled = schema is not None
        if schema is not self.schema:
            self.schema = schema
            self.forget_slots()

    def forget_slots(self) -> None:
        """Look again which text values have a feature: others have given them some."""
        self._slots = self._rows = self._tables = None
        self._plain = None if self.schema is None else plain_keys(self.schema)

    def reads_plainly(self, keys: Collection[Any]) -> bool:
        """Whether dicts with these keys are taken as they are if all values are numbers."""
        if self._plain is None:
            return True
        names = self.features.names
        return tuple(keys) == self._plain and names is not None and all(one in names for one in keys)

    @property
    def slots(self) -> TextSlots:
        """The slots of text values, some of which have a feature already."""
        if self._slots is None:
            bits = HASH_BITS if self.schema is None else self.schema.bits
            self._slots = TextSlots(bits, text_names(self.features.names or (), self.schema))
        return self._slots

    @property
    def rows(self) -> RowReader:
        """What reads dicts."""
        if self._rows is None:
            self._rows = RowReader(self.schema, self.slots, self.tell_once, self._is_number)
            self._is_new = bool(self._rows.fixed)
        return self._rows

    def _is_number(self, key: Any) -> bool:
        """Whether the model knows a key as a number."""
        return self.features.names is not None and key in self.features.names

    def tables(self, schema: Schema) -> TableReader:
        """What reads tables."""
        if self._tables is None or self._tables.schema is not schema:
            self._tables = TableReader(schema, self.slots, self.tell_once)
        return self._tables

    def leave_slots(self, used: int) -> None:
        """Forget the slots of text values beyond the first ``used`` ones: these are not learnt."""
        if self.slots.used > used:
            self.slots.leave(used)
            self._tables = None

    def rates_of(self) -> Rates:
        """The running rates, made when first needed."""
        if self.rates is None:
            self.rates = Rates(RATE_BITS)
        return self.rates

    def tell_once(self, key: str, message: str | Warning) -> None:
        """Warn of something about rows or a column, once."""
        if key in self.told:
            return
        if not self.is_quiet:
            self.told.add(key)
            warnings.warn(message, UserWarning, stacklevel=6)
        elif self.on_words is not None and isinstance(message, PlainWarning):
            self.told.add(key)
            self.on_words(message.words)

    # --- one row --------------------------------------------------------------------------------

    def _lengthen(self, length: int) -> bool:
        """Make the buffer hold rows of up to ``length`` entries; returns whether there is a new one."""
        if length <= self._length:
            return False
        self._length = max(2 * length, 32)
        self.buffer = new_row_buffer(self._length)
        self._bytes = memoryview(self.buffer).cast("B")  # type: ignore[arg-type]
        self._indices = self.buffer.view(np.uint32)
        return True

    def fill(
        self,
        x: Row,
        label: float,
        cost: float = 0.0,
        flat: float = 0.0,
        stake: float = 1.0,
        fast: bool = True,
    ) -> bool:
        """Write a row into the row buffer, as it came; its costs are those of a `Chunk`.

        Returns whether the row kernel must be bound again: the model or the buffer has grown. A label
        other than 0 admits unseen features. A dict of known names and an array of known
        columns are the fast ways, which do not look at values; all else comes after them.
        """
        names = self.features.names
        if names is not None and isinstance(x, dict) and fast:
            n = len(x)
            if self._plain is None or tuple(x) == self._plain:
                try:  # itemgetter is the fastest way to look up many keys, and fails below two
                    slots = itemgetter(*x)(names)
                    PACKERS[n](self._bytes, FROM, 0, n, label, cost, flat, stake, *x.values(), *slots)
                    return False
                except (KeyError, TypeError, struct.error, Warning):
                    pass
        elif isinstance(x, np.ndarray) and x.ndim == 1 and x.dtype.kind in "fiub" and fast:
            n = len(x)
            if n <= self.features.count and self.features.positional:
                longer = self._lengthen(n)
                PACKERS[0](self._bytes, FROM, 1, n, label, cost, flat, stake)
                self.buffer[VALUES : VALUES + n] = x
                return longer
        if hasattr(x, "items") and not isinstance(x, Mapping) and not hasattr(x, "tocsr"):
            x = dict(x.items())  # a row of a data frame
        count, learn = self.features.count, label != 0.0
        if isinstance(x, Mapping):
            index, values = self._named(x, learn)
        else:
            index, values = self._array(x, learn, fast)
        n = len(index)
        longer = self._lengthen(n)
        PACKERS[0](self._bytes, FROM, 0, n, label, cost, flat, stake)
        self.buffer[VALUES : VALUES + n] = values
        place = 2 * (VALUES + n + 1)
        self._indices[place : place + n] = index
        return longer or self.features.count != count or self.features.dropped

    def _named(self, x: Mapping[Any, Any], learn: bool) -> tuple[NDArray[Any], Floats]:
        """The columns and values of a dict row."""
        found = self.read_row(x, learn)
        if learn and self._is_new:
            self.features.columns(self.rows.fixed, learn)
            self._is_new = False
        index = self.features.columns(found, learn)
        if not learn:
            own = found if self.schema is None else self.rows.own(x)
            places = index if own is found else self.features.columns(own, learn)
            self.is_unknown = any(own.values()) and places.min() >= self.features.count
        return self._admitted(index, np.array([*found.values()], np.float64))

    def read_row(self, x: Mapping[Any, Any], learn: bool = False) -> dict[Any, float]:
        """The features of a dict row, running rates among them, and the parts of times by now."""
        self.row_lists = []
        found, self.row_slots, self.row_times = self.rows.read(x, learn, self.coverage, self.row_lists)
        self.was_read = learn
        if self.rows.gone or self.rows.invalid:
            self.unfit_row = self.rows
        if self.row_slots:
            values = self.rates_of().write_one(self.row_slots, self.row_lists)
            for name, slot, value in zip(self.rows.rates, self.row_slots, values, strict=True):
                if slot >= 0:
                    found[name] = value
        return found

    def count_row(self, positive: bool, weight: float) -> None:
        """Count the row in the buffer among running rates and the time that is covered."""
        self.was_read = False
        if self.row_slots:
            self.rates_of().learn_one(self.row_slots, positive, weight, self.row_lists)
        if self.row_times:
            self.coverage.learn_one(self.row_times)

    def row_batch(self, x: Row) -> tuple[Batch, Names | None]:
        """One row as a batch, and the names of its features where it has any."""
        if isinstance(x, Mapping):
            found = self.read_row(x)
            n = len(found)
            start, index = np.array([0, n], np.uint64), np.arange(n, dtype=np.uint32)
            return Batch(start, index, np.array([*found.values()], np.float64), n), list(found)
        rows: Any = x if hasattr(x, "tocsr") else [x]
        return as_batch(rows), None

    def _array(
        self, x: ArrayLike | SparseMatrix, learn: bool, fast: bool
    ) -> tuple[NDArray[Any], Floats]:
        """The columns and values of an array row, or of a sparse matrix of one row."""
        index: NDArray[Any]
        self.row_slots = []
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
        if learn or not fast or not self.features.positional:
            self._check_array(index, values)
        if not self.features.positional:
            return self._admitted(self.features.columns(index.tolist(), learn), values)
        if learn:
            self.features.reach(width - 1)
        if width > self.features.limit:
            index = np.where(index < self.features.limit, index, BARRED)
            return self._admitted(index, values)
        return index, values

    def _check_array(self, index: NDArray[Any], values: Floats) -> None:
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise CostreamError(f"feature {index[bad[0]]} is not finite", NOT_FINITE)

    def _admitted(self, index: NDArray[Any], values: Floats) -> tuple[NDArray[Any], Floats]:
        """The row without the features that the model cannot have; hashed ones added up."""
        if BARRED in index:
            index, values = index[index != BARRED], values[index != BARRED]
        if self.features.hash_slots is not None:
            index, inverse = np.unique(index, return_inverse=True)
            values = np.bincount(inverse, values, len(index)).astype(np.float64)
        return index, values

    # --- batches --------------------------------------------------------------------------------

    def admit(self, batch: Batch, names: Names | None) -> None:
        """Have a column for each feature of a batch, up to `max_features`."""
        if names is None and self.features.positional:
            self.features.reach(batch.width - 1 if batch.dense else batch.largest)
        elif names is not None and (batch.dense or not self.by_type):
            self.features.columns(_checked_names(batch, names), learn=True)
        elif names is not None:  # as dicts would do it: those in use, in the order of the rows
            if batch.rows:
                self.features.columns(self.rows.fixed, learn=True)
            _, first = np.unique(batch.index, return_index=True)
            used = batch.index[np.sort(first)].tolist()
            names = _checked_names(batch, names)
            self.features.columns([names[at] for at in used], learn=True)
        else:  # columns by number among names: those in use, in the order of the rows
            used, first = np.unique(batch.index, return_index=True)
            self.features.columns(used[np.argsort(first)].tolist(), learn=True)

    def chunk(self, batch: Batch, names: Names | None) -> Chunk:
        """The rows of a batch, without labels and costs.

        Rows are used as they are where that will do; else they are written anew, with their
        intercept and without the features that the model does not have.
        """
        batch.check()
        return self.chunk_of(self.place(batch, names))

    def chunk_of(self, placed: Batch) -> Chunk:
        """Rows that have the columns of the model, without labels and costs."""
        nothing = np.empty(0)
        if not self.fit_intercept and placed.largest < self.size:
            scale = placed.scale if self.normalize else np.ones(placed.rows)
            return Chunk(placed.start, placed.index, placed.value, scale, *([nothing] * 4))
        entries = len(placed.index) + placed.rows
        x = Chunk(
            np.empty(placed.rows + 1, np.uint64),
            np.empty(entries, np.uint32),
            np.empty(entries),
            np.ones(placed.rows),
            *([nothing] * 4),
        )
        prepare(self.rules, placed.start, placed.index, placed.value, x)
        return x

    def knows(self, batch: Batch, names: Names | None) -> bool:
        """Whether the model has any of the features of a batch."""
        used = np.unique(batch.index).tolist()
        given = used if names is None else [names[column] for column in used]
        return bool((self.features.columns(given, learn=False) < self.features.count).any())

    def unseen_squares(self, batch: Batch, names: Names | None) -> Floats:
        """The part of |x|^2 of each row that lies in features the model does not have."""
        placed = self.place(batch, names)
        if placed.largest < self.features.count:
            return np.zeros(placed.rows)
        scale = placed.scale if self.normalize else np.ones(placed.rows)
        entries = (placed.value * np.repeat(scale, np.diff(placed.start).astype(np.int64))) ** 2
        entries[placed.index < self.features.count] = 0.0
        sums = np.concatenate(([0.0], np.cumsum(entries)))
        return np.asarray(sums[placed.start[1:]] - sums[placed.start[:-1]])

    def place(self, batch: Batch, names: Names | None) -> Batch:
        """The rows with the columns of the model."""
        features = self.features
        if names is None and features.positional:
            return batch if batch.largest < features.limit else without(batch, features.limit)
        if names is not None:
            columns = features.columns(_checked_names(batch, names), learn=False)
            batch = replace(batch, index=columns[batch.index])
        else:
            used, inverse = np.unique(batch.index, return_inverse=True)
            columns = features.columns(used.tolist(), learn=False)
            batch = replace(batch, index=columns[inverse])
        if BARRED in columns:
            batch = without(batch, BARRED)
        return batch if features.hash_slots is None else batch.merged()

    def __getstate__(self) -> dict[str, Any]:
        """What makes another one; the features as they are now."""
        features = copy.copy(self.features)
        features.names = None if features.names is None else dict(features.names)
        return {
            "features": features,
            "normalize": self.normalize,
            "fit_intercept": self.fit_intercept,
            "schema": self.schema,
            "rates": copy.deepcopy(self.rates),
            "by_type": self.by_type,
            "settled": self.is_settled,
            "coverage": copy.deepcopy(self.coverage),
        }

    _slots: TextSlots | None
    _rows: RowReader | None
    _tables: TableReader | None
    _plain: tuple[Any, ...] | None

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]


def _checked_names(batch: Batch, names: Names) -> Names:
    """The names of the columns: one for each, and no two alike."""
    if len(names) != batch.width:
        raise CostreamError(f"{len(names)} names for {batch.width} columns")
    try:
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise CostreamError(f"the name {twice!r} is used for more than one column")
    except TypeError:
        raise CostreamError("the name of a feature must be a string or a number") from None
    return names
