"""What every kind of experiment can do, and what the kinds that are made of trials share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from ...datasets.dataset import Dataset
from ...errors import CostreamError
from ...learners import LEARNERS
from ...report.figures import draw
from ...report.panel import Panel
from ..experiment import Experiment
from ..plan import Cell, Plan, TrialOptions
from ..results import Figure, Table
from ..runner import run_trials
from ..trial import Trial

Done = Callable[[float], None]  # is given the effort that was just spent


class Kind(ABC):
    """One kind of experiment: how it is checked, run and shown."""

    section = "figures"  # of the page
    needs_data = True
    options = TrialOptions()

    def check(self, experiment: Experiment) -> None:
        """Raise an error for an experiment without data sets or learners, or not of this kind."""
        if not experiment.datasets:
            raise CostreamError("datasets are missing", 'name them: datasets = ["german"]')
        if not (experiment.candidates or experiment.tuned_in):
            raise CostreamError("learners are missing", 'add [[learners]] with learner = "carow-diag"')

    @abstractmethod
    def effort(self, plan: Plan) -> float:
        """About how long an experiment takes, in microseconds of one core."""

    @abstractmethod
    def run(self, plan: Plan, jobs: int, done: Done) -> int:
        """Compute what is not in the store yet; returns how many results are new."""

    @abstractmethod
    def is_complete(self, plan: Plan) -> bool:
        """Whether all results are in the store."""

    @abstractmethod
    def render(self, plan: Plan) -> Table | Figure:
        """The results of an experiment that is complete."""


class TrialKind(Kind):
    """A kind that is made of trials."""

    def effort(self, plan: Plan) -> float:
        return sum(
            self.trials_of(plan, cell) * trial_effort(plan, cell.candidate.learner, cell.dataset.name)
            for cell in plan.cells()
        )

    def trials_of(self, plan: Plan, cell: Cell) -> int:
        """How many trials a cell takes, which is known before any is run."""
        return plan.tried(cell) * plan.experiment.runs_on(cell.dataset.name)

    def run(self, plan: Plan, jobs: int, done: Done) -> int:
        name, keys, new = plan.experiment.name, [], 0

        def rows_of(trial: Trial) -> Dataset:
            return plan.loader.in_order(plan.experiment, trial.dataset, trial.run)

        def finished(trial: Trial) -> None:
            done(trial_effort(plan, trial.learner, trial.dataset))

        for trials in plan.stages():
            new += run_trials(trials, plan.store, name, rows_of, jobs, finished)
            keys += [trial.key for trial in trials]
        plan.store.put_in_order(name, list(dict.fromkeys(keys)))
        return new

    def is_complete(self, plan: Plan) -> bool:
        """A stage is asked for only if the one before it is complete."""
        if plan.tuned is not None and not self.is_complete(plan.tuned):
            return False
        return all(trial.key in plan.store for trials in plan.stages() for trial in trials)


class DrawnKind(TrialKind):
    """A kind with a panel for each data set."""

    def render(self, plan: Plan) -> Figure:
        cells = list(plan.cells())
        datasets = dict.fromkeys(cell.dataset for cell in cells)
        panels = [
            self.panel(plan, [cell for cell in cells if cell.dataset == dataset])
            for dataset in datasets
        ]
        return Figure(plan.experiment, draw(panels), self.section, runs_by_title(plan))

    def panel(self, plan: Plan, cells: Sequence[Cell]) -> Panel:
        """The panel of the cells of one data set."""
        raise NotImplementedError


def runs_by_title(plan: Plan) -> dict[str, int]:
    """How many runs there are of each data set, by its title."""
    datasets = plan.loader.datasets(plan.experiment)
    return {one.title: plan.experiment.runs_on(one.name) for one in datasets}


def trial_effort(plan: Plan, learner: str, dataset: str) -> float:
    """About how many microseconds a trial takes."""
    info = plan.loader.info(plan.experiment, dataset)
    return 100.0 + info.rows * _row_effort(learner, info.width) * max(1, plan.experiment.folds)


def _row_effort(learner: str, width: int) -> float:
    """By the geometry of its record; a portfolio has several members."""
    kind = LEARNERS[learner]
    fields = kind.rule.record._fields  # type: ignore[attr-defined]
    if "Z" in fields:  # a sketch in implicit form
        return 1.0
    if "V" in fields:
        return 0.2 + 0.036 * width
    if "Sigma" in fields:
        members = 4 if kind.has_standings else 1
        return members * (0.2 + 0.01 * width + 1e-4 * width * width)
    return 0.06
