"""Whether costs of rows reveal their labels, so that a decision must not see them.

A cost such as a loss often becomes known together with the label: it is 0, or one and the same filler,
for all rows of a class. A learner that decides at such costs would read the label from them.
"""

from __future__ import annotations

import numpy as np

from .aliases import Bools, Floats

ENOUGH = 10  # rows of a class, from which on one value that they all share is a filler
MOST_VALUES = 10_000  # that are kept of each class


class CostsSeen:
    """The costs of the rows so far, by their class; blocks of a stream are added in turn.

    Examples
    --------
    >>> import numpy as np
    >>> seen = CostsSeen()
    >>> seen.add(np.array([True, False, False]), np.array([90.0, 0.0, 0.0]), None)
    >>> seen.reveal_label
    True
    """

    def __init__(self) -> None:
        self._rows = [0, 0]
        self._values: list[list[set[float]]] = [[set(), set()], [set(), set()]]

    def add(self, positive: Bools, fn_cost: Floats | None, fp_cost: Floats | None) -> None:
        """Add rows with labels.

        Parameters
        ----------
        positive : ndarray of bool, of shape (n_rows,)
            Which rows are positive.
        fn_cost, fp_cost : ndarray of shape (n_rows,) or None
            What missing or flagging each row would cost.
        """
        for side, which in enumerate((~positive, positive)):
            self._rows[side] += int(np.count_nonzero(which))
            for column, cost in enumerate((fn_cost, fp_cost)):
                values = self._values[column][side]
                if cost is not None and len(values) < MOST_VALUES:
                    values.update(np.unique(cost[which])[:MOST_VALUES].tolist())

    @property
    def reveal_label(self) -> bool:
        """Whether a cost is 0 for all rows of just one class, or a value that only they have."""
        return any(
            _tells(column[side], column[1 - side], self._rows[side])
            for column in self._values
            for side in (0, 1)
        )


def _tells(values: set[float], others: set[float], rows: int) -> bool:
    """Whether one class has a single value, by which its rows can be told from the others."""
    if len(values) != 1 or not others:
        return False
    if values == {0.0}:
        return others != {0.0}
    return rows >= ENOUGH and values.isdisjoint(others)
