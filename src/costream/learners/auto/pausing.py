"""Pausing: on a long stream, members that hardly matter to the decisions take no part for a while.

Every `EVERY` rows, from row `FIRST` on, the units of members that matter least are paused, as long as
all that are paused together had less than `LEAST_SHARE` of the influence: the weight of a member in the
stacker times the size of its scores. A paused member neither scores nor learns. After the pause it is
looked at again; each pause of a unit is twice as long as the one before. A unit is what is computed
together.
"""

from __future__ import annotations

from .layout import LENGTH, NO_ROW, NOW, PAUSED, ROWS, UNCHANGED_UNTIL, UNIT, UNTIL, Portfolio

FIRST, EVERY = 32_768, 4_096
SHORTEST, LONGEST = 16_384, 1_048_576  # pauses, in rows
LEAST_SHARE = 0.05


def is_paused(model: Portfolio, k: int) -> bool:
    """Whether a member is paused at the row at hand."""
    return bool(model.work[PAUSED, k] > 0.0)


def note_pauses(model: Portfolio) -> None:
    """Note who is paused at this row, and until when that holds."""
    rows, until, unit = model.clock[ROWS], model.pauses[UNTIL], model.plan[UNIT]
    for k in range(model.spread.shape[0]):
        model.work[PAUSED, k] = 1.0 if rows < until[unit[k]] else 0.0
    first = NO_ROW
    for u in range(until.shape[0]):
        if until[u] > rows:
            first = min(first, until[u])
    model.work[NOW, UNCHANGED_UNTIL] = first


def influence(model: Portfolio, unit: int, active: int) -> float:
    """The sum over the members of a unit of their weights times the sizes of their scores."""
    total = 0.0
    for k in range(active):
        if model.plan[UNIT, k] == unit:
            total += abs(model.stacker[k + 1]) * model.spread[k]
    return total


def assess(model: Portfolio, active: int) -> None:
    """Pause those that hardly matter, if it is time for that."""
    rows, until = model.clock[ROWS], model.pauses[UNTIL]
    if rows < FIRST or rows % EVERY != 0:
        return
    whole, units = 0.0, until.shape[0]
    for unit in range(units):
        if until[unit] <= rows:
            whole += influence(model, unit, active)
    saved = 0.0
    while True:
        least, smallest = -1, 0.0
        for unit in range(units):
            if until[unit] <= rows:
                share = influence(model, unit, active)
                if least < 0 or share < smallest:
                    least, smallest = unit, share
        saved += smallest
        if least < 0 or saved >= LEAST_SHARE * whole:
            return
        length = min(max(2 * model.pauses[LENGTH, least], SHORTEST), LONGEST)
        model.pauses[LENGTH, least] = length
        until[least] = min(rows + length, NO_ROW)
        model.work[NOW, UNCHANGED_UNTIL] = 0.0
