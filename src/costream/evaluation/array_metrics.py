"""Metrics on arrays of labels: what decisions cost, what they save, and the weighted sum."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._typing import Bools, Floats, Label
from ..costs.metrics import METRICS
from ..costs.objectives.weighted_accuracy import WeightedAccuracy
from ..costs.rows import NOTHING, GivenCosts, filled
from ..costs.tally import Costs, Tally
from ..errors import CostreamError
from ..labels.labels import Labels
from ..tables.arrays import as_numbers


def cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    fn_cost: ArrayLike,
    fp_cost: ArrayLike,
    tp_cost: ArrayLike = 0.0,
    tn_cost: ArrayLike = 0.0,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute what decisions cost.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The labels. Every label but ``pos_label`` is negative.
    y_pred : array-like of shape (n_rows,)
        The predicted labels: a row with ``pos_label`` is flagged.
    fn_cost, fp_cost : float or array-like of shape (n_rows,)
        What a missed positive and a false alarm cost: one number, or one for each row.
    tp_cost, tn_cost : float or array-like of shape (n_rows,), default=0.0
        What a flagged positive and a passed negative cost. Benefits are negative costs.
    pos_label : label, default=1
        The positive label.
    sample_weight : float or array-like of shape (n_rows,), default=None
        How many rows each one counts for; None for 1.

    Returns
    -------
    float
        The sum of the costs of all rows.

    Raises
    ------
    CostreamError
        If lengths differ, a cost is not a finite number, or ``pos_label`` is none of the labels.

    See Also
    --------
    savings : The cost on a scale from constant to perfect decisions.

    Examples
    --------
    >>> from costream.metrics import cost
    >>> y_true, y_pred = [1, 1, 0, 0], [1, 0, 1, 0]
    >>> cost(y_true, y_pred, fn_cost=100, fp_cost=5)
    105.0
    >>> cost(y_true, y_pred, fn_cost=[70, 80, 20, 90], fp_cost=5, tp_cost=5)    # 5 + 80 + 5
    90.0
    """
    given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
    return value_of("cost", _tally(y_true, y_pred, pos_label, given, sample_weight), Costs.alpha_p)


