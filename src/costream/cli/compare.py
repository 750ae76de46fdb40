"""``costream compare``: all learners side by side, as a table and as a page with their curves."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from ..evaluate.compare import Build, Course, compare, warm_up
from ..evaluate.comparison import Comparison
from ..learners import LEARNERS, Learner
from ..modelfile import write_atomically
from ..objective import Objective
from ..streams.dataset import Dataset
from . import UsageError
from .evaluate import finite, load_rows, metrics_table, orders_for
from .options import ModelOptions, RowOptions, check_writable
from .terminal import Progress, counted, say

DEFAULT_RUNS = 5
PAYMENTS = 20_000
LARGEST_STATE = 1 << 27  # bytes; a learner that needs more is run only where it is named
REPORT = Path("costream-report.html")


@dataclass(frozen=True)
class Compare:
    """One run of the command."""

    file: str | None
    rows: RowOptions
    options: ModelOptions
    learners: tuple[str, ...] = ()
    order: str | None = None
    runs: int | None = None
    seed: int = 0
    in_order: bool = False
    report: Path = REPORT
    no_report: bool = False
    as_json: bool = False

    def run(self) -> int:
        self._check()
        if self.file is None:
            courses, widths = self._embedded(), [0, 0]
        else:
            data = load_rows(self.file, self.rows)
            courses, widths = [self._of_file(self.file, data)], [data.width]
        builds = [self._builds(width) for width in widths]
        total = sum(
            len(course.runs) * len(build) for course, build in zip(courses, builds, strict=True)
        )
        say(
            f"{counted(len(builds[0]), 'learner')} and 2 constant policies on "
            f"{counted(len(courses), 'data set')}"
        )
        found = []
        with Progress("loading the learners", None):
            warm_up(courses[0], builds[0])
        with Progress("comparing", total) as bar:
            for course, build in zip(courses, builds, strict=True):
                found.append(compare(course, build, bar.step))
        self._show(found)
        if not self.no_report:
            self._write(found)
        return 0

    def _check(self) -> None:
        if self.in_order and (self.order is not None or self.runs is not None):
            raise UsageError("--in-order excludes --order and --runs")
        if self.order is not None and self.runs is not None:
            raise UsageError("--order and --runs exclude each other")
        if self.file is None and (self.order is not None or self.in_order):
            raise UsageError("--order and --in-order are for a FILE")
        for name in self.learners:
            self.options.make_learner(name)
        self.options.make_objective(1, 1)
        if not self.no_report:
            check_writable(self.report)

    def _builds(self, width: int) -> dict[str, Build]:
        """What makes a new model of each learner; those too large for the data are left out."""
        builds: dict[str, Build] = {}
        large = []
        for name in self.learners or LEARNERS:
            learner = self.options.make_learner(name)
            if not self.learners and learner.bytes_needed(width) > LARGEST_STATE:
                large.append(name)
            else:
                builds[name] = partial(self._model, learner)
        if large:
            say(
                f"left out for {width:,} features: {', '.join(large)}\n"
                "hint: name them with --learner to run them all the same"
            )
        return builds

    def _model(self, learner: Learner, objective: Objective) -> Any:
        return self.options.make_model(learner, objective)

    # --- data sets ------------------------------------------------------------------------------

    def _of_file(self, file: str, data: Dataset) -> Course:
        runs = None if self.in_order else self.runs
        if not self.in_order and self.order is None and runs is None:
            runs = DEFAULT_RUNS
        orders = orders_for(self.order, runs, self.seed, len(data))
        note = (
            "The rows in the order of the file."
            if orders[0] is None
            else f"The rows of the file in {len(orders)} orders, the same for every learner."
        )
        return Course(
            PurePath(file).name if file != "-" else "standard input",
            note,
            data.take(np.arange(min(2, len(data)))),
            [partial(_taken, data, order) for order in orders],
            self._objective,
            self.options.prices,
        )

    def _objective(self, data: Dataset) -> Objective:
        return self.options.make_objective(data.positives, len(data) - data.positives)

    def _embedded(self) -> list[Course]:
        """The data sets that come with the program."""
        from ..streams.payments import FALSE_ALARM, TYPICAL_LOSS, card_payments

        runs = self.runs or DEFAULT_RUNS
        payments = self._priced(TYPICAL_LOSS, FALSE_ALARM)
        cancer = self._priced(10.0, 1.0)
        generated = [partial(card_payments, PAYMENTS, self.seed + run) for run in range(runs)]
        tumours = breast_cancer()
        rng = np.random.default_rng(self.seed)
        orders = [rng.permutation(len(tumours)) for _ in range(runs)]
        return [
            Course(
                "Card payments",
                f"Made by a seeded generator: {runs} streams of payments in the order of time, with "
                "rare fraud, a drifting rate and a change of tactics. A missed fraud costs its amount, "
                f"a false alarm {FALSE_ALARM:g}.",
                card_payments(2),
                generated,
                lambda data: payments.make_objective(data.positives, len(data) - data.positives),
                payments.prices,
            ),
            Course(
                "Breast cancer",
                "The Wisconsin data that come with scikit-learn, real: malignant is positive, and "
                "columns are standardised; missing one costs ten false alarms. "
                f"{runs} orders, the same for every learner.",
                tumours.take(np.arange(2)),
                [partial(_taken, tumours, order) for order in orders],
                lambda data: cancer.make_objective(data.positives, len(data) - data.positives),
                cancer.prices,
            ),
        ]

    def _priced(self, fn_cost: float, fp_cost: float) -> ModelOptions:
        """The options with the prices of an embedded data set, where the user gives none."""
        given = self.options
        return replace(
            given,
            objective=given.objective or "cost",
            fn_cost=given.fn_cost or fn_cost,
            fp_cost=given.fp_cost or fp_cost,
        )

    # --- results --------------------------------------------------------------------------------

    def _show(self, found: list[Comparison]) -> None:
        if self.as_json:
            json.dump(finite([asdict(one) for one in found]), sys.stdout, indent=2, allow_nan=False)
            print()
            return
        for one in found:
            share = one.positives / max(one.rows, 1)
            print(
                f"\n{one.title}: {counted(one.rows, 'row')}, {one.positives:,} positive ({share:.2%}), "
                f"{counted(one.runs, 'run')}, best {one.objective} first"
            )
            print(metrics_table([(entry.name, entry.mean) for entry in one.entries], "learner"))

    def _write(self, found: list[Comparison]) -> None:
        from .report import render

        command = " ".join(["costream", *sys.argv[1:]])
        page = render(found, command, version("costream"))
        write_atomically(self.report, page.encode())
        say(f"\nwrote {self.report}, a page with the curves: open it in a browser")


def _taken(data: Dataset, order: Any) -> Dataset:
    return data if order is None else data.take(order)


def breast_cancer() -> Dataset:
    """The breast-cancer data of scikit-learn, malignant as positive, columns standardised."""
    from sklearn.datasets import load_breast_cancer

    from ..inputs import as_batch

    bunch = load_breast_cancer()
    values = (bunch.data - bunch.data.mean(axis=0)) / bunch.data.std(axis=0)
    names = [str(name) for name in bunch.feature_names]
    return Dataset(as_batch(values), names, bunch.target == 0)
