"""From scores to what they cost: confusion counts, rates, costs and savings."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from ..aliases import Bools, Floats
from .policies import POLICIES, best_of

METRICS = ("missed", "false_alarms", "sensitivity", "specificity", "sum", "cost", "savings")


@dataclass(frozen=True)
class Costs:
    """The costs that decisions are tallied at.

    Parameters
    ----------
    fn_cost : float, default=0.9
        What a missed positive costs.
    fp_cost : float, default=0.1
        What a false alarm costs.
    alpha_p : float, default=0.5
        The weight of sensitivity in the metric ``sum``.

    Examples
    --------
    >>> from costream import Costs
    >>> Costs(fn_cost=500, fp_cost=5)
    Costs(fn_cost=500, fp_cost=5, alpha_p=0.5)
    """

    fn_cost: float = 0.9
    fp_cost: float = 0.1
    alpha_p: float = 0.5


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
        Positive rows with a score below 0.
    false_alarms : int, default=0
        Negative rows with a score of 0 or more.
    missed_sum, alarm_sum : float, default=0.0
        The costs of the missed rows in units of ``fn_unit``, of the false alarms in ``fp_unit``.
    positive_sum, negative_sum : float, default=0.0
        The same for all positive and all negative rows: the costs of the two constant policies.
    fn_unit, fp_unit : float, default=1.0
        The cost of each mistake; 1 where rows have their own costs.

    Examples
    --------
    >>> from costream import Costs, Tally
    >>> tally = Tally.of([0.5, -0.5, -1.0], [True, True, False], Costs(fn_cost=9, fp_cost=1))
    >>> tally.missed, tally.false_alarms, tally.cost
    (1, 0, 9.0)
    >>> tally.savings(), tally.sensitivity(), tally.specificity()
    (-8.0, 0.5, 1.0)
    """

    positives: int = 0
    negatives: int = 0
    missed: int = 0
    false_alarms: int = 0
    missed_sum: float = 0.0
    alarm_sum: float = 0.0
    positive_sum: float = 0.0
    negative_sum: float = 0.0
    fn_unit: float = 1.0
    fp_unit: float = 1.0

    @classmethod
    def of(
        cls,
        scores: ArrayLike,
        positive: ArrayLike,
        costs: Costs,
        fn_cost: ArrayLike | None = None,
        fp_cost: ArrayLike | None = None,
    ) -> Tally:
        """Tally the decisions on scored rows.

        Parameters
        ----------
        scores : array-like of shape (n_rows,)
            The scores; a row with a score of 0 or more is flagged.
        positive : array-like of bool, of shape (n_rows,)
            Which rows are positive.
        costs : Costs
            What mistakes cost where rows have no costs of their own.
        fn_cost, fp_cost : array-like of shape (n_rows,), default=None
            What missing or flagging each row would cost.

        Returns
        -------
        Tally
            The counts, and what the mistakes cost.
        """
        flagged, positive = np.asarray(scores) >= 0.0, np.asarray(positive, np.bool_)
        missed, false_alarms = positive & ~flagged, flagged & ~positive
        return cls(
            positives=int(np.count_nonzero(positive)),
            negatives=int(np.count_nonzero(~positive)),
            missed=int(np.count_nonzero(missed)),
            false_alarms=int(np.count_nonzero(false_alarms)),
            missed_sum=_total(missed, fn_cost),
            alarm_sum=_total(false_alarms, fp_cost),
            positive_sum=_total(positive, fn_cost),
            negative_sum=_total(~positive, fp_cost),
            fn_unit=costs.fn_cost if fn_cost is None else 1.0,
            fp_unit=costs.fp_cost if fp_cost is None else 1.0,
        )

    def __add__(self, other: Tally) -> Tally:
        sums = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        costs = other if other.rows else self
        return Tally(**{**sums, "fn_unit": costs.fn_unit, "fp_unit": costs.fp_unit})

    @property
    def cost(self) -> float:
        """The cost of the decisions."""
        return self.fn_unit * self.missed_sum + self.fp_unit * self.alarm_sum

    @property
    def miss_all(self) -> float:
        """The cost of the policy "always negative"."""
        return self.fn_unit * self.positive_sum

    @property
    def flag_all(self) -> float:
        """The cost of the policy "always positive"."""
        return self.fp_unit * self.negative_sum

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
        """Compute the fraction saved of what the cheaper constant policy costs.

        Returns
        -------
        float
            1 for no mistakes, 0 for no better than the policy; NaN where the policy costs nothing.
        """
        costs = dict(zip(POLICIES, (self.flag_all, self.miss_all), strict=True))
        cheaper = costs.get(best_of("cost", costs) or "", np.nan)
        return 1.0 - self.cost / cheaper if cheaper > 0.0 else np.nan

    def metrics(self, costs: Costs) -> dict[str, float]:
        """Compute all metrics.

        Parameters
        ----------
        costs : Costs
            Its ``alpha_p`` is the weight of sensitivity in ``sum``.

        Returns
        -------
        dict of str to float
            By the names in ``costream.METRICS``: missed, false_alarms, sensitivity, specificity, sum,
            cost and savings.
        """
        return {
            "missed": self.missed,
            "false_alarms": self.false_alarms,
            "sensitivity": self.sensitivity(),
            "specificity": self.specificity(),
            "sum": self.weighted_sum(costs.alpha_p),
            "cost": self.cost,
            "savings": self.savings(),
        }


def _total(which: Bools, costs: ArrayLike | None) -> float:
    """The costs of some rows added up, each 1 where there are none."""
    if costs is None:
        return float(np.count_nonzero(which))
    total: Floats = np.asarray(costs, np.float64)[which].sum()
    return float(total)
