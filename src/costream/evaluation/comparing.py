"""All learners on the same runs of a data set, beside the constant policies and rules of the user."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..costs.metrics import METRICS
from ..costs.objective import Objective
from ..costs.objectives import DEFAULT, as_objective
from ..costs.policies import POLICIES
from ..costs.tally import Costs
from ..datasets.dataset import Dataset
from ..learners import Learner
from ..model.classifier import OnlineClassifier, core_of
from .results import Comparison, Entry
from .runs import Run, in_parallel, mean_of, places_for, run_once, std_of, tallied

Build = Callable[[Objective], OnlineClassifier]
AT_ROW_COSTS = "Each row is decided at its own costs: flagged where that is expected to cost less."


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


def compare(
    task: Task,
    builds: Mapping[str, Build],
    on_progress: Callable[[], None],
    watch: bool = True,
) -> Comparison:
    """Compare learners, the constant policies and the rules of a data set on the same runs.

    Parameters
    ----------
    task : Task
        The runs.
    builds : mapping of str to callable
        By the name of the learner, what makes a new model for an objective.
    on_progress : callable
        Called without arguments after each learner on each run.
    watch : bool, default=True
        Whether to record, on the first run, who leads a portfolio and the shapes that it has learnt,
        which takes a second pass.

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
        learn = partial(_learn, task, objective, data, watch and load is task.runs[0])
        runs = in_parallel([partial(learn, build) for build in builds.values()], on_progress)
        for name, run in zip(builds, runs, strict=True):
            found[name].append(run)
        for name, score in zip(POLICIES, (1.0, -1.0), strict=True):
            scores = np.full(len(data), score)
            found[name].append(tallied(scores, data, task.costs, places_for(len(data))))
        for name, flagged in data.decisions.items():
            scores = np.where(flagged, 1.0, -1.0)
            run = tallied(scores, data, task.costs, places_for(len(data)))
            found.setdefault(name, []).append(run)
    learners = {name: build(objective).learner for name, build in builds.items()}
    settings = {name: changed(learner) for name, learner in learners.items()}
    entries = [
        replace(
            _entry(name, settings.get(name, {}), found[name], objective, task),
            baseline=name in data.decisions,
        )
        for name in found
    ]
    costs: dict[str, Any] = dict(vars(task.costs))
    for name, cost in data.costs._asdict().items():
        if cost is not None:
            costs[name] = "per row"
    tallies = [run.tally for run in found[POLICIES[0]]]
    nothing = tallies[0].nothing_to_save
    return Comparison(
        title=task.title,
        note=task.note,
        objective=objective.name,
        costs=costs,
        rows=round(np.mean([tally.rows for tally in tallies])),
        positives=round(np.mean([tally.positives for tally in tallies])),
        runs=len(task.runs),
        places=places_for(len(data)),
        entries=sorted(entries, key=partial(_rank, objective.metric)),
        decisions=how_decided(data, objective),
        undefined=f"Savings are undefined: {nothing}." if nothing else "",
    )


def _learn(task: Task, objective: Objective, data: Dataset, first: bool, build: Build) -> Run:
    return run_once(build(objective), data, task.costs, places_for(len(data)), watch=first)


def how_decided(data: Dataset, objective: Objective) -> str:
    """Say how rows with costs of their own are decided, and warn of costs that reveal labels.

    Parameters
    ----------
    data : Dataset
        The rows.
    objective : Objective
        What is optimised.

    Returns
    -------
    str
        A sentence or two; empty where rows have no costs of their own.
    """
    if not data.costs.any or not objective.has_costs:
        return ""
    return AT_ROW_COSTS if data.revealing is None else f"{AT_ROW_COSTS} Warning: {data.revealing}"


def warm_up(builds: Mapping[str, Build]) -> None:
    """Load every learner, or compile it, before anything is timed."""
    for build in builds.values():
        core_of(build(as_objective(DEFAULT))).warm_up()


def changed(learner: Learner) -> dict[str, Any]:
    """The hyper-parameters that are not at their defaults."""
    default = type(learner)().get_params()
    return {key: value for key, value in learner.get_params().items() if value != default[key]}


def _rank(metric: str, entry: Entry) -> float:
    return -entry.mean[metric] if METRICS[metric].more_is_better else entry.mean[metric]


def _entry(
    name: str, settings: dict[str, Any], runs: list[Run], objective: Objective, task: Task
) -> Entry:
    metrics = [run.metrics(task.costs) for run in runs]

    def value(run: Run, at: int) -> float:
        return METRICS[objective.metric].value(run.curve[at], task.costs.alpha_p)

    places = range(min(len(run.curve) for run in runs))
    curve = [float(np.mean([value(run, at) for run in runs])) for at in places]
    std = {key: 0.0 if value != value else value for key, value in std_of(metrics).items()}
    first = runs[0]
    return Entry(
        name,
        settings,
        mean_of(metrics),
        std,
        curve,
        leaders=first.leaders,
        member_costs=first.member_costs,
        shapes=first.shapes,
    )
