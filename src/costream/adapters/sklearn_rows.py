"""The order of rows in `fit` of scikit-learn: shuffled, unless they have a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from ..aliases import Floats, Names
from ..classifier import OnlineClassifier, core_of
from ..row_costs import GivenCosts
from ..table_rows import take_rows


def learn_shuffled(
    model: OnlineClassifier,
    rows: Any,
    labels: NDArray[Any],
    weight: Floats | None,
    *,
    names: Names | None,
    costs: GivenCosts,
    random_state: Any,
) -> None:
    """Learn rows in a random order; in their own, if one of the columns of a table is a time.

    The rows are read and checked in their own order, so that errors name them right.
    """
    core = core_of(model)
    batch, features, costs = take_rows(core, rows, names, costs, learn=True)
    batch.check()
    core.read_labels(labels, batch.rows)
    core.costs_of_rows(costs, batch.rows)
    order = np.arange(batch.rows) if weight is None else np.flatnonzero(weight)
    if model.schema is None or not model.schema.named("time"):
        order = check_random_state(random_state).permutation(order)
    in_order = GivenCosts(*(one if np.ndim(one) == 0 else np.asarray(one)[order] for one in costs))
    model.learn_many(
        batch.take(order),
        labels[order],
        None if weight is None else weight[order],
        names=features,
        **in_order._asdict(),
    )
