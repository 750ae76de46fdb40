"""Rows as linear members learn them: as they came, over the sizes of their features, or standardised.

* *scaled*: features divided by their running size, then the row by its L2 norm;
* *raw*: the row divided by its L2 norm;
* *standardised*: all features, zeros too, less their running mean and over their running deviation.

Other views write theirs from the standardised row, or from the whole one.
"""

from __future__ import annotations

import numpy as np

from ...kernels.primitives import row_scale
from ...kernels.records import Chunk, Floats, Slots
from .layout import MEAN, RAW, SCALED, SEEN, SQUARE, SQUARED_DEVIATIONS, STANDARDISED, WHOLE

SMALLEST = 1e-150  # sizes outside of these are none
LARGEST = 1e150
FARTHEST = 3.0  # deviations that a standardised feature may be from its mean
SCORING, LEARNING = 0.0, 1.0  # what a row is written for; floats, see the rules for compiled code


def write_entries(stats: Floats, rows: Floats, slot: Slots, x: Chunk, t: int, purpose: float) -> int:
    """Write the row twice: each feature over its size, and as it came.

    The size of a feature is the root of its mean square over the rows before that had it. One that was
    in no row before is left out where the row is scored; where it is learnt its size is its own. The
    intercept comes first. Returns the number of entries.
    """
    slot[0] = 0
    n = 1
    for k in range(x.start[t], x.start[t + 1]):
        j = x.index[k]
        value = x.value[k]
        new = stats[SEEN, j] == 0.0
        if j != 0 and value != 0.0 and n < slot.shape[0] and (purpose == LEARNING or not new):
            size = abs(value)
            if not new:
                known = np.sqrt(stats[SQUARE, j] / stats[SEEN, j])
                if SMALLEST < known < LARGEST and size / known < LARGEST:
                    size = known
            slot[n] = j
            rows[SCALED, n] = value / size
            rows[RAW, n] = value
            n += 1
    return n


def normalise_entries(rows: Floats, n: int) -> None:
    """Divide both by their norms, which do not include the intercept."""
    for kind in range(2):  # SCALED, RAW
        scale = row_scale(rows[kind], 1, n)
        rows[kind, 0] = 1.0
        for e in range(1, n):
            rows[kind, e] *= scale


def old_entries(stats: Floats, most: int, x: Chunk, t: int) -> int:
    """The number of entries that were written to be scored; 0 if the row has a feature that is new."""
    n = 1
    for k in range(x.start[t], x.start[t + 1]):
        j = x.index[k]
        if j != 0 and x.value[k] != 0.0:
            if stats[SEEN, j] == 0.0:
                return 0
            n = min(n + 1, most)
    return n


def write_whole(rows: Floats, d: int, x: Chunk, t: int) -> None:
    """Write the first d features of a row, zeros too."""
    for j in range(d):
        rows[WHOLE, j] = 0.0
    for k in range(x.start[t], x.start[t + 1]):
        if x.index[k] < d:
            rows[WHOLE, x.index[k]] = min(max(x.value[k], -LARGEST), LARGEST)


def write_standardised(stats: Floats, rows: Floats, d: int, count: float) -> None:
    """Write each feature less its mean and over its deviation, and all over the root of their number.

    Means and deviations are those of the ``count`` rows before. A feature that has not varied is 0.
    """
    seen = 0
    for j in range(d):
        seen += stats[SEEN, j] > 0.0
    scale = 1.0 / np.sqrt(max(float(seen), 1.0))
    for j in range(d):
        deviation = np.sqrt(stats[SQUARED_DEVIATIONS, j] / max(count, 1.0))
        varied = SMALLEST < deviation < LARGEST
        away = (rows[WHOLE, j] - stats[MEAN, j]) / (deviation if varied else 1.0)
        away = min(max(away, -FARTHEST), FARTHEST)
        rows[STANDARDISED, j] = away * scale if varied else 0.0
    rows[STANDARDISED, 0] = 1.0


def take_sizes(stats: Floats, x: Chunk, t: int) -> None:
    """Let the row count in the sizes of its features."""
    for k in range(x.start[t], x.start[t + 1]):
        j = x.index[k]
        if j != 0 and x.value[k] != 0.0:
            stats[SQUARE, j] += x.value[k] * x.value[k]
            stats[SEEN, j] += 1.0


def take_moments(stats: Floats, rows: Floats, d: int, count: float) -> None:
    """Let the row, which is written whole, count in the means and deviations of all features."""
    for j in range(d):
        away = rows[WHOLE, j] - stats[MEAN, j]
        middle = stats[MEAN, j] + away / count
        stats[MEAN, j] = middle
        stats[SQUARED_DEVIATIONS, j] += away * (rows[WHOLE, j] - middle)


def fade_stats(stats: Floats, d: int) -> None:
    """Let the rows so far count half."""
    for j in range(d):
        stats[SQUARE, j] *= 0.5
        stats[SEEN, j] *= 0.5
        stats[SQUARED_DEVIATIONS, j] *= 0.5
