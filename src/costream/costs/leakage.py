"""Whether costs of rows leak their labels, so that results at these costs are too good to be true.

A cost such as a loss often becomes known together with the label: it is 0, or one and the same filler,
for all rows of a class. Whoever decides at such costs reads the label from them.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .._typing import Bools
from .objective import COSTS
from .rows import GivenCosts

ENOUGH = 10  # rows of each class, from which on one value that a class shares is a filler
MOST_VALUES = 10_000  # that are kept of each class
SIDES = ("negative", "positive")
HINT = "give the cost that is known when the decision is taken, or one number for all rows"


class CostsSeen:
    """The costs of the rows so far, by their class; blocks of a stream are added in turn."""

    def __init__(self) -> None:
        self._rows = [0, 0]  # negative, positive
        self._values: dict[str, tuple[set[float], set[float]]] = {}

    def add(self, positive: Bools, costs: GivenCosts, labelled: Bools | None = None) -> None:
        """Add rows, all of which have a label where ``labelled`` is None."""
        known = np.ones(len(positive), np.bool_) if labelled is None else labelled
        sides = (known & ~positive, known & positive)
        for side, which in enumerate(sides):
            self._rows[side] += int(np.count_nonzero(which))
        for name, cost in zip(COSTS, costs, strict=True):
            if cost is None or np.ndim(cost) == 0:
                continue
            seen = self._values.setdefault(name, (set(), set()))
            if all(len(values) > 1 for values in seen):
                continue  # neither class has a single value any more
            for values, which in zip(seen, sides, strict=True):
                if len(values) < MOST_VALUES:
                    found = np.unique(np.asarray(cost, np.float64)[which])
                    values.update(found[: MOST_VALUES - len(values)].tolist())

    @property
    def leaking(self) -> dict[str, str]:
        """The costs that are the same for all rows of one class alone, and how they leak the labels."""
        found = {}
        for name, values in self._values.items():
            for side, other in ((0, 1), (1, 0)):
                if min(self._rows) >= ENOUGH and one_value_leaks(values[side], values[other]):
                    (value,) = values[side]
                    found[name] = f"{name} is {value:g} for every {SIDES[side]} row"
        return found

    def message(self) -> str | None:
        found = self.leaking
        if not found:
            return None
        return (
            f"the costs of rows leak their labels ({', '.join(found.values())}), so results "
            f"at these costs are too good to be true\nhint: {HINT}"
        )

    def warn(self) -> None:
        message = self.message()
        if message is not None:
            warnings.warn(message, UserWarning, stacklevel=3)


def one_value_leaks(values: set[Any], others: set[Any]) -> bool:
    """Whether one class has a single value, which no row of the other has."""
    if len(values) != 1 or not others:
        return False
    return others != {0.0} if values == {0.0} else values.isdisjoint(others)


def warn_of_leaking(costs: GivenCosts, positive: Bools) -> None:
    if costs.any:
        seen = CostsSeen()
        seen.add(positive, costs)
        seen.warn()
