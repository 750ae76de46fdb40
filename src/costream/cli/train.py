"""``costream train``: learn from a file or a pipe, and save the model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ..classifier import OnlineClassifier, core_of
from ..errors import CostreamError
from ..modelfile import MAGIC, load, save
from ..report.numbers import counted
from ..streams.labels import Target
from ..streams.reader import Stream
from . import INTERRUPTED, UsageError
from .learning import (
    Interruptible,
    Journal,
    costs_of,
    remember,
    say_objective,
    say_positive,
    say_text,
    target_of,
    watched,
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
        model, target = self._begin()
        interrupted = False
        for turn in range(self.passes):
            if self.passes > 1:
                say(f"pass {turn + 1} of {self.passes}")
            try:
                model, target, interrupted = self._learn(model, target)
            except CostreamError:
                say("nothing was saved")
                raise
            if interrupted:
                break
        if model is None:
            if interrupted:
                say("interrupted before the first row; nothing was saved")
                return INTERRUPTED
            raise CostreamError(f"{self.file} holds no rows")
        save(model, self.output)
        where = f"saved {self.output}: {model.learner.name}, {counted(model.rows, 'row')} learnt"
        say(f"interrupted; {where}" if interrupted else where)
        return INTERRUPTED if interrupted else 0

    def _check(self) -> None:
        """Find out before hours of work what would spoil them."""
        if self.passes > 1 and self.file == "-":
            raise UsageError("standard input can be read once only\nhint: leave out --passes")
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

    def _begin(self) -> tuple[OnlineClassifier | None, Target | None]:
        if self.resume is None:
            return None, None
        model = load(self.resume)
        return model, target_of(model)

    def _open(self, model: OnlineClassifier | None) -> Stream:
        if model is None:
            return self.rows.stream(self.file)
        return self.rows.stream_for(self.file, model, learn=True)

    def _learn(
        self, model: OnlineClassifier | None, target: Target | None
    ) -> tuple[OnlineClassifier | None, Target | None, bool]:
        """One pass over the file."""
        resumed = model if self.resume is not None else None
        journal = Journal(self.options.costs if resumed is None else costs_of(resumed))
        with self._open(model) as stream, Interruptible(stream) as ctrl_c:
            for block in watched(stream, "learning"):
                if target is None:
                    target = Target.choose(block.label, self.rows.positive, stream.source.name)
                    say_positive(target, stream)
                if model is None:
                    learner, objective = self.options.make_learner(), self.options.make_objective()
                    model = self.options.make_model(learner, objective, classes=target.pair)
                    say_objective(model, self.rows)
                if not journal.started:
                    core_of(model).warm_up()
                    journal.start()
                positive = target.of(block.label, block.where)
                scores = core_of(model).learn_rows(
                    block.rows,
                    positive,
                    fn_cost=block.fn_cost,
                    fp_cost=block.fp_cost,
                    names=block.names,
                )
                journal.add(scores, positive, block)
            if model is not None and target is not None:
                journal.end()
                say_text(stream, journal.tally.rows)
                remember(model, target, stream)
        return model, target, ctrl_c.hit
