"""All learners on the same runs of a data set, beside the two constant policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..classifier import OnlineClassifier, core_of
from ..datasets.dataset import Dataset
from ..learners import Learner
from ..objective import Objective, Sum
from .comparison import AT_ROW_COSTS, WHAT_AT_ROW_COSTS, Comparison, Entry
from .policies import POLICIES
from .runs import Run, in_parallel, mean_of, places_for, run_once, std_of, tallied
from .tally import Costs

Build = Callable[[Objective], OnlineClassifier]


@dataclass(frozen=True)
class Task:
    """What learners are compared on.

    Attributes
    ----------
    title, note : str
        The name of the data set, and where its rows come from.
    sample : Dataset
        A few of its rows, for an objective before any run.
    runs : sequence of callables
        Each loads the rows of one run: the same rows in another order, or newly generated ones.
    objective : callable
        Makes the objective for the rows of a run.
    costs : Costs
        What mistakes cost where rows have no costs of their own.
    """

    title: str
    note: str
    sample: Dataset
    runs: Sequence[Callable[[], Dataset]]
    objective: Callable[[Dataset], Objective]
    costs: Costs


def compare(task: Task, builds: Mapping[str, Build], on_progress: Callable[[], None]) -> Comparison:
    """Compare learners and the constant policies on the same runs.

    Parameters
    ----------
    task : Task
        The runs.
    builds : mapping of str to callable
        By the name of the learner, what makes a new model for an objective.
    on_progress : callable
        Called without arguments after each learner on each run.

    Returns
    -------
    Comparison
        Means and standard deviations over the runs, the best first.
    """
    found: dict[str, list[Run]] = {name: [] for name in (*POLICIES, *builds)}
    data, objective = task.sample, task.objective(task.sample)
    for load in task.runs:
        data = load()
        data.rows.check()  # takes the norms, once for all
        objective = task.objective(data)
        learn = partial(_learn, task, objective, data, load is task.runs[0])
        runs = in_parallel([partial(learn, *one) for one in builds.items()], on_progress)
        for name, run in zip(builds, runs, strict=True):
            found[name].append(run)
        for name, score in zip(POLICIES, (1.0, -1.0), strict=True):
            scores = np.full(len(data), score)
            found[name].append(tallied(scores, data, task.costs, places_for(len(data))))
    settings = {name: changed(build(objective).learner) for name, build in builds.items()}
    entries = [_entry(name, settings.get(name, {}), found[name], objective, task) for name in found]
    costs: dict[str, Any] = dict(vars(task.costs))
    for name in ("fn_cost", "fp_cost"):
        if getattr(data, name) is not None:
            costs[name] = "per row"
    tallies = [run.tally for run in found[POLICIES[0]]]
    return Comparison(
        title=task.title,
        note=f"{task.note} {WHAT_AT_ROW_COSTS}" if AT_ROW_COSTS in builds else task.note,
        objective=objective.name,
        costs=costs,
        rows=round(np.mean([tally.rows for tally in tallies])),
        positives=round(np.mean([tally.positives for tally in tallies])),
        runs=len(task.runs),
        places=places_for(len(data)),
        entries=sorted(entries, key=partial(_rank, objective.name)),
    )


def _learn(
    task: Task, objective: Objective, data: Dataset, first: bool, name: str, build: Build
) -> Run:
    places, at_row_costs = places_for(len(data)), name == AT_ROW_COSTS
    watch = first and not at_row_costs
    return run_once(build(objective), data, task.costs, places, watch=watch, at_row_costs=at_row_costs)


def costs_reveal_label(data: Dataset) -> bool:
    """Whether a column of costs reveals the label: it is 0 for all rows of just one class."""
    for cost in (data.fn_cost, data.fp_cost):
        if cost is not None and 0 < data.positives < len(data):
            free = [not cost[which].any() for which in (data.positive, ~data.positive)]
            if free[0] != free[1]:
                return True
    return False


def warm_up(builds: Mapping[str, Build]) -> None:
    """Load every learner, or compile it, before anything is timed."""
    for name, build in builds.items():
        core_of(build(Sum())).warm_up(calibrated=name == AT_ROW_COSTS)


def changed(learner: Learner) -> dict[str, Any]:
    """The hyper-parameters that are not at their defaults."""
    default = type(learner)().get_params()
    return {key: value for key, value in learner.get_params().items() if value != default[key]}


def _rank(objective: str, entry: Entry) -> float:
    return -entry.mean["sum"] if objective == "sum" else entry.mean["cost"]


def _entry(
    name: str, settings: dict[str, Any], runs: list[Run], objective: Objective, task: Task
) -> Entry:
    metrics = [run.metrics(task.costs) for run in runs]

    def value(run: Run, at: int) -> float:
        tally = run.curve[at]
        return tally.cost if objective.name == "cost" else tally.weighted_sum(task.costs.alpha_p)

    places = range(min(len(run.curve) for run in runs))
    curve = [float(np.mean([value(run, at) for run in runs])) for at in places]
    std = {key: 0.0 if value != value else value for key, value in std_of(metrics).items()}
    return Entry(name, settings, mean_of(metrics), std, curve, runs[0].leaders, runs[0].member_costs)
