"""Streams for River whose rows carry their costs, for the model and for the metrics."""

from __future__ import annotations

import itertools
import math
import numbers
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np

from .._typing import Label
from ..costs.columns import not_features
from ..costs.leakage import CostsSeen
from ..costs.objective import COSTS, CostColumn, CostSource
from ..costs.rows import GivenCosts, bad_cost, is_empty
from ..errors import CostreamError
from ..labels.labels import as_plain


class CostedLabel:
    """A label that carries the costs of its row: it equals the label, and hashes and prints like it."""

    plain: Label
    costs: GivenCosts

    def __repr__(self) -> str:
        return repr(self.plain)

    def __str__(self) -> str:
        return str(self.plain)


class CostedInt(CostedLabel, int):
    """A label such as 1 or True; of bool there can be no subclass."""


class CostedFloat(CostedLabel, float):
    """A label such as 1.0."""


class CostedText(CostedLabel, str):
    """A label such as "fraud"."""


KINDS: tuple[tuple[type, type[Any]], ...] = (
    (int, CostedInt),
    (float, CostedFloat),
    (str, CostedText),
)


CostedRow: TypeAlias = tuple[Any, CostedLabel, dict[str, Any]]
AT_ONCE = 1000  # rows whose costs are looked at together


def costed(label: Any, costs: GivenCosts) -> CostedLabel:
    plain: Any = plain_label(as_plain(label))
    for kind, cls in KINDS:
        if isinstance(plain, kind):
            found = cls(plain)
            found.plain, found.costs = plain, costs
            return found  # type: ignore[no-any-return]
    raise CostreamError(f"a label must be a number or a string, not {plain!r}")


def plain_label(label: Any) -> Any:
    return label.plain if isinstance(label, CostedLabel) else label


def with_costs(
    dataset: Iterable[Any],
    *,
    fn_cost: CostSource | None = None,
    fp_cost: CostSource | None = None,
    tp_cost: CostSource | None = None,
    tn_cost: CostSource | None = None,
    keep: bool = False,
    pass_to_model: bool = True,
    pos_val: Any = True,
) -> Iterator[tuple[Any, ...]]:
    """Give the rows of a stream for River their costs.

    River passes the costs to the model, as keywords of ``predict_one``, ``predict_proba_one`` and
    ``learn_one``, but not to the metric. So the label carries them, too: it equals the label of the
    stream and can be used like it, and the metrics `Cost` and `Savings` read the costs from it, with
    ``delay=`` and in rolling windows as well.

    Parameters
    ----------
    dataset : iterable of (x, y) or (x, y, keywords)
        The stream.
    fn_cost, fp_cost, tp_cost, tn_cost : float, str or CostColumn, default=None
        What missing, wrongly flagging, rightly flagging or passing a row costs: a number, the name of
        a key of x, or a `CostColumn` whose default is the cost of rows where the key is missing or
        empty. None: the cost among the keywords of the row, or else model and metric take their own.
    keep : bool, default=False
        Whether keys with costs stay in x. Otherwise they go, unless a `CostColumn` is a feature.
    pass_to_model : bool, default=True
        Whether the model is given the costs as keywords. False is for models that do not take them:
        those of River, and its ensembles that pass no keywords on, such as ``VotingClassifier``. A
        `CostSensitiveClassifier` in such an ensemble finds the costs in x, if they stay there and its
        objective names them.
    pos_val : label, default=True
        The positive label, for the warning of costs that leak the labels, at the end of the stream.

    Returns
    -------
    iterator of (x, y, keywords), or of (x, y)
        The rows; without keywords where the model is given none.

    Raises
    ------
    CostreamError
        If a cost is not a finite number; the message names the row.

    See Also
    --------
    Cost : The metric that adds up what the rows have cost.

    Examples
    --------
    >>> from costream import Cost, metrics
    >>> from costream.river import CostSensitiveClassifier
    >>> from river import evaluate
    >>> payments = [({"amount": 10.0 * t, "night": t % 3 == 0}, t % 6 == 0) for t in range(1, 200)]
    >>> model = CostSensitiveClassifier(objective=Cost(fn_cost="amount", fp_cost=5))
    >>> stream = metrics.with_costs(payments, fn_cost="amount", fp_cost=5)
    >>> evaluate.progressive_val_score(stream, model, metrics.Cost())
    Cost: 540.00
    """
    sources = {}
    for name, source in zip(COSTS, (fn_cost, fp_cost, tp_cost, tn_cost), strict=True):
        if source is not None:
            column = CostColumn(source) if isinstance(source, str) else source
            is_column = isinstance(column, CostColumn)
            sources[name] = column if is_column else _number(source, name, "with_costs")
    if not sources:  # then rows have them among their keywords, as the first one shows
        dataset = iter(dataset)
        begin = list(itertools.islice(dataset, 1))
        if begin and not any(name in COSTS for keywords in begin[0][2:] for name in keywords):
            raise CostreamError(
                "with_costs needs a cost",
                'give one or more: with_costs(stream, fn_cost="amount", fp_cost=5)',
            )
        dataset = itertools.chain(begin, dataset)
    columns = [name for name, one in sources.items() if isinstance(one, CostColumn)]
    rows = _watched(_rows(dataset, sources, keep), columns, pos_val)
    return (_row(*row, pass_to_model=pass_to_model) for row in rows)


