"""Which column of the model each feature has.

A feature of a dict row is named by its key, a column of an array by its number; a model that has seen
arrays alone keeps no names. Unseen names are appended while learning, up to ``max_features``; or every
name is hashed into ``hash_slots`` columns, and nothing is kept. A feature that the model cannot have
any more is not part of the row.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..errors import CostreamError, PlainWarning
from ..tables.arrays import LARGEST

UNSEEN = 2**32 - 2  # a feature that the model does not have yet: it counts in the norm
BARRED = 2**32 - 1  # a feature that the model cannot have: it is left out


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
                raise CostreamError(f"{key} must be a whole number, at least 1, not {value!r}")
        if max_features is not None and hash_slots is not None:
            raise CostreamError("max_features and hash_slots exclude each other")
        self.max_features = max_features
        self.hash_slots = hash_slots
        self.limit = LARGEST + 1 if max_features is None else int(max_features)
        self.names = None if names is None else {name: at for at, name in enumerate(names)}
        self.count = hash_slots or (count if self.names is None else len(self.names))
        self.dropped = False
        self._warned = False

    @property
    def positional(self) -> bool:
        """Whether column j of an array is column j of the model."""
        return self.names is None and self.hash_slots is None

    def has(self, name: Any) -> bool:
        return self.names is not None and name in self.names

    def column(self, name: Hashable, learn: bool) -> int:
        """The column of a feature; an unseen one is appended where ``learn``, up to the limit."""
        try:
            found = self._find(name)
        except TypeError:
            raise CostreamError(
                f"the name of a feature must be a string or a number, not {name!r}"
            ) from None
        if found is not None:
            return found
        if self.count >= self.limit:
            return self._bar(learn)
        if not learn:
            return UNSEEN
        if self.names is None:
            self.names = {column: column for column in range(self.count)}
        self.names[name] = self.count
        self.count += 1
        return self.count - 1

    def _find(self, name: Hashable) -> int | None:
        hash(name)
        if self.hash_slots is not None:
            return crc32(str(name).encode(errors="surrogatepass")) % self.hash_slots
        if self.names is not None:
            return self.names.get(name)
        number = isinstance(name, int | float | np.number) and 0 <= name < self.count
        return int(name) if number and name == int(name) else None  # type: ignore[call-overload]

    def columns(self, names: Iterable[Hashable], learn: bool) -> NDArray[np.uint32]:
        names = list(names)
        if self.names is not None and self.hash_slots is None:
            try:  # most are known
                return np.array([*map(self.names.__getitem__, names)], np.uint32)
            except (KeyError, TypeError):
                pass
        return np.array([self.column(name, learn) for name in names], np.uint32)

    def reach(self, largest: int) -> None:
        """Have columns up to ``largest``, without names, as far as ``max_features`` lets us."""
        if largest >= self.count:
            self.count = max(self.count, min(largest + 1, self.limit))
            if largest >= self.limit:
                self._bar(learn=True)

    def kept(self) -> tuple[int, bool]:
        """What `forget` needs to take back the features that come after this."""
        return self.count, self.names is None

    def forget(self, kept: tuple[int, bool]) -> None:
        self.count, nameless = kept
        if nameless:
            self.names = None
        while self.names is not None and len(self.names) > self.count:
            self.names.popitem()

    def in_order(self) -> list[Hashable]:
        return list(range(self.count)) if self.names is None else list(self.names)

    def _bar(self, learn: bool) -> int:
        self.dropped |= learn and not self._warned
        return BARRED

    def warn_once(self) -> None:
        """Say that features are left out, the first time that it happens."""
        if self.dropped:
            self.dropped, self._warned = False, True
            message = (
                f"the model has reached its limit of {self.limit} features; further ones are left out"
            )
            warnings.warn(PlainWarning(message), stacklevel=5)
