"""What every reader gives: some rows, their labels and their costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..inputs import Batch

Floats = NDArray[np.float64]
IN_FLIGHT = 4  # blocks that are alive at once: one being read, two waiting, one being learnt


@dataclass(frozen=True)
class Block:
    """Consecutive rows of a stream; valid until the next block but three is read (`IN_FLIGHT`).

    ``label`` holds numbers (NaN: no label) or objects of the kind that `labels.canonical` gives
    (None: no label). ``where(t)`` says where row t stands, for complaints about it.
    """

    rows: Batch
    names: list[Any] | None  # of the columns; None: a column is named by its number
    label: NDArray[Any]
    where: Callable[[int], str]
    fn_cost: Floats | None = None
    fp_cost: Floats | None = None
    label_name: str | None = None  # of the column that the label is in


@dataclass(frozen=True)
class Layout:
    """Which columns of a table mean what."""

    label: str | None = None
    ignore: tuple[str, ...] = ()
    text: tuple[str, ...] = ()  # columns of text, even where they look like numbers
    fn_cost: str | None = None
    fp_cost: str | None = None
    hash_bits: int = 18
    numbers: frozenset[str] = frozenset()  # columns that a model knows as numbers
    required: frozenset[str] | None = None  # columns that must be there; None: all that are named

    def needs(self, name: str | None) -> bool:
        """Whether a column must be there."""
        return name is not None and (self.required is None or name in self.required)

    @property
    def costs(self) -> tuple[str, ...]:
        """The columns of costs."""
        return tuple(name for name in (self.fn_cost, self.fp_cost) if name)

    @property
    def special(self) -> set[str]:
        """The columns that are not features; a cost that the model knows as a feature is both."""
        costs = (name for name in self.costs if name not in self.numbers)
        return {name for name in (self.label, *self.ignore, *costs) if name}
