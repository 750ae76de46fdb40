"""Blocks: consecutive rows of a stream, with their labels, costs and times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import Bools
from ..costs.rows import NO_COSTS, GivenCosts
from ..labels.parsing import missing
from ..tables.arrays import Batch
from ..tables.leakage import RawRows
from ..tables.resolution import ResolvedSchema
from ..tables.schema import Schema

EMPTY = "the file is empty, or it has a header only"
Warn = Callable[[str, str], None]  # called with what a remark is about, and the remark


@dataclass(frozen=True)
class Block:
    """Consecutive rows of a stream, with their labels and costs.

    A reader uses its buffers again: a block is valid until the next block but three is read.

    Attributes
    ----------
    rows : Batch
        The rows.
    names : list or None
        The names of the columns; None: a column is named by its number.
    label : array
        Numbers (NaN: no label), or labels as `parsing.canonical` writes them (None: no label).
    where : callable
        ``where(t)`` says where row t stands, for errors about it.
    costs : GivenCosts
        What the rows cost, where the file has columns of that.
    kept : dict of str to list
        The values of columns that are kept, as they stand in the file.
    columns : ResolvedSchema or None
        What the columns mean, and who says so; None where they have no names.
    moments : ndarray of datetime64, or None
        The time of each row, where a column of that is named.
    without_cost : int
        The number of rows that were skipped, since they have no cost.
    raw : RawRows or None
        The values of features as they stand in the file, for those who look at some rows.

    Examples
    --------
    >>> import os, tempfile
    >>> from costream import Stream
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "rows.libsvm")
    ...     with open(path, "w") as file:
    ...         _ = file.write("+1 1:0.5 7:2\\n-1 2:1e-3\\n")
    ...     with Stream(path) as stream:
    ...         [(block.rows.rows, block.label.tolist()) for block in stream]
    [(2, [1.0, -1.0])]
    """

    rows: Batch
    names: list[Any] | None
    label: NDArray[Any]
    where: Callable[[int], str]
    costs: GivenCosts = NO_COSTS
    kept: dict[str, list[Any]] = field(default_factory=dict)
    columns: ResolvedSchema | None = None
    moments: NDArray[np.datetime64] | None = None
    without_cost: int = 0
    raw: RawRows | None = None

    @property
    def schema(self) -> Schema | None:
        """What the columns hold, for a model that learns the rows."""
        return None if self.columns is None else self.columns.schema

    def part(self, begin: int, end: int) -> Block:
        """Some of the rows."""
        which = slice(begin, end)
        return replace(
            self,
            rows=self.rows.part(begin, end),
            label=self.label[which],
            where=lambda t: self.where(begin + t),
            costs=self.costs.where(which),
            kept={name: values[which] for name, values in self.kept.items()},
            moments=None if self.moments is None else self.moments[which],
            raw=None if self.raw is None else self.raw.where(which),
        )


def labelled(block: Block) -> tuple[Block, int]:
    """The rows of a block that have a label, and the number of those that have none."""
    absent = missing(block.label)
    count = int(np.count_nonzero(absent))
    return (rows_where(block, ~absent), count) if count else (block, 0)


def rows_where(block: Block, keep: Bools) -> Block:
    """Some of the rows of a block."""
    rows = np.flatnonzero(keep)
    return replace(
        block,
        rows=block.rows.rows_where(keep),
        label=block.label[rows],
        where=lambda t: block.where(int(rows[t])),
        costs=block.costs.where(rows),
        kept={name: [values[t] for t in rows.tolist()] for name, values in block.kept.items()},
        moments=None if block.moments is None else block.moments[rows],
        raw=None if block.raw is None else block.raw.where(rows),
    )
