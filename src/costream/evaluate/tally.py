"""From scores to what they cost: confusion counts, rates, the bill, and what it saves."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

METRICS = ("missed", "false_alarms", "sensitivity", "specificity", "sum", "cost", "savings")


@dataclass(frozen=True)
class Prices:
    """What a missed positive and a false alarm cost, and the weight of sensitivity in ``sum``."""

    fn_cost: float = 0.9
    fp_cost: float = 0.1
    alpha_p: float = 0.5


@dataclass
class Tally:
    """Counts of decisions and what they cost; tallies of parts of a stream add up.

    ``miss_all`` and ``flag_all`` are the bills of the two constant policies, always negative and
    always positive.

    >>> tally = Tally.of(np.array([0.5, -0.5, -1.0]), np.array([True, True, False]), Prices(9, 1))
    >>> tally.missed, tally.false_alarms, tally.cost
    (1.0, 0.0, 9.0)
    >>> tally.savings(), tally.sensitivity(), tally.specificity()
    (-8.0, 0.5, 1.0)
    """

    positives: float = 0.0
    negatives: float = 0.0
    missed: float = 0.0
    false_alarms: float = 0.0
    cost: float = 0.0
    miss_all: float = 0.0
    flag_all: float = 0.0

    @classmethod
    def of(
        cls,
        scores: Floats,
        positive: Bools,
        prices: Prices,
        fn_cost: Floats | None = None,
        fp_cost: Floats | None = None,
    ) -> Tally:
        """The tally of scored rows; rows may have prices of their own."""
        flagged = scores >= 0.0
        missed, false_alarms = positive & ~flagged, flagged & ~positive

        def bill(which: Bools, price: float, prices: Floats | None) -> float:
            if prices is None:
                return price * float(np.count_nonzero(which))
            return float(prices[which].sum())

        fn, fp = (prices.fn_cost, fn_cost), (prices.fp_cost, fp_cost)
        return cls(
            positives=float(np.count_nonzero(positive)),
            negatives=float(np.count_nonzero(~positive)),
            missed=float(np.count_nonzero(missed)),
            false_alarms=float(np.count_nonzero(false_alarms)),
            cost=bill(missed, *fn) + bill(false_alarms, *fp),
            miss_all=bill(positive, *fn),
            flag_all=bill(~positive, *fp),
        )

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @property
    def rows(self) -> float:
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
        cheapest = min(self.miss_all, self.flag_all)
        return 1.0 - self.cost / cheapest if cheapest > 0.0 else np.nan

    def metrics(self, prices: Prices) -> dict[str, Any]:
        """All metrics by name."""
        return {
            "missed": int(self.missed),
            "false_alarms": int(self.false_alarms),
            "sensitivity": self.sensitivity(),
            "specificity": self.specificity(),
            "sum": self.weighted_sum(prices.alpha_p),
            "cost": self.cost,
            "savings": self.savings(),
        }
