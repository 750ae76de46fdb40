"""From scores to what they cost: confusion counts, rates, costs and savings.

The one place that adds up costs: for commands, adapters, the metrics for River and the service.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Bools, Floats
from .metrics import METRICS
from .objective import FN_COST, FP_COST


@dataclass(frozen=True, kw_only=True)
class Costs:
    """The costs that decisions are tallied at; they are given by their names.

    Parameters
    ----------
    fn_cost : float, default=0.9
        What a missed positive costs.
    fp_cost : float, default=0.1
        What a false alarm costs.
    tp_cost : float, default=0.0
        What a flagged positive costs.
    tn_cost : float, default=0.0
        What a passed negative costs.
    alpha_p : float, default=0.5
        The weight of sensitivity in the metric ``sum``.

    Examples
    --------
    >>> from costream.costs import Costs
    >>> Costs(fn_cost=500, fp_cost=5)
    Costs(fn_cost=500, fp_cost=5, tp_cost=0.0, tn_cost=0.0, alpha_p=0.5)
    """

    fn_cost: float = FN_COST
    fp_cost: float = FP_COST
    tp_cost: float = 0.0
    tn_cost: float = 0.0
    alpha_p: float = 0.5


class Sums(NamedTuple):
    """What rows with costs of their own have cost."""

    cost: float
    flag_all: float
    miss_all: float
    perfect: float


@dataclass(frozen=True)
class Tally:
    """Counts of decisions and what they cost; `Tally.of` makes one from scores.

    Tallies of parts of a stream add up. They add counts, or the costs of rows that have their own, so
    the cost at fixed costs is exact, however the stream was cut.

    Parameters
    ----------
    positives, negatives : int, default=0
        The numbers of positive and of negative rows.
    missed : int, default=0
        Positive rows that were not flagged.
    false_alarms : int, default=0
        Negative rows that were flagged.
    costs : Costs
        What each decision costs, where rows have no costs of their own.
    sums : Sums, default=None
        What rows with costs of their own have cost, and would have cost under other policies.

    Examples
    --------
    >>> from costream.costs import Costs, Tally
    >>> tally = Tally.of([0.5, -0.5, -1.0], [True, True, False], Costs(fn_cost=9, fp_cost=1))
    >>> tally.missed, tally.false_alarms, tally.cost
    (1, 0, 9.0)
    >>> tally.constant, tally.saved, tally.savings()
    (1.0, -8.0, -8.0)
    >>> tally.sensitivity(), tally.specificity()
    (0.5, 1.0)
    """

    positives: int = 0
    negatives: int = 0
    missed: int = 0
    false_alarms: int = 0
    costs: Costs = Costs()
    sums: Sums | None = None

    @classmethod
    def of(
        cls,
        scores: ArrayLike,
        positive: ArrayLike,
        costs: Costs,
        *,
        fn_cost: ArrayLike | None = None,
        fp_cost: ArrayLike | None = None,
        tp_cost: ArrayLike | None = None,
        tn_cost: ArrayLike | None = None,
        weight: Floats | None = None,
    ) -> Tally:
        """Tally the decisions on scored rows.

        Parameters
        ----------
        scores : array-like of shape (n_rows,)
            The scores; a row with a score of 0 or more is flagged.
        positive : array-like of bool, of shape (n_rows,)
            Which rows are positive.
        costs : Costs
            What decisions cost where rows have no costs of their own.
        fn_cost, fp_cost, tp_cost, tn_cost : array-like of shape (n_rows,), default=None
            What missing, wrongly flagging, rightly flagging or passing each row costs.
        weight : ndarray of shape (n_rows,), default=None
            How many rows each one counts for; None for 1.

        Returns
        -------
        Tally
            The counts, and what the decisions cost.
        """
        flagged, positive = np.asarray(scores) >= 0.0, np.asarray(positive, np.bool_)
        given = (fn_cost, fp_cost, tp_cost, tn_cost)
        sums = None
        if any(one is not None for one in given):
            numbers = (costs.fn_cost, costs.fp_cost, costs.tp_cost, costs.tn_cost)
            own = (
                np.broadcast_to(np.asarray(number if one is None else one, np.float64), positive.shape)
                for one, number in zip(given, numbers, strict=True)
            )
            sums = _summed(
                flagged, positive, *(own if weight is None else (one * weight for one in own))
            )
        which = (positive, ~positive, positive & ~flagged, flagged & ~positive)
        counts: list[Any] = [
            int(np.count_nonzero(rows)) if weight is None else float(weight[rows].sum())
            for rows in which
        ]
        return cls(counts[0], counts[1], counts[2], counts[3], costs, sums)

    def __add__(self, other: Tally) -> Tally:
        if not self.rows or not other.rows:
            return other if other.rows else self
        sums = None
        if self.sums is not None and other.sums is not None:
            sums = Sums(*(one + more for one, more in zip(self.sums, other.sums, strict=True)))
        return Tally(
            self.positives + other.positives,
            self.negatives + other.negatives,
            self.missed + other.missed,
            self.false_alarms + other.false_alarms,
            other.costs,
            sums,
        )

    @property
    def cost(self) -> float:
        """The cost of the decisions."""
        if self.sums is not None:
            return self.sums.cost
        return self._of(self.missed, self.false_alarms)

    @property
    def miss_all(self) -> float:
        """The cost of the policy "always negative"."""
        return self._of(self.positives, 0) if self.sums is None else self.sums.miss_all

    @property
    def flag_all(self) -> float:
        """The cost of the policy "always positive"."""
        return self._of(0, self.negatives) if self.sums is None else self.sums.flag_all

    @property
    def constant(self) -> float:
        """The cost of the cheaper constant policy, which flags all rows or none."""
        return min(filter(math.isfinite, (self.flag_all, self.miss_all)), default=np.nan)

    @property
    def saved(self) -> float:
        """What the decisions cost less than the cheaper constant policy; below 0, they cost more."""
        return self.constant - self.cost

    @property
    def perfect(self) -> float:
        """The least that any decisions would have cost."""
        if self.sums is not None:
            return self.sums.perfect
        fewer = self.costs.fn_cost < self.costs.tp_cost, self.costs.fp_cost < self.costs.tn_cost
        return self._of(self.positives * fewer[0], self.negatives * fewer[1])

    def _of(self, missed: int, false_alarms: int) -> float:
        costs = self.costs
        wrong = costs.fn_cost * missed + costs.fp_cost * false_alarms
        caught, passed = self.positives - missed, self.negatives - false_alarms
        return float(wrong + costs.tp_cost * caught + costs.tn_cost * passed)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.positives + self.negatives

    def sensitivity(self) -> float:
        """Compute the fraction of positives that were flagged.

        Returns
        -------
        float
            The sensitivity; NaN without positives.
        """
        return 1.0 - self.missed / self.positives if self.positives else np.nan

    def specificity(self) -> float:
        """Compute the fraction of negatives that were not flagged.

        Returns
        -------
        float
            The specificity; NaN without negatives.
        """
        return 1.0 - self.false_alarms / self.negatives if self.negatives else np.nan

    def weighted_sum(self, alpha_p: float) -> float:
        """Compute ``alpha_p * sensitivity + (1 - alpha_p) * specificity``.

        Parameters
        ----------
        alpha_p : float
            The weight of sensitivity.

        Returns
        -------
        float
            The weighted sum; NaN unless there are rows of both classes.
        """
        return alpha_p * self.sensitivity() + (1.0 - alpha_p) * self.specificity()

    def savings(self) -> float:
        """Compute the part of the avoidable cost that was avoided.

        That is ``(constant - cost) / (constant - perfect)``, where the constant policies flag all rows
        or none, and perfect decisions take the cheaper outcome of each row.

        Returns
        -------
        float
            1 for perfect decisions, 0 for no better than the policy; NaN where the policy is perfect.
        """
        avoidable = self.constant - self.perfect
        return 1.0 - (self.cost - self.perfect) / avoidable if avoidable > 0.0 else np.nan

    @property
    def better_policy(self) -> str:
        """The cheaper constant policy, in words."""
        return "flagging every row" if self.flag_all <= self.miss_all else "flagging no row"

    @property
    def nothing_to_save(self) -> str:
        """Why savings are undefined, in a sentence; empty where they are defined."""
        if not self.rows or self.savings() == self.savings():
            return ""
        return f"there is nothing to save: {self.better_policy} costs no more than perfect decisions"

    def metrics(self, costs: Costs) -> dict[str, float]:
        """Compute all metrics.

        Parameters
        ----------
        costs : Costs
            Its ``alpha_p`` is the weight of sensitivity in ``sum``.

        Returns
        -------
        dict of str to float
            By the names in ``costream.metrics.METRICS``: missed, false_alarms, sensitivity,
            specificity, sum, cost, saved (in money, against the cheaper constant policy) and
            savings.
        """
        return {name: metric.value(self, costs.alpha_p) for name, metric in METRICS.items()}


def sums_of_row(flagged: bool, positive: bool, costs: Any) -> tuple[float, float, float, float]:
    """The `Sums` of a single row, as a plain tuple; ``costs`` has its four costs."""
    if positive:
        if_flagged, if_passed = costs.tp_cost, costs.fn_cost
    else:
        if_flagged, if_passed = costs.fp_cost, costs.tn_cost
    cost = if_flagged if flagged else if_passed
    return cost, if_flagged, if_passed, if_passed if if_passed < if_flagged else if_flagged


def _summed(flagged: Bools, positive: Bools, fn: Floats, fp: Floats, tp: Floats, tn: Floats) -> Sums:
    if_flagged, if_passed = np.where(positive, tp, fp), np.where(positive, fn, tn)
    policies = (
        np.where(flagged, if_flagged, if_passed),
        if_flagged,
        if_passed,
        np.minimum(if_flagged, if_passed),
    )
    return Sums(*(float(one.sum()) for one in policies))
