"""Runs experiments: each after those it needs, nothing twice, all on disk as soon as it is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import CostreamError
from .experiment import Experiment
from .kinds import KINDS
from .loader import Loader
from .plan import Plan
from .store import Store

OnProgress = Callable[[float, str], None]  # the part done, and of which experiment


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
            options = KINDS[experiment.kind].options
            self.plans[experiment.name] = Plan(experiment, self.loader, self.store, options, tuned)

    def run(self, on_progress: OnProgress) -> int:
        """Run all experiments; returns how many results are new."""
        plans = list(self.plans.values())
        kinds = [KINDS[plan.experiment.kind] for plan in plans]
        efforts = [kind.effort(plan) for kind, plan in zip(kinds, plans, strict=True)]
        before, new = 0.0, 0
        for kind, plan, effort in zip(kinds, plans, efforts, strict=True):
            name = plan.experiment.name
            progress = _Progress(on_progress, before, effort, sum(efforts), name)
            new += kind.run(plan, self.jobs, progress.add)
            before += effort
            on_progress(before / sum(efforts), name)
        return new


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
    found = [lab.loader.datasets(one) for one in lab.experiments if KINDS[one.kind].needs_data]
    if found and not any(found):
        raise CostreamError(
            "none of the data sets is available", "set their folder with --data DIR or COSTREAM_DATA"
        )
