"""Row kernels: prepare one row, score it and, given a label, learn it, in one call.

Every argument of a compiled function takes time: a record 0.9 microseconds a call, an array 0.1. So a
row kernel takes the arrays of a record and one *row buffer*, which holds all the rest as floats, and
builds the record inside. There is one for each type of record, generated from its fields. Row kernels
keep the GIL: giving it up for a microsecond costs more than it lends.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .compile import entry
from .hinge import Hinge
from .records import Chunk, Floats, State
from .rows import RowRules, prepare_row
from .rules import score, trigger, update

# What stands where in a row buffer. The indices, as uint32, follow one place after the values; a row
# that comes dense has none yet.
ROW_RULES = 0  # the row rules, then the hinge, then the numbers of the learner
HINGE = 3
NUMBERS = 7
START = 16  # the bounds of the row, as uint64
SCALE = 18  # 1: the row in the buffer is prepared
DENSE = 19
LENGTH = 20
LABEL = 21  # 0 asks for the score alone
COST = 22
CLASS_COST = 23
COST_RATIO = 24
VALUES = 25


def new_row_buffer(length: int) -> Floats:
    """Space for a row of up to ``length`` entries, and the intercept."""
    buffer = np.zeros(VALUES + (length + 1) + (length // 2 + 1))
    buffer[SCALE] = 1.0
    return buffer


def write_settings(buffer: Floats, rules: RowRules, model: State) -> None:
    buffer[ROW_RULES:HINGE] = rules
    numbers = []
    for field in model:
        if isinstance(field, Hinge):
            buffer[HINGE:NUMBERS] = field
        elif not isinstance(field, np.ndarray):
            numbers.append(field)
    buffer[NUMBERS : NUMBERS + len(numbers)] = numbers


def hinge_in(buffer: Floats) -> Hinge:
    return Hinge(buffer[HINGE], buffer[HINGE + 1], buffer[HINGE + 2] != 0.0, buffer[HINGE + 3] != 0.0)


def pass_row(model: State, buffer: Floats) -> float:
    """The score of the row before it is learnt; NaN for a row that is not finite, never learnt."""
    length: Any = np.int64(buffer[LENGTH])
    label = buffer[LABEL]
    class_cost = buffer[CLASS_COST]
    value = buffer[VALUES:]
    index = buffer[VALUES + length + 1 :].view(np.uint32)
    n = length
    if buffer[DENSE] != 0.0:
        n = 0
        for j in range(length):
            if value[j] != 0.0:
                value[n] = value[j]
                index[n] = j
                n += 1
    for k in range(n):
        if not np.isfinite(value[k]):
            return np.nan
    x = Chunk(
        buffer[START:SCALE].view(np.uint64),
        index,
        value,
        buffer[SCALE:DENSE],
        buffer[LABEL:COST],
        buffer[COST:CLASS_COST],
        buffer[CLASS_COST:COST_RATIO],
        buffer[COST_RATIO:VALUES],
    )
    limit: Any = np.int64(buffer[ROW_RULES + 2])
    rules = RowRules(buffer[ROW_RULES] != 0.0, buffer[ROW_RULES + 1] != 0.0, limit)
    x.start[0] = 0
    x.start[1] = prepare_row(rules, x.index, x.value, 0, n, x, 0)
    p = score(model, x, 0)
    if label != 0.0 and class_cost > 0.0:
        update(model, x, 0, p, trigger(model, x, 0, p))
    return p


# --- the kernel of each record ------------------------------------------------------------------------

ROW_KERNELS: dict[type, Any] = {}
READ = {float: "buffer[{}]", int: "int(buffer[{}])", bool: "buffer[{}] != 0.0"}  # a number of a record


def source_of(model: State) -> str:
    """The source of the row kernel of a record: its arrays are arguments, the rest is in the buffer."""
    arrays, fields, place = [], [], NUMBERS
    for name, field in zip(model._fields, model, strict=True):
        if isinstance(field, np.ndarray):
            arrays.append(name)
            fields.append(name)
        elif isinstance(field, Hinge):
            fields.append("hinge_in(buffer)")
        else:
            fields.append(READ[type(field)].format(place))
            place += 1
    if place > START:
        raise TypeError(f"{type(model).__name__} has more numbers than a row buffer holds")
    return (
        f"def row_kernel(buffer, {', '.join(arrays)}):\n"
        f"    return float(pass_row(Record({', '.join(fields)}), buffer))\n"
    )


def row_kernel_of(model: State) -> Any:
    """The row kernel of a record, made when it is first asked for."""
    record = type(model)
    if record not in ROW_KERNELS:
        space: dict[str, Any] = {
            "Record": record,
            "pass_row": pass_row,
            "hinge_in": hinge_in,
            "__name__": __name__,
        }
        exec(source_of(model), space)
        ROW_KERNELS[record] = entry(space["row_kernel"], nogil=False, record=record)
    return ROW_KERNELS[record]


def bind_row_kernel(model: State, buffer: Floats) -> Callable[[], float]:
    """A function without arguments that passes the row in the buffer.

    Once it is compiled we call its machine code directly: a row kernel has one signature, and looking
    that up takes a fifth of the call.
    """
    kernel = row_kernel_of(model)
    if getattr(kernel, "signatures", None):  # pragma: no cover (compiled)
        kernel = kernel.get_overload(kernel.signatures[0])
    return partial(kernel, buffer, *(field for field in model if isinstance(field, np.ndarray)))


def is_compiled(model: State) -> bool:
    """Whether `bind_row_kernel` would give machine code, or the plain function without compilation."""
    return bool(getattr(row_kernel_of(model), "signatures", True))
