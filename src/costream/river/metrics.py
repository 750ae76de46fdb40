"""Metrics for River: what decisions cost, what they save, and the weighted sum."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from river import metrics

from ..costs.metrics import METRICS, class_name
from ..costs.objective import COSTS
from ..costs.rows import NO_COSTS, FourCosts, GivenCosts
from ..costs.running import RunningTally
from ..costs.tally import Costs, Tally
from ..errors import CostreamError
from .classifier import CostSensitiveClassifier
from .costs import CostedLabel
from .costs import with_costs as with_costs
from .decisions import has_probabilities, innermost, is_flagged, own_decision


def _counts(cm: metrics.ConfusionMatrix) -> dict[str, Any]:
    """The counts of a `Tally`; whole numbers, unless rows have weights."""
    positives = cm.support(True)
    return {
        "positives": positives,
        "negatives": cm.total_weight - positives,
        "missed": cm.false_negatives(True),
        "false_alarms": cm.false_positives(True),
    }


class _Metric(metrics.base.BinaryMetric):  # type: ignore[misc]
    """What all of them share: River asks what they are to be given."""

    _metric: ClassVar[str]  # its name in `METRICS`
    _needs_labels = False

    @property
    def requires_labels(self) -> bool:
        """Whether the metric is to be given decisions, not probabilities."""
        return self._needs_labels

    def works_with(self, model: Any) -> bool:
        """Tell whether the metric can count the decisions of a model.

        Parameters
        ----------
        model : river.base.Estimator
            The model. River asks before it evaluates one, so the metric then knows whether there are
            probabilities, or whether decisions come with them.

        Returns
        -------
        bool
            Whether it is a classifier.
        """
        self._needs_labels = self._decisions_of(model)
        return bool(super().works_with(model))

    def _decisions_of(self, model: Any) -> bool:
        """Whether the decisions of a model are counted as River gives them."""
        raise NotImplementedError

    @property
    def bigger_is_better(self) -> bool:
        """Whether more is better."""
        return METRICS[self._metric].more_is_better


class _CostMetric(_Metric):
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
        self._own = RunningTally()  # of rows with costs of their own

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
        y_pred : label, or dict of labels to probabilities
            The decision; or the probability of each label, which the metric decides by.
        w : float, default=1.0
            How many rows it counts for.
        fn_cost, fp_cost, tp_cost, tn_cost : float, default=None
            What missing, wrongly flagging, rightly flagging or passing *this* row costs. None: the cost
            that the label carries, or else that of the metric.
        """
        given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
        positive, flagged = self._count(y_true, y_pred, w, given)
        self.cm.update(positive, flagged, w=w)

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
        y_true, y_pred, w, fn_cost, fp_cost, tp_cost, tn_cost
            What `update` was given.
        """
        given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
        positive, flagged = self._count(y_true, y_pred, -w, given)
        self.cm.revert(positive, flagged, w=w)

    def _decisions_of(self, model: Any) -> bool:
        return not has_probabilities(model)

    def _costs(self, y_true: Any, given: GivenCosts) -> tuple[FourCosts, bool]:
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
        return FourCosts(*found), given.any or carried.any

    def _count(self, y_true: Any, y_pred: Any, w: float, given: GivenCosts) -> tuple[bool, bool]:
        """Whether a row is positive, and whether it is flagged; w is below 0 for one that goes.

        A row with costs of its own is added to the sums.
        """
        costs, own = self._costs(y_true, given)
        positive = bool(y_true == self.pos_val)
        flagged = is_flagged(y_pred, self.pos_val, costs.a, costs.b)
        if own:
            self._own.add(flagged, positive, costs, w)
        return positive, flagged

    def _numbers(self) -> Costs:
        """The costs of rows that have none of their own."""
        numbers: dict[str, Any] = {name: getattr(self, name) for name in COSTS}
        for name, number in numbers.items():
            if number is None:  # the rows came by a confusion matrix that others share
                raise _missing(type(self).__name__, name)
        return Costs(**numbers)

    def get(self) -> float:
        """Compute the metric of the decisions so far.

        Returns
        -------
        float
            Its value. As with River's own metrics, 0 where it is undefined, such as savings where the
            constant policy is perfect.
        """
        tally = self._own.with_others(_counts(self.cm), self._numbers)
        return _defined(METRICS[self._metric].value(tally, Costs.alpha_p))


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
    Whose decisions are counted depends on the model:

    - One with probabilities (``CostSensitiveClassifier()``, most models and ensembles of River): the
      metric takes the probability q of ``pos_val`` and flags a row where ``q * (fn_cost - tp_cost) >=
      (1 - q) * (fp_cost - tn_cost)``, at the costs of the row if it has any, else at its own. So
      ``Cost(...) + ROCAUC()``, in any order, has the cost that ``Cost(...)`` has alone.
    - A `CostSensitiveClassifier` whose learner has no probabilities of its own, such as ``"acog-ii"``,
      decides by the sign of its score: its decisions are counted. Inside an ensemble that adds up
      probabilities these decide.
    - A model without probabilities (``VotingClassifier``, ``Perceptron``): its decisions are counted.
    - What `update` is given as a label is a decision.

    In one run with metrics that take probabilities, also these, River's own metrics of labels (``F1``,
    ``Accuracy``) are given the more probable label, whatever the costs are. Evaluate them in a run of
    their own.

    River leaves out rows for which a model predicts None, and has no probabilities before it knows a
    label.

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

    _metric = "cost"
    _fmt = ",.2f"

    def __repr__(self) -> str:
        return f"Cost: {self.get():{self._fmt}}"


class Savings(_CostMetric):
    """What decisions have saved, as a fraction of what can be saved, for River.

    That is ``(constant - cost) / (constant - perfect)``, where the constant policies flag all rows or
    none, the cheaper one counts, and perfect decisions take the cheaper outcome of each row.

    Parameters
    ----------
    fn_cost, fp_cost, tp_cost, tn_cost, cm, pos_val
        As in `Cost`.

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

    _metric = "savings"


