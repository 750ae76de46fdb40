"""``costream evaluate``: what a learner would have cost, one row after the other."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..classifier import core_of
from ..datasets.dataset import Dataset, load_dataset
from ..errors import CostreamError
from ..evaluate.compare import how_decided
from ..evaluate.runs import Run, in_parallel, mean_of, permutations, read_orders, run_once, std_of
from ..labels import Labels
from ..objective import Objective
from ..report.numbers import finite
from ..report.tables import metrics_table
from . import INTERRUPTED
from .learning import (
    Interruptible,
    Journal,
    learn,
    say_objective,
    say_positive,
    say_text,
    warn_of_one_class,
    watched,
)
from .options import ModelOptions, RowOptions, check_orders
from .terminal import Progress, say


def load_rows(file: str, rows: RowOptions) -> Dataset:
    """All rows of a file."""
    with rows.stream(file) as stream, Interruptible(stream) as ctrl_c:
        try:
            data, labels = load_dataset(watched(stream, "reading"), stream.positive, stream.source.name)
        finally:
            if ctrl_c.hit:
                raise KeyboardInterrupt
        say_positive(labels, stream)
        say_text(stream, len(data))
        warn_of_one_class(data.positives, len(data) - data.positives)
    return data


def orders_for(
    file: str | None, runs: int | None, seed: int, rows: int
) -> list[NDArray[np.intp] | None]:
    """The orders in which rows are to be read; None is their own."""
    if file is not None:
        return [*read_orders(file, rows)]
    return [None] if runs is None else [*permutations(rows, runs, seed)]


@dataclass(frozen=True)
class Evaluate:
    """One run of the command."""

    file: str
    rows: RowOptions
    options: ModelOptions
    order: str | None = None
    runs: int | None = None
    seed: int = 0
    as_json: bool = False

    def run(self) -> int:
        check_orders(self.order, self.runs)
        self.options.make_learner()
        objective = self.options.make_objective(1, 1)
        if self.order is None and self.runs is None and self.options.ratio != "known":
            return self._stream(objective)
        data = load_rows(self.file, self.rows)
        positives, negatives = data.positives, len(data) - data.positives
        objective = self.options.make_objective(positives, negatives)
        orders = orders_for(self.order, self.runs, self.seed, len(data))
        model = self.options.make_model(self.options.make_learner(), objective)
        core_of(model).warm_up()  # outside the clock
        note = how_decided(data, [model.learner])
        if note and data.costs_reveal_label:
            say(f"note: {note}")
        with Progress("evaluating", len(orders)) as bar:
            runs = in_parallel(
                [partial(self._run, data, order, objective) for order in orders], bar.step
            )
        self._show(objective, positives, negatives, runs)
        return 0

    def _run(self, data: Dataset, order: NDArray[np.intp] | None, objective: Objective) -> Run:
        model = self.options.make_model(self.options.make_learner(), objective)
        return run_once(model, data if order is None else data.take(order), self.options.costs)

    def _stream(self, objective: Objective) -> int:
        """One pass in the order of the file, which need not fit into memory."""
        model = self.options.make_model(self.options.make_learner(), objective)
        journal = Journal(self.options.costs)

        def announce(labels: Labels) -> None:
            say_positive(labels, stream)
            say_objective(model, self.rows)

        with self.rows.stream(self.file) as stream, Interruptible(stream) as ctrl_c:
            learn(model, stream, journal, "evaluating", announce)
            if not journal.started and not ctrl_c.hit:
                raise CostreamError(f"{self.file} has no rows")
        if ctrl_c.hit:
            say("interrupted; these are the results so far")
        tally = journal.tally
        run = Run(tally, [], journal.seconds)
        self._show(objective, tally.positives, tally.negatives, [run])
        return INTERRUPTED if ctrl_c.hit else 0

    def _show(self, objective: Objective, positives: int, negatives: int, runs: list[Run]) -> None:
        learner = self.options.make_learner()
        metrics = [run.metrics(self.options.costs) for run in runs]
        mean, std = mean_of(metrics), std_of(metrics)
        if self.as_json:
            found = {
                "learner": learner.name,
                "settings": {
                    **learner.get_params(),
                    "normalize": self.options.normalize or "l2",
                    "intercept": bool(self.options.intercept),
                    "ratio": self.options.ratio or "laplace",
                },
                "objective": objective.name,
                "rho": float(objective.rho(positives, negatives)),
                "rows": positives + negatives,
                "positives": positives,
                "runs": metrics,
                "mean": mean,
                "std": std,
            }
            json.dump(finite(found), sys.stdout, indent=2, allow_nan=False)
            print()
            return
        print(f"{learner!r}, {objective.name}, {positives + negatives:,} rows, {positives:,} positive")
        print(metrics_table([("mean", mean), ("std", std)] if len(runs) > 1 else [("run", mean)]))
