"""An experiment: data sets, metrics, learners, what to try, and what to show."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..costs import metrics
from ..costs.objective import Objective
from ..costs.objectives import OBJECTIVES
from ..costs.tally import Costs
from ..errors import CostreamError
from ..learners import make_learner

WORDS = {"margin": ("ratio", "rho"), "seed": ("run",)}  # values that depend on the data or the run


@dataclass(frozen=True)
class Metric:
    """An objective by its name, and its costs; ``ratio`` is "known" or "estimated"."""

    name: str = "sum"
    alpha_p: float = 0.5
    fn_cost: float = 0.9
    fp_cost: float = 0.1
    ratio: str = "known"

    def __post_init__(self) -> None:
        if self.name not in OBJECTIVES:
            raise CostreamError(f"a metric is {' or '.join(map(repr, OBJECTIVES))}, not {self.name!r}")
        if self.ratio not in ("known", "estimated"):
            raise CostreamError(f"ratio is 'known' or 'estimated', not {self.ratio!r}")
        self.objective(1, 1)

    @property
    def better(self) -> str:
        """Whether "more" or "less" of it is better."""
        return "more" if metrics.METRICS[self.key].more_is_better else "less"

    @property
    def kind(self) -> type[Objective]:
        return OBJECTIVES[self.name]

    @property
    def key(self) -> str:
        """The metric of decisions that it is measured by."""
        return self.kind.metric

    @property
    def costs(self) -> Costs:
        return Costs(fn_cost=self.fn_cost, fp_cost=self.fp_cost, alpha_p=self.alpha_p)

    def objective(self, positives: int, negatives: int) -> Objective:
        return self.kind.of(self.costs, (positives, negatives) if self.ratio == "known" else None)


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of a data set without its rows."""

    name: str
    title: str
    content: str
    rows: int
    positives: int
    width: int
    order: str
    note: str = ""

    @property
    def negatives(self) -> int:
        return self.rows - self.positives


@dataclass(frozen=True)
class Candidate:
    """A learner under the name it is shown by, with the settings to try."""

    learner: str
    label: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, Any] = field(default_factory=dict)
    stated: Mapping[str, Any] = field(default_factory=dict)  # of the grid, what the paper says it used
    also: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # off the grid, by data set
    datasets: tuple[str, ...] = ()  # on these alone; empty: on all
    like: str = ""  # the candidate of the other experiment whose setting is used
    beside: str = ""  # the printed algorithm it is set beside, if not the one of its name
    ratio: str = ""  # "estimated": other than the experiment's

    @property
    def name(self) -> str:
        return self.label or self.learner

    def settings(self) -> list[dict[str, Any]]:
        """Every combination on the grid, the fixed parameters among them."""
        axes = [values(axis) for axis in self.grid.values()]
        return [
            {**self.params, **dict(zip(self.grid, point, strict=True))}
            for point in itertools.product(*axes)
        ]

    def off_grid(self, dataset: str) -> list[dict[str, Any]]:
        """Settings that are tried only to see whether they come nearer to a printed number."""
        axes = self.also.get(dataset)
        return replace(self, grid={**self.grid, **axes}).settings() if axes else []

    def whole(self, setting: Mapping[str, Any]) -> dict[str, Any]:
        """A setting with the values that it does not name, so that it can be compared with others."""
        return {**make_learner(self.learner).get_params(), **setting}

    def is_stated(self, setting: Mapping[str, Any]) -> bool:
        """Whether a setting is one of those that the paper says it used."""
        wanted = self.whole(setting)
        kept = (wanted.get(key) in values(axis) for key, axis in self.stated.items())
        return wanted in map(self.whole, self.settings()) and all(kept)

    def check(self) -> None:
        """Raise an error for a learner, a hyper-parameter or a value that does not exist."""
        tried = [setting for name in self.also for setting in self.off_grid(name)]
        for setting in self.settings() + tried:
            resolved(self.learner, setting, 1, 1)
        for key, axis in self.stated.items():
            unknown = [one for one in values(axis) if one not in values(self.grid.get(key, [None]))]
            if unknown:
                raise CostreamError(f"stated.{key} of {self.name}: {unknown[0]!r} is not on its grid")
        if self.ratio not in ("", "known", "estimated"):
            raise CostreamError(f"ratio of {self.name} is 'known' or 'estimated', not {self.ratio!r}")


