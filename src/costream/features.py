"""Which column of the model each feature has.

A feature of a dict row is named by its key, a column of an array by its number; a model that has seen
arrays alone keeps no names. Unseen names are appended while learning, up to ``max_features``; or every
name is hashed into ``hash_slots`` columns, and nothing is kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from .errors import CostreamError

UNSEEN = 2**32 - 1  # the column of a feature that the model does not have
LARGEST = UNSEEN - 2  # the largest column: an intercept shifts columns by one


class Features:
    """Names to columns. ``names`` is None while columns are their own names."""

    def __init__(
        self,
        max_features: int | None = None,
        hash_slots: int | None = None,
        names: Iterable[Hashable] | None = None,
        count: int = 0,
    ) -> None:
        for key, value in (("max_features", max_features), ("hash_slots", hash_slots)):
            whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if value is not None and not (whole and 1 <= value <= LARGEST):
                raise CostreamError(f"{key} must be a whole number from 1 up, not {value!r}")
        if max_features is not None and hash_slots is not None:
            raise CostreamError("max_features and hash_slots exclude each other")
        self.max_features = max_features
        self.hash_slots = hash_slots
        self.names: dict[Hashable, int] | None = None
        self.count = hash_slots or count
        self.dropped = False
        if names is not None:
            self.names = {name: column for column, name in enumerate(names)}
            self.count = len(self.names)

    @property
    def limit(self) -> int:
        return LARGEST + 1 if self.max_features is None else self.max_features

    def hashed(self, name: Hashable) -> int:
        assert self.hash_slots is not None
        return crc32(str(name).encode()) % self.hash_slots

    def by_name(self) -> dict[Hashable, int]:
        """The names, from now on kept one by one."""
        if self.names is None:
            self.names = {column: column for column in range(self.count)}
        return self.names

    def column(self, name: Hashable, learn: bool) -> int:
        """The column of a feature; an unseen one is appended where ``learn``, if there is room."""
        if self.hash_slots is not None:
            return self.hashed(name)
        names = self.by_name()
        found = names.get(name)
        if found is not None:
            return found
        if not learn or self.count >= self.limit:
            self.dropped |= learn
            return UNSEEN
        names[name] = self.count
        self.count += 1
        return self.count - 1

    def columns(self, width: int, names: Iterable[Any] | None, learn: bool) -> Any:
        """The column of each column of an array, or None where they are the same."""
        if names is None and self.names is None and self.hash_slots is None:
            return None
        given = range(width) if names is None else names
        return np.array([self.column(name, learn) for name in given], np.uint32)

    def reach(self, largest: int) -> None:
        """Have columns up to ``largest``, without names, as far as ``max_features`` lets us."""
        self.dropped |= largest >= self.limit
        self.count = max(self.count, min(largest + 1, self.limit))

    def in_order(self) -> list[Hashable]:
        """The name of each column."""
        if self.names is None:
            return list(range(self.count))
        return list(self.names)

    def keep(self) -> tuple[int, bool]:
        """What `forget` needs to take back the names that a bad batch has added."""
        return self.count, self.names is None

    def forget(self, kept: tuple[int, bool]) -> None:
        self.count, positional = kept
        if positional:
            self.names = None
        elif self.names is not None:
            while len(self.names) > self.count:
                self.names.popitem()


def merge_repeated(
    start: NDArray[np.uint64], index: NDArray[np.uint32], value: NDArray[np.float64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float64]]:
    """Add up the entries of a row that fell into one column."""
    from scipy.sparse import csr_array

    matrix = csr_array(
        (value.copy(), index.astype(np.int64), start.astype(np.int64)),
        shape=(len(start) - 1, LARGEST + 1),
    )
    matrix.sum_duplicates()
    return (
        matrix.indptr.astype(np.uint64),
        matrix.indices.astype(np.uint32),
        matrix.data,
    )
