"""The shape of what a model has learnt: its log-odds against the value of each important feature.

A shape is a partial dependence: of rows out of the sample that a model keeps, one feature is set to a
value, all others stay, and the log-odds are averaged. The values are quantiles of the feature in the
sample, so the importance of a feature, the standard deviation of its curve, is that over its rows.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._typing import Floats
from ..model.classifier import OnlineClassifier, core_of
from ..model.core import Core
from ..model.explanations import log_odds_at

FEWEST = 100  # rows of a sample that has shapes
ROWS = 200  # of the sample, over which the log-odds are averaged
LEVELS = np.linspace(0.05, 0.95, 21)  # of the quantiles: no outliers
ROUGH_ROWS, ROUGH_LEVELS = 25, slice(None, None, 5)  # for a first look at all features


@dataclass(frozen=True)
class Shape:
    """The log-odds of a model against the value of one feature."""

    feature: Hashable
    importance: float  # the standard deviation of the log-odds over the quantiles
    values: list[float]  # quantiles of the feature, 21 from 5 to 95 %
    log_odds: list[float]  # the mean of rows that have the feature at each of them


def shapes_of(model: OnlineClassifier, top: int = 6) -> list[Shape]:
    """The shapes of the most important features, the most important one first.

    None for a model that keeps no sample: it has learnt fewer than 100 rows, or its rows are too wide;
    and none for a feature that hardly ever varies.
    """
    core = core_of(model)
    with core.lock:
        sample = core.sample_rows()
        if len(sample) < FEWEST:
            return []
        values = np.quantile(sample, LEVELS, axis=0, method="inverted_cdf")
        varies = np.flatnonzero(values[0] < values[-1])
        some = _spaced(sample, ROUGH_ROWS)
        rough = [float(np.std(_curve(core, some, j, values[ROUGH_LEVELS, j]))) for j in varies]
        best = varies[np.argsort(-np.array(rough), kind="stable")[:top]]
        rows = _spaced(sample, ROWS)
        curves = [_curve(core, rows, j, values[:, j]) for j in best]
        names = model.feature_names
    shapes = [
        Shape(names[j], float(np.std(curve)), values[:, j].tolist(), curve.tolist())
        for j, curve in zip(best, curves, strict=True)
    ]
    return sorted(shapes, key=lambda shape: -shape.importance)


def _spaced(sample: Floats, count: int) -> Floats:
    """Rows of the sample, evenly spaced."""
    return sample[np.linspace(0, len(sample) - 1, min(count, len(sample))).astype(np.intp)]


def _curve(core: Core, rows: Floats, column: np.intp, values: Floats) -> Floats:
    """The mean log-odds of rows with a column at each of these values."""
    distinct, places = np.unique(values, return_inverse=True)
    tables = np.repeat(rows[np.newaxis], len(distinct), axis=0)
    tables[:, :, column] = distinct[:, np.newaxis]
    width = rows.shape[1]
    odds = log_odds_at(core, np.arange(width), tables.reshape(-1, width))
    means: NDArray[np.float64] = odds.reshape(len(distinct), len(rows)).mean(axis=1)
    return means[places]
