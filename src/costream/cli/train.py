"""``costream train``: learn from a file or a pipe, and save the model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ..classifier import OnlineClassifier
from ..errors import CostreamError
from ..labels import Labels
from ..modelfile import MAGIC, load, save
from ..report.numbers import counted
from . import INTERRUPTED, UsageError
from .learning import (
    Interruptible,
    Journal,
    costs_of,
    learn,
    say_objective,
    say_positive,
)
from .options import ModelOptions, RowOptions, check_writable
from .terminal import say


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
        for turn in range(self.passes):
            if self.passes > 1:
                say(f"pass {turn + 1} of {self.passes}")
            try:
                learnt, interrupted = self._learn(model, first=turn == 0)
            except CostreamError:
                say("nothing was saved")
                raise
            rows += learnt
            if interrupted:
                break
        if not rows and self.resume is None:
            if interrupted:
                say("interrupted before the first row; nothing was saved")
                return INTERRUPTED
            raise CostreamError(f"{self.file} has no rows")
        save(model, self.output)
        where = f"saved {self.output}: {model.learner.name}, {counted(model.rows, 'row')} learnt"
        say(f"interrupted; {where}" if interrupted else where)
        return INTERRUPTED if interrupted else 0

    def _check(self) -> None:
        """Find out before hours of work what would spoil them."""
        if self.passes > 1 and self.file == "-":
            raise UsageError("standard input can be read only once\nhint: leave out --passes")
        given = replace(self.options, costs_per_row=False)
        if self.resume is not None and (given != ModelOptions() or self.rows.positive):
            raise UsageError(
                "a resumed model has its own learner, objective and labels\n"
                "hint: leave out those options"
            )
        check_writable(self.output, MAGIC)
        if self.resume is None:
            self.options.make_learner()
            self.options.make_objective()

    def _begin(self) -> OnlineClassifier:
        if self.resume is not None:
            return load(self.resume)
        return self.options.make_model(self.options.make_learner(), self.options.make_objective())

    def _learn(self, model: OnlineClassifier, first: bool) -> tuple[int, bool]:
        """One pass over the file: the number of rows, and whether it was interrupted."""
        new = first and self.resume is None
        journal = Journal(self.options.costs if self.resume is None else costs_of(model))
        opened = (
            self.rows.stream(self.file) if new else self.rows.stream_for(self.file, model, learn=True)
        )

        def announce(labels: Labels) -> None:
            if not model.labels.codes:
                say_positive(labels, stream)
            if new:
                say_objective(model, self.rows)

        with opened as stream, Interruptible(stream) as ctrl_c:
            learn(model, stream, journal, "learning", announce)
        return journal.tally.rows, ctrl_c.hit
