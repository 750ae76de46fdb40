"""Metrics of decisions that cost: on arrays of labels, as scorers for scikit-learn, and for River.

`cost`, `savings` and `weighted_sum` take arrays; `cost_scorer`, `savings_scorer` and
`weighted_sum_scorer` make scorers for `GridSearchCV` and the like. `Cost`, `Savings` and `WeightedSum`
are metrics of River, which `with_costs` gives the costs of rows; they are loaded when they are used.
The others of ``METRICS`` are here by their names, too, such as `sensitivity` for arrays and
`Sensitivity` for River.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ._typing import Label
from .costs.metrics import METRICS, class_name
from .costs.objectives.weighted_accuracy import WeightedAccuracy
from .costs.rows import GivenCosts
from .errors import CostreamError, extra
from .evaluation.array_metrics import array_metric, cost, savings, weighted_sum

if TYPE_CHECKING:
    from .evaluation.calibration import expected_calibration_error as expected_calibration_error
    from .river.metrics import Cost as Cost
    from .river.metrics import Savings as Savings
    from .river.metrics import WeightedSum as WeightedSum
    from .river.metrics import with_costs as with_costs

_OF_RIVER = ("Cost", "Savings", "WeightedSum", "with_costs")
__all__ = [
    "METRICS",
    "cost",
    "cost_scorer",
    "expected_calibration_error",
    "savings",
    "savings_scorer",
    "weighted_sum",
    "weighted_sum_scorer",
]


def __getattr__(name: str) -> Any:
    """Load a metric when it is first asked for: River is optional, and the compiler is slow to load."""
    if name == "expected_calibration_error":
        return import_module(".evaluation.calibration", __package__).expected_calibration_error
    if name in METRICS:
        return array_metric(name)
    if name in _OF_RIVER or name in map(class_name, METRICS):
        with extra("river", f"costream.metrics.{name} needs River", "river"):
            return getattr(import_module(".river.metrics", __package__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_OF_RIVER})


def cost_scorer(
    *,
    fn_cost: float | None = None,
    fp_cost: float | None = None,
    tp_cost: float | None = None,
    tn_cost: float | None = None,
    pos_label: Label = 1,
) -> Any:
    """Make a scorer for scikit-learn from `cost`: minus the cost, since scorers are maximised.

    Parameters
    ----------
    fn_cost, fp_cost : float, default=None
        What a missed positive and a false alarm cost. None: the costs of rows come as metadata, see
        `savings_scorer`.
    tp_cost, tn_cost : float, default=None
        What a flagged positive and a passed negative cost; None for 0, or for metadata.
    pos_label : label, default=1
        The positive label.

    Returns
    -------
    callable
        The scorer, called as ``scorer(estimator, X, y)``.

    See Also
    --------
    savings_scorer : The savings instead, with an example for costs of rows.

    Examples
    --------
    >>> from costream.metrics import cost_scorer
    >>> from sklearn.dummy import DummyClassifier
    >>> never = DummyClassifier(strategy="constant", constant=0).fit([[0], [0]], [0, 1])
    >>> cost_scorer(fn_cost=100, fp_cost=5)(never, [[0], [0], [0]], [1, 0, 1])
    -200.0
    """
    costs = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
    return _scorer(_cost_of, costs, pos_label, greater_is_better=False)


def savings_scorer(
    *,
    fn_cost: float | None = None,
    fp_cost: float | None = None,
    tp_cost: float | None = None,
    tn_cost: float | None = None,
    pos_label: Label = 1,
) -> Any:
    """Make a scorer for scikit-learn from `savings`.

    Costs of rows come as metadata: ``set_score_request`` says which ones the scorer takes, in one call,
    and `fit` of the search gets them (`sklearn.set_config(enable_metadata_routing=True)`).

    A scorer calls ``estimator.predict(X)``, which does not get the costs. `CostSensitiveClassifier`
    decides by the costs of rows where X is a data frame with a column of them, or where its own method
    `score` is used: that is the savings, and takes the same metadata. But `score` goes by the objective
    of the estimator. A search over objectives needs one measure for all candidates: this scorer.

    Parameters
    ----------
    fn_cost, fp_cost : float, default=None
        What a missed positive and a false alarm cost; None for metadata.
    tp_cost, tn_cost : float, default=None
        What a flagged positive and a passed negative cost; None for 0, or for metadata.
    pos_label : label, default=1
        The positive label.

    Returns
    -------
    callable
        The scorer, called as ``scorer(estimator, X, y)``.

    See Also
    --------
    CostSensitiveClassifier : Its `score` is the savings, with decisions at the costs of rows.

    Examples
    --------
    A review costs 5; a fraud that is missed costs the amount of the payment, so that accuracy misleads:

    >>> import numpy as np
    >>> import sklearn
    >>> from costream.metrics import savings_scorer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> rng = np.random.default_rng(0)
    >>> amount = rng.exponential(100, 2000)
    >>> X = np.column_stack([rng.normal(size=2000), np.log(amount)])
    >>> fraud = rng.random(2000) < 1 / (1 + np.exp(4 - X[:, 0] - 0.2 * X[:, 1]))
    >>> grid = {"class_weight": [None, {True: 5}, {True: 25}]}
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     scorer = savings_scorer(fp_cost=5).set_score_request(fn_cost=True)
    ...     search = GridSearchCV(LogisticRegression(), grid, scoring=scorer)
    ...     search = search.fit(X, fraud, fn_cost=amount)
    >>> search.best_params_
    {'class_weight': {True: 25}}
    >>> GridSearchCV(LogisticRegression(), grid, scoring="accuracy").fit(X, fraud).best_params_
    {'class_weight': None}
    """
    costs = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
    return _scorer(_savings_of, costs, pos_label)


def weighted_sum_scorer(*, alpha_p: float = 0.5, pos_label: Label = 1) -> Any:
    """Make a scorer for scikit-learn from `weighted_sum`.

    Parameters
    ----------
    alpha_p : float, default=0.5
        The weight of sensitivity, between 0 and 1.
    pos_label : label, default=1
        The positive label.

    Returns
    -------
    callable
        The scorer, called as ``scorer(estimator, X, y)``.

    Examples
    --------
    >>> from costream.metrics import weighted_sum_scorer
    >>> from sklearn.dummy import DummyClassifier
    >>> always = DummyClassifier(strategy="constant", constant=1).fit([[0], [0]], [0, 1])
    >>> weighted_sum_scorer(alpha_p=0.9)(always, [[0], [0], [0]], [1, 0, 1])
    0.9
    """
    return _made(weighted_sum, alpha_p=WeightedAccuracy(alpha_p).alpha_p, pos_label=pos_label)


def _scorer(metric: Any, costs: GivenCosts, pos_label: Label, *, greater_is_better: bool = True) -> Any:
    """A scorer at the costs of classes; those of rows come as metadata."""
    given = {name: one for name, one in costs._asdict().items() if one is not None}
    for name, one in given.items():
        if np.ndim(one):
            raise CostreamError(
                f"{name} of a scorer must be a number",
                f"costs of rows are metadata: leave {name} out, call .set_score_request({name}=True), "
                f"and give them to fit of the search",
            )
    return _made(metric, greater_is_better=greater_is_better, pos_label=pos_label, **given)


def _made(metric: Any, **settings: Any) -> Any:
    with extra("sklearn", "scorers need scikit-learn", "sklearn"):
        from sklearn.metrics import make_scorer
    return make_scorer(metric, **settings)


# What scorers call: functions of this module, so that scorers can be pickled.


def _cost_of(y_true: ArrayLike, y_pred: ArrayLike, *, pos_label: Label = 1, **given: Any) -> float:
    return cost(y_true, y_pred, pos_label=pos_label, **_needed(given))


def _savings_of(y_true: ArrayLike, y_pred: ArrayLike, *, pos_label: Label = 1, **given: Any) -> float:
    return savings(y_true, y_pred, pos_label=pos_label, **_needed(given))


def _needed(given: dict[str, Any]) -> dict[str, Any]:
    """The costs that a scorer has, all that it needs among them."""
    for name in ("fn_cost", "fp_cost"):
        if given.get(name) is None:
            raise CostreamError(
                f"the scorer has no {name}",
                f"make it with {name}=, or call .set_score_request({name}=True) and give {name}= to "
                f"fit of the search",
            )
    return given
