"""Who rests: on a long stream, members that hardly matter to the council's decisions.

Every `EVERY` rows, from row `FIRST` on, the units of members that matter least take a rest, as long as
all that go together had less than `LEAST_SHARE` of the influence: the weight of a member in the
council times the size of its scores. They say nothing and learn nothing, then wake, and are looked at
again; a rest is twice as long as the one before. A unit is what is computed together.
"""

from __future__ import annotations

from .layout import LENGTH, NO_ROW, ROWS, UNIT, UNITS, UNTIL
from .record import Portfolio

FIRST, EVERY = 32_768, 4_096
SHORTEST, LONGEST = 16_384, 1_048_576  # rests, in rows
LEAST_SHARE = 0.05


def is_awake(model: Portfolio, k: int) -> bool:
    """Whether a member takes no rest."""
    return bool(model.clock[ROWS] >= model.rests[UNTIL, UNIT[k]])


def influence(model: Portfolio, unit: int, active: int) -> float:
    """The sum over the members of a unit of their weights times the sizes of their scores."""
    total = 0.0
    for k in range(active):
        if UNIT[k] == unit:
            total += abs(model.council[k + 1]) * model.spread[k]
    return total


def assess(model: Portfolio, active: int) -> None:
    """Send those to rest that hardly matter, if it is time for that."""
    rows, until = model.clock[ROWS], model.rests[UNTIL]
    if rows < FIRST or rows % EVERY != 0:
        return
    whole = 0.0
    for unit in range(UNITS):
        if until[unit] <= rows:
            whole += influence(model, unit, active)
    saved = 0.0
    while True:
        least, smallest = -1, 0.0
        for unit in range(UNITS):
            if until[unit] <= rows:
                share = influence(model, unit, active)
                if least < 0 or share < smallest:
                    least, smallest = unit, share
        saved += smallest
        if least < 0 or saved >= LEAST_SHARE * whole:
            return
        length = min(max(2 * model.rests[LENGTH, least], SHORTEST), LONGEST)
        model.rests[LENGTH, least] = length
        until[least] = min(rows + length, NO_ROW)
