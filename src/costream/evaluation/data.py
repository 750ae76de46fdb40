"""What `evaluate` and `compare` take: a stream, the name of a file, a table, or arrays."""

from __future__ import annotations

import os
from typing import Any

from numpy.typing import ArrayLike

from ..costs.objective import Objective
from ..costs.rows import NO_COSTS, GivenCosts
from ..datasets.dataset import Dataset, load_dataset
from ..errors import CostreamError
from ..files.reader import Stream, take_costs
from ..labels.labels import Choice
from ..model.batches import read_rows, watch_rows
from ..model.classifier import OnlineClassifier, core_of
from ..tables.arrays import Rows
from ..tables.frames import as_table
from ..tables.layout import Layout, no_column
from ..tables.resolution import LABEL_NAMES, label_of


def stream_of(data: Any, y: Any, positive: Choice | None = None) -> Stream | None:
    """The stream that was given, or that of a file; None for rows in memory."""
    if not isinstance(data, Stream | str | os.PathLike):
        return None
    if isinstance(data, Stream):
        if y is not None or positive is not None:
            raise CostreamError(
                "a Stream knows its labels", "name them there: Stream(path, label=..., positive=...)"
            )
        return data
    if y is not None and not isinstance(y, str):
        raise CostreamError(
            "y must be the name of a column where the rows are in a file", "leave y out, or name it"
        )
    return Stream(data, label=y, positive=positive)


def rows_and_labels(X: Any, y: Any) -> tuple[Rows, ArrayLike]:
    """Rows without their labels, and these, of a table whose column holds them or as they are given."""
    if y is not None and not isinstance(y, str):
        return X, y
    table = as_table(X)
    if table is None:
        raise CostreamError("y is missing: arrays have no column of labels", "give y, one label a row")
    label = label_of(table.names, Layout(label=y))
    if label is None and y is not None:
        raise no_column(y, table.names, "the table")
    if label is None:
        names = " or ".join([", ".join(LABEL_NAMES[:-1]), LABEL_NAMES[-1]])
        raise CostreamError(f"no column is called {names}", "name the column of the labels: y=")
    return _split(X, label)


def _split(X: Any, label: str) -> tuple[Any, Any]:
    """A table without one of its columns, and that."""
    if hasattr(X, "iloc"):
        return X.drop(columns=[label]), X[label]
    if hasattr(X, "get_column"):
        return X.drop(label), X.get_column(label).to_list()
    if hasattr(X, "column_names"):
        return X.drop_columns([label]), X.column(label).to_pylist()
    rows = [{key: value for key, value in row.items() if key != label} for row in X]
    return rows, [row.get(label) for row in X]


def dataset_of(X: Rows, y: ArrayLike, objective: Objective, positive: Choice | None = None) -> Dataset:
    """Rows in memory as a data set, read once for all learners."""
    core = core_of(OnlineClassifier("perceptron", objective, positive=positive))
    read = read_rows(core, X, y, NO_COSTS, learn=True)
    watch_rows(core, X, read.positive)
    own = core.costs_of_rows(read.costs, read.rows.rows)
    names = None if read.names is None else list(read.names)
    costs = NO_COSTS
    if own is not None:  # of those that columns say
        pairs = zip(own, read.costs, strict=True)
        costs = GivenCosts(*(None if given is None else cost for cost, given in pairs))
    return Dataset(read.rows, names, read.positive, costs)


def dataset_of_stream(stream: Stream, objective: Objective) -> Dataset:
    """All rows of a stream that have a label."""
    take_costs(stream, objective.columns)
    with stream:
        return load_dataset(stream, stream.positive, stream.source.name)[0]
