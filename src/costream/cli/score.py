"""``costream score``: a score and a label for every row, as they come."""

from __future__ import annotations

import json
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..aliases import Floats
from ..classifier import OnlineClassifier, core_of
from ..inputs import Block
from ..kernels.elementary import sigmoid
from ..labels import REST
from ..modelfile import load, save
from ..objective import Cost
from ..report.numbers import counted
from ..revealing import CostsSeen
from ..spelling import missing
from ..streams.reader import Stream
from . import UsageError
from .learning import Interruptible, say_revealing
from .options import RowOptions
from .terminal import say


@dataclass(frozen=True)
class Score:
    """One run of the command."""

    file: str
    model: Path
    rows: RowOptions
    learn: bool = False
    as_json: bool = False

    def run(self) -> int:
        model = load(self.model)
        if model.labels.codes and self.rows.positive is not None:
            raise UsageError("the model already has labels\nhint: leave out --positive")
        if self.rows.fn_cost_column or self.rows.fp_cost_column:
            self._check_costs(model)
        before, first, costs_seen = model.rows, True, CostsSeen()
        stream = self.rows.stream_for(self.file, model, learn=self.learn, live=True)
        with stream, Interruptible(stream, signal.SIGTERM if self.learn else None) as ctrl_c:
            try:
                for block in stream:
                    if first:
                        self._check_features(model, block, stream.source.name)
                        first = False
                    self._print(model, *self._score(model, stream, block, costs_seen))
            finally:  # whatever ends the stream: what was learnt is not lost
                if self.learn and model.rows > before:
                    stream.note_columns(model.notes)
                    save(model, self.model)
                    say(f"saved {self.model}: {counted(model.rows - before, 'row')} learnt")
                    say_revealing(model, costs_seen)
        return ctrl_c.code

    def _check_costs(self, model: OnlineClassifier) -> None:
        """Each cost of a row must come from somewhere: a column, or the costs of the model."""
        if not model.has_probabilities:
            say(f"warning: {model.learner.name} has no probabilities, so labels follow its scores")
            return
        noted = model.notes.get("columns", {})
        named = {"fn_cost": self.rows.fn_cost_column, "fp_cost": self.rows.fp_cost_column}
        for cost, column in named.items():
            if not column and not noted.get(cost) and not isinstance(model.objective, Cost):
                option = f"--{cost.replace('_', '-')}-column"
                raise UsageError(f"the model has no {cost}\nhint: name a column with {option}")

    def _check_features(self, model: OnlineClassifier, block: Block, name: str) -> None:
        """Warn of a file that has nothing to do with the model: all of its scores would be equal."""
        if len(block.rows.index) and not core_of(model).knows(block.rows, block.names):
            say(f"warning: {name} begins with features that the model does not have")

    def _score(
        self, model: OnlineClassifier, stream: Stream, block: Block, costs_seen: CostsSeen
    ) -> tuple[Floats, Floats | None]:
        """The scores of a block before it is learnt, and the probabilities where they are printed."""
        core, calibrated = core_of(model), model.has_probabilities
        log_odds = np.empty(block.rows.rows) if self.as_json and calibrated else None
        if not self.learn or (not model.labels.codes and missing(block.label).all()):
            fn, fp = (block.fn_cost, block.fp_cost) if calibrated else (None, None)
            scores = core.score_rows(block.rows, block.names, fn_cost=fn, fp_cost=fp, log_odds=log_odds)
        else:
            scores, _ = core.learn_block(
                block,
                stream.choose_labels(block, model.labels),
                skip_unlabelled=True,
                log_odds=log_odds,
                costs_seen=costs_seen,
            )
        return scores, None if log_odds is None else sigmoid(log_odds)

    def _print(self, model: OnlineClassifier, scores: Floats, proba: Floats | None) -> None:
        negative, positive = model.labels.pair
        pair = (REST if negative is None else negative, positive)
        names = [json.dumps(label) if self.as_json else str(label) for label in pair]
        labels = [names[one] for one in (scores >= 0.0).tolist()]
        if self.as_json:
            more = [""] * len(scores)
            if proba is not None:
                more = [f', "probability": {one!r}' for one in proba.tolist()]
            lines = [
                f'{{"score": {p!r}, "label": {label}{end}}}\n'
                for p, label, end in zip(scores.tolist(), labels, more, strict=True)
            ]
        else:
            lines = [f"{p!r}\t{label}\n" for p, label in zip(scores.tolist(), labels, strict=True)]
        sys.stdout.write("".join(lines))
        sys.stdout.flush()
