"""From scores to what they cost: confusion counts, rates, the bill, and what it saves."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .policies import POLICIES, best_of

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

METRICS = ("missed", "false_alarms", "sensitivity", "specificity", "sum", "cost", "savings")


@dataclass(frozen=True)
class Costs:
    """What a missed positive and a false alarm cost, and the weight of sensitivity in ``sum``."""

    fn_cost: float = 0.9
    fp_cost: float = 0.1
    alpha_p: float = 0.5


@dataclass(frozen=True)
class Tally:
    """Counts of decisions and what they cost; tallies of parts of a stream add up.

    What is added up are counts, or the costs of rows that have their own; so a bill at fixed costs
    is exact, however the stream was cut.

    >>> tally = Tally.of(np.array([0.5, -0.5, -1.0]), np.array([True, True, False]), Costs(9, 1))
    >>> tally.missed, tally.false_alarms, tally.cost
    (1, 0, 9.0)
    >>> tally.savings(), tally.sensitivity(), tally.specificity()
    (-8.0, 0.5, 1.0)
    """

    positives: int = 0
    negatives: int = 0
    missed: int = 0
    false_alarms: int = 0
    missed_sum: float = 0.0  # of costs, in units of fn_unit
    alarm_sum: float = 0.0
    positive_sum: float = 0.0
    negative_sum: float = 0.0
    fn_unit: float = 1.0
    fp_unit: float = 1.0

    @classmethod
    def of(
        cls,
        scores: Floats,
        positive: Bools,
        costs: Costs,
        fn_cost: Floats | None = None,
        fp_cost: Floats | None = None,
    ) -> Tally:
        """The tally of scored rows; rows may have costs of their own."""
        flagged = scores >= 0.0
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
        """The bill of the decisions."""
        return self.fn_unit * self.missed_sum + self.fp_unit * self.alarm_sum

    @property
    def miss_all(self) -> float:
        """The bill of the policy "always negative"."""
        return self.fn_unit * self.positive_sum

    @property
    def flag_all(self) -> float:
        """The bill of the policy "always positive"."""
        return self.fp_unit * self.negative_sum

    @property
    def rows(self) -> int:
        return self.positives + self.negatives

    def sensitivity(self) -> float:
        """The part of positives that was found; NaN where there was none to find."""
        return 1.0 - self.missed / self.positives if self.positives else np.nan

    def specificity(self) -> float:
        """The part of negatives that was left in peace; NaN where there was none."""
        return 1.0 - self.false_alarms / self.negatives if self.negatives else np.nan

    def weighted_sum(self, alpha_p: float) -> float:
        """``alpha_p * sensitivity + (1 - alpha_p) * specificity``."""
        return alpha_p * self.sensitivity() + (1.0 - alpha_p) * self.specificity()

    def savings(self) -> float:
        """The part saved of what the cheaper constant policy costs; NaN where that is nothing."""
        costs = dict(zip(POLICIES, (self.flag_all, self.miss_all), strict=True))
        cheaper = costs.get(best_of("cost", costs) or "", np.nan)
        return 1.0 - self.cost / cheaper if cheaper > 0.0 else np.nan

    def metrics(self, costs: Costs) -> dict[str, Any]:
        """All metrics by name."""
        return {
            "missed": self.missed,
            "false_alarms": self.false_alarms,
            "sensitivity": self.sensitivity(),
            "specificity": self.specificity(),
            "sum": self.weighted_sum(costs.alpha_p),
            "cost": self.cost,
            "savings": self.savings(),
        }


def _total(which: Bools, costs: Floats | None) -> float:
    """The costs of some rows added up, each 1 where there are none."""
    return float(np.count_nonzero(which) if costs is None else costs[which].sum())
