"""The one-row doors: prepare a row, score it and, given a label, learn it, in one call.

A record as an argument costs 0.9 microseconds a call, so a door takes the arrays of a state, and its
numbers in ``settings``, and builds the record inside. There is one door for each kind of record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compile import entry, verb
from .records import (
    Arow,
    ArowDiagonal,
    Chunk,
    Diagonal,
    FirstOrder,
    Floats,
    Full,
    Hinge,
    Oja,
    PassiveAggressive,
    PredictionBased,
    Romma,
    SparseOja,
    State,
)
from .rows import Indices, RowRules, Starts, prepare_row
from .rules import score, update
from .verbs import violation

class Row(NamedTuple):
    """Room for one row. ``target`` holds its scale (1: it is prepared), its label and its cost."""

    start: Starts
    index: Indices
    value: Floats
    target: Floats


def room_for_row(length: int) -> Row:
    """Room for a row of up to ``length`` entries, and the intercept."""
    return Row(
        np.zeros(2, np.uint64),
        np.zeros(length + 1, np.uint32),
        np.zeros(length + 1, np.float64),
        np.array([1.0, 0.0, 0.0]),
    )


def settings_of(rules: RowRules, model: State) -> Floats:
    """The numbers that a door reads: the row rules, the hinge, the numbers of the learner."""
    numbers = [field for field in model if not isinstance(field, np.ndarray | Hinge)]
    return np.array([*rules, *model.hinge, *numbers], np.float64)


def arrays_of(model: State) -> tuple[NDArray[Any], ...]:
    """The arrays of a state, as its door takes them."""
    return tuple(field for field in model if isinstance(field, np.ndarray))


@verb
def hinge_of(settings: Floats) -> Hinge:
    return Hinge(settings[3], settings[4], settings[5] != 0.0, settings[6] != 0.0)


@verb
def pass_row(model: State, row: Row, n: int, label: float, cost: float, settings: Floats) -> float:
    """The score of the row before it is learnt; NaN for a row that is not finite, never learnt.

    A label of 0 asks for the score alone.
    """
    for k in range(n):
        if not np.isfinite(row.value[k]):
            return np.nan
    rules = RowRules(settings[0] != 0.0, settings[1] != 0.0, np.int64(settings[2]))
    target = row.target
    x = Chunk(row.start, row.index, row.value, target[:1], target[1:2], target[2:])
    row.start[1] = prepare_row(rules, row.index, row.value, 0, n, x, 0)
    target[1] = label
    target[2] = cost
    p = score(model, x, 0)
    if label != 0.0 and cost > 0.0:
        update(model, x, 0, p, violation(model.hinge, label, cost, p))
    return p  # type: ignore[no-any-return]


@entry
def first_order_row(start, index, value, target, n, label, cost, settings, mu):  # type: ignore[no-untyped-def]
    model = FirstOrder(mu, hinge_of(settings), settings[7])
    return pass_row(model, Row(start, index, value, target), n, label, cost, settings)


@entry
def romma_row(start, index, value, target, n, label, cost, settings, direction, scale):  # type: ignore[no-untyped-def]
    model = Romma(direction, scale, hinge_of(settings))
    return pass_row(model, Row(start, index, value, target), n, label, cost, settings)


@entry
def passive_aggressive_row(start, index, value, target, n, label, cost, settings, mu):  # type: ignore[no-untyped-def]
    model = PassiveAggressive(mu, hinge_of(settings), settings[7])
    return pass_row(model, Row(start, index, value, target), n, label, cost, settings)


@entry
def prediction_based_row(start, index, value, target, n, label, cost, settings, mu):  # type: ignore[no-untyped-def]
    model = PredictionBased(mu, hinge_of(settings))
    return pass_row(model, Row(start, index, value, target), n, label, cost, settings)


@entry
def diagonal_row(start, index, value, target, n, label, cost, settings, mu, precision):  # type: ignore[no-untyped-def]
    model = Diagonal(mu, precision, hinge_of(settings), settings[7], settings[8], settings[9] != 0.0)
    return pass_row(model, Row(start, index, value, target), n, label, cost, settings)


@entry
def full_row(start, index, value, target, n, label, cost, settings, *state):  # type: ignore[no-untyped-def]
    model = Full(*state, hinge_of(settings), settings[7], settings[8], settings[9] != 0.0)
    return pass_row(model, Row(start, index, value, target), n, label, cost, settings)


@entry
def arow_row(start, index, value, target, n, label, cost, settings, *state):  # type: ignore[no-untyped-def]
    model = Arow(*state, hinge_of(settings), settings[7], settings[8] != 0.0)
    return pass_row(model, Row(start, index, value, target), n, label, cost, settings)


@entry
def arow_diagonal_row(start, index, value, target, n, label, cost, settings, mu, precision):  # type: ignore[no-untyped-def]
    model = ArowDiagonal(mu, precision, hinge_of(settings), settings[7])
    return pass_row(model, Row(start, index, value, target), n, label, cost, settings)


@entry
def oja_row(start, index, value, target, n, label, cost, settings, *state):  # type: ignore[no-untyped-def]
    model = Oja(*state, hinge_of(settings), settings[7], settings[8], np.int64(settings[9]))
    return pass_row(model, Row(start, index, value, target), n, label, cost, settings)


@entry
def sparse_oja_row(start, index, value, target, n, label, cost, settings, *state):  # type: ignore[no-untyped-def]
    model = SparseOja(*state, hinge_of(settings), settings[7], settings[8], np.int64(settings[9]))
    return pass_row(model, Row(start, index, value, target), n, label, cost, settings)


DOORS: dict[type, Callable[..., float]] = {
    FirstOrder: first_order_row,
    Romma: romma_row,
    PassiveAggressive: passive_aggressive_row,
    PredictionBased: prediction_based_row,
    Diagonal: diagonal_row,
    Full: full_row,
    Arow: arow_row,
    ArowDiagonal: arow_diagonal_row,
    Oja: oja_row,
    SparseOja: sparse_oja_row,
}
