"""``costream train``: learn from a file or a pipe, and save the model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..errors import CostreamError
from ..files.blocks import EMPTY
from ..labels.labels import Labels
from ..learners import Learner
from ..model.classifier import OnlineClassifier, core_of
from ..model.file import load, save
from ..model.header import MAGIC
from ..report.numbers import counted
from . import INTERRUPTED, UsageError
from .checks import check_writable, report_default_costs, report_objective
from .learning import Interruptible, Journal, learn, learn_again, report_labels
from .options import ModelOptions
from .row_options import RowOptions
from .terminal import notify

NO_METRICS = "; metrics are of the first pass alone, since later passes have seen the labels"


@dataclass(frozen=True)
class Train:
    """One run of the command."""

    file: str
    output: Path
    rows: RowOptions
    options: ModelOptions
    passes: int = 1
    resume: Path | None = None

    def run(self) -> int:
        self._check()
        model, rows, interrupted = self._begin(), 0, False
        before = model.rows
        for turn in range(self.passes):
            if self.passes > 1:
                notify(f"pass {turn + 1} of {self.passes}{NO_METRICS if turn == 1 else ''}")
            try:
                learnt, interrupted = self._learn(model) if turn == 0 else self._learn_again(model)
            except CostreamError as error:
                if model.rows == before:
                    raise
                what, *hints = str(error).split("\n")
                lost = f"nothing was saved of the {counted(model.rows - before, 'row')} learnt so far"
                raise CostreamError("\n".join([f"{what}; {lost}", *hints])) from None
            rows += learnt
            if interrupted:
                break
        if not rows and self.resume is None:
            if interrupted:
                notify("interrupted before the first row; nothing was saved")
                return INTERRUPTED
            raise CostreamError(f"{self.file} has no rows", EMPTY)
        save(model, self.output)
        where = f"saved {self.output}: {model.learner.name}, {counted(model.rows, 'row')} learnt"
        notify(f"interrupted; {where}" if interrupted else where)
        return INTERRUPTED if interrupted else 0

    def _check(self) -> None:
        """Find out before hours of work what would spoil them."""
        if self.passes > 1 and self.file == "-":
            raise UsageError("standard input can be read only once\nhint: leave out --passes")
        if self.resume is not None:
            own = [*self.options.for_making, *(["--positive"] if self.rows.positive else [])]
            if own:
                raise UsageError(
                    "a resumed model has its own learner, objective and labels\n"
                    f"hint: leave out {', '.join(own)}"
                )
        check_writable(self.output, MAGIC)
        if self.resume is None:
            self._check_passes(self.options.make_learner())
            self.options.make_objective()

    def _check_passes(self, learner: Learner) -> None:
        """Refuse several passes of a learner that weighs its members by how they do."""
        if self.passes > 1 and learner.has_standings:
            raise UsageError(
                f"{learner.name} learns from a file in one pass: in a second one its members know the "
                "rows already, and those that know them by heart would get the most weight\n"
                "hint: leave out --passes, or name another learner, such as --learner carow"
            )

    def _begin(self) -> OnlineClassifier:
        if self.resume is None:
            return self.options.make_model(self.options.make_learner(), self.options.make_objective())
        model = load(self.resume)
        self._check_passes(model.learner)
        if model.objective.has_costs:  # otherwise costs are for the total cost alone
            core_of(model).set_objective(self.options.costs_over(model.objective))
        return model

    def _learn(self, model: OnlineClassifier) -> tuple[int, bool]:
        """The first pass over the file: the number of rows, and whether it was interrupted."""
        new = self.resume is None
        costs = self.options.costs if new else self.options.costs_over(model.objective).costs
        journal = Journal(costs)
        opened = self.rows.stream(self.file) if new else self.rows.stream_for(self.file, model)

        def announce(labels: Labels) -> None:
            if not model.labels.codes:
                report_labels(labels, stream)
            if new:
                report_default_costs(self.options)
            if new or self.options.given_costs:
                report_objective(model.objective, model.learner.name)

        with opened as stream, Interruptible(stream) as ctrl_c:
            learn(model, stream, journal, "learning", announce)
        return journal.tally.rows, ctrl_c.hit

    def _learn_again(self, model: OnlineClassifier) -> tuple[int, bool]:
        """A later pass over the file."""
        before = model.rows
        with self.rows.stream_for(self.file, model) as stream, Interruptible(stream) as ctrl_c:
            learn_again(model, stream, "learning")
        return model.rows - before, ctrl_c.hit