class WeightedSum(_Metric):
    """The weighted sum of sensitivity and specificity, for River.

    The decisions of the model are counted. Those of a `CostSensitiveClassifier` come with its
    probabilities, so that ``WeightedSum() + ROCAUC()`` counts them, too; of other models River then
    gives the more probable label.

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

    _metric = "sum"
    _needs_labels = True

    def __init__(
        self, alpha_p: float = 0.5, cm: metrics.ConfusionMatrix | None = None, pos_val: Any = True
    ) -> None:
        super().__init__(cm, pos_val)
        if not 0.0 <= _as_float("alpha_p", alpha_p) <= 1.0:
            raise CostreamError(f"alpha_p must be between 0 and 1, not {alpha_p!r}")
        self.alpha_p = alpha_p

    def _decisions_of(self, model: Any) -> bool:
        return not isinstance(innermost(model), CostSensitiveClassifier)

    def update(self, y_true: Any, y_pred: Any, w: float = 1.0) -> None:
        """Count one decision.

        Parameters
        ----------
        y_true : label
            The label of the row.
        y_pred : label, or dict of labels to probabilities
            The decision; or the probabilities, with which `CostSensitiveClassifier` gives its decision.
        w : float, default=1.0
            How many rows it counts for.
        """
        self.cm.update(y_true == self.pos_val, own_decision(y_pred) == self.pos_val, w=w)

    def revert(self, y_true: Any, y_pred: Any, w: float = 1.0) -> None:
        """Take back one decision, as rolling windows do.

        Parameters
        ----------
        y_true, y_pred, w
            What `update` was given.
        """
        self.cm.revert(y_true == self.pos_val, own_decision(y_pred) == self.pos_val, w=w)

    def get(self) -> float:
        """Compute the weighted sum.

        Returns
        -------
        float
            ``alpha_p * sensitivity + (1 - alpha_p) * specificity``. As with River's own metrics, 0
            where it is undefined: there are no rows of one class.
        """
        return _defined(METRICS[self._metric].value(Tally(**_counts(self.cm)), self.alpha_p))


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


_listed = {one._metric for one in (Cost, Savings, WeightedSum)}
for _name in METRICS.keys() - _listed:
    _members = {"_metric": _name, "__doc__": METRICS[_name].meaning, "__module__": __name__}
    globals()[class_name(_name)] = type(class_name(_name), (_CostMetric,), _members)
