"""Tables: every learner at its best setting, beside the printed number."""

from __future__ import annotations

from ..experiment import DatasetInfo, Experiment, Metric
from ..plan import NEAR, Cell, Plan, Setting, TrialOptions
from ..results import Block, Outcome, Row, Table
from ..texts import unstated_text
from .base import TrialKind


class TableKind(TrialKind):
    """For each learner what is printed, what comes nearest to it, and the best."""

    section = "tables"
    options = TrialOptions(tunes=True)

    def trials_of(self, plan: Plan, cell: Cell) -> int:
        name = cell.dataset.name
        runs, tuning = plan.experiment.runs_on(name), plan.experiment.tuning_on(name)
        return plan.tried(cell) * tuning + (1 + 2 * NEAR) * (runs - tuning)

    def render(self, plan: Plan) -> Table:
        return make_table(plan)


def make_table(plan: Plan) -> Table:
    """The table of an experiment whose trials have all been run."""
    experiment = plan.experiment
    found: dict[tuple[DatasetInfo, Metric], list[Row]] = {}
    for cell in plan.cells():
        found.setdefault((cell.dataset, cell.metric), []).append(_row(plan, cell))
    blocks = [
        Block(dataset, metric, rows, _stands_for(experiment, dataset.name))
        for (dataset, metric), rows in found.items()
    ]
    present = {dataset.name for dataset, _ in found}
    return Table(experiment, blocks, [name for name in experiment.datasets if name not in present])


def _row(plan: Plan, cell: Cell) -> Row:
    printed = plan.printed(cell)
    near = plan.nearest(cell)
    return Row(
        cell.candidate,
        _outcome(plan, cell, plan.best(cell)),
        printed,
        None if near is None else _outcome(plan, cell, near),
        len(plan.settings(cell)),
        "" if near is None else unstated_text(plan.stated_by(cell), near),
    )


def _outcome(plan: Plan, cell: Cell, setting: Setting) -> Outcome:
    return Outcome(setting, plan.summary(cell, setting), plan.seconds(cell, setting))


def _stands_for(experiment: Experiment, name: str) -> str:
    return next((one for one, others in experiment.substitutes.items() if name in others), "")
