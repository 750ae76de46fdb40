"""The metrics of decisions, in the order in which they are shown: the one list of them.

Tables, pages, JSON, the metrics of arrays and those for River take their names, values and words from
here; a metric is one entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .tally import Tally


@dataclass(frozen=True)
class Metric:
    """A metric of a tally.

    Rates are shown in percent, fractions with four decimals in text and in percent on pages.
    """

    name: str  # in JSON
    title: str  # at the head of a column
    meaning: str  # in a sentence or two
    value: Callable[[Tally, float], float]  # given the weight of sensitivity; NaN where undefined
    kind: Literal["count", "rate", "fraction", "money"]
    more_is_better: bool = False
    needs_costs: bool = False  # whether it is shown only where the objective is about costs
    undefined: Callable[[Tally], str] | None = None  # says why of a tally for which it is

    @property
    def is_percent(self) -> bool:
        """Whether it is between 0 and 1 or below, and so shown in percent on pages."""
        return self.kind in ("rate", "fraction")

    @property
    def better(self) -> str:
        return "higher is better" if self.more_is_better else "lower is better"


def _one_class(tally: Tally) -> str:
    absent = "negative" if tally.positives else "positive"
    return f"the weighted sum is undefined: no row is {absent}"


def _nothing_to_save(tally: Tally) -> str:
    return f"savings are undefined: {tally.nothing_to_save or 'there are no rows'}"


_LISTED = (
    Metric(
        "missed",
        "missed",
        "Positives that were not flagged.",
        lambda tally, _: tally.missed,
        "count",
    ),
    Metric(
        "false_alarms",
        "false alarms",
        "Negatives that were flagged.",
        lambda tally, _: tally.false_alarms,
        "count",
    ),
    Metric(
        "sensitivity",
        "sensitivity",
        "The part of the positives that was flagged.",
        lambda tally, _: tally.sensitivity(),
        "rate",
        more_is_better=True,
    ),
    Metric(
        "specificity",
        "specificity",
        "The part of the negatives that was left alone.",
        lambda tally, _: tally.specificity(),
        "rate",
        more_is_better=True,
    ),
    Metric(
        "sum",
        "sum",
        "Sensitivity and specificity, weighted and added up; with weights of one half this is the "
        "balanced accuracy.",
        lambda tally, alpha_p: tally.weighted_sum(alpha_p),
        "fraction",
        more_is_better=True,
        undefined=_one_class,
    ),
    Metric(
        "cost",
        "cost",
        "The total cost of all decisions.",
        lambda tally, _: tally.cost,
        "money",
    ),
    Metric(
        "saved",
        "saved",
        "What was saved in money: the cost of the better constant policy less that of the learner.",
        lambda tally, _: tally.saved,
        "money",
        more_is_better=True,
        needs_costs=True,
    ),
    Metric(
        "savings",
        "savings",
        "The part of the avoidable cost that was avoided: of what the better constant policy costs "
        "more than perfect decisions. Below zero, the learner cost more than that policy.",
        lambda tally, _: tally.savings(),
        "rate",
        more_is_better=True,
        undefined=_nothing_to_save,
    ),
)
METRICS: dict[str, Metric] = {one.name: one for one in _LISTED}


def class_name(metric: str) -> str:
    """The name of a metric as a class: ``FalseAlarms`` for ``false_alarms``."""
    return metric.title().replace("_", "")
