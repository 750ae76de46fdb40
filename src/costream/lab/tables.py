"""The tables of an experiment: for each learner what is printed, what comes nearest, and the best."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..evaluate.policies import POLICIES
from ..evaluate.tally import Tally
from .experiment import Candidate, Experiment, Metric
from .loader import DatasetInfo
from .plan import CLOSE, Cell, Plan, Setting, Summary
from .printed import Printed


@dataclass(frozen=True)
class Outcome:
    """A setting and what it reached; seconds are None where they are not known."""

    setting: Setting
    summary: Summary
    seconds: float | None


@dataclass(frozen=True)
class Row:
    """A learner under one metric."""

    candidate: Candidate
    best: Outcome
    printed: Printed | None = None
    nearest: Outcome | None = None
    tried: int = 1  # settings
    off_grid: bool = False  # whether the nearest setting is not one of the grid

    @property
    def z_scores(self) -> dict[str, float]:
        """How far the nearest setting is from the printed numbers, in standard errors."""
        if self.printed is None or self.nearest is None:
            return {}
        return self.printed.z_scores(self.nearest.summary)

    @property
    def verdict(self) -> str:
        """How well the printed number is met.

        To all digits ("exact"), within three standard errors ("close"), so with a setting that is not
        on the grid ("off grid"), not at all ("apart"); "" where nothing is printed.
        """
        if self.printed is None or self.nearest is None:
            return ""
        if self.printed.equals(self.nearest.summary):
            return "exact"
        if abs(self.z_scores["value"]) > CLOSE:
            return "apart"
        return "off grid" if self.off_grid else "close"


@dataclass(frozen=True)
class Block:
    """All learners on one data set under one metric; ``stands_for`` names one that is missing."""

    dataset: DatasetInfo
    metric: Metric
    rows: list[Row]
    stands_for: str = ""

    def policies(self) -> dict[str, Tally]:
        """What flagging every row, and what flagging none, would have come to."""
        dataset = self.dataset
        return dict(
            zip(
                POLICIES,
                (
                    _constant(self.metric, dataset, missed=0, false_alarms=dataset.negatives),
                    _constant(self.metric, dataset, missed=dataset.positives, false_alarms=0),
                ),
                strict=True,
            )
        )


@dataclass(frozen=True)
class Table:
    """A table of the paper, or of a user."""

    experiment: Experiment
    blocks: list[Block]
    missing: list[str]  # data sets that are not at hand

    def rows(self) -> Iterable[tuple[Block, Row]]:
        return ((block, row) for block in self.blocks for row in block.rows)

    def count(self, verdict: str) -> int:
        return sum(row.verdict == verdict for _, row in self.rows())


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
        near is not None and near not in plan.grid(cell),
    )


def _outcome(plan: Plan, cell: Cell, setting: Setting) -> Outcome:
    return Outcome(setting, plan.summary(cell, setting), plan.seconds(cell, setting))


def _stands_for(experiment: Experiment, name: str) -> str:
    return next((one for one, others in experiment.substitutes.items() if name in others), "")


def _constant(metric: Metric, dataset: DatasetInfo, missed: int, false_alarms: int) -> Tally:
    from .trial import Result

    return Result(dataset.rows, dataset.positives, missed, false_alarms).tally(metric)
