"""Costs that stand in columns of the rows themselves: taken from dicts and data frames."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from .._typing import Names, Row
from .objective import CostColumn
from .rows import GivenCosts


def split_row(x: Row, given: GivenCosts, columns: dict[str, CostColumn]) -> tuple[Any, GivenCosts]:
    """A row without its costs, and these; those given already count.

    A row that is neither a dict nor a row of a data frame has no columns.
    """
    row: Any = x
    if not isinstance(x, Mapping):
        if not hasattr(row, "items") or hasattr(row, "tocsr"):
            return x, given
        row = dict(row.items())
    found = {}
    for cost, column in columns.items():
        if getattr(given, cost) is None and (column.name in row or column.default is not None):
            value = row.get(column.name)
            found[cost] = np.nan if value is None else value
    drop = not_features(columns)
    features = {name: value for name, value in row.items() if name not in drop}
    return features, given._replace(**found)


def split_rows(
    X: Any, names: Iterable[Hashable] | None, given: GivenCosts, columns: dict[str, CostColumn]
) -> tuple[Any, Names | None, GivenCosts]:
    """Rows without their costs, the names of their columns, and the costs; those given count first."""
    known: list[Any] | None = None if names is None else list(names)
    if known is None and hasattr(X, "columns"):
        known = list(X.columns)
    if not columns or known is None:
        return X, known, given
    found = {
        cost: _column(X, known, column.name)
        for cost, column in columns.items()
        if column.name in known and getattr(given, cost) is None
    }
    drop = not_features(columns)
    keep = [at for at, name in enumerate(known) if name not in drop]
    if len(keep) < len(known):
        X, known = _selected(X, known, keep), [known[at] for at in keep]
    return X, known, given._replace(**found)


def not_features(columns: dict[str, CostColumn]) -> set[str]:
    """The names of columns that are costs alone."""
    both = {one.name for one in columns.values() if one.feature}
    return {one.name for one in columns.values()} - both


def _column(X: Any, names: list[Any], name: str) -> Any:
    if hasattr(X, "columns"):
        column = X[name]
        if not hasattr(column, "iloc"):
            return np.asarray(column)
        if getattr(getattr(column, "dtype", None), "kind", "O") not in "fiub":
            return column.to_numpy(object)  # text, dates or objects, of which some may be numbers
        return column.to_numpy(float, na_value=np.nan)  # a nullable column has values that are none
    at = names.index(name)
    return X.tocsc()[:, [at]].toarray().ravel() if hasattr(X, "tocsr") else np.asarray(X)[:, at]


def _selected(X: Any, names: list[Any], keep: list[int]) -> Any:
    if hasattr(X, "columns"):
        return X[[names[at] for at in keep]]
    return X.tocsc()[:, keep] if hasattr(X, "tocsr") else np.asarray(X)[:, keep]
