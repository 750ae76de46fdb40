"""The one-row doors: prepare a row, score it and, given a label, learn it, in one call.

Every argument of a compiled function has its price: a record costs 0.9 microseconds a call, an array
0.1. So a door takes the arrays of a state and one *sheet*, a buffer of floats that holds all the rest,
and builds the records inside. There is one door for each kind of record. Doors keep the GIL: giving
it up for a microsecond costs more than it lends.
"""

# The arguments of a door are the arrays of its record, which is what its first line says.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .compile import door, verb
from .records import (
    Arow,
    ArowDiagonal,
    ArowOja,
    Chunk,
    Diagonal,
    FirstOrder,
    Floats,
    Full,
    Hinge,
    Oja,
    PassiveAggressive,
    Portfolio,
    PredictionBased,
    Romma,
    SparseOja,
    State,
)
from .rows import RowRules, prepare_row
from .rules import score, update
from .verbs import violation

# What stands where on a sheet. The indices, as uint32, follow one place after the values; a row
# that comes dense has none yet.
RULES = 0  # the row rules, then the hinge, then the numbers of the learner
HINGE = 3
NUMBERS = 7
START = 16  # the bounds of the row, as uint64
SCALE = 18  # 1: the row on the sheet is prepared
DENSE = 19
LENGTH = 20
LABEL = 21  # 0 asks for the score alone
COST = 22
VALUES = 23


def blank_sheet(length: int) -> Floats:
    """Room for a row of up to ``length`` entries, and the intercept."""
    sheet = np.zeros(VALUES + (length + 1) + (length // 2 + 1))
    sheet[SCALE] = 1.0
    return sheet


def write_settings(sheet: Floats, rules: RowRules, model: State) -> None:
    """The row rules, the hinge and the numbers of a learner."""
    numbers = [field for field in model if not isinstance(field, np.ndarray | Hinge)]
    sheet[RULES:HINGE] = rules
    sheet[HINGE:NUMBERS] = model.hinge
    sheet[NUMBERS : NUMBERS + len(numbers)] = numbers


def open_door(model: State, sheet: Floats) -> Callable[[], float]:
    """The door of a state: a function without arguments that passes the row on the sheet.

    Once it is compiled we call its machine code directly: a door has one signature, and looking that
    up takes a fifth of the call.
    """
    entry: Any = DOORS[type(model)]
    if getattr(entry, "signatures", None):  # pragma: no cover (compiled)
        entry = entry.get_overload(entry.signatures[0])
    return partial(entry, sheet, *(field for field in model if isinstance(field, np.ndarray)))


def is_compiled(model: State) -> bool:
    """Whether `open_door` would give machine code, or the plain function without compilation."""
    return bool(getattr(DOORS[type(model)], "signatures", True))


@verb
def hinge_of(sheet: Floats) -> Hinge:
    return Hinge(sheet[HINGE], sheet[HINGE + 1], sheet[HINGE + 2] != 0.0, sheet[HINGE + 3] != 0.0)


@verb
def number(sheet: Floats, i: int) -> float:
    """The i-th number of the learner."""
    return sheet[NUMBERS + i]  # type: ignore[no-any-return]


@verb
def pass_row(model: State, sheet: Floats) -> float:
    """The score of the row before it is learnt; NaN for a row that is not finite, never learnt."""
    length: Any = np.int64(sheet[LENGTH])
    label = sheet[LABEL]
    cost = sheet[COST]
    value = sheet[VALUES:]
    index = sheet[VALUES + length + 1 :].view(np.uint32)
    n = length
    if sheet[DENSE] != 0.0:
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
        sheet[START:SCALE].view(np.uint64),
        index,
        value,
        sheet[SCALE:DENSE],
        sheet[LABEL:COST],
        sheet[COST:VALUES],
    )
    limit: Any = np.int64(sheet[RULES + 2])
    rules = RowRules(sheet[RULES] != 0.0, sheet[RULES + 1] != 0.0, limit)
    x.start[0] = 0
    x.start[1] = prepare_row(rules, x.index, x.value, 0, n, x, 0)
    p = score(model, x, 0)
    if label != 0.0 and cost > 0.0:
        update(model, x, 0, p, violation(model.hinge, label, cost, p))
    return p


@door
def first_order_row(sheet, mu):
    model = FirstOrder(mu, hinge_of(sheet), number(sheet, 0))
    return pass_row(model, sheet)


@door
def romma_row(sheet, direction, scale):
    model = Romma(direction, scale, hinge_of(sheet))
    return pass_row(model, sheet)


@door
def passive_aggressive_row(sheet, mu):
    model = PassiveAggressive(mu, hinge_of(sheet), number(sheet, 0))
    return pass_row(model, sheet)


@door
def prediction_based_row(sheet, mu):
    model = PredictionBased(mu, hinge_of(sheet))
    return pass_row(model, sheet)


@door
def diagonal_row(sheet, mu, precision):
    model = Diagonal(
        mu,
        precision,
        hinge_of(sheet),
        number(sheet, 0),
        number(sheet, 1),
        number(sheet, 2) != 0.0,
    )
    return pass_row(model, sheet)


@door
def full_row(sheet, mu, Sigma, Sx, size):
    eta, gamma, new_sigma = number(sheet, 0), number(sheet, 1), number(sheet, 2) != 0.0
    model = Full(mu, Sigma, Sx, size, hinge_of(sheet), eta, gamma, new_sigma)
    return pass_row(model, sheet)


@door
def arow_row(sheet, mu, Sigma, Sx, size):
    model = Arow(mu, Sigma, Sx, size, hinge_of(sheet), number(sheet, 0), number(sheet, 1) != 0.0)
    return pass_row(model, sheet)


@door
def arow_diagonal_row(sheet, mu, precision):
    model = ArowDiagonal(mu, precision, hinge_of(sheet), number(sheet, 0))
    return pass_row(model, sheet)


@door
def oja_row(sheet, mu, V, Lambda, Vx, clock, size):
    eta, gamma, k = number(sheet, 0), number(sheet, 1), int(number(sheet, 2))
    model = Oja(mu, V, Lambda, Vx, clock, size, hinge_of(sheet), eta, gamma, k)
    return pass_row(model, sheet)


@door
def arow_oja_row(sheet, mu, V, Lambda, Vx, clock, size):
    model = ArowOja(mu, V, Lambda, Vx, clock, size, hinge_of(sheet), number(sheet, 0))
    return pass_row(model, sheet)


@door
def sparse_oja_row(sheet, w, Z, F, K, b, Lambda, Zx, room, clock, size):
    eta, gamma, k = number(sheet, 0), number(sheet, 1), int(number(sheet, 2))
    hinge = hinge_of(sheet)
    model = SparseOja(w, Z, F, K, b, Lambda, Zx, room, clock, size, hinge, eta, gamma, k)
    return pass_row(model, sheet)


@door
def portfolio_row(
    sheet,
    mean,
    Sigma,
    mu,
    variance,
    centred_mu,
    centred_variance,
    facts,
    traits,
    mistakes,
    shares,
    platt,
    clock,
    rows,
    slots,
    work,
    size,
):
    model = Portfolio(
        mean,
        Sigma,
        mu,
        variance,
        centred_mu,
        centred_variance,
        facts,
        traits,
        mistakes,
        shares,
        platt,
        clock,
        rows,
        slots,
        work,
        size,
        hinge_of(sheet),
        number(sheet, 0),
        number(sheet, 1),
    )
    return pass_row(model, sheet)


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
    ArowOja: arow_oja_row,
    SparseOja: sparse_oja_row,
    Portfolio: portfolio_row,
}
