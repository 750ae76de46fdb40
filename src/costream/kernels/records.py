"""What every rule is given: checked rows, and the types of the arrays in a record.

A *record* is the state of a learner: a ``NamedTuple`` of arrays, then perhaps a hinge, then numbers, as
its learner's file declares it. A number that changes while learning is an element of an array.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Slots = NDArray[np.uint32]


class Chunk(NamedTuple):
    """Checked rows, compressed: entry k of row t is ``value[k] * scale[t]``, at ``index[k]``.

    ``label`` is -1 or +1; ``cost`` is the r_t of the row. ``cost_ratio`` is what missing the row would
    cost over what flagging it would, whatever its label: a decision may depend on the cost ratio, never
    on the cost. It is below 0 where both are benefits, and 0 where it is not known. ``class_cost`` is
    the cost; for learners that decide by the cost ratio it leaves out the costs of the row itself. A
    row is learnt where ``class_cost`` is above 0.
    """

    start: NDArray[np.uint64]
    index: Slots  # type: ignore[assignment]
    value: Floats
    scale: Floats
    label: Floats
    cost: Floats
    class_cost: Floats
    cost_ratio: Floats


class State(Protocol):
    """Any record: what all of them have as named tuples."""

    @property
    def _fields(self) -> tuple[str, ...]: ...

    def __iter__(self) -> Iterator[Any]: ...

    def _asdict(self) -> dict[str, Any]: ...


def with_fields(model: State, **fields: Any) -> State:
    found: State = type(model)(**{**model._asdict(), **fields})
    return found
