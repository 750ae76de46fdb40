"""Batches of rows as rows of the model: its columns, its norms, its intercept."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from .._typing import Floats, Names
from ..errors import CostreamError
from ..kernels.records import Chunk
from ..kernels.rows import RowRules, prepare
from ..tables.arrays import Batch, without
from ..tables.coverage import Coverage
from ..tables.schema import Schema
from .features import BARRED, Features
from .readers import Readers
from .row_buffer import RowBuffer
from .target_encoding import TargetEncoding
from .warner import Warner


class Encoder:
    """How rows reach a model: who numbers their features, who reads them, and where one row is written.

    ``by_type`` says that tables go by the types of their values, as dicts do.
    """

    def __init__(
        self,
        features: Features,
        normalize: bool,
        fit_intercept: bool,
        schema: Schema | None = None,
        target_encoding: TargetEncoding | None = None,
        by_type: bool = False,
        resolved: bool = True,
        coverage: Coverage | None = None,
    ) -> None:
        self.features = features
        self.normalize = normalize
        self.fit_intercept = fit_intercept
        self.by_type = by_type
        self.warner = Warner()
        self.readers = Readers(features, self.warner, schema, resolved, target_encoding, coverage)
        self.row = RowBuffer(features, self.readers)

    @property
    def size(self) -> int:
        """The number of slots in use: features, and the intercept."""
        return self.features.count + self.fit_intercept

    @property
    def rules(self) -> RowRules:
        return RowRules(self.normalize, self.fit_intercept, self.size)

    # --- what is saved of its readers -----------------------------------------------------------

    @property
    def schema(self) -> Schema | None:
        return self.readers.schema

    @property
    def is_resolved(self) -> bool:
        return self.readers.is_resolved

    @property
    def target_encoding(self) -> TargetEncoding | None:
        return self.readers.target_encoding

    @property
    def coverage(self) -> Coverage:
        return self.readers.coverage

    # --- batches --------------------------------------------------------------------------------

    def admit(self, batch: Batch, names: Names | None) -> None:
        """Have a column for each feature of a batch, up to `max_features`."""
        if names is None and self.features.positional:
            self.features.reach(batch.width - 1 if batch.dense else batch.largest)
        elif names is not None and (batch.dense or not self.by_type):
            self.features.columns(_checked_names(batch, names), learn=True)
        elif names is not None:  # as dicts would do it: those in use, in the order of the rows
            if batch.rows:
                self.features.columns(self.readers.rows.fixed, learn=True)
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
            "target_encoding": copy.deepcopy(self.target_encoding),
            "by_type": self.by_type,
            "resolved": self.is_resolved,
            "coverage": copy.deepcopy(self.coverage),
        }

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
