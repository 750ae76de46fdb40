"""The order of rows in `fit` of scikit-learn: shuffled, unless they have a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .._typing import Floats
from ..model.classifier import OnlineClassifier
from ..tables.arrays import Batch


def shuffled(
    model: OnlineClassifier, random_state: Any
) -> Callable[[Batch, Floats | None], NDArray[np.intp]]:
    """A random order of rows that the model has read; their own, if a column of a table is a time.

    Rows of weight 0 are left out: they leave no trace, not even in the order of the others.
    """

    def order(batch: Batch, weight: Floats | None) -> NDArray[np.intp]:
        rows = np.arange(batch.rows) if weight is None else np.flatnonzero(weight)
        if model.schema is not None and model.schema.named("time"):
            return rows
        return np.asarray(check_random_state(random_state).permutation(rows))

    return order
