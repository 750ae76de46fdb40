"""The constant policies, and what is better by which metric."""

from __future__ import annotations

import math
from collections.abc import Mapping

from .metrics import METRICS

POLICIES = ("always-positive", "always-negative")


def is_better(metric: str, one: float, other: float) -> bool:
    """Whether a value of a metric is better than another: more of a sum, less of a cost."""
    return one > other if METRICS[metric].more_is_better else one < other


def best_of(metric: str, values: Mapping[str, float]) -> str | None:
    """The name of the best by a metric, the first of equals; None where no value is finite.

    >>> best_of("cost", {"always-positive": 357.0, "always-negative": 2120.0})
    'always-positive'
    """
    finite = {name: value for name, value in values.items() if math.isfinite(value)}
    pick = max if METRICS[metric].more_is_better else min
    return pick(finite, key=lambda name: finite[name], default=None)
