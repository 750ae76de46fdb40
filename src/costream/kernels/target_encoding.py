"""Target encoding: how much likelier positive rows are where a text column has some value.

A table of counts has a row for each slot, then one for all rows of the stream: the weight that was
seen, and the part of it that was positive. The encoding of a slot is the log-odds of its share of
positives, shrunk towards that of all rows, less the log-odds of all rows. A row is encoded before it
is counted, so that its own label has no part in it.

A value may also be a list of slots, those of its words: ``FIRST_LIST`` and above stand for a list. An
even number is the sum of the encodings of its slots, the odd one after it the highest of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compile import entry
from .elementary import logarithm
from .records import Floats, Integers, Slots
from .rows import Starts

SEEN, POSITIVE = range(2)
DOUBT = 20.0  # rows' worth of the share of all rows in the share of each slot
LIST_DOUBT = 5.0  # the same for the slots of a list
MOST = 1e100  # weight that is counted, so that no share overflows
FIRST_LIST = 1 << 32  # beyond all slots


class EncodingSlots(NamedTuple):
    """The slot of each row and column; in ``lists`` the length of each list, then its slots."""

    slots: Integers
    lists: Integers


def new_counts(slots: int) -> Floats:
    """The counts of a stream that has not begun."""
    return np.zeros((slots + 1, POSITIVE + 1))


def encoding_of(counts: Floats, slot: int, doubt: float) -> float:
    """The shrunk log-odds of positive rows in a slot, less those of all rows; 0 where none was seen."""
    if slot < 0 or counts[slot, SEEN] == 0.0:
        return 0.0
    everything = counts.shape[0] - 1
    seen, positive = counts[everything, SEEN], counts[everything, POSITIVE]
    p = (positive + 0.5) / (seen + 1.0)
    q = ((seen - positive) + 0.5) / (seen + 1.0)
    seen, positive = counts[slot, SEEN], counts[slot, POSITIVE]
    odds = (positive + doubt * p) / ((seen - positive) + doubt * q)
    return logarithm(odds * (q / p))


def list_encoding(counts: Floats, lists: Integers, code: int) -> float:
    """The sum of the encodings of a list's slots, or the highest one; 0 for an empty list."""
    place = (code - FIRST_LIST) >> 1
    first = place + 1
    total, highest = 0.0, 0.0
    for k in range(first, first + lists[place]):
        one = encoding_of(counts, lists[k], LIST_DOUBT)
        total += one
        if k == first or one > highest:
            highest = one
    return highest if code & 1 else total


def count(counts: Floats, slot: int, positive: bool, weight: float) -> None:
    """See a row of a slot, or of the whole stream."""
    if slot >= 0:
        counts[slot, SEEN] = min(counts[slot, SEEN] + weight, MOST)
        if positive:
            counts[slot, POSITIVE] = min(counts[slot, POSITIVE] + weight, MOST)


def take_back(counts: Floats, slot: int, positive: bool, weight: float) -> None:
    if slot >= 0:
        counts[slot, SEEN] = max(counts[slot, SEEN] - weight, 0.0)
        if positive:
            counts[slot, POSITIVE] = max(counts[slot, POSITIVE] - weight, 0.0)
        counts[slot, POSITIVE] = min(counts[slot, POSITIVE], counts[slot, SEEN])


def see(counts: Floats, found: EncodingSlots, t: int, positive: bool, weight: float) -> None:
    """Count row t in its slots, and among all rows; a negative weight takes that back."""
    lists = found.lists
    for column in range(found.slots.shape[1]):
        slot = found.slots[t, column]
        if slot < FIRST_LIST:
            see_slot(counts, slot, positive, weight)
        elif slot & 1 == 0:  # the odd one is the same list
            place = (slot - FIRST_LIST) >> 1
            for k in range(place + 1, place + 1 + lists[place]):
                see_slot(counts, lists[k], positive, weight)
    see_slot(counts, counts.shape[0] - 1, positive, weight)


def see_slot(counts: Floats, slot: int, positive: bool, weight: float) -> None:
    """Count a row in one slot, or take it back."""
    if weight > 0.0:
        count(counts, slot, positive, weight)
    else:
        take_back(counts, slot, positive, -weight)


def write_row(
    counts: Floats,
    start: Starts,
    index: Slots,
    value: Floats,
    place: Integers,
    found: EncodingSlots,
    t: int,
) -> None:
    """Write the encodings of row t where it has entries for them; ``place`` has -1 at other columns."""
    for k in range(start[t], start[t + 1]):
        column = index[k]
        if column < place.shape[0] and place[column] >= 0:
            slot = found.slots[t, place[column]]
            if slot < FIRST_LIST:
                value[k] = encoding_of(counts, slot, DOUBT)
            else:
                value[k] = list_encoding(counts, found.lists, slot)


@entry
def write_encodings(
    counts: Floats, start: Starts, index: Slots, value: Floats, place: Integers, found: EncodingSlots
) -> None:
    for t in range(start.shape[0] - 1):
        write_row(counts, start, index, value, place, found, t)


@entry
def learn_encodings(
    counts: Floats,
    start: Starts,
    index: Slots,
    value: Floats,
    place: Integers,
    found: EncodingSlots,
    positive: NDArray[np.bool_],
    weight: Floats,
    again: bool,
) -> None:
    """Write the encodings of each row, then count it; one without weight leaves no trace.

    Rows that come ``again`` have been counted before: that is taken back first, so that no row sees
    its own label.
    """
    for t in range(start.shape[0] - 1):
        if again and weight[t] > 0.0:
            see(counts, found, t, positive[t], -weight[t])
        write_row(counts, start, index, value, place, found, t)
        if weight[t] > 0.0:
            see(counts, found, t, positive[t], weight[t])


@entry
def encoding_now(counts: Floats, slot: int) -> float:
    return encoding_of(counts, slot, DOUBT)


@entry
def list_encoding_now(counts: Floats, lists: Integers, code: int) -> float:
    return list_encoding(counts, lists, code)


@entry
def count_one(counts: Floats, slot: int, positive: bool, weight: float) -> None:
    count(counts, slot, positive, weight)
