"""What the lab has found: the tables and figures of the experiments that are complete."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..experiment import Experiment
from ..kinds import KINDS
from ..lab import Lab
from ..paper.differences import Difference, is_compared, read_differences
from ..reading import paper_experiments
from ..results import Figure, Table
from .facts import with_figures


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

    def add(self, result: Table | Figure) -> None:
        if isinstance(result, Table):
            self.tables.append(result)
        else:
            self.figures.append(result)

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
        kind, plan = KINDS[experiment.kind], lab.plans[experiment.name]
        if kind.needs_data and not at_hand:
            found.left_out.append((experiment, "not one of its data sets is at hand"))
        elif not kind.is_complete(plan):
            found.left_out.append((experiment, "its results are not all there"))
        else:
            found.add(kind.render(plan))
    if {one.name for one in found.experiments} & paper_experiments().keys():
        found.known = with_figures(read_differences(), found.tables)
    return found
