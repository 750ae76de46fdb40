"""``costream evaluate``: what a learner, or a saved model, would have cost, one row after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import Bools
from ..costs.objective import Objective
from ..costs.policies import POLICIES
from ..costs.tally import Costs
from ..datasets.dataset import Dataset, load_dataset
from ..errors import CostreamError
from ..evaluation.baselines import Baseline
from ..evaluation.evaluating import decide_stream
from ..evaluation.runs import Run, in_parallel, mean_of, permutations, read_orders, run_once, std_of
from ..files.blocks import EMPTY, Block, labelled
from ..files.reader import Stream
from ..labels.labels import Labels
from ..learners import Learner
from ..model.classifier import core_of
from ..model.file import load
from ..report.numbers import counted
from ..report.results import evaluation_text
from . import INTERRUPTED, UsageError
from .checks import (
    check_labels,
    check_orders,
    decider_of,
    report_default_costs,
    report_objective,
    rho_of,
)
from .detected import report_hashing
from .learning import (
    Interruptible,
    Journal,
    Timeline,
    learn,
    no_label,
    report_labels,
    report_rows,
    report_undefined_savings,
    watched,
)
from .options import ModelOptions
from .row_options import RowOptions
from .terminal import Progress, notify, print_json

SO_FAR = "interrupted; these are the results so far"


def load_rows(
    file: str, rows: RowOptions, ordered: bool, baselines: Sequence[Baseline] = ()
) -> tuple[Dataset, dict[str, Any]]:
    """All rows of a file that have a label, and what JSON reports about reading them.

    ``ordered``: they are learnt in their order, so it should be that of time.
    """
    flags: dict[str, list[Bools]] = {one.name: [] for one in baselines}
    timeline = Timeline(ordered)
    with rows.stream(file) as stream, Interruptible(stream) as ctrl_c:
        try:
            blocks = decided(watched(stream, "reading", timeline), baselines, flags)
            data, labels = load_dataset(blocks, stream.positive, stream.source.name)
        finally:
            if ctrl_c.hit:
                raise KeyboardInterrupt
        report_labels(labels, stream)
        report_hashing(stream)
        timeline.end()
        counts = data.unlabelled, data.positives, len(data) - data.positives
        report_rows(stream, *counts, data.warnings)
    decisions = {name: np.concatenate(parts) for name, parts in flags.items()}
    return replace(data, decisions=decisions), facts_of(stream, data.unlabelled, timeline)


def decided(
    blocks: Iterable[Block], baselines: Sequence[Baseline], flags: dict[str, list[Bools]]
) -> Iterator[Block]:
    """Blocks as they come, while rules decide the rows that have a label."""
    for block in blocks:
        kept, _ = labelled(block) if baselines else (block, 0)
        for one in baselines:
            if block.columns is not None and block.columns.label == one.column:
                raise CostreamError(
                    f"--baseline {one.name}: {one.column} is the label", "name another column"
                )
            flags[one.name].append(one.flags(kept.kept[one.column], block.schema, kept.where))
        yield block


def facts_of(stream: Stream, unlabelled: int, timeline: Timeline) -> dict[str, Any]:
    """What was skipped in a file, and the period of its rows."""
    return {"unlabelled": unlabelled, "without_cost": stream.without_cost, **timeline.period}


def orders_for(
    file: str | None, runs: int | None, seed: int, rows: int
) -> list[NDArray[np.intp] | None]:
    """The orders in which rows are to be read; None is their own."""
    if file is not None:
        return [*read_orders(file, rows)]
    if runs is None:
        return [None]
    notify(f"the rows are shuffled: {counted(runs, 'random order')}, seed {seed}")
    return [*permutations(rows, runs, seed)]


def show(
    learner: Learner,
    settings: dict[str, Any],
    objective: Objective,
    costs: Costs,
    runs: list[Run],
    facts: dict[str, Any],
    as_json: bool,
) -> None:
    """Print what was found; ``facts`` are about the file."""
    tally = runs[0].tally
    metrics = [run.metrics(costs) for run in runs]
    mean, std = mean_of(metrics), std_of(metrics)
    if not as_json:
        rows = [("mean", mean), ("std", std)] if len(metrics) > 1 else [("run", mean)]
        print(evaluation_text(repr(learner), objective, tally, rows))
        return
    print_json(
        {
            "learner": learner.name,
            "settings": {**learner.get_params(), **settings},
            "objective": objective.name,
            "costs": objective.sources,
            "rho": rho_of(objective, tally.positives, tally.negatives),
            "rows": tally.rows,
            **facts,
            "positives": tally.positives,
            "policies": dict(zip(POLICIES, (tally.flag_all, tally.miss_all), strict=True)),
            "runs": metrics,
            "mean": mean,
            "std": std,
        }
    )


@dataclass(frozen=True)
class Evaluate:
    """One run of the command, with a new model."""

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
        data, facts = load_rows(self.file, self.rows, self.order is None and self.runs is None)
        objective = self.options.make_objective(data.positives, len(data) - data.positives)
        orders = orders_for(self.order, self.runs, self.seed, len(data))
        model = self.options.make_model(self.options.make_learner(), objective)
        core_of(model).warm_up()  # outside the clock
        report_default_costs(self.options)
        report_objective(model.objective, model.learner.name)
        with Progress("evaluating", len(orders)) as bar:
            runs = in_parallel(
                [partial(self._run, data, order, objective) for order in orders], bar.step
            )
        report_undefined_savings(runs[0].tally)
        self._show(objective, runs, facts)
        return 0

    def _run(self, data: Dataset, order: NDArray[np.intp] | None, objective: Objective) -> Run:
        model = self.options.make_model(self.options.make_learner(), objective)
        return run_once(model, data if order is None else data.take(order), self.options.costs)

    def _stream(self, objective: Objective) -> int:
        """One pass in the order of the file, which need not fit into memory."""
        model = self.options.make_model(self.options.make_learner(), objective)
        journal = Journal(self.options.costs)

        def announce(labels: Labels) -> None:
            report_labels(labels, stream)
            report_default_costs(self.options)
            report_objective(model.objective, model.learner.name)

        with self.rows.stream(self.file) as stream, Interruptible(stream) as ctrl_c:
            learn(model, stream, journal, "evaluating", announce)
            if not journal.started and not ctrl_c.hit:
                raise CostreamError(f"{self.file} has no rows", EMPTY)
        if ctrl_c.hit:
            notify(SO_FAR)
        run = Run(journal.tally, [], journal.seconds)
        self._show(objective, [run], facts_of(stream, journal.unlabelled, journal.timeline))
        return INTERRUPTED if ctrl_c.hit else 0

    def _show(self, objective: Objective, runs: list[Run], facts: dict[str, Any]) -> None:
        settings = {
            "normalize": self.options.normalize or "l2",
            "intercept": bool(self.options.intercept),
            "ratio": self.options.ratio or "laplace",
        }
        learner = self.options.make_learner()
        show(learner, settings, objective, self.options.costs, runs, facts, self.as_json)


@dataclass(frozen=True)
class EvaluateModel:
    """One run of the command, with a saved model, which is never written."""

    file: str
    model: Path
    rows: RowOptions
    options: ModelOptions
    learn: bool = False
    order: str | None = None
    runs: int | None = None
    seed: int = 0
    as_json: bool = False

    def run(self) -> int:
        self._check()
        model = load(self.model)
        check_labels(model, self.rows)
        decider = decider_of(model, self.options, self.learn)
        journal = Journal(decider.costs)
        stream = self.rows.stream_for(self.file, model)
        with (
            stream,
            Interruptible(stream) as ctrl_c,
            Progress("evaluating", stream.source.size) as bar,
        ):
            decide_stream(decider, stream, journal, on_block=journal.shown_in(bar, stream))
            if not journal.tally.rows and not ctrl_c.hit:
                if journal.unlabelled:
                    raise no_label(stream.source.name)
                raise CostreamError(f"{self.file} has no rows", EMPTY)
        journal.end(stream)
        if ctrl_c.hit:
            notify(SO_FAR)
        settings = {
            "normalize": "l2" if model.normalize else "none",
            "intercept": model.fit_intercept,
        }
        run = Run(journal.tally, [], journal.seconds)
        facts = facts_of(stream, journal.unlabelled, journal.timeline)
        costs = decider.costs
        show(model.learner, settings, decider.objective, costs, [run], facts, self.as_json)
        return INTERRUPTED if ctrl_c.hit else 0

    def _check(self) -> None:
        """A saved model has its own learner and objective, and the rows have their order."""
        own = self.options.for_making
        own += [f"--{name}" for name in ("order", "runs") if getattr(self, name) is not None]
        if own:
            raise UsageError(
                f"{', '.join(own)} and -m exclude each other: a saved model has its own learner and "
                f"objective, and meets the rows in their order\nhint: leave out {', '.join(own)}, or -m"
            )
