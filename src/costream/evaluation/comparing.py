"""``costream.compare``: learners on the same runs of a data set, beside constant policies and rules."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..costs.metrics import METRICS
from ..costs.objective import Objective
from ..costs.objectives import DEFAULT, as_objective
from ..costs.policies import POLICIES
from ..costs.tally import Costs
from ..datasets.dataset import Dataset
from ..errors import CostreamError
from ..files.reader import Stream, with_costs_of
from ..labels.labels import Choice
from ..learners import LEARNERS, Learner, make_learner
from ..model.classifier import OnlineClassifier, core_of
from ..tables.arrays import Rows
from .data import dataset_of, dataset_of_stream, rows_and_labels, stream_of
from .results import Comparison, Entry
from .runs import (
    Order,
    Run,
    in_parallel,
    mean_of,
    permutations,
    places_for,
    run_once,
    std_of,
    tallied,
)

Build = Callable[[Objective], OnlineClassifier]
LARGEST_STATE = 1 << 27  # bytes; a learner that needs more is run only where it is named
AT_ROW_COSTS = "Each row is decided at its own costs: flagged where that is expected to cost less."


@dataclass(frozen=True)
class Task:
    """What learners are compared on."""

    title: str
    note: str  # where the rows come from
    sample: Dataset  # a few of them, for an objective before any run
    runs: Sequence[Callable[[], Dataset]]  # each loads its rows: in another order, or new ones
    objective: Callable[[Dataset], Objective]  # for the rows of a run
    costs: Costs  # where rows have none of their own

    @classmethod
    def of(
        cls,
        title: str,
        note: str,
        data: Dataset,
        orders: Iterable[Order | None],
        objective: Callable[[Dataset], Objective],
        costs: Costs,
    ) -> Task:
        """The rows of a data set in several orders."""
        runs = [partial(ordered, data, order) for order in orders]
        return cls(title, note, data.take(np.arange(min(2, len(data)))), runs, objective, costs)


def compare(
    data: Stream | str | os.PathLike[str] | Rows,
    y: ArrayLike | str | None = None,
    *,
    learners: Iterable[str | Learner] | Mapping[str, Learner] | None = None,
    objective: str | Objective = DEFAULT,
    positive: Choice | None = None,
    decisions: Mapping[str, ArrayLike] | None = None,
    runs: int | None = None,
    seed: int = 0,
) -> Comparison:
    """Compare learners on the same rows, each of them decided before it is learnt.

    The two constant policies, which flag all rows or none, are always there: a learner that is no
    better than them is of no use. ``costream compare`` is the same on the command line.

    Parameters
    ----------
    data : Stream, path, array-like, sparse matrix, data frame or list of dicts
        The rows. They are read into memory.
    y : array-like of shape (n_rows,) or str, default=None
        The labels, or the name of the column that holds them. None for those of a stream, or for the
        column label, target, class or y.
    learners : iterable of str or Learner, or mapping of str to Learner, default=None
        The learners: names, or learners with their hyper-parameters, by names of your own if some are
        of one kind. None for all but those that are too large for so many features.
    objective : {"sum", "cost"}, WeightedAccuracy or Cost, default="sum"
        What all of them optimise, and are ranked by. Costs of rows are columns that it names.
    positive : label or set of labels, default=None
        The positive labels, as in `OnlineClassifier`, or as in `Stream` where data is a path.
    decisions : mapping of str to array-like of bool, of shape (n_rows,), default=None
        Decisions to compare with, such as those of a rule that is in use, by their names.
    runs : int, default=None
        How many random orders of the rows to run; None to run the rows once in their own order.
    seed : int, default=0
        What the random orders are drawn from.

    Returns
    -------
    Comparison
        Means and standard deviations over the runs, the best first.

    Raises
    ------
    CostreamError
        If a learner is not known, or a row is bad.

    See Also
    --------
    evaluate : One model, row by row.

    Examples
    --------
    >>> from costream import Cost, compare
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> rule = {"area above 700": X[:, 3] > 700}
    >>> cost = Cost(fn_cost=10, fp_cost=1)
    >>> found = compare(X, y, learners=["auto", "arow"], objective=cost, positive=0, decisions=rule)
    >>> [entry.name for entry in found.entries]
    ['auto', 'arow', 'always-positive', 'area above 700', 'always-negative']
    >>> found.best.mean["cost"] < found["always-positive"].mean["cost"]
    True
    """
    stream, goal = stream_of(data, y, positive), as_objective(objective)
    if stream is None:
        rows = dataset_of(*rows_and_labels(data, y), goal, positive)
        title = "rows in memory"
    else:
        goal = with_costs_of(stream, goal)
        rows = dataset_of_stream(stream, goal)
        title = os.path.basename(stream.source.name)
    for warning in rows.warnings:
        warnings.warn(warning, UserWarning, stacklevel=2)
    orders = [None] if runs is None else permutations(len(rows), runs, seed)
    note = "The rows in their own order."
    if runs is not None:
        note = f"The rows in {runs} random orders, the same for every learner."
    chosen = _named(learners)
    if learners is None:
        chosen = {name: one for name, one in chosen.items() if fits(one, rows.width)}
    rows = replace(rows, decisions=_checked_decisions(decisions, len(rows), [*POLICIES, *chosen]))
    task = Task.of(title, note, rows, orders, lambda _: goal, goal.costs)
    builds = {name: partial(OnlineClassifier, one) for name, one in chosen.items()}
    warm_up(builds)
    return compare_learners(task, builds, lambda: None)


def fits(learner: Learner, width: int) -> bool:
    """Whether a learner is small enough to be run on rows of so many features without being named."""
    return learner.bytes_needed(width) <= LARGEST_STATE


def ordered(data: Dataset, order: Order | None) -> Dataset:
    """The rows in an order; None for their own."""
    return data if order is None else data.take(order)


def _named(learners: Iterable[str | Learner] | Mapping[str, Learner] | None) -> dict[str, Learner]:
    """Learners by the names that they have in a comparison."""
    if isinstance(learners, Mapping):
        return {str(name): make_learner(one) for name, one in learners.items()}
    if isinstance(learners, str):
        learners = [learners]
    found: dict[str, Learner] = {}
    for one in map(make_learner, LEARNERS if learners is None else learners):
        if one.name in found:
            raise CostreamError(
                f"{one.name} is named twice", 'give them names: learners={"slow": ..., "fast": ...}'
            )
        found[one.name] = one
    return found


def _checked_decisions(
    decisions: Mapping[str, ArrayLike] | None, rows: int, taken: Collection[str]
) -> dict[str, NDArray[np.bool_]]:
    """Decisions to compare with, one for each row, by names that are not taken."""
    found = {}
    for name, flags in (decisions or {}).items():
        if name in taken:
            raise CostreamError(f"{name!r} is compared already", "give the decisions another name")
        array = np.asarray(flags)
        if array.shape != (rows,) or not np.isin(array, (0, 1)).all():
            raise CostreamError(
                f"the decisions {name!r} must be True or False for each of {rows:,} rows",
                "a row without a label is not counted",
            )
        found[name] = array.astype(np.bool_)
    return found


def compare_learners(
    task: Task,
    builds: Mapping[str, Build],
    on_progress: Callable[[], None],
    watch: bool = True,
) -> Comparison:
    """Compare learners, the constant policies and the rules of a data set on the same runs.

    ``on_progress`` is called after each learner on each run. With ``watch`` the first run records who
    leads a portfolio, and the shapes that it has learnt, which takes a second pass.
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
        every = np.ones(len(data), np.bool_)
        constant = dict(zip(POLICIES, (every, ~every), strict=True))
        for name, flagged in (constant | data.decisions).items():
            scores = np.where(flagged, 1.0, -1.0)
            run = tallied(scores, data, task.costs, places_for(len(data)))
            found.setdefault(name, []).append(run)
    learners = {name: build(objective).learner for name, build in builds.items()}
    settings = {name: changed(learner) for name, learner in learners.items()}
    entries = [
        _entry(name, settings.get(name, {}), runs, objective, task, name in data.decisions)
        for name, runs in found.items()
    ]
    own = [name for name, cost in data.costs._asdict().items() if cost is not None]
    costs: dict[str, Any] = {**vars(task.costs), **dict.fromkeys(own, "per row")}
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
    """Say how rows with costs of their own are decided, and warn of costs that leak labels."""
    if not data.costs.any or not objective.has_costs:
        return ""
    return (
        AT_ROW_COSTS if data.leaking_costs is None else f"{AT_ROW_COSTS} Warning: {data.leaking_costs}"
    )


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
    name: str,
    settings: dict[str, Any],
    runs: list[Run],
    objective: Objective,
    task: Task,
    baseline: bool,
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
        baseline=baseline,
        leaders=first.leaders,
        half_lives=first.half_lives,
        member_costs=first.member_costs,
        shapes=first.shapes,
    )
