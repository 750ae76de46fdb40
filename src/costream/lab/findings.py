"""What the lab has found: the tables and figures of the experiments that are complete."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..evaluate.bounds import Regret
from ..report.figures import draw
from .calibration import Calibrations, calibration_panels, make_calibrations
from .complexity import Sweep, panels, sweeps_in
from .differences import Difference, is_compared, read_differences
from .experiment import Experiment
from .graphs import make_panels, regret_panels
from .lab import Lab
from .plan import Plan
from .reading import paper_experiments
from .regret import Problem, problems, rates, regrets
from .tables import Table, make_table


@dataclass(frozen=True)
class Figure:
    """An experiment that is drawn; one with more than its curves has a table of it, too."""

    experiment: Experiment
    svg: str
    runs: dict[str, int] = field(default_factory=dict)  # by data set
    regrets: list[tuple[Problem, list[Regret]]] = field(default_factory=list)
    sweeps: list[Sweep] = field(default_factory=list)
    calibrations: Calibrations | None = None


@dataclass
class Findings:
    """What the page shows of the experiments that are complete, and what it lacks."""

    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    known: list[Difference] = field(default_factory=list)
    left_out: list[tuple[Experiment, str]] = field(default_factory=list)  # and why
    missing: dict[str, list[Experiment]] = field(default_factory=dict)  # data sets, and where
    stand_ins: dict[str, list[str]] = field(default_factory=dict)  # for data sets that are missing

    @property
    def experiments(self) -> list[Experiment]:
        return [one.experiment for one in self.tables] + [one.experiment for one in self.figures]

    @property
    def is_quick(self) -> bool:
        return any(one.is_quick for one in self.experiments)

    @property
    def calibrations(self) -> list[Calibrations]:
        return [one.calibrations for one in self.figures if one.calibrations is not None]

    @property
    def compared(self) -> list[Table]:
        return [table for table in self.tables if is_compared(table)]


def gather(lab: Lab) -> Findings:
    """All that is complete."""
    found = Findings()
    for experiment in lab.experiments:
        at_hand = [dataset.name for dataset in lab.loader.datasets(experiment)]
        for name in experiment.datasets:
            if name in lab.loader.missing:
                found.missing.setdefault(name, []).append(experiment)
                others = [one for one in experiment.substitutes.get(name, ()) if one in at_hand]
                found.stand_ins.setdefault(name, []).extend(others)
        if experiment.kind != "complexity" and not at_hand:
            found.left_out.append((experiment, "not one of its data sets is at hand"))
        elif not is_complete(lab, experiment):
            found.left_out.append((experiment, "its results are not all there"))
        elif experiment.kind == "table":
            found.tables.append(make_table(lab.plans[experiment.name]))
        else:
            found.figures.append(_figure(lab, experiment))
    if {one.name for one in found.experiments} & paper_experiments().keys():
        found.known = read_differences()
    return found


def is_complete(lab: Lab, experiment: Experiment) -> bool:
    """Whether all results of an experiment are in the store."""
    if experiment.kind == "complexity":
        return all(len(one.points) > 1 for one in sweeps_in(experiment, lab.store))
    if experiment.kind == "regret":
        wanted = problems(experiment, lab.loader)
        return all(one.key(eta) in lab.store for one in wanted for eta in rates(experiment))
    return _has_run(lab.plans[experiment.name])


def _has_run(plan: Plan) -> bool:
    """Whether all trials have been run; a stage is asked for only if the one before it is complete."""
    if plan.tuned is not None and not _has_run(plan.tuned):
        return False
    return all(trial.key in plan.store for trials in plan.stages() for trial in trials)


def _figure(lab: Lab, experiment: Experiment) -> Figure:
    if experiment.kind == "complexity":
        sweeps = sweeps_in(experiment, lab.store)
        return Figure(experiment, draw(panels(sweeps)), sweeps=sweeps)
    if experiment.kind == "regret":
        svg = draw(regret_panels(experiment, lab.loader, lab.store))
        found = regrets(experiment, lab.loader, lab.store)
        return Figure(experiment, svg, regrets=list(found.items()))
    data = lab.loader.datasets(experiment)
    runs = {dataset.title: experiment.runs_on(dataset.name) for dataset in data}
    if experiment.kind == "calibration":
        made = make_calibrations(lab.plans[experiment.name])
        return Figure(experiment, draw(calibration_panels(made)), runs, calibrations=made)
    return Figure(experiment, draw(make_panels(lab.plans[experiment.name])), runs)
