"""Running rates: how much likelier positive rows are where a text column has some value.

A table of counts has a row for each slot, then one for all rows of the stream: the weight that was
seen, and the part of it that was positive. The rate of a slot is shrunk towards that of all rows, and
a row is told the rates before it is counted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .compile import entry
from .elementary import logarithm
from .records import Floats, Integers, Slots
from .rows import Starts

SEEN, POSITIVE = range(2)
DOUBT = 20.0  # rows' worth of the rate of all rows in the rate of each slot
MOST = 1e100  # weight that is counted, so that no rate overflows


def new_counts(slots: int) -> Floats:
    """The counts of a stream that has not begun."""
    return np.zeros((slots + 1, POSITIVE + 1))


def rate_of(counts: Floats, slot: int) -> float:
    """The shrunk log-odds of positive rows in a slot, less those of all rows; 0 where none was seen."""
    if slot < 0 or counts[slot, SEEN] == 0.0:
        return 0.0
    everything = counts.shape[0] - 1
    seen, positive = counts[everything, SEEN], counts[everything, POSITIVE]
    p = (positive + 0.5) / (seen + 1.0)
    q = ((seen - positive) + 0.5) / (seen + 1.0)
    seen, positive = counts[slot, SEEN], counts[slot, POSITIVE]
    odds = (positive + DOUBT * p) / ((seen - positive) + DOUBT * q)
    return logarithm(odds * (q / p))


def count(counts: Floats, slot: int, positive: bool, weight: float) -> None:
    """See a row of a slot, or of the whole stream."""
    if slot >= 0:
        counts[slot, SEEN] = min(counts[slot, SEEN] + weight, MOST)
        if positive:
            counts[slot, POSITIVE] = min(counts[slot, POSITIVE] + weight, MOST)


def take_back(counts: Floats, slot: int, positive: bool, weight: float) -> None:
    """Forget a row of a slot, or of the whole stream."""
    if slot >= 0:
        counts[slot, SEEN] = max(counts[slot, SEEN] - weight, 0.0)
        if positive:
            counts[slot, POSITIVE] = max(counts[slot, POSITIVE] - weight, 0.0)
        counts[slot, POSITIVE] = min(counts[slot, POSITIVE], counts[slot, SEEN])


def write_row(
    counts: Floats,
    start: Starts,
    index: Slots,
    value: Floats,
    place: Integers,
    slots: Integers,
    t: int,
) -> None:
    """Write the rates of row t where it has entries for them; ``place`` has -1 at other columns."""
    for k in range(start[t], start[t + 1]):
        column = index[k]
        if column < place.shape[0] and place[column] >= 0:
            value[k] = rate_of(counts, slots[t, place[column]])


@entry
def write_rates(
    counts: Floats, start: Starts, index: Slots, value: Floats, place: Integers, slots: Integers
) -> None:
    """Write the rates of rows as they are now."""
    for t in range(start.shape[0] - 1):
        write_row(counts, start, index, value, place, slots, t)


@entry
def learn_rates(
    counts: Floats,
    start: Starts,
    index: Slots,
    value: Floats,
    place: Integers,
    slots: Integers,
    positive: NDArray[np.bool_],
    weight: Floats,
    again: bool,
) -> None:
    """Write the rates of each row, then count it; one without weight leaves no trace.

    Rows that come ``again`` have been counted before: that is taken back first, so that no row is told
    its own label.
    """
    everything = counts.shape[0] - 1
    for t in range(start.shape[0] - 1):
        if again and weight[t] > 0.0:
            for column in range(slots.shape[1]):
                take_back(counts, slots[t, column], positive[t], weight[t])
            take_back(counts, everything, positive[t], weight[t])
        write_row(counts, start, index, value, place, slots, t)
        if weight[t] > 0.0:
            for column in range(slots.shape[1]):
                count(counts, slots[t, column], positive[t], weight[t])
            count(counts, everything, positive[t], weight[t])


@entry
def rate_now(counts: Floats, slot: int) -> float:
    """The rate of one slot."""
    return rate_of(counts, slot)


@entry
def count_one(counts: Floats, slot: int, positive: bool, weight: float) -> None:
    """Count one row in one slot."""
    count(counts, slot, positive, weight)
