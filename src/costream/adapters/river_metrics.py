"""Metrics for River: what decisions cost, what they save, and the weighted sum."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from river import metrics

from ..errors import CostreamError
from ..evaluate.tally import Costs, Sums, Tally
from ..objective import COSTS
from ..row_costs import NO_COSTS, FourCosts, GivenCosts
from .river_costs import CostedLabel
from .river_costs import with_costs as with_costs


def _counts(cm: metrics.ConfusionMatrix) -> dict[str, Any]:
    """The counts of a `Tally`; whole numbers, unless rows have weights."""
    positives = cm.support(True)
    return {
        "positives": positives,
        "negatives": cm.total_weight - positives,
        "missed": cm.false_negatives(True),
        "false_alarms": cm.false_positives(True),
    }


class ExactSum:
    """A sum of numbers without rounding, so that taking a number back leaves no trace.

    It is kept in parts that do not overlap (Shewchuk, "Adaptive Precision Floating-Point Arithmetic",
    1997).

    Examples
    --------
    >>> total = ExactSum()
    >>> for number in (1e16, 0.1, -1e16):
    ...     total.add(number)
    >>> total.value
    0.1
    """

    def __init__(self) -> None:
        self._parts: list[float] = []

    def add(self, number: float) -> None:
        """Add a number."""
        parts = []
        for part in self._parts:
            high = number + part
            back = high - number
            low = (number - (high - back)) + (part - back)
            if low:
                parts.append(low)
            number = high
        if number:
            parts.append(number)
        self._parts = parts

    @property
    def value(self) -> float:
        """The sum, rounded once."""
        return math.fsum(self._parts)


class _CostMetric(metrics.base.BinaryMetric):  # type: ignore[misc]
    """What `Cost` and `Savings` share: the costs of rows, and of policies, that come and go."""

    def __init__(
        self,
        fn_cost: float | None = None,
        fp_cost: float | None = None,
        tp_cost: float = 0.0,
        tn_cost: float = 0.0,
        cm: metrics.ConfusionMatrix | None = None,
        pos_val: Any = True,
    ) -> None:
        super().__init__(cm, pos_val)
        self.fn_cost = fn_cost
        self.fp_cost = fp_cost
        self.tp_cost = tp_cost
        self.tn_cost = tn_cost
        for name in COSTS:
            number = getattr(self, name)
            if number is not None and not math.isfinite(_as_float(name, number)):
                raise CostreamError(f"{name} must be a finite number, not {number!r}")
        self._own_counts: Counter[str] = Counter()  # of rows with costs of their own
        self._own_sums = [ExactSum() for _ in Sums._fields]

    def update(
        self,
        y_true: Any,
        y_pred: Any,
        w: float = 1.0,
        *,
        fn_cost: float | None = None,
        fp_cost: float | None = None,
        tp_cost: float | None = None,
        tn_cost: float | None = None,
    ) -> None:
        """Count one decision.

        Parameters
        ----------
        y_true : label
            The label of the row; one of `with_costs` carries the costs of the row.
        y_pred : label
            The decision.
        w : float, default=1.0
            How many rows it counts for.
        fn_cost, fp_cost, tp_cost, tn_cost : float, default=None
            What missing, wrongly flagging, rightly flagging or passing *this* row costs. None: the cost
            that the label carries, or else that of the metric.
        """
        given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
        self._count(y_true, y_pred, w, self._own(y_true, given))
        super().update(y_true, y_pred, w)

    def revert(
        self,
        y_true: Any,
        y_pred: Any,
        w: float = 1.0,
        *,
        fn_cost: float | None = None,
        fp_cost: float | None = None,
        tp_cost: float | None = None,
        tn_cost: float | None = None,
    ) -> None:
        """Take back one decision, as rolling windows do.

        Parameters
        ----------
        y_true : label
            The label of the row, as it was counted.
        y_pred : label
            The decision.
        w : float, default=1.0
            How many rows it counted for.
        fn_cost, fp_cost, tp_cost, tn_cost : float, default=None
            The costs that it was counted with.
        """
        given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
        self._count(y_true, y_pred, -w, self._own(y_true, given))
        super().revert(y_true, y_pred, w)

    def _own(self, y_true: Any, given: GivenCosts) -> FourCosts | None:
        """The costs of a row that has its own."""
        carried = y_true.costs if isinstance(y_true, CostedLabel) else NO_COSTS
        found: list[float] = []
        for name, one, label in zip(COSTS, given, carried, strict=True):
            cost = one if one is not None else label if label is not None else getattr(self, name)
            if cost is None:
                raise _missing(type(self).__name__, name)
            found.append(_as_float(name, cost))
        if not all(map(math.isfinite, found)):
            raise CostreamError(
                "the cost of a row must be a finite number", "leave out rows without one"
            )
        return FourCosts(*found) if given.any or carried.any else None

    def _count(self, y_true: Any, y_pred: Any, w: float, own: FourCosts | None) -> None:
        """Add a row with costs of its own to the sums; w is below 0 for one that goes."""
        if own is None:
            return
        positive, flagged = y_true == self.pos_val, y_pred == self.pos_val
        counts: Any = self._own_counts
        counts["positives" if positive else "negatives"] += w
        if positive != flagged:
            counts["missed" if positive else "false_alarms"] += w
        if_flagged, if_passed = (own.tp_cost, own.fn_cost) if positive else (own.fp_cost, own.tn_cost)
        row = Sums(
            cost=if_flagged if flagged else if_passed,
            flag_all=if_flagged,
            miss_all=if_passed,
            perfect=min(if_flagged, if_passed),
        )
        for total, cost in zip(self._own_sums, row, strict=True):
            total.add(w * cost)

    def _tally(self) -> Tally:
        """The decisions so far, and what they have cost."""
        counts = _counts(self.cm)
        sums = [total.value for total in self._own_sums]
        at_numbers: dict[str, Any] = {
            name: count - self._own_counts[name] for name, count in counts.items()
        }
        if any(at_numbers.values()):
            numbers: dict[str, Any] = {name: getattr(self, name) for name in COSTS}
            for name, number in numbers.items():
                if number is None:  # the rows came by a confusion matrix that others share
                    raise _missing(type(self).__name__, name)
            rest = Tally(**at_numbers, costs=Costs(**numbers))
            more = (rest.cost, rest.flag_all, rest.miss_all, rest.perfect)
            sums = [own + other for own, other in zip(sums, more, strict=True)]
        return Tally(**counts, sums=Sums(*sums))

    def __add__(self, other: Any) -> metrics.base.Metrics:
        if not getattr(other, "requires_labels", True):
            raise CostreamError(
                f"{type(self).__name__} needs decisions and {type(other).__name__} probabilities: with "
                "both, River would take the more probable label for the decision",
                "run progressive_val_score for each, or update each in a loop of your own",
            )
        return super().__add__(other)


class Cost(_CostMetric):
    """What decisions have cost, for River.

    Parameters
    ----------
    fn_cost, fp_cost : float, default=None
        What a missed positive and a false alarm cost. None: each row has its own, by `with_costs` or
        by keyword.
    tp_cost, tn_cost : float, default=0.0
        What a flagged positive and a passed negative cost; benefits are negative costs.
    cm : river.metrics.ConfusionMatrix, default=None
        A confusion matrix of booleans to share with other metrics.
    pos_val : label, default=True
        The positive label.

    See Also
    --------
    with_costs : A stream whose rows have costs of their own.
    Savings : The cost, compared with that of the best constant policy.

    Notes
    -----
    River leaves out rows for which a model predicts None. `RiverClassifier` does so until it knows the
    negative label, if this is a text; with booleans, or 0 and 1, every row is counted.

    River cannot evaluate decisions and probabilities in one run: in ``ROCAUC() + Cost(...)`` it takes
    the more probable label for the decision, whatever the costs are. ``Cost(...) + ROCAUC()`` is an
    error that says so.

    Examples
    --------
    >>> from costream import metrics
    >>> metric = metrics.Cost(fn_cost=500, fp_cost=5, tp_cost=5)
    >>> for y_true, y_pred in [(True, False), (True, True), (False, True), (False, False)]:
    ...     metric.update(y_true, y_pred)
    >>> metric
    Cost: 510.00
    >>> metric.update(True, False, fn_cost=90)    # a row with a cost of its own
    >>> metric
    Cost: 600.00

    Over the last 500 rows:

    >>> from river import utils
    >>> metric = utils.Rolling(metrics.Cost, window_size=500, fn_cost=500, fp_cost=5)
    """

    _fmt = ",.2f"

    def get(self) -> float:
        """Compute the cost.

        Returns
        -------
        float
            The cost of all decisions; 0 before the first.
        """
        return float(self._tally().cost)

    @property
    def bigger_is_better(self) -> bool:
        """Whether more is better: no."""
        return False

    def __repr__(self) -> str:
        return f"Cost: {self.get():{self._fmt}}"


class Savings(_CostMetric):
    """What decisions have saved, as a fraction of what can be saved, for River.

    That is ``(constant - cost) / (constant - perfect)``, where the constant policies flag all rows or
    none, the cheaper one counts, and perfect decisions take the cheaper outcome of each row.

    Parameters
    ----------
    fn_cost, fp_cost : float, default=None
        What a missed positive and a false alarm cost. None: each row has its own, by `with_costs` or
        by keyword.
    tp_cost, tn_cost : float, default=0.0
        What a flagged positive and a passed negative cost; benefits are negative costs.
    cm : river.metrics.ConfusionMatrix, default=None
        A confusion matrix of booleans to share with other metrics.
    pos_val : label, default=True
        The positive label.

    See Also
    --------
    with_costs : A stream whose rows have costs of their own.
    Cost : The cost itself; its notes apply here, too.

    Examples
    --------
    >>> from costream import metrics
    >>> metric = metrics.Savings(fn_cost=9, fp_cost=1)
    >>> for y_true, y_pred in [(True, True), (False, True), (False, False), (False, False)]:
    ...     metric.update(y_true, y_pred)
    >>> metric    # flagging every row would cost 3
    Savings: 66.67%
    """

    def get(self) -> float:
        """Compute the savings.

        Returns
        -------
        float
            1 for perfect decisions, 0 for no better than the constant policy, and below 0 for worse. As
            with River's own metrics, 0 where it is undefined: the constant policy is perfect.
        """
        return _defined(self._tally().savings())


class WeightedSum(metrics.base.BinaryMetric):  # type: ignore[misc]
    """The weighted sum of sensitivity and specificity, for River.

    Parameters
    ----------
    alpha_p : float, default=0.5
        The weight of sensitivity, between 0 and 1.
    cm : river.metrics.ConfusionMatrix, default=None
        A confusion matrix of booleans to share with other metrics.
    pos_val : label, default=True
        The positive label.

    See Also
    --------
    Cost : What the decisions have cost.

    Examples
    --------
    >>> from costream import metrics
    >>> metric = metrics.WeightedSum(alpha_p=0.8)
    >>> for y_true, y_pred in [(True, True), (True, False), (False, False), (False, False)]:
    ...     metric.update(y_true, y_pred)
    >>> metric
    WeightedSum: 60.00%
    """

    def __init__(
        self, alpha_p: float = 0.5, cm: metrics.ConfusionMatrix | None = None, pos_val: Any = True
    ) -> None:
        super().__init__(cm, pos_val)
        if not 0.0 <= _as_float("alpha_p", alpha_p) <= 1.0:
            raise CostreamError(f"alpha_p must be between 0 and 1, not {alpha_p!r}")
        self.alpha_p = alpha_p

    def get(self) -> float:
        """Compute the weighted sum.

        Returns
        -------
        float
            ``alpha_p * sensitivity + (1 - alpha_p) * specificity``. As with River's own metrics, 0
            where it is undefined: there are no rows of one class.
        """
        return _defined(Tally(**_counts(self.cm)).weighted_sum(self.alpha_p))


def _defined(value: float) -> float:
    return 0.0 if math.isnan(value) else float(value)


def _as_float(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise CostreamError(
            f"{name} of a metric must be a number, not {value!r:.40}",
            "for costs in columns, use with_costs",
        ) from None


def _missing(metric: str, name: str) -> CostreamError:
    return CostreamError(
        f"the metric {metric} has no {name}, and the row has none of its own",
        f"give a number, {metric}({name}=...), or costs of rows: with_costs(stream, {name}=...)",
    )
