"""What `evaluate` finds of a model, and `compare` of learners: numbers that print and plot."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from ..costs.metrics import METRICS, Metric
from ..costs.objective import Objective
from ..costs.objectives import OBJECTIVES
from ..costs.policies import POLICIES, best_of, is_better
from ..costs.tally import Tally
from ..errors import CostreamError
from ..learners import Learner
from ..model.classifier import OnlineClassifier
from .record import Record
from .shapes import Shape


@dataclass(frozen=True, repr=False)
class Evaluation:
    """What the decisions of a model have cost, as `costream.evaluate` found it.

    It prints as a table, shows itself in notebooks, and `plot` draws the online curve.

    Attributes
    ----------
    learner : Learner
        The learner, with its hyper-parameters.
    objective : Objective
        What it optimises.
    tally : Tally
        The decisions on all rows that have a label.
    curve : list of Tally
        The decisions on the first rows, up to each of some evenly spaced places.
    seconds : float
        How long deciding and learning took.
    unlabelled : int
        The number of rows without a label: they were decided, and not counted.
    alpha_p : float
        The weight of sensitivity in the weighted accuracy.

    Examples
    --------
    >>> from costream import Cost, OnlineClassifier, evaluate
    >>> model = OnlineClassifier("carow-diag", Cost(fn_cost=9, fp_cost=1))
    >>> found = evaluate(model, [[1.0, 0.2], [0.1, 1.0]] * 50, [1, 0] * 50)
    >>> found.cost, found.sensitivity, found.savings
    (1.0, 1.0, 0.98)
    >>> found.online_curve("cost")[1][-1]
    1.0
    """

    learner: Learner
    objective: Objective
    tally: Tally
    curve: list[Tally]
    seconds: float
    unlabelled: int = 0
    alpha_p: float = 0.5

    @classmethod
    def of(cls, model: OnlineClassifier, record: Record) -> Evaluation:
        """From the record of a model."""
        curve, tally = list(record.curve), record.tally
        if not curve or curve[-1].rows < tally.rows:
            curve.append(tally)
        return cls(
            model.learner,
            model.objective,
            tally,
            curve,
            record.seconds,
            record.unlabelled,
            record.costs.alpha_p,
        )

    @property
    def rows(self) -> int:
        """The number of rows that have a label."""
        return self.tally.rows

    @property
    def positives(self) -> int:
        """The number of positive rows."""
        return self.tally.positives

    @property
    def missed(self) -> int:
        """The number of positive rows that were not flagged."""
        return self.tally.missed

    @property
    def false_alarms(self) -> int:
        """The number of negative rows that were flagged."""
        return self.tally.false_alarms

    @property
    def sensitivity(self) -> float:
        """The fraction of positives that were flagged."""
        return self.tally.sensitivity()

    @property
    def specificity(self) -> float:
        """The fraction of negatives that were not flagged."""
        return self.tally.specificity()

    @property
    def weighted_accuracy(self) -> float:
        """The weighted sum of both; balanced accuracy where the weight is 0.5."""
        return self.tally.weighted_sum(self.alpha_p)

    @property
    def cost(self) -> float:
        """The cost of the decisions."""
        return self.tally.cost

    @property
    def saved(self) -> float:
        """What they cost less than the better constant policy, which flags all rows or none."""
        return self.tally.saved

    @property
    def savings(self) -> float:
        """The part of the avoidable cost that was avoided: 1 for perfect decisions."""
        return self.tally.savings()

    @property
    def metrics(self) -> dict[str, float]:
        """All metrics by their names in ``costream.metrics.METRICS``, and the seconds."""
        found = {name: one.value(self.tally, self.alpha_p) for name, one in METRICS.items()}
        return {**found, "seconds": self.seconds}

    def online_curve(self, metric: str | None = None) -> tuple[list[int], list[float]]:
        """Give the online curve of a metric.

        Parameters
        ----------
        metric : str, default=None
            The name of a metric in ``costream.metrics.METRICS``; None for that of the objective.

        Returns
        -------
        rows : list of int
            The numbers of rows after which the curve has a point.
        values : list of float
            The metric of all rows up to each of them.
        """
        one = self._metric(metric)
        values = [one.value(tally, self.alpha_p) for tally in self.curve]
        return [tally.rows for tally in self.curve], values

    def plot(self, metric: str | None = None, *, ax: Any = None) -> Any:
        """Draw the online curve, with matplotlib.

        Parameters
        ----------
        metric : str, default=None
            The name of a metric in ``costream.metrics.METRICS``; None for that of the objective.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        matplotlib Axes
            The axes.

        Raises
        ------
        CostreamError
            If there is no such metric, or no matplotlib.
        """
        from ..report.results import plot_curves

        curves = {self.learner.name: self.online_curve(metric)}
        return plot_curves(curves, self._metric(metric), repr(self.learner), ax)

    def _metric(self, name: str | None) -> Metric:
        if name is not None and name not in METRICS:
            raise CostreamError(f"there is no metric {name!r}", f"use one of {', '.join(METRICS)}")
        return METRICS[self.objective.metric if name is None else name]

    def __str__(self) -> str:
        from ..report.results import evaluation_text

        rows = [("run", self.metrics)]
        return evaluation_text(repr(self.learner), self.objective, self.tally, rows)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from ..report.results import evaluation_html

        return evaluation_html(repr(self.learner), self.objective, self.tally, self.metrics)


@dataclass(frozen=True)
class Entry:
    """One learner, constant policy or rule: its metrics over the runs, and its online curve."""

    name: str
    settings: dict[str, Any]
    mean: dict[str, float]  # missed, false_alarms, sensitivity, ..., seconds
    std: dict[str, float]  # n - 1; 0 for a single run
    curve: list[float]  # the objective at each of the places, mean over the runs
    leaders: list[str] = field(default_factory=list)  # of a portfolio, at each of the places: first run
    half_lives: list[int | None] = field(default_factory=list)  # likewise, those that led
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


@dataclass(frozen=True, repr=False)
class Comparison:
    """Learners, constant policies and rules on one data set, the best first.

    It prints as a table, shows itself in notebooks, and `plot` draws the online curves.

    Attributes
    ----------
    title : str
        The name of the data set.
    note : str
        Where the rows come from, in a sentence or two.
    objective : str
        The name of the objective.
    costs : dict of str to float or str
        The costs that decisions are billed at, and alpha_p; "per row" where rows have their own.
    rows, positives, runs : int
        The numbers of rows, of positive ones, and of runs.
    places : list of int
        The numbers of rows after which the curves have a point.
    entries : list of Entry
        The learners, policies and rules, the best by the objective first.
    decisions : str
        How rows with costs of their own are decided, in a sentence.
    undefined : str
        Why there are no savings, in a sentence.

    Examples
    --------
    >>> from costream import Cost, compare
    >>> X, y = [[1.0, 0.2], [0.1, 1.0]] * 50, [1, 0] * 50
    >>> found = compare(X, y, learners=["perceptron", "carow-diag"], objective=Cost(9, 1))
    >>> [entry.name for entry in found.entries if entry.learns]
    ['carow-diag', 'perceptron']
    >>> found["carow-diag"].mean["cost"]
    1.0
    """

    title: str
    note: str
    objective: str
    costs: dict[str, Any]
    rows: int
    positives: int
    runs: int
    places: list[int]
    entries: list[Entry] = field(default_factory=list)
    decisions: str = ""
    undefined: str = ""

    def __getitem__(self, name: str) -> Entry:
        """The entry of a learner, a policy or a rule."""
        found = next((entry for entry in self.entries if entry.name == name), None)
        if found is None:
            raise KeyError(f"{name!r} is not among {', '.join(one.name for one in self.entries)}")
        return found

    @property
    def best(self) -> Entry:
        """The best of the learners by the objective."""
        return next(entry for entry in self.entries if entry.learns)

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the online curves of the best learners, the rules and the better constant policy.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        matplotlib Axes
            The axes.

        Raises
        ------
        CostreamError
            If there is no matplotlib.
        """
        from ..report.results import curves_of, plot_curves

        return plot_curves(curves_of(self), self.metric, self.title, ax)

    def to_html(self) -> str:
        """Write the page of ``costream compare``: verdict, curves, table and shapes.

        Returns
        -------
        str
            An HTML page that needs nothing else.
        """
        from ..report.comparison import render

        return render([self], "costream.compare(...)", version("costream"))

    def __str__(self) -> str:
        from ..report.results import comparison_text

        return comparison_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from ..report.results import comparison_html

        return comparison_html(self)

    @property
    def metric(self) -> Metric:
        """What learners are ranked by."""
        return METRICS[OBJECTIVES[self.objective].metric]

    @property
    def is_total_cost(self) -> bool:
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