def _rows(
    dataset: Iterable[Any], sources: dict[str, float | CostColumn], keep: bool
) -> Iterator[CostedRow]:
    """Each row without its costs, its label with them, and the keywords that it had."""
    columns = {name: one for name, one in sources.items() if isinstance(one, CostColumn)}
    drop = set() if keep else not_features(columns)
    for t, (x, y, *more) in enumerate(dataset):
        keywords = dict(more[0]) if more else {}
        own = {name: keywords.pop(name) for name in COSTS if name in keywords}
        costs: dict[str, Any] = {name: _number(one, name, f"row {t}") for name, one in own.items()}
        costs.update(sources)
        for name, column in columns.items():
            costs[name] = _cost_of(x, name, column, t)
        kept = {key: value for key, value in x.items() if key not in drop} if drop else x
        yield kept, costed(y, GivenCosts(**costs)), keywords


def _row(x: Any, y: CostedLabel, keywords: dict[str, Any], *, pass_to_model: bool) -> tuple[Any, ...]:
    """A row as River takes it; River changes the keywords, so each row has its own."""
    given = {name: cost for name, cost in y.costs._asdict().items() if cost is not None}
    keywords = {**keywords, **(given if pass_to_model else {})}
    return (x, y, keywords) if keywords else (x, y)


def _watched(rows: Iterator[CostedRow], names: list[str], pos_val: Any) -> Iterator[CostedRow]:
    """The same rows, and a warning at their end if costs of these names leak the labels."""
    seen, labels = CostsSeen(), []
    for row in rows:
        labels.append(row[1])
        if len(labels) == AT_ONCE:
            _see(seen, labels, names, pos_val)
            labels = []
        yield row
    _see(seen, labels, names, pos_val)
    seen.warn()


def _see(seen: CostsSeen, labels: list[CostedLabel], names: list[str], pos_val: Any) -> None:
    costs = {name: np.array([getattr(one.costs, name) for one in labels]) for name in names}
    positive = np.array([one == pos_val for one in labels], np.bool_)
    seen.add(positive, GivenCosts(**costs))


def _cost_of(x: Any, name: str, column: CostColumn, t: int) -> float:
    value = as_plain(x.get(column.name))
    if is_empty(value):
        if column.default is None:
            raise bad_cost(f"row {t}", name, None, column)
        return float(column.default)
    return _number(value, name, f"row {t}, column {column.name}")


def _number(value: Any, name: str, where: str) -> float:
    if not isinstance(value, numbers.Real | Decimal) or not math.isfinite(value):
        raise CostreamError(
            f"{where}: {value!r:.40} is not a valid {name}", "a cost is a finite number"
        )
    return float(value)
