"""What a cost counts for in learning, so that one wild cost does not rule all others.

A cost counts up to 32 times the typical one of its class, or a little more: powers of two are compared,
whose sums are exact in any order. The typical one is the geometric mean of those learnt so far.
Decisions and total costs go by the true ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .._typing import Bools, Floats

LARGEST = 5  # powers of two above the typical cost
FIRST = 8  # rows that the costs of the objective are worth, where it has some


@dataclass
class Exponents:
    """The exponents of the costs of a class: their sum, and how many there are."""

    total: int = 0
    count: int = 0

    @property
    def limit(self) -> float:
        """The largest cost that counts in full."""
        return math.ldexp(1.0, self.total // self.count + LARGEST) if self.count else math.inf

    def add(self, cost: float, times: int = 1) -> None:
        if cost > 0.0:
            self.total += times * math.frexp(cost)[1]
            self.count += times


class Clipping:
    """The typical costs of both classes."""

    def __init__(self, *counts: int) -> None:
        self.negative, self.positive = Exponents(*counts[:2]), Exponents(*counts[2:])

    @property
    def counts(self) -> tuple[int, int, int, int]:
        negative, positive = self.negative, self.positive
        return negative.total, negative.count, positive.total, positive.count

    def begin(self, rho: float) -> None:
        """Begin with the costs of an objective: that of a positive row, in those of a negative one."""
        self.negative.add(1.0, FIRST)
        self.positive.add(rho, FIRST)

    def clipped(self, cost: float, positive: bool) -> float:
        return min(cost, (self.positive if positive else self.negative).limit)

    def clipped_many(self, costs: Floats, positive: Bools, learnt: Bools) -> Floats:
        """Each cost as `clipped` would give it once the rows before it are counted."""
        for of, which in ((self.negative, ~positive), (self.positive, positive)):
            counts = which & learnt & (costs > 0.0)
            exponents = np.where(counts, np.frexp(costs)[1], 0).astype(np.int64)
            total = of.total + np.cumsum(exponents) - exponents
            count = of.count + np.cumsum(counts) - counts
            limit = np.ldexp(1.0, total // np.maximum(count, 1) + LARGEST)
            costs = np.where(which & (count > 0), np.minimum(costs, limit), costs)
        return costs

    def count(self, cost: float, positive: bool) -> None:
        """Count the cost of a row that was learnt."""
        (self.positive if positive else self.negative).add(cost)

    def count_many(self, costs: Floats, positive: Bools, learnt: Bools) -> None:
        for of, which in ((self.negative, ~positive), (self.positive, positive)):
            mine = costs[which & learnt & (costs > 0.0)]
            of.total += int(np.frexp(mine)[1].sum())
            of.count += len(mine)
