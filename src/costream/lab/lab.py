"""Runs experiments: each after those it needs, nothing twice, all on disk as soon as it is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..datasets.dataset import Dataset
from ..errors import CostreamError
from .experiment import Experiment
from .loader import Loader
from .plan import Plan
from .runner import effort, run_trials
from .store import Store
from .trial import Trial

OnProgress = Callable[[float, str], None]  # the part done, and of which experiment
REGRET_EFFORT = 2e6  # microseconds, about, for a problem
COMPLEXITY_EFFORT = 4e7


@dataclass
class Lab:
    """Experiments, the data at hand and the results so far."""

    experiments: Sequence[Experiment]
    loader: Loader
    store: Store
    jobs: int = 1
    plans: dict[str, Plan] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for experiment in self.experiments:
            tuned = self.plans[experiment.tuned_in] if experiment.tuned_in else None
            self.plans[experiment.name] = Plan(experiment, self.loader, self.store, tuned)

    def run(self, on_progress: OnProgress) -> int:
        """Run all of them; the number of trials that were new."""
        efforts = [self._effort(experiment) for experiment in self.experiments]
        before, new = 0.0, 0
        for experiment, mine in zip(self.experiments, efforts, strict=True):
            progress = _Progress(on_progress, before, mine, sum(efforts), experiment.name)
            new += self._run(experiment, progress)
            before += mine
            on_progress(before / sum(efforts), experiment.name)
        return new

    def _run(self, experiment: Experiment, progress: _Progress) -> int:
        if experiment.kind == "complexity":
            from .complexity import run_complexity

            return run_complexity(experiment, self.store, lambda: progress.add(COMPLEXITY_EFFORT / 10))
        if experiment.kind == "regret":
            from .regret import run_regret

            return run_regret(
                experiment, self.loader, self.store, self.jobs, lambda: progress.add(REGRET_EFFORT)
            )
        plan, keys, new = self.plans[experiment.name], [], 0

        def rows_of(trial: Trial) -> Dataset:
            return self.loader.in_order(experiment, trial.dataset, trial.run)

        def done(trial: Trial) -> None:
            progress.add(self._effort_of(experiment, trial.learner, trial.dataset))

        for trials in plan.stages():
            new += run_trials(trials, self.store, experiment.name, rows_of, self.jobs, done)
            keys += [trial.key for trial in trials]
        self.store.put_in_order(experiment.name, list(dict.fromkeys(keys)))
        return new

    def _effort(self, experiment: Experiment) -> float:
        """About how long an experiment takes, in microseconds of one core."""
        if experiment.kind == "complexity":
            return COMPLEXITY_EFFORT
        plan = self.plans[experiment.name]
        cells = list(plan.cells())
        if experiment.kind == "regret":
            return REGRET_EFFORT * len(cells)
        total = 0.0
        for cell in cells:
            name = cell.dataset.name
            tried = plan.tried(cell)
            runs, tuning = experiment.runs_on(name), experiment.tuning_on(name)
            trials = (
                tried * tuning + 2 * (runs - tuning) if experiment.kind == "table" else tried * runs
            )
            total += trials * self._effort_of(experiment, cell.candidate.learner, name)
        return total

    def _effort_of(self, experiment: Experiment, learner: str, dataset: str) -> float:
        facts = self.loader.info(experiment, dataset)
        return effort(learner, facts.rows, facts.width, experiment.folds)


@dataclass
class _Progress:
    """The part of all efforts that is done, while one experiment runs."""

    on_progress: OnProgress
    before: float
    mine: float
    total: float
    name: str
    done: float = 0.0

    def add(self, effort: float) -> None:
        self.done = min(self.done + effort, self.mine)
        self.on_progress((self.before + self.done) / self.total, self.name)


def folder_of(output: Path, quick: bool) -> Path:
    """Results of quick runs never mix with others."""
    return output / "quick" if quick else output


def check_any(lab: Lab) -> None:
    """Look for all data sets, so that it is known which are missing; an error if all are."""
    found = [lab.loader.datasets(one) for one in lab.experiments if one.kind != "complexity"]
    if found and not any(found):
        raise CostreamError(
            "not one of the data sets is at hand", "name their folder: --data DIR or COSTREAM_DATA"
        )
