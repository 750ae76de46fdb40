"""What the decisions on a stream have cost so far, and the online curve of that."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from .._typing import Bools, Floats
from ..costs.rows import GivenCosts
from ..costs.tally import Costs, Tally
from ..files.blocks import Block
from ..labels.parsing import missing

POINTS = 120  # of a curve at least, once there are as many rows; it has up to twice as many


class Record:
    """The tally of a stream as it is decided, and its curve: evenly spaced points, however long it is.

    ``costs`` are those that decisions are billed at where rows have none of their own.
    """

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self.tally = Tally()
        self.curve: list[Tally] = []
        self.unlabelled = 0
        self.seconds = 0.0
        self._clock: float | None = None
        self._step = 1
        self._next = self.first_point()

    @property
    def started(self) -> bool:
        """Whether the model was loaded, so that there was a row."""
        return self._clock is not None

    def start(self) -> None:
        """Start the clock: the model is loaded."""
        self._clock = perf_counter()

    def add_block(self, scores: Floats, positive: Bools, block: Block) -> None:
        """Count the rows of a block that have a label."""
        costs, absent = block.costs, missing(block.label)
        if absent.any():
            known = ~absent
            scores, positive, costs = scores[known], positive[known], costs.where(known)
            self.unlabelled += int(np.count_nonzero(absent))
        self.add(scores, positive, costs)

    def add(
        self, scores: Floats, positive: Bools, costs: GivenCosts, seconds: float | None = None
    ) -> None:
        """Count rows, and take the points of the curve that fall into them.

        ``seconds`` is how long they took; None for the time since the rows before them.
        """
        begin, rows = 0, len(scores)
        now = perf_counter()
        took = now - (self._clock or now) if seconds is None else seconds
        self._clock, a_row = now, took / max(rows, 1)  # a point within a block has its share
        while begin < rows:
            end = min(rows, begin + self._next - self.tally.rows)
            part = slice(begin, end)
            own = costs.where(part)._asdict()
            self.tally += Tally.of(scores[part], positive[part], self.costs, **own)
            self.seconds += a_row * (end - begin)
            if self.tally.rows == self._next:
                self._next = self.point()
            begin = end

    def first_point(self) -> int:
        return 1

    def point(self) -> int:
        """Take a point of the curve; returns the number of rows at the next one."""
        self.curve.append(self.tally)
        if len(self.curve) == 2 * POINTS:
            self.curve = self.curve[1::2]
            self._step *= 2
        return self.tally.rows + self._step
