"""A whole data set in memory, to be learnt in several orders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..blocks import Block, labelled
from ..errors import CostreamError
from ..inputs import Batch
from ..labels import WHERE_IT_IS, Choice, Labels
from ..rates import joined_slots
from ..revealing import CostsSeen
from ..row_costs import NO_COSTS, GivenCosts
from ..spelling import as_objects

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Dataset:
    """Rows, which of them are positive, and their costs where they have their own."""

    rows: Batch
    names: list[Any] | None  # of the columns; None: a column is named by its number
    positive: NDArray[np.bool_]
    costs: GivenCosts = NO_COSTS
    unlabelled: int = 0  # rows that were left out, since they have no label
    decisions: dict[str, NDArray[np.bool_]] = field(default_factory=dict)  # of rules, by their names

    def __len__(self) -> int:
        return len(self.positive)

    @property
    def positives(self) -> int:
        return int(np.count_nonzero(self.positive))

    @property
    def width(self) -> int:
        """How many features there are."""
        return self.rows.largest + 1 if self.names is None else len(self.names)

    @cached_property
    def revealing(self) -> str | None:
        """A warning where the costs of rows reveal their labels."""
        seen = CostsSeen()
        seen.add(self.positive, self.costs)
        return seen.message()

    def take(self, order: NDArray[np.intp]) -> Dataset:
        """The rows in another order."""
        return self._with(self.rows.take(order), order)

    def part(self, begin: int, end: int) -> Dataset:
        """The rows from ``begin`` up to ``end``, without a copy."""
        return self._with(self.rows.part(begin, end), slice(begin, end))

    def narrow(self) -> Dataset:
        """The rows with the columns that they use alone; those without a name are numbered anew."""
        used, index = np.unique(self.rows.index, return_inverse=True)
        places = {column: at for at, column in enumerate(used.tolist())}
        kept = [at for at, column in enumerate(self.rows.rates) if column in places]
        rates = tuple(places[self.rows.rates[at]] for at in kept)
        slots = None if self.rows.slots is None else self.rows.slots[:, kept]
        rows = replace(
            self.rows, index=index.astype(np.uint32), width=len(used), rates=rates, slots=slots
        )
        names = None if self.names is None else [self.names[column] for column in used.tolist()]
        return replace(self, rows=rows, names=names)

    def _with(self, rows: Batch, which: NDArray[np.intp] | slice) -> Dataset:
        decisions = {name: flags[which] for name, flags in self.decisions.items()}
        costs = self.costs.where(which)
        return Dataset(rows, self.names, self.positive[which], costs, decisions=decisions)


def load_dataset(
    blocks: Iterable[Block], positive: Choice | None = None, name: str = "the stream"
) -> tuple[Dataset, Labels]:
    """All rows of a stream, and which labels count as positive.

    ``positive`` names the positive labels; without it the labels of the first block decide, or those of
    all blocks where the first ones say nothing.
    """
    parts, unlabelled = Parts(), 0
    for block in blocks:
        kept, without = labelled(block)
        unlabelled += without
        if kept.rows.rows or not without:
            parts.add(kept)
    if unlabelled and not parts.blocks:
        raise CostreamError(f"{name}: no row has a label", WHERE_IT_IS)
    if not parts.blocks:
        if unlabelled:
            raise CostreamError(f"{name}: no row has a label", WHERE_IT_IS)
        raise CostreamError(f"{name} has no rows")
    try:  # the first block decides, as for those who read no further
        labels, truth = parts.positive(Labels.choose(parts.blocks[0].label, positive, name))
    except CostreamError:
        labels, truth = parts.positive(Labels.choose(parts.labels(), positive, name))
    return Dataset(parts.batch(), parts.names, truth, parts.costs(), unlabelled), labels


class Parts:
    """Copies of blocks (a reader uses their buffers again), with one numbering of columns."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._columns: dict[Any, int] | None = None

    def add(self, block: Block) -> None:
        rows, names = block.rows, block.names
        index = np.array(rows.index)
        if names is not None:
            self._columns = {} if self._columns is None else self._columns
            columns = self._columns
            index = np.array([columns.setdefault(name, len(columns)) for name in names], np.uint32)[
                index
            ]
        rates = rows.rates
        if rates and names is not None and self._columns is not None:
            rates = tuple(self._columns[names[column]] for column in rates)
        slots = None if rows.slots is None else np.array(rows.slots)
        start, value = np.array(rows.start), np.array(rows.value)
        copied = Batch(start, index, value, rows.width, False, rates, slots, rows.lists)
        costs = GivenCosts(*(None if cost is None else np.array(cost) for cost in block.costs))
        self.blocks.append(Block(copied, None, np.array(block.label), block.where, costs))

    def labels(self) -> NDArray[Any]:
        labels = [block.label for block in self.blocks]
        if any(label.dtype == object for label in labels):
            labels = [as_objects(label) for label in labels]
        return np.concatenate(labels)

    def positive(self, labels: Labels) -> tuple[Labels, NDArray[np.bool_]]:
        """The labels once all blocks have been seen, and which rows are positive."""
        truths = []
        for block in self.blocks:
            labels, truth = labels.seeing_block(block.label, block.where)
            truths.append(truth)
        return labels, np.concatenate(truths)

    @property
    def names(self) -> list[Any] | None:
        return None if self._columns is None else list(self._columns)

    def costs(self) -> GivenCosts:
        """The costs of all rows."""
        each = zip(*(block.costs for block in self.blocks), strict=True)
        return GivenCosts(*(None if one[0] is None else np.concatenate(one) for one in each))

    def batch(self) -> Batch:
        """All rows in one."""
        batches = [block.rows for block in self.blocks]
        before = np.cumsum([0, *(len(batch.index) for batch in batches)]).astype(np.uint64)
        starts = [batch.start[1:] + first for batch, first in zip(batches, before, strict=False)]
        slots, lists = joined_slots(batches)
        rates = batches[0].rates if batches else ()
        nothing = Batch(np.zeros(1, np.uint64), np.empty(0, np.uint32), np.empty(0), 0)
        batches.append(nothing)
        return Batch(
            np.concatenate([nothing.start, *starts]),
            np.concatenate([batch.index for batch in batches]),
            np.concatenate([batch.value for batch in batches]),
            len(self._columns or ()),
            rates=rates,
            slots=slots,
            lists=lists,
        )