def savings(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    fn_cost: ArrayLike,
    fp_cost: ArrayLike,
    tp_cost: ArrayLike = 0.0,
    tn_cost: ArrayLike = 0.0,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the savings: the part of the avoidable cost that was avoided.

    That is ``(constant - cost) / (constant - perfect)``, where ``constant`` is the cost of flagging all
    rows or none, whichever is less, and perfect decisions take the cheaper outcome of each row.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The labels. Every label but ``pos_label`` is negative.
    y_pred : array-like of shape (n_rows,)
        The predicted labels: a row with ``pos_label`` is flagged.
    fn_cost, fp_cost : float or array-like of shape (n_rows,)
        What a missed positive and a false alarm cost: one number, or one for each row.
    tp_cost, tn_cost : float or array-like of shape (n_rows,), default=0.0
        What a flagged positive and a passed negative cost. Benefits are negative costs.
    pos_label : label, default=1
        The positive label.
    sample_weight : float or array-like of shape (n_rows,), default=None
        How many rows each one counts for; None for 1.

    Returns
    -------
    float
        1 for perfect decisions, 0 for no better than constant ones, less for worse ones. NaN, with an
        ``UndefinedMetricWarning``, where constant decisions are perfect.

    Raises
    ------
    CostreamError
        If lengths differ, a cost is not a finite number, or ``pos_label`` is none of the labels.

    See Also
    --------
    cost : What decisions cost.

    Examples
    --------
    >>> from costream.metrics import savings
    >>> y_true, y_pred = [1, 1, 0, 0, 0], [1, 0, 0, 0, 0]
    >>> savings(y_true, y_pred, fn_cost=[90, 5, 40, 30, 60], fp_cost=5)    # flagging all rows costs 15
    0.6666666666666667
    """
    given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
    tally = _tally(y_true, y_pred, pos_label, given, sample_weight)
    return value_of("savings", tally, Costs.alpha_p)


def weighted_sum(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    alpha_p: float = 0.5,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute ``alpha_p * sensitivity + (1 - alpha_p) * specificity``.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The labels. Every label but ``pos_label`` is negative.
    y_pred : array-like of shape (n_rows,)
        The predicted labels: a row with ``pos_label`` is flagged.
    alpha_p : float, default=0.5
        The weight of sensitivity, between 0 and 1; 0.5 is the balanced accuracy.
    pos_label : label, default=1
        The positive label.
    sample_weight : float or array-like of shape (n_rows,), default=None
        How many rows each one counts for; None for 1.

    Returns
    -------
    float
        The weighted sum. NaN, with an ``UndefinedMetricWarning``, without rows of both classes.

    Raises
    ------
    CostreamError
        If lengths differ, or ``pos_label`` is none of the labels.

    Examples
    --------
    >>> from costream.metrics import weighted_sum
    >>> weighted_sum([1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 1], alpha_p=0.9)
    0.525
    """
    alpha_p = WeightedAccuracy(alpha_p).alpha_p  # within its bounds
    return value_of("sum", _tally(y_true, y_pred, pos_label, NOTHING, sample_weight), alpha_p)


# --- from labels to tallies -------------------------------------------------------------------------


def tally_of(flagged: Bools, positive: Bools, costs: GivenCosts, weight: Floats | None) -> Tally:
    """The tally of decisions; each cost is a number or one a row, each row counts for its weight."""
    rows = len(positive)
    four = {name: _numbers(name, value, rows) for name, value in costs._asdict().items()}
    scores = np.where(flagged, 0.0, -1.0)
    with np.errstate(over="ignore"):
        if all(np.ndim(one) == 0 for one in costs):
            numbers = {name: float(one[0]) for name, one in four.items()}
            tally = Tally.of(scores, positive, Costs(**numbers), weight=weight)
        else:
            tally = Tally.of(scores, positive, Costs(), **four, weight=weight)
        sums = (tally.cost, tally.flag_all, tally.miss_all, tally.perfect)
    if not all(map(math.isfinite, sums)):
        raise CostreamError("the sum of the costs overflows", "give costs in a larger unit")
    return tally


def _numbers(name: str, value: ArrayLike, rows: int) -> Floats:
    """A cost as finite numbers: one, or one a row."""
    if np.ndim(value):
        return filled(name, value, None, rows)
    number: Any = np.asarray(value)[()]
    if isinstance(number, int | float | np.number) and math.isfinite(number):
        return np.array([number], np.float64)
    raise CostreamError(f"{name} must be a finite number, not {value!r}")


def _tally(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    pos_label: Label,
    costs: GivenCosts,
    sample_weight: ArrayLike | None,
) -> Tally:
    """The tally of predicted labels."""
    true, predicted = _labels("y_true", y_true), _labels("y_pred", y_pred)
    if len(true) != len(predicted):
        raise CostreamError(f"y_true has {len(true)} labels and y_pred {len(predicted)}")
    labels, flagged = _seen("y_pred", Labels.of(pos_label), predicted)
    labels, positive = _seen("y_true", labels, true)
    found = labels.negative
    if not (positive.any() or flagged.any()) and (
        len(found) > 1 or any(isinstance(one, str) != isinstance(pos_label, str) for one in found)
    ):
        among = ", ".join(map(repr, found[:5]))
        raise CostreamError(
            f"pos_label={pos_label!r} is none of the labels, which are {among}",
            f"name the positive one, as in pos_label={found[-1]!r}",
        )
    weight = as_numbers("sample_weight", sample_weight, len(true))
    return tally_of(flagged, positive, costs, weight)


def _labels(name: str, y: ArrayLike) -> NDArray[Any]:
    """An array of labels; scores are none."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise CostreamError(f"{name} must have one dimension, not {labels.ndim}")
    if labels.dtype.kind == "f" and not np.array_equal(labels, np.rint(labels), equal_nan=True):
        raise CostreamError(
            f"{name} must contain labels, not scores or probabilities", "give the output of predict"
        )
    return labels


def _seen(name: str, labels: Labels, y: NDArray[Any]) -> tuple[Labels, Bools]:
    """Which rows are positive; an error names a row that has no label."""
    try:
        return labels.seeing_many(y)
    except CostreamError as error:
        raise CostreamError(f"{name}, {error}") from None


# --- undefined cases --------------------------------------------------------------------------------


def array_metric(name: str) -> Callable[..., float]:
    """A metric of `METRICS` as a function of arrays of labels, for one that has no function above."""

    def metric(
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        alpha_p: float = Costs.alpha_p,
        pos_label: Label = 1,
        sample_weight: ArrayLike | None = None,
        **costs: ArrayLike,
    ) -> float:
        given = NOTHING._replace(**costs)
        return value_of(name, _tally(y_true, y_pred, pos_label, given, sample_weight), alpha_p)

    metric.__name__ = metric.__qualname__ = name
    metric.__doc__ = METRICS[name].meaning
    return metric


def value_of(metric: str, tally: Tally, alpha_p: float) -> float:
    """A metric of a tally; where it is undefined, a warning says why."""
    known = METRICS[metric]
    value = known.value(tally, alpha_p)
    if math.isnan(value) and known.undefined is not None:
        warnings.warn(known.undefined(tally), _undefined(), stacklevel=3)
    return value


def _undefined() -> type[UserWarning]:
    """The class of warnings that scikit-learn has for it, a plain one without scikit-learn."""
    try:
        from sklearn.exceptions import UndefinedMetricWarning
    except ImportError:
        return UserWarning
    return UndefinedMetricWarning  # type: ignore[no-any-return]
