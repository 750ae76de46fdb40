"""``costream train``: learn from a file or a pipe, and save the model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..classifier import OnlineClassifier
from ..errors import CostreamError
from ..modelfile import is_model, load, save
from ..streams.labels import Target
from . import INTERRUPTED, UsageError
from .learning import (
    Interruptible,
    Journal,
    prices_of,
    remember,
    say_collisions,
    say_objective,
    say_positive,
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
        where = f"saved {self.output}: {model.learner.name}, {model.rows:,} rows learnt"
        say(f"interrupted; {where}" if interrupted else where)
        return INTERRUPTED if interrupted else 0

    def _check(self) -> None:
        """Find out before hours of work what would spoil them."""
        if self.passes > 1 and self.file == "-":
            raise UsageError("standard input can be read once only\nhint: leave out --passes")
        if self.resume is not None and (self.options != ModelOptions() or self.rows.positive):
            raise UsageError(
                "a resumed model has its own learner, objective and labels\n"
                "hint: leave out those options"
            )
        check_writable(self.output)
        if self.output.exists() and not is_model(self.output):
            raise UsageError(
                f"{self.output} is there, and is no costream model\nhint: choose another name for -o"
            )
        if self.resume is None:
            self.options.make_learner()
            self.options.make_objective()

    def _begin(self) -> tuple[OnlineClassifier | None, Target | None]:
        if self.resume is None:
            return None, None
        model = load(self.resume)
        return model, target_of(model)

    def _learn(
        self, model: OnlineClassifier | None, target: Target | None
    ) -> tuple[OnlineClassifier | None, Target | None, bool]:
        """One pass over the file."""
        journal = Journal(self.options.prices if model is None else prices_of(model))
        with self.rows.stream(self.file, model) as stream, Interruptible(stream) as ctrl_c:
            for block in watched(stream, "learning"):
                if target is None:
                    target = Target.choose(block.label, self.rows.positive, stream.source.name)
                    say_positive(target)
                if model is None:
                    learner, objective = self.options.make_learner(), self.options.make_objective()
                    model = self.options.make_model(learner, objective, classes=target.pair)
                    say_objective(model, self.rows)
                positive = target.of(block.label, block.where)
                scores = model.learn_rows(
                    block.rows,
                    positive,
                    fn_cost=block.fn_cost,
                    fp_cost=block.fp_cost,
                    names=block.names,
                )
                journal.add(scores, positive, block)
            if model is not None and target is not None:
                journal.line()
                say_collisions(stream)
                remember(model, target, stream)
        return model, target, ctrl_c.hit
