"""What each column is worth to a model: how much its log-odds go by it, over all views.

In rows out of the sample that a model keeps, one column is given the values that it has in other rows
of the sample, all others stay, and the absolute changes of the log-odds are averaged. No labels are
needed. All features of a column change together. Rows that are too wide for a sample are sparse: there
a feature is worth the change of the log-odds that its usual value makes by itself, times how often it
is there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._typing import Floats
from ..model.classifier import OnlineClassifier, core_of
from ..model.core import Core
from ..model.explanations import log_odds_at, log_odds_of_placed
from ..tables.arrays import Batch

MOST, FEWEST = 200, 20  # rows of the sample
ENTRIES = 1 << 23  # that are scored at most, beyond the fewest rows


def importances_of(model: OnlineClassifier, column_of: NDArray[np.intp], columns: int) -> Floats:
    """The share of each column in what moves the log-odds of a model of ``"auto"``.

    ``column_of`` has the column of each feature, -1 for features of no column. The shares add up to 1,
    unless no column matters.
    """
    core = core_of(model)
    with core.lock:
        sample = core.sample_rows()
        worth = (
            _by_sample(core, sample[:, : len(column_of)], column_of, columns)
            if len(sample) > 1
            else _by_entries(core, column_of, columns)
        )
    total = worth.sum()
    return np.asarray(worth / total) if total > 0.0 else worth


def _by_sample(core: Core, sample: Floats, column_of: NDArray[np.intp], columns: int) -> Floats:
    """The mean change of the log-odds in rows that have one column of another row."""
    width = sample.shape[1]
    count = min(max(ENTRIES // max(columns * width, 1), FEWEST), MOST, len(sample))
    rows = sample[np.linspace(0, len(sample) - 1, count).astype(np.intp)]
    others = rows[np.random.default_rng(0).permutation(count)]
    places = np.arange(width)
    before = log_odds_at(core, places, rows)
    worth = np.zeros(columns)
    for column in np.unique(column_of[column_of >= 0]):
        own = np.flatnonzero(column_of == column)
        table = rows.copy()
        table[:, own] = others[:, own]
        moved = np.flatnonzero((table[:, own] != rows[:, own]).any(axis=1))
        if len(moved):
            after = log_odds_at(core, places, table[moved])
            worth[column] = np.abs(after - before[moved]).sum() / count
    return worth


def _by_entries(core: Core, column_of: NDArray[np.intp], columns: int) -> Floats:
    """The change that each feature makes by itself, times how often it is there."""
    size = len(column_of)
    seen, value = (one[:size] for one in core.typical_entries())
    start = np.concatenate(([0], np.arange(size + 1))).astype(np.uint64)  # the first row is empty
    alone = Batch(start, np.arange(size, dtype=np.uint32), value, core.feature_count)
    odds = log_odds_of_placed(core, alone)
    worth = seen * np.abs(odds[1:] - odds[0])
    known = column_of >= 0
    return np.bincount(column_of[known], worth[known], columns).astype(np.float64)
