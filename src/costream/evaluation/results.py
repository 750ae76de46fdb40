"""What `compare` finds: every learner on the same runs of a data set."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from ..costs.metrics import METRICS, Metric
from ..costs.objectives import OBJECTIVES
from ..costs.policies import POLICIES, best_of, is_better
from .shapes import Shape


@dataclass(frozen=True)
class Entry:
    """One learner, constant policy or rule: its metrics over the runs, and its online curve."""

    name: str
    settings: dict[str, Any]
    mean: dict[str, float]  # missed, false_alarms, sensitivity, ..., seconds
    std: dict[str, float]  # n - 1; 0 for a single run
    curve: list[float]  # the objective at each of the places, mean over the runs
    leaders: list[str] = field(default_factory=list)  # of a portfolio, at each of the places: first run
    member_costs: dict[str, float] = field(default_factory=dict)  # at the end of that run
    shapes: list[Shape] = field(default_factory=list)  # likewise
    baseline: bool = False  # a rule of the user's own

    @property
    def policy(self) -> bool:
        return self.name in POLICIES

    @property
    def learns(self) -> bool:
        """Whether it is a learner, and neither a constant policy nor a rule."""
        return not self.policy and not self.baseline

    def value(self, metric: str) -> float:
        """The mean of a metric; NaN where there is none."""
        return self.mean.get(metric, math.nan)


@dataclass(frozen=True)
class Comparison:
    """Learners and constant policies on one data set, the best first."""

    title: str
    note: str  # where the rows come from, in a sentence or two
    objective: str  # its name
    costs: dict[str, Any]  # fn_cost, fp_cost, alpha_p; "per row" where rows have their own
    rows: int
    positives: int
    runs: int
    places: list[int]  # rows after which the curves were taken
    entries: list[Entry] = field(default_factory=list)
    decisions: str = ""  # how rows with costs of their own are decided, in a sentence
    undefined: str = ""  # why there are no savings, in a sentence

    @property
    def metric(self) -> Metric:
        """What learners are ranked by."""
        return METRICS[OBJECTIVES[self.objective].metric]

    @property
    def is_bill(self) -> bool:
        """Whether that is money, which starts from nothing."""
        return self.metric.kind == "money"

    @property
    def has_costs(self) -> bool:
        """Whether the objective is about costs, so that there is money to be saved."""
        return OBJECTIVES[self.objective].has_costs

    @property
    def better_policy(self) -> Entry | None:
        """The better constant policy by the objective, if one was run."""
        policies = {entry.name: entry for entry in self.entries if entry.policy}
        values = {name: entry.value(self.metric.name) for name, entry in policies.items()}
        name = best_of(self.metric.name, values)
        return None if name is None else policies[name]

    def is_useful(self, entry: Entry) -> bool:
        """Whether a learner is better than the better constant policy."""
        policy, key = self.better_policy, self.metric.name
        return policy is None or is_better(key, entry.value(key), policy.value(key))
