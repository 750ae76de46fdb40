"""What each row costs a learner, and the cost ratio by which it is decided.

A row costs a learner r = rho if it is positive and 1 if it is negative; with costs of its own, in units
of the objective's b, max(a, 0) or max(b, 0), where a = fn_cost - tp_cost and b = fp_cost - tn_cost.
Counts are of the rows *before* the current one, in units of their weight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import Bools, Floats
from ..errors import CostreamError
from .clipping import Clipping
from .objective import Objective
from .rows import FourCosts

HIGHEST_RATIO = 1e100
UNKNOWN_RATIO = 0.0  # the costs of a row are not known: a learner goes by those of the rows so far


def bounded(cost_ratio: float) -> float:
    """A cost ratio within its bounds, so that its logarithm is finite."""
    return min(max(cost_ratio, 1.0 / HIGHEST_RATIO), HIGHEST_RATIO)


def cost_ratio_of(a: float, b: float) -> float:
    """The cost ratio of a row, which is flagged where q a >= (1 - q) b: at odds of at least b/a.

    The ratio is a/b where both are above 0, and minus that where both are below: then it is flagged
    where the odds are *low*. Otherwise one decision is right whatever the label is, and the ratio is as
    high, or as low, as it can be. It is 0, unknown, where a or b is NaN.
    """
    if a != a or b != b:
        return UNKNOWN_RATIO
    if (a > 0.0 and b > 0.0) or (a < 0.0 and b < 0.0):
        cost_ratio = bounded(a / b)
        return cost_ratio if a > 0.0 else -cost_ratio
    return HIGHEST_RATIO if b <= 0.0 and a >= 0.0 else 1.0 / HIGHEST_RATIO


def cost_ratios_of(a: Floats, b: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.minimum(np.maximum(a / b, 1.0 / HIGHEST_RATIO), HIGHEST_RATIO)
    same = ((a > 0.0) & (b > 0.0)) | ((a < 0.0) & (b < 0.0))
    certain = np.where((b <= 0.0) & (a >= 0.0), HIGHEST_RATIO, 1.0 / HIGHEST_RATIO)
    cost_ratios = np.where(same, np.where(a > 0.0, ratio, -ratio), certain)
    return np.where(np.isnan(a) | np.isnan(b), UNKNOWN_RATIO, cost_ratios)


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
    clipping: Clipping | None = None  # of a learner that learns by clipped costs

    def __post_init__(self) -> None:
        self.set_objective(self.objective)

    def set_objective(self, objective: Objective) -> None:
        self.objective = objective
        self._unit = objective.unit
        self._has_columns = bool(objective.columns)
        self._rho = None if objective.needs_counts else objective.rho(1.0, 1.0)  # one for all rows

    @property
    def half_life(self) -> float | None:
        return self.objective.half_life or self.learner_half_life

    @property
    def fades(self) -> bool:
        return self.objective.needs_counts and self.half_life is not None

    @property
    def recent(self) -> tuple[float, float]:
        if self.fades:
            return self.recent_positives, self.recent_negatives
        return self.positives, self.negatives

    def check_by_cost(self) -> None:
        if not self.objective.has_costs:
            raise CostreamError(
                f"the objective of the model is the {self.objective.name}, which has no costs of rows",
                "make the model with objective=Cost(...), or give a weight instead",
            )

    def cost(self, positive: bool, weight: float, own: FourCosts | None) -> float:
        """The cost of one row; ``own`` are its own costs, if it has any."""
        if not self.cost_sensitive:
            return weight
        if own is not None:
            worth = self._worth(positive, own)
            if self.clipping is not None:
                worth = self.clipping.clipped(worth, positive)
            return float(worth * weight)
        return float(self.class_rho() * weight) if positive else weight

    def _worth(self, positive: bool, own: FourCosts) -> float:
        worth = max(own.a if positive else own.b, 0.0) + 0.0  # never -0.0, as in a batch
        return float(worth / self._unit)

    def class_rho(self) -> float:
        """The cost of a positive row that has no costs of its own."""
        rho = self.objective.rho(*self.recent)
        return 1.0 if rho != rho else rho

    def cost_ratio(self, own: FourCosts | None) -> float:
        if own is not None:
            return cost_ratio_of(own.a, own.b)
        rho = self.objective.rho(*self.recent)
        return UNKNOWN_RATIO if rho != rho else bounded(rho)

    def is_of_objective(self, own: FourCosts) -> Any:
        """Whether the costs of a row, or of each row, are those that the objective has for all."""
        objective = self.objective
        if not objective.has_costs or objective.columns:
            return own.a != own.a
        a, b = objective.fn_cost - objective.tp_cost, objective.fp_cost - objective.tn_cost
        return (own.a == a) & (own.b == b)

    def own_cost_ratios(self, own: FourCosts) -> Floats:
        """The cost ratio of each row; unknown where it is that of the objective, as scores have it."""
        return np.where(self.is_of_objective(own), UNKNOWN_RATIO, cost_ratios_of(own.a, own.b))

    def cost_ratio_many(
        self, positive: Bools | None, weight: Floats | None, own: FourCosts | None, rows: int
    ) -> Floats:
        """The cost ratio of every row of a batch, as `cost_ratio` and `count` in turn would give it.

        ``positive`` is None for rows that are not learnt.
        """
        if own is not None:
            return cost_ratios_of(own.a, own.b)
        if self._has_columns:
            return np.full(rows, UNKNOWN_RATIO)
        if positive is None:
            rho = np.full(rows, 1.0) * self.objective.rho(*self.recent)
        else:
            rho = np.full(rows, 1.0) * self._rho_before(positive, np.arange(rows), weight)
        return np.minimum(np.maximum(rho, 1.0 / HIGHEST_RATIO), HIGHEST_RATIO)

    def count(self, positive: bool, weight: float) -> None:
        if self.fades:
            self._fade([positive], [weight])
        if positive:
            self.positives += weight
        else:
            self.negatives += weight

    def cost_many(self, positive: Bools, weight: Floats | None, own: FourCosts | None) -> Floats:
        """The cost of every row of a batch, each as `cost` and `count` in turn would give it."""
        if not self.cost_sensitive:
            return np.ones(len(positive)) if weight is None else weight.astype(np.float64)
        with np.errstate(over="ignore"):  # the caller looks for costs that are not finite
            if own is not None:
                costs = self._worth_many(positive, own)
                if self.clipping is not None:
                    learnt = np.ones(len(costs), np.bool_) if weight is None else weight > 0.0
                    costs = self.clipping.clipped_many(costs, positive, learnt)
            else:
                costs = np.ones(len(positive))
                where = np.flatnonzero(positive)
                if not self._has_columns:
                    costs[where] = self._rho_before(positive, where, weight)
            if weight is not None:
                costs *= weight
        return costs

    def _worth_many(self, positive: Bools, own: FourCosts) -> Floats:
        worth = np.maximum(np.where(positive, own.a, own.b), 0.0) + 0.0  # never -0.0
        found: Floats = worth / self._unit
        return found

    def clip(self, counts: Sequence[int] = ()) -> None:
        """Learn by clipped costs from now on; ``counts`` are those of a model file."""
        if self.clipping is None:
            self.clipping = Clipping(*counts)
            if not counts and self.objective.has_costs and not self._has_columns:
                self.clipping.begin(self.objective.rho(1.0, 1.0))

    def count_costs(self, positive: Any, weight: Any, own: FourCosts | None) -> None:
        """Count the costs of a row that was learnt, or of rows, in what is typical."""
        if self.clipping is None or own is None:
            return
        if isinstance(positive, np.ndarray):
            learnt = np.ones(len(positive), np.bool_) if weight is None else weight > 0.0
            self.clipping.count_many(self._worth_many(positive, own), positive, learnt)
        else:
            self.clipping.count(self._worth(positive, own), positive)

    def _rho_before(
        self, positive: Bools, where: NDArray[np.intp], weight: Floats | None
    ) -> float | Floats:
        if self._rho is not None:
            return self._rho
        return self.objective.rho(*self._counts_before(positive, where, weight))

    def _counts_before(
        self, positive: Bools, where: NDArray[np.intp], weight: Floats | None
    ) -> tuple[Floats, Floats]:
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