def resolved(
    learner: str, setting: Mapping[str, Any], positives: int, negatives: int, run: int = 0
) -> dict[str, Any]:
    """All hyper-parameters as numbers: those not set, and words.

    "ratio" is T_n/T_p, "rho" the cost of a positive row, and "run" another number for each run.
    """
    words = {"ratio": negatives / positives, "rho": None, "run": run + 1}
    found = {key: _number_for(key, value, words) for key, value in setting.items()}
    return make_learner(learner, **found).get_params()


def _number_for(key: str, value: Any, words: Mapping[str, Any]) -> Any:
    if not isinstance(value, str):
        return value
    if value not in WORDS.get(key, ()):
        raise CostreamError(f"{key} must be a number, not {value!r}")
    return words[value]


def values(axis: Any) -> list[Any]:
    """The values of an axis: a list, or powers of ten as "1e-5..1e5".

    >>> values("1e-1..1e2")
    [0.1, 1.0, 10.0, 100.0]
    """
    if isinstance(axis, list | tuple) and axis:
        return list(axis)
    try:
        low, high = (round(math.log10(float(end))) for end in axis.split(".."))
    except (AttributeError, ValueError):
        raise CostreamError(f"an axis is a list of values or like '1e-5..1e5', not {axis!r}") from None
    return [float(f"1e{n}") for n in range(low, high + 1)]


@dataclass(frozen=True)
class Experiment:
    """What is to be run, and how it is shown."""

    name: str
    title: str
    kind: str = "table"
    note: str = ""
    printed: str = ""  # the table of the paper whose numbers stand beside ours
    datasets: tuple[str, ...] = ()
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # data sets of one's own
    substitutes: Mapping[str, list[str]] = field(default_factory=dict)
    metrics: tuple[Metric, ...] = (Metric(),)
    costs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # of single data sets
    candidates: tuple[Candidate, ...] = ()
    tuned_in: str = ""  # the experiment that chose the settings
    without: tuple[str, ...] = ()  # learners of that experiment that are left out
    axis: Mapping[str, Any] = field(default_factory=dict)
    runs: Mapping[str, int] = field(default_factory=lambda: {"default": 20})
    tuning: Mapping[str, int] = field(default_factory=dict)  # runs on which a grid is searched
    folds: int = 0  # cross-validation instead of prequential runs
    rows: int = 0  # at most so many rows of each data set, evenly spread
    seed: int = 0
    is_quick: bool = False
    home: Path = Path()  # paths in the file are relative to this

    def runs_on(self, dataset: str) -> int:
        return self.runs.get(dataset, self.runs["default"])

    def tuning_on(self, dataset: str) -> int:
        default = self.tuning.get("default", self.runs_on(dataset))
        return min(self.tuning.get(dataset, default), self.runs_on(dataset))

    def on(self, dataset: str) -> list[Candidate]:
        """The candidates that run on a data set; a substitute is treated as what it stands for."""
        names = set(self.names_of(dataset))
        return [one for one in self.candidates if not one.datasets or names & set(one.datasets)]

    def names_of(self, dataset: str) -> list[str]:
        """The name of a data set, and those that it stands for."""
        return [dataset, *(name for name, others in self.substitutes.items() if dataset in others)]

    def with_costs(self, metric: Metric, dataset: str) -> Metric:
        """A metric at the costs of a data set, if it has its own."""
        for name in self.names_of(dataset):
            if name in self.costs and metric.kind.has_costs:
                return replace(metric, **dict[str, Any](self.costs[name]))
        return metric

    def quick(self) -> Experiment:
        """The same in seconds: two runs, a few values, a sample of the rows."""
        thin = [
            replace(one, also={}, grid={key: _thinned(values(axis)) for key, axis in one.grid.items()})
            for one in self.candidates
        ]
        axis = {key: _thinned(values(axis)) for key, axis in self.axis.items()}
        rows = min(self.rows or QUICK_ROWS, QUICK_ROWS)
        return replace(
            self,
            candidates=tuple(thin),
            axis=axis,
            runs={"default": 2},
            tuning={},
            rows=rows,
            is_quick=True,
        )


QUICK_ROWS = 1000


def _thinned(points: list[Any]) -> list[Any]:
    """At most four values, those in the middle and at even distances."""
    step = math.ceil(len(points) / 4)
    return points[len(points) // 2 % step :: step]
