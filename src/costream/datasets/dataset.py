"""A whole data set in memory, to be learnt in several orders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..costs.leakage import CostsSeen
from ..costs.rows import NO_COSTS, GivenCosts
from ..errors import CostreamError
from ..files.blocks import EMPTY, Block, labelled
from ..labels.labels import WHERE_IT_IS, Choice, Labels
from ..labels.parsing import as_objects
from ..model.target_encoding import joined_slots
from ..tables.arrays import Batch
from ..tables.coverage import TimeColumn
from ..tables.leakage import KEPT, OF_A_BLOCK, leaks
from ..tables.leakage import message as leakage_message
from ..tables.schema import Schema
from ..tables.times import NAT

MOST_LABELS = 20  # of which rows are kept, to see whether a column leaks them


@dataclass(frozen=True)
class Dataset:
    """Rows, which of them are positive, and their costs where they have their own."""

    rows: Batch
    names: list[Any] | None  # of the columns; None: a column is named by its number
    positive: NDArray[np.bool_]
    costs: GivenCosts = NO_COSTS
    unlabelled: int = 0  # rows that were left out, since they have no label
    decisions: dict[str, NDArray[np.bool_]] = field(default_factory=dict)  # of rules, by their names
    leaks: dict[str, str] = field(default_factory=dict)  # columns that alone leak the label, and how

    def __len__(self) -> int:
        return len(self.positive)

    @property
    def positives(self) -> int:
        return int(np.count_nonzero(self.positive))

    @property
    def width(self) -> int:
        return self.rows.largest + 1 if self.names is None else len(self.names)

    @cached_property
    def leaking_costs(self) -> str | None:
        """A warning where the costs of rows leak their labels."""
        seen = CostsSeen()
        seen.add(self.positive, self.costs)
        return seen.message()

    @property
    def warnings(self) -> list[str]:
        """Warnings of costs and of columns that leak the labels."""
        costs = [] if self.leaking_costs is None else [self.leaking_costs]
        return [*costs, *(leakage_message(name, how, True) for name, how in self.leaks.items())]

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
        kept = [at for at, column in enumerate(self.rows.to_encode) if column in places]
        to_encode = tuple(places[self.rows.to_encode[at]] for at in kept)
        slots = None if self.rows.slots is None else self.rows.slots[:, kept]
        times = tuple(
            one._replace(columns=tuple(places.get(column, -1) for column in one.columns))
            for one in self.rows.times
        )
        rows = replace(
            self.rows,
            index=index.astype(np.uint32),
            width=len(used),
            to_encode=to_encode,
            slots=slots,
            times=times,
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
    all blocks where the first ones decide nothing.
    """
    parts, unlabelled = Parts(), 0
    for block in blocks:
        kept, without = labelled(block)
        unlabelled += without
        if kept.rows.rows or not without:
            parts.add(kept)
    if not parts.blocks:
        if unlabelled:
            raise CostreamError(f"{name}: no row has a label", WHERE_IT_IS)
        raise CostreamError(f"{name} has no rows", EMPTY)
    try:  # the first block decides, as for those who read no further
        labels, truth = parts.positive(Labels.choose(parts.blocks[0].label, positive, name))
    except CostreamError:
        labels, truth = parts.positive(Labels.choose(parts.labels(), positive, name))
    found = Dataset(parts.batch(), parts.names, truth, parts.costs(), unlabelled)
    return replace(found, leaks=parts.leaks(truth)), labels


class Parts:
    """Copies of blocks (a reader uses their buffers again), with one numbering of columns."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._columns: dict[Any, int] | None = None
        self._samples: dict[Any, list[tuple[int, Any]]] = {}  # by label: the number of a row, and it
        self._rows = 0
        self._schema: Schema | None = None

    def _sample(self, block: Block) -> None:
        """Keep some rows of each label as they came, to see whether a column leaks it."""
        if block.raw is not None:
            self._schema = block.schema
            for label in np.unique(block.label.astype(str)).tolist()[:MOST_LABELS]:
                kept = self._samples.setdefault(label, [])
                rows = np.flatnonzero(block.label.astype(str) == label)[:OF_A_BLOCK].tolist()
                rows = rows[: KEPT - len(kept)]
                kept += zip((self._rows + t for t in rows), block.raw(rows), strict=True)
        self._rows += block.rows.rows

    def leaks(self, positive: NDArray[np.bool_]) -> dict[str, str]:
        """The columns that alone leak the label, and how."""
        sides: dict[bool, list[Any]] = {True: [], False: []}
        for kept in self._samples.values():
            for number, row in kept:
                sides[bool(positive[number])].append(row)
        return leaks(sides[True], sides[False], self._schema)

    def add(self, block: Block) -> None:
        self._sample(block)
        rows, names = block.rows, block.names
        index, to_encode, times = np.array(rows.index), rows.to_encode, rows.times
        if names is not None:
            columns = self._columns = {} if self._columns is None else self._columns
            places = [columns.setdefault(name, len(columns)) for name in names]
            index = np.array(places, np.uint32)[index]
            places.append(-1)  # for -1
            to_encode = tuple(places[column] for column in to_encode)
            times = tuple(
                one._replace(columns=tuple(places[column] for column in one.columns)) for one in times
            )
        slots = None if rows.slots is None else np.array(rows.slots)
        start, value = np.array(rows.start), np.array(rows.value)
        copied = Batch(start, index, value, rows.width, False, to_encode, slots, rows.lists, times)
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
        each = zip(*(block.costs for block in self.blocks), strict=True)
        return GivenCosts(*(None if one[0] is None else np.concatenate(one) for one in each))

    def batch(self) -> Batch:
        """All rows in one."""
        batches = [block.rows for block in self.blocks]
        before = np.cumsum([0, *(len(batch.index) for batch in batches)]).astype(np.uint64)
        starts = [batch.start[1:] + first for batch, first in zip(batches, before, strict=False)]
        slots, lists = joined_slots(batches)
        to_encode = batches[0].to_encode if batches else ()
        nothing = Batch(np.zeros(1, np.uint64), np.empty(0, np.uint32), np.empty(0), 0)
        batches.append(nothing)
        return Batch(
            np.concatenate([nothing.start, *starts]),
            np.concatenate([batch.index for batch in batches]),
            np.concatenate([batch.value for batch in batches]),
            len(self._columns or ()),
            to_encode=to_encode,
            slots=slots,
            lists=lists,
            times=_joined_times(batches),
        )


def _joined_times(batches: list[Batch]) -> tuple[TimeColumn, ...]:
    """The columns of times of consecutive batches; a row of a batch without one has no time."""
    found: dict[Any, TimeColumn] = {}
    for batch in batches:
        for one in batch.times:
            columns = found[one.name].columns if one.name in found else one.columns
            found[one.name] = one._replace(columns=tuple(map(max, columns, one.columns)))
    joined = []
    for name, one in found.items():
        moments = [
            next((own.moments for own in batch.times if own.name == name), np.full(batch.rows, NAT))
            for batch in batches
        ]
        joined.append(one._replace(moments=np.concatenate(moments)))
    return tuple(joined)
