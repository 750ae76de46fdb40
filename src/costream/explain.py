"""Why a row has its probability: how its log-odds would change at other values of its features."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .aliases import Floats, Names, Row
from .core import Core
from .errors import CostreamError
from .inputs import Batch, as_row
from .kernels.loop import score_rows, variance_rows
from .kernels.records import Chunk

ENTRIES_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Explanation:
    """What a feature of a row does to its log-odds.

    Attributes
    ----------
    feature : hashable
        The name of the feature.
    value : float
        Its value in the row, 0 if it is not there.
    usual : float
        Its usual value: the median of a sample of the rows so far, or their mean.
    change : float
        How the log-odds of the row would change if the feature were at its usual value.

    Examples
    --------
    >>> from costream import OnlineClassifier
    >>> model = OnlineClassifier()
    >>> for amount, label in [(1.0, 0), (2.0, 0), (9.0, 1), (8.0, 1)] * 10:
    ...     score = model.learn_one({"amount": amount, "hour": 3.0}, label)
    >>> first = model.explain_one({"amount": 9.0, "hour": 3.0})[0]
    >>> first.feature, first.value, first.usual, first.change < 0
    ('amount', 9.0, 5.0, True)
    """

    feature: Hashable
    value: float
    usual: float
    change: float


def explain_row(core: Core, x: Row, top: int) -> list[Explanation]:
    """The features of a row whose usual values would change its log-odds most."""
    if not isinstance(top, int | np.integer) or isinstance(top, bool) or top < 1:
        raise CostreamError(f"top must be a whole number, at least 1, not {top!r}")
    with core.lock:
        core.learner.check_probabilities()
        core.score_row(x, 1.0)  # an error says what is wrong with the row
        return explain_batch(core, *core.encoder.row_batch(as_row(x)), top)


def explain_batch(
    core: Core,
    batch: Batch,
    names: Names | None,
    top: int,
    usual_of: Callable[[Core], Floats | None] | None = None,
) -> list[Explanation]:
    """The same for a batch of one row, as a file or a table gives it.

    ``usual_of`` gives the usual values, for those who have kept them.
    """
    with core.lock:
        core.learner.check_probabilities()
        batch = core.with_rates(batch)
        row = core.encoder.place(batch, names)
        known = row.index < core.features.count
        columns, values = row.index[known].astype(np.intp), row.value[known]
        usual = (usual_of or usual_values)(core)
        if usual is None:
            usual = np.zeros(len(columns))
        else:
            values = _spread(columns, values, len(usual))
            columns = np.arange(len(usual))
        changes = _changes(core, columns, values, usual)
        order = np.argsort(-np.abs(changes), kind="stable")[:top]
        called = _names(core, columns[order].tolist(), batch, names)
    return [
        Explanation(name, float(values[at]), float(usual[at]), float(changes[at]))
        for name, at in zip(called, order.tolist(), strict=True)
    ]


def usual_values(core: Core) -> Floats | None:
    """The usual value of each feature; None where it is 0, absent, for all of too many."""
    usual = core.learner.usual_values(core.state)
    return None if usual is None else usual[core.encoder.fit_intercept : core.encoder.size]


def log_odds_at(core: Core, columns: NDArray[np.intp], table: Floats) -> Floats:
    """The log-odds of rows that have the values of a table at columns of the model."""
    count, width = table.shape
    value = table.ravel()
    start = np.arange(count + 1, dtype=np.uint64) * np.uint64(width)
    index = np.tile(columns.astype(np.uint32), count)
    rows = Batch(start, index, value, core.features.count).entries_where(value != 0.0)
    x = core.encoder.chunk_of(rows)._replace(stake=np.ones(count))
    odds = np.empty(count)
    score_rows(core.state, x, np.empty(count), odds)
    return odds


def _spread(columns: NDArray[np.intp], values: Floats, width: int) -> Floats:
    """A row with all of its columns, zeros too."""
    row = np.zeros(width)
    row[columns] = values
    return row


def _changes(core: Core, columns: NDArray[np.intp], values: Floats, usual: Floats) -> Floats:
    """How the log-odds change if one value is the usual one, for each of them."""
    changes = np.zeros(len(values))
    differ = np.flatnonzero(values != usual)
    at_once = max(ENTRIES_AT_ONCE // max(len(values), 1), 1)
    for begin in range(0, len(differ), at_once):
        part = differ[begin : begin + at_once]
        table = np.tile(values, (len(part) + 1, 1))
        table[np.arange(1, len(table)), part] = usual[part]
        odds = log_odds_at(core, columns, table)
        changes[part] = odds[1:] - odds[0]
    return changes


def _names(core: Core, columns: list[int], batch: Batch, names: Names | None) -> list[Hashable]:
    """The names of columns, first as the row has them; two that are hashed into one have its number."""
    features = core.features
    own = list(range(batch.width)) if names is None else list(names)
    used = [own[column] for column in dict.fromkeys(batch.index.tolist())]
    found: dict[int, list[Hashable]] = {}
    for name, column in zip(used, features.columns(used, learn=False).tolist(), strict=True):
        found.setdefault(column, []).append(name)
    every = features.in_order() if features.names is not None and set(columns) - set(found) else None

    def name_of(column: int) -> Hashable:
        own = found.get(column, [])
        if len(own) == 1:
            return own[0]
        return column if every is None else every[column]

    return [name_of(column) for column in columns]


def feature_variances(core: Core, columns: NDArray[np.intp]) -> Floats | None:
    """The diagonal of Sigma at some features; None for a learner that keeps no covariance."""
    with core.lock:
        if core.learner.rule.variance is None:
            return None
        slots = columns + core.encoder.fit_intercept
        own = core.learner.variances(core.state)
        if own is not None:
            return np.asarray(own[slots])
        count = len(columns)
        ones = np.ones(count)
        starts = np.arange(count + 1, dtype=np.uint64)
        variances = np.empty(count)
        x = Chunk(starts, slots.astype(np.uint32), *([ones] * 6))
        variance_rows(core.state, x, variances)
        return variances
