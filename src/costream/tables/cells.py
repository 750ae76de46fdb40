"""Columns of a table as they come, before anyone knows what they hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._typing import Bools, Floats

LARGEST = int(np.finfo(np.float64).max)
PANDAS_MISSING = frozenset(("NaTType", "NAType"))  # types by name: pandas need not be installed
Ints: TypeAlias = NDArray[np.int64]
Moments: TypeAlias = NDArray[np.datetime64]  # in microseconds, NaT where there is none


@dataclass(frozen=True)
class Text:
    """A column by its distinct values: the place of each row's value among them, -1 for none."""

    codes: Ints
    values: list[Any]

    def first_rows(self) -> list[int]:
        """The first row of each value, -1 for a value that is in none."""
        first = np.full(len(self.values) + 1, -1)
        first[self.codes[::-1]] = np.arange(len(self.codes))[::-1]  # of several, the last one stays
        return [*map(int, first[:-1])]

    def counts(self) -> list[int]:
        """How many rows have each value."""
        return [*map(int, np.bincount(self.codes + 1, minlength=len(self.values) + 1)[1:])]


Raw: TypeAlias = Floats | Bools | Moments | Text
