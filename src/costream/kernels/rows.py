"""From raw rows to rows that can be learnt: the checks and the norm, the same for a row and a batch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compile import entry
from .primitives import LARGEST_SQUARE, SMALLEST_SQUARE, row_scale
from .records import Chunk, Floats, Slots

Starts = NDArray[np.uint64]


class RowRules(NamedTuple):
    """Whether rows are normalised and have an intercept, and how many slots the model has."""

    normalise: bool
    intercept: bool
    limit: int


def prepare_row(
    rules: RowRules, index: Slots, value: Floats, begin: int, end: int, out: Chunk, place: int
) -> int:
    """Write one row, normalised, from ``place`` on; returns where it ends.

    Features past the limit count in the norm and are then dropped; the intercept follows as slot 0
    with value 1. A row may be written over itself: only the intercept passes its end.
    """
    scale = row_scale(value, begin, end) if rules.normalise else 1.0
    shift = 1 if rules.intercept else 0
    for k in range(begin, end):
        slot = np.int64(index[k]) + shift
        if slot < rules.limit:
            out.index[place] = slot
            out.value[place] = value[k] * scale + 0.0  # no zero has a sign, as in rows of tables
            place += 1
    if rules.intercept:
        out.index[place] = 0
        out.value[place] = 1.0
        place += 1
    return place


@entry
def prepare(rules: RowRules, start: Starts, index: Slots, value: Floats, out: Chunk) -> None:
    """Write a batch that needs an intercept, or has features past the limit."""
    place = 0
    out.start[0] = 0
    for t in range(start.shape[0] - 1):
        place = prepare_row(rules, index, value, start[t], start[t + 1], out, place)
        out.start[t + 1] = place


@entry
def row_scales(start: Starts, value: Floats, scales: Floats) -> bool:
    """`row_scale` of every row, the common ones without a branch; False if a value is not finite."""
    for t in range(scales.shape[0]):
        total = 0.0
        for k in range(start[t], start[t + 1]):
            total += value[k] * value[k]
        scales[t] = total
    common = True
    for t in range(scales.shape[0]):
        total = scales[t]
        common &= SMALLEST_SQUARE < total < LARGEST_SQUARE
        scales[t] = 1.0 / np.sqrt(max(total, SMALLEST_SQUARE))
    if not common:
        for t in range(scales.shape[0]):
            scales[t] = row_scale(value, start[t], start[t + 1])
            if not np.isfinite(scales[t]):
                return False
    return True


@entry
def table_rows(
    numbers: Floats, codes: NDArray[np.int64], start: Starts, index: Slots, value: Floats
) -> None:
    """Rows of a table: the nonzero numbers, then a 1 at each code (a negative one has no entry)."""
    k = 0
    start[0] = 0
    for t in range(numbers.shape[0]):
        for j in range(numbers.shape[1]):
            if numbers[t, j] != 0.0:
                index[k] = j
                value[k] = numbers[t, j]
                k += 1
        for j in range(codes.shape[1]):
            if codes[t, j] >= 0:
                index[k] = codes[t, j]
                value[k] = 1.0
                k += 1
        start[t + 1] = k
