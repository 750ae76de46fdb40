"""What is to be optimised, as the one thing that learners see of it: the cost r_t of each row.

``Sum`` is the weighted sum of sensitivity and specificity, ``Cost`` the misclassification cost. Both
cost a row by rho if it is positive and by 1 if it is negative (Eq. 1 of the paper); costs and weights
of single rows multiply that. Counts are of the rows *before* the current one, in units of their weight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from .aliases import Bools, Floats
from .errors import CostreamError


def _check_positive(name: str, value: float, *, below: float = math.inf) -> None:
    if not (isinstance(value, int | float | np.number) and 0 < value < below):
        bounds = "a finite number above 0" if below == math.inf else f"between 0 and {below:g}"
        raise CostreamError(f"{name} must be {bounds}, not {value!r}")


@dataclass(frozen=True)
class Sum:
    """Maximise ``alpha_p * sensitivity + (1 - alpha_p) * specificity``.

    A positive row costs rho = ``alpha_p / (1 - alpha_p) * T_n / T_p``, a negative one 1.

    Parameters
    ----------
    alpha_p : float, default=0.5
        The weight of sensitivity, between 0 and 1.
    ratio : float, default=None
        The number of negatives per positive, T_n / T_p. None for the running estimate
        ``(t_n + 1) / (t_p + 1)`` from the rows before the current one.
    half_life : float, default=None
        The number of rows after which a row counts half in that estimate, for streams whose ratio
        drifts. None for never.

    See Also
    --------
    Cost : Minimise the total cost of mistakes.

    References
    ----------
    Zhao, Zhang, Wu, Hoi, Tan and Huang, "Adaptive Cost-Sensitive Online Classification", IEEE
    Transactions on Knowledge and Data Engineering, 2019. Equation 1.

    Examples
    --------
    >>> from costream import Sum
    >>> Sum(ratio=99.0).rho(0, 0)
    99.0
    >>> Sum().rho(positives=1, negatives=9)
    5.0
    """

    alpha_p: float = 0.5
    ratio: float | None = None
    half_life: float | None = None
    name: ClassVar[str] = "sum"

    def __post_init__(self) -> None:
        _check_positive("alpha_p", self.alpha_p, below=1.0)
        for name in ("ratio", "half_life"):
            if getattr(self, name) is not None:
                _check_positive(name, getattr(self, name))

    @classmethod
    def known(cls, positives: int, negatives: int, alpha_p: float = 0.5) -> Sum:
        """Make the objective of a stream whose totals are known.

        Parameters
        ----------
        positives, negatives : int
            The numbers of positive and of negative rows in the whole stream.
        alpha_p : float, default=0.5
            The weight of sensitivity.

        Returns
        -------
        Sum
            The objective, with their ratio.

        Examples
        --------
        >>> from costream import Sum
        >>> Sum.known(positives=20, negatives=80)
        Sum(alpha_p=0.5, ratio=4.0, half_life=None)
        """
        _check_positive("positives", positives)
        _check_positive("negatives", negatives)
        return cls(alpha_p, negatives / positives)

    @overload
    def rho(self, positives: float, negatives: float) -> float: ...
    @overload
    def rho(self, positives: Floats, negatives: Floats) -> Floats | float: ...
    def rho(self, positives: float | Floats, negatives: float | Floats) -> float | Floats:
        """Compute the cost of a positive row, relative to that of a negative one.

        Parameters
        ----------
        positives, negatives : float or ndarray
            The numbers of rows before it, for the estimate of the ratio.

        Returns
        -------
        float or ndarray
            The cost rho.
        """
        ratio = (negatives + 1) / (positives + 1) if self.ratio is None else self.ratio
        return self.alpha_p / (1.0 - self.alpha_p) * ratio

    @property
    def needs_counts(self) -> bool:
        """Whether rho depends on the rows seen so far."""
        return self.ratio is None

    @property
    def class_costs(self) -> tuple[float, float]:
        """The unit of a per-row cost of a positive and of a negative row."""
        return 1.0, 1.0


@dataclass(frozen=True)
class Cost:
    """Minimise ``fn_cost * missed positives + fp_cost * false alarms``.

    A positive row costs rho = ``fn_cost / fp_cost``, a negative one 1.

    Parameters
    ----------
    fn_cost : float, default=0.9
        What a missed positive costs.
    fp_cost : float, default=0.1
        What a false alarm costs.

    See Also
    --------
    Sum : Maximise the weighted sum of sensitivity and specificity.

    References
    ----------
    Zhao, Zhang, Wu, Hoi, Tan and Huang, "Adaptive Cost-Sensitive Online Classification", IEEE
    Transactions on Knowledge and Data Engineering, 2019. Equation 1.

    Examples
    --------
    >>> from costream import Cost
    >>> Cost(fn_cost=500, fp_cost=5).rho(0, 0)
    100.0
    """

    fn_cost: float = 0.9
    fp_cost: float = 0.1
    name: ClassVar[str] = "cost"
    needs_counts: ClassVar[bool] = False
    half_life: ClassVar[None] = None

    def __post_init__(self) -> None:
        _check_positive("fn_cost", self.fn_cost)
        _check_positive("fp_cost", self.fp_cost)

    def rho(self, positives: float | Floats, negatives: float | Floats) -> float:
        """Compute the cost of a positive row, relative to that of a negative one.

        Parameters
        ----------
        positives, negatives : float or ndarray
            The numbers of rows before it; they do not matter here.

        Returns
        -------
        float
            The cost rho.
        """
        return self.fn_cost / self.fp_cost

    @property
    def class_costs(self) -> tuple[float, float]:
        """The unit of a per-row cost of a positive and of a negative row."""
        return self.fn_cost, self.fp_cost


Objective = Sum | Cost
HIGHEST_STAKE = 1e100
OBJECTIVES: dict[str, type[Sum] | type[Cost]] = {"sum": Sum, "cost": Cost}


def as_objective(objective: str | Objective) -> Objective:
    """An objective, or the default one of that name."""
    if isinstance(objective, Sum | Cost):
        return objective
    if not isinstance(objective, str) or objective not in OBJECTIVES:
        raise CostreamError(
            f"unknown objective {objective!r}", "use 'sum', 'cost', or a Sum or Cost object"
        )
    return OBJECTIVES[objective]()


def bounded(stake: float) -> float:
    """A stake within its bounds, so that its logarithm is finite."""
    return min(max(stake, 1.0 / HIGHEST_STAKE), HIGHEST_STAKE)


@dataclass
class RowCosts:
    """The cost of each row under an objective, and the counts that it needs for that.

    ``cost_sensitive`` is False for learners that ignore rho: they see the sample weight alone. The
    recent counts are those of an objective with a half-life, or of a learner with one.
    """

    objective: Objective
    cost_sensitive: bool
    positives: float = 0.0
    negatives: float = 0.0
    recent_positives: float = 0.0
    recent_negatives: float = 0.0
    learner_half_life: float | None = None

    @property
    def half_life(self) -> float | None:
        """The rows after which a row counts half in the class ratio."""
        return self.objective.half_life or self.learner_half_life

    @property
    def fades(self) -> bool:
        """Whether old rows count less for the class ratio."""
        return self.objective.needs_counts and self.half_life is not None

    @property
    def recent(self) -> tuple[float, float]:
        """The counts that decide the class ratio."""
        if self.fades:
            return self.recent_positives, self.recent_negatives
        return self.positives, self.negatives

    def cost(
        self, positive: bool, weight: float, fn_cost: float | None, fp_cost: float | None
    ) -> float:
        """The cost of one row."""
        if not self.cost_sensitive:
            return weight
        cost = self.objective.rho(*self.recent) if positive else 1.0
        given = fn_cost if positive else fp_cost
        if given is not None:
            cost = cost * (given / self.objective.class_costs[0 if positive else 1])
        return float(cost * weight)

    def stake(self, fn_cost: float | None = None, fp_cost: float | None = None) -> float:
        """What missing a row would cost over what flagging it would, whatever its label; bounded."""
        fn, fp = self.objective.rho(*self.recent), 1.0
        if fn_cost is not None:
            fn = fn * (fn_cost / self.objective.class_costs[0])
        if fp_cost is not None:
            fp = fp_cost / self.objective.class_costs[1]
        if fp > 0.0:
            return bounded(fn / fp)
        return HIGHEST_STAKE if fn > 0.0 else 1.0

    def stake_many(
        self,
        positive: Bools | None,
        weight: Floats | None,
        fn_cost: Floats | None,
        fp_cost: Floats | None,
        rows: int,
    ) -> Floats:
        """The stake of every row of a batch, each as `stake` and `count` in turn would give it.

        ``positive`` is None for rows that are not learnt.
        """
        counts = (
            self.recent if positive is None else self._counts_before(positive, np.arange(rows), weight)
        )
        fn, fp = np.full(rows, 1.0) * self.objective.rho(*counts), np.ones(rows)
        if fn_cost is not None:
            fn = fn * (fn_cost / self.objective.class_costs[0])
        if fp_cost is not None:
            fp = fp_cost / self.objective.class_costs[1]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            stakes = np.minimum(np.maximum(fn / fp, 1.0 / HIGHEST_STAKE), HIGHEST_STAKE)
        return np.where(fp > 0.0, stakes, np.where(fn > 0.0, HIGHEST_STAKE, 1.0))

    def count(self, positive: bool, weight: float) -> None:
        if self.fades:
            self._fade([positive], [weight])
        if positive:
            self.positives += weight
        else:
            self.negatives += weight

    def cost_many(
        self,
        positive: Bools,
        weight: Floats | None,
        fn_cost: Floats | None,
        fp_cost: Floats | None,
    ) -> Floats:
        """The cost of every row of a batch, each as `cost` and `count` in turn would give it."""
        if not self.cost_sensitive:
            return np.ones(len(positive)) if weight is None else weight.astype(np.float64)
        costs = np.ones(len(positive))
        where = np.flatnonzero(positive)
        with np.errstate(over="ignore"):  # the caller looks for costs that are not finite
            costs[where] = self.objective.rho(*self._counts_before(positive, where, weight))
            if fn_cost is not None:
                costs[where] *= fn_cost[where] / self.objective.class_costs[0]
            if fp_cost is not None:
                costs[~positive] *= fp_cost[~positive] / self.objective.class_costs[1]
            if weight is not None:
                costs *= weight
        return costs

    def _counts_before(
        self, positive: Bools, where: NDArray[np.intp], weight: Floats | None
    ) -> tuple[float, float] | tuple[Floats, Floats]:
        """Counts before each of the rows ``where``."""
        if not self.objective.needs_counts:
            return self.positives, self.negatives
        if self.fades:
            weights = [1.0] * len(positive) if weight is None else weight.tolist()
            counts = np.array(replace(self)._fade(positive.tolist(), weights)).reshape(-1, 2)
            return counts[where, 0], counts[where, 1]
        if weight is None and not self._whole():
            weight = np.ones(len(positive))
        if weight is None:
            before = np.concatenate(([0.0], np.cumsum(positive, dtype=np.float64)))[where]
            after = where.astype(np.float64) - before
            return self.positives + before, self.negatives + after
        return tuple(
            np.cumsum(np.concatenate(([count], np.where(which, weight, 0.0))))[where]
            for count, which in ((self.positives, positive), (self.negatives, ~positive))
        )  # type: ignore[return-value]

    def _whole(self) -> bool:
        """Whether the counts are whole numbers, so that they add up exactly in any order."""
        return float(self.positives).is_integer() and float(self.negatives).is_integer()

    def check_sum(self, weight: Floats | None) -> None:
        """Raise an error if the counts would overflow."""
        if weight is not None and not math.isfinite(
            sum(weight.tolist(), self.positives + self.negatives)
        ):
            raise CostreamError("the sum of the weights overflows")

    def _fade(self, positive: list[bool], weights: list[float]) -> list[tuple[float, float]]:
        """Count rows, each after the ones before have faded; returns the counts before each."""
        keep = 0.5 ** (1.0 / self.half_life)  # type: ignore[operator]
        p, n = self.recent_positives, self.recent_negatives
        before = []
        for flag, weight in zip(positive, weights, strict=True):
            before.append((p, n))
            if weight > 0.0:
                p, n = p * keep, n * keep
                if flag:
                    p += weight
                else:
                    n += weight
        self.recent_positives, self.recent_negatives = p, n
        return before

    def count_many(self, positive: Bools, weight: Floats | None) -> None:
        if self.fades:
            self._fade(positive.tolist(), [1.0] * len(positive) if weight is None else weight.tolist())
        if weight is None and not self._whole():
            weight = np.ones(len(positive))
        if weight is None:
            found = int(np.count_nonzero(positive))
            self.positives += found
            self.negatives += len(positive) - found
        else:  # in the order of the rows, so that a batch and its rows give the same sum
            for name, which in (("positives", positive), ("negatives", ~positive)):
                start = getattr(self, name)
                setattr(self, name, float(np.cumsum(np.append(start, weight[which]))[-1]))
