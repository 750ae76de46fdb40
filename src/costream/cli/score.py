"""``costream score``: a score, a probability and a decision for every row, as they come."""

from __future__ import annotations

import csv
import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ..costs.leakage import CostsSeen
from ..evaluation.deciding import Decider
from ..files.blocks import Block
from ..files.following import Following
from ..files.reader import Stream
from ..labels.parsing import missing
from ..model.classifier import OnlineClassifier, core_of
from ..model.explanations import Effects
from ..model.file import load, save
from ..report.numbers import counted
from . import UsageError, excluded
from .checks import check_labels, decider_of
from .learning import Interruptible
from .options import ModelOptions
from .row_options import RowOptions
from .scored import Explain, Output, Top, explain_rows, target_of
from .terminal import notify


@dataclass(frozen=True)
class Score:
    """One run of the command."""

    file: str
    model: Path
    rows: RowOptions
    options: ModelOptions
    learn: bool = False
    follow: bool = False
    id_column: str | None = None
    keep_columns: tuple[str, ...] = ()
    explain: int = 0
    top: int | None = None
    per: str | None = None
    output: Path | None = None
    output_format: str | None = None
    as_json: bool = False

    def run(self) -> int:
        model = load(self.model)
        self._check(model)
        before, costs_seen = model.rows, CostsSeen()
        decider, rows = decider_of(model, self.options, self.learn), self._rows(model)
        top = self._top(decider)
        signals = signal.SIGTERM if self.learn or self.follow else None
        opened: Stream | Following
        if self.follow:
            opened = Following(self.file, lambda source: rows.stream_for(source, model, live=True))
        else:
            opened = rows.stream_for(self.file, model, live=True)
        streams: Iterable[Stream] = [opened] if isinstance(opened, Stream) else opened
        with opened, target_of(self.output) as target, Interruptible(opened, signals) as ctrl_c:
            output = Output(model, target, self._format, rows.passed, self.explain)
            try:
                for stream in streams:
                    for block in self._blocks(model, stream):
                        late = top is not None and not self.learn  # few rows need reasons
                        wanted = self.explain and not late
                        explained = explain_rows(model, stream, block) if wanted else None
                        decided = decider.decide(stream, block)
                        if decided.positive is not None:
                            costs_seen.add(decided.positive, block.costs, ~missing(block.label))
                        if top is None:
                            output.write(decided, block.kept, explained)
                        else:
                            top.add(decided, block.kept, self._explain(model, stream, block, explained))
                if top:
                    output.write(*top.result())
                output.end()
            finally:  # whatever ends the stream: what was learnt is not lost
                if self.learn and model.rows > before:
                    save(model, self.model)
                    notify(f"saved {self.model}: {counted(model.rows - before, 'row')} learnt")
                    costs_seen.warn()
        return ctrl_c.code

    def _check(self, model: OnlineClassifier) -> None:
        """Find out what cannot be done before anything is written."""
        check_labels(model, self.rows)
        if self.follow and (self.top is not None or self.per is not None):
            option = "--per" if self.top is None else "--top"
            raise UsageError(
                f"{option} and --follow exclude each other: savings can be ordered only at the end\n"
                "hint: use only one of them"
            )
        if self.as_json and self.output_format not in (None, "jsonl"):
            raise excluded("--json", f"--output-format {self.output_format}")
        if self.explain and not model.learner.has_probabilities:
            raise UsageError(
                f"the model cannot explain its decisions: {model.learner.name} has no probabilities of "
                "its own\nhint: leave out --explain, or train a model with --learner auto"
            )
        if self.output is not None:
            if not self.output.parent.is_dir():
                raise UsageError(f"there is no folder {self.output.parent}\nhint: create it first")
            for other in (self.file, self.model):
                if self.output.exists() and Path(other).exists() and self.output.samefile(other):
                    raise UsageError(f"{self.output} would be overwritten\nhint: choose another name")

    def _top(self, decider: Decider) -> Top | None:
        """What keeps the rows with most money at stake; None for all rows."""
        if self.top is None and self.per is None:
            return None
        if not decider.objective.has_costs:
            raise UsageError(
                f"rows cannot be ordered by savings: the objective of the model is "
                f"{decider.objective.goal}, without costs\nhint: add --fn-cost NUMBER --fp-cost NUMBER"
            )
        return Top(self.top, self.per)

    def _explain(
        self, model: OnlineClassifier, stream: Stream, block: Block, found: list[Effects] | None
    ) -> Explain | None:
        """What gives the reasons of a row of a block, which are computed already or on demand."""
        if not self.explain:
            return None

        def explain(t: int) -> Effects:
            if found is not None:
                return found[t]
            (only,) = explain_rows(model, stream, block.part(t, t + 1))
            return only

        return explain

    @property
    def _format(self) -> str:
        return self.output_format or ("jsonl" if self.as_json else "csv")

    def _rows(self, model: OnlineClassifier) -> RowOptions:
        """How the file is to be read: with the columns that are passed through.

        The column of --id is not used as a feature, unless the model has learnt it as one.
        """
        named = [name.strip() for one in csv.reader(self.keep_columns) for name in one]
        first = [] if self.id_column is None else [self.id_column]
        per = [] if self.per is None else [self.per]
        passed = tuple(dict.fromkeys([*first, *per, *filter(None, named)]))
        if model.schema is None:
            learnt = {str(name).split("=")[0] for name in model.feature_names}
        else:
            learnt = {one.name for one in model.schema.features}
        ignore = [name for name in first if name not in learnt]
        return replace(
            self.rows,
            ignore=(*self.rows.ignore, *ignore),
            passed=passed,
            keeps_features=bool(self.explain),
        )

    def _blocks(self, model: OnlineClassifier, stream: Stream) -> Iterator[Block]:
        """The blocks of a stream, row by row where each is explained before it is learnt."""
        first = True
        for block in stream:
            if first and len(block.rows.index):
                first = False
                name = stream.source.name
                if not core_of(model).knows(block.rows, block.names):
                    notify(f"warning: {name} begins with features that the model does not have")
            if self.learn and self.explain:
                yield from (block.part(t, t + 1) for t in range(block.rows.rows))
            else:
                yield block
