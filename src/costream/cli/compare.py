"""``costream compare``: all learners side by side, as a table and as a page with their curves."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path, PurePath

from .._files import write_atomically
from ..costs.objective import Objective
from ..costs.objectives import AT_COSTS
from ..datasets.dataset import Dataset
from ..evaluation.baselines import Baseline
from ..evaluation.comparing import AT_ROW_COSTS, Build, Task, compare_learners, fits, warm_up
from ..evaluation.results import Comparison
from ..evaluation.runs import permutations
from ..learners import LEARNERS
from ..report.numbers import counted
from ..report.page import DOCTYPE
from . import UsageError, usage
from .checks import check_orders, check_writable, report_default_costs, report_objective
from .evaluate import load_rows, orders_for
from .options import ModelOptions
from .row_options import RowOptions
from .terminal import Progress, notify, print_json

DEFAULT_RUNS = 5
PAYMENTS = 20_000
REPORT = Path("costream-report.html")
TUMOUR = 10.0  # what missing one costs, in false alarms


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
    baseline: tuple[str, ...] = ()
    report: Path = REPORT
    no_report: bool = False
    as_json: bool = False

    def run(self) -> int:
        self._check()
        baselines = self._baselines()
        if self.file is None:
            tasks = self._embedded()
            builds = [self._builds(task.sample) for task in tasks]
        else:
            rows = self._rows(baselines)
            ordered = self.order is None and self.runs is None
            data, _ = load_rows(self.file, rows, ordered, baselines)
            report_default_costs(self.options)
            report_objective(_objective(self.options, data))
            tasks = [self._of_file(self.file, data)]
            builds = [self._builds(data)]
        total = sum(len(task.runs) * len(build) for task, build in zip(tasks, builds, strict=True))
        rules = f", {counted(len(baselines), 'rule')}" if baselines else ""
        notify(
            f"{counted(len(builds[0]), 'learner')}{rules} and 2 constant policies on "
            f"{counted(len(tasks), 'data set')}"
        )
        found = []
        with Progress("loading the learners", None):
            warm_up(builds[0])
        with Progress("comparing", total) as bar:
            for task, build in zip(tasks, builds, strict=True):
                found.append(compare_learners(task, build, bar.step, watch=self._watches))
        self._show(found)
        if not self.no_report:
            self._write(found)
        return 0

    def _check(self) -> None:
        check_orders(self.order, self.runs)
        for_file = self.rows != RowOptions() or self.order is not None or self.options.given_costs
        if self.file is None and (for_file or self.baseline):
            raise UsageError(
                "options for costs, orders, rules and columns need a FILE; the built-in data have "
                "their own\n"
                "hint: name a FILE, or leave those options out"
            )
        self.options.make_learners(self.learners or LEARNERS)
        self.options.make_objective(1, 1)
        if not self.no_report:
            check_writable(self.report, DOCTYPE.encode())

    def _baselines(self) -> list[Baseline]:
        """The rules of the user, each once."""
        with usage("--baseline: "):
            found = [Baseline.parse(text) for text in self.baseline]
        for one in found:
            if one.operator is None and one.column == self.rows.label:
                raise UsageError(
                    f"--baseline {one.column}: that is the label\nhint: name a column with decisions"
                )
        return list(dict.fromkeys(found))

    def _rows(self, baselines: list[Baseline]) -> RowOptions:
        """How the file is to be read: with the columns of rules; one of decisions is not a feature."""
        decisions = [one.column for one in baselines if one.operator is None]
        for name in decisions:
            notify(f"{name} holds decisions to compare with, and is not used as a feature")
        passed = tuple(dict.fromkeys(one.column for one in baselines))
        return replace(self.rows, ignore=(*self.rows.ignore, *decisions), passed=passed)

    def _builds(self, data: Dataset) -> dict[str, Build]:
        """What makes a new model of each learner; those too large for the data are left out."""
        builds: dict[str, Build] = {}
        large = []
        for learner in self.options.make_learners(self.learners or LEARNERS):
            if not self.learners and not fits(learner, data.width):
                large.append(learner.name)
            else:
                builds[learner.name] = partial(self.options.make_model, learner)
        if large:
            notify(
                f"left out for {data.width:,} features: {', '.join(large)}\n"
                "hint: name them with --learner to run them anyway"
            )
        return builds

    @property
    def _watches(self) -> bool:
        """Whether anyone will see who led a portfolio, and when."""
        return self.as_json or not self.no_report

    # --- data sets ------------------------------------------------------------------------------

    def _of_file(self, file: str, data: Dataset) -> Task:
        orders = orders_for(self.order, self.runs, self.seed, len(data))
        if self.order is not None:
            note = (
                f"The rows of the file in {counted(len(orders), 'order')}, the same for every learner."
            )
        elif self.runs is not None:
            note = f"The rows of the file in {counted(len(orders), 'random order')}, the same for all."
        else:
            note = "The rows in the order of the file."
        name = PurePath(file).name if file != "-" else "standard input"
        objective = partial(_objective, self.options)
        return Task.of(name, note, data, orders, objective, self.options.costs)

    def _embedded(self) -> list[Task]:
        """The data sets that come with the program, with their costs."""
        from ..datasets.bundled import breast_cancer
        from ..datasets.payments import FALSE_ALARM, TYPICAL_LOSS, card_payments

        runs = self.runs or DEFAULT_RUNS
        chosen = replace(self.options, objective=self.options.objective or AT_COSTS)
        payments = replace(chosen, fn_cost=TYPICAL_LOSS, fp_cost=FALSE_ALARM)
        cancer = replace(chosen, fn_cost=TUMOUR, fp_cost=1.0)
        tumours = breast_cancer()
        return [
            Task(
                "Card payments",
                f"Synthetic, from a seeded generator: {counted(runs, 'stream')} of payments in order "
                "of time, with rare fraud, a drifting rate and a change of tactics. A missed fraud "
                f"costs its amount, a false alarm {FALSE_ALARM:g}.",
                card_payments(2),
                [partial(card_payments, PAYMENTS, self.seed + run) for run in range(runs)],
                partial(_objective, payments),
                payments.costs,
            ),
            Task.of(
                "Breast cancer",
                "The real Wisconsin data (UCI). Malignant is positive, columns "
                f"are standardised, and a missed positive costs as much as {TUMOUR:g} false alarms. "
                f"{counted(runs, 'order')}, the same for every learner.",
                tumours,
                permutations(len(tumours), runs, self.seed),
                partial(_objective, cancer),
                cancer.costs,
            ),
        ]

    # --- results --------------------------------------------------------------------------------

    def _show(self, found: list[Comparison]) -> None:
        if self.as_json:
            print_json([asdict(one) for one in found])
            return
        for one in found:
            print(f"\n{one}")
            if one.decisions:
                print(AT_ROW_COSTS)

    def _write(self, found: list[Comparison]) -> None:
        from ..report.comparison import render

        command = shlex.join(["costream", *sys.argv[1:]])
        page = render(found, command, version("costream"))
        write_atomically(self.report, page.encode())
        notify(f"\nwrote the report to {self.report}: open it in a browser")


def _objective(options: ModelOptions, data: Dataset) -> Objective:
    return options.make_objective(data.positives, len(data) - data.positives)
