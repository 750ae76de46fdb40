"""From an experiment to its trials, and from their results to means and to the settings chosen."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from ..evaluation.runs import mean_of, std_of
from ..learners import make_learner
from .experiment import Candidate, DatasetInfo, Experiment, Metric, resolved, values
from .loader import Loader
from .paper.printed import Printed, printed_rows
from .store import Store
from .trial import Result, Trial

CLOSE = 3.0  # standard errors
NEAR = 2  # stated settings, and others, that run in all orders because they are near on a few
COSTS = ("alpha_p", "fn_cost")  # axes that are not hyper-parameters
Setting = dict[str, Any]
Made = TypeVar("Made")


@dataclass(frozen=True)
class Summary:
    """Metrics of a setting over its runs."""

    runs: int
    mean: Mapping[str, float]
    std: Mapping[str, float]

    def error(self, key: str) -> float:
        return self.std[key] / math.sqrt(self.runs)


def summarised(metrics: Sequence[dict[str, Any]]) -> Summary:
    """The summary of runs; a single one has no deviation."""
    std = {key: value if value == value else 0.0 for key, value in std_of(metrics).items()}
    return Summary(len(metrics), mean_of(metrics), std)


@dataclass(frozen=True)
class TrialOptions:
    """What the trials of one kind of experiment have in common."""

    tunes: bool = False  # settings are tried on a few runs, and the chosen ones run in all orders
    curve: bool = False  # counts are taken along the way
    bins: int = 0  # of probabilities, where these are measured


@dataclass(frozen=True)
class Cell:
    """One learner on one data set under one metric: a row of a table."""

    dataset: DatasetInfo
    metric: Metric
    candidate: Candidate


class Plan:
    """The trials of one experiment; later stages depend on the results of earlier ones."""

    def __init__(
        self,
        experiment: Experiment,
        loader: Loader,
        store: Store,
        options: TrialOptions | None = None,
        tuned: Plan | None = None,
    ) -> None:
        self.experiment, self.loader, self.store = experiment, loader, store
        self.options, self.tuned = options or TrialOptions(), tuned
        self._known: dict[tuple[object, ...], object] = {}  # what was asked for before

    # --- what is run ----------------------------------------------------------------------------

    def stages(self) -> Iterator[list[Trial]]:
        """Lists of trials; each is to be run before the next is asked for."""
        cells = list(self.cells())
        if self._tunes:
            yield self._trials([(cell, self.settings(cell), self._tuning(cell)) for cell in cells])
        yield self._trials([(cell, self.shown(cell), self._runs(cell)) for cell in cells])

    @property
    def _tunes(self) -> bool:
        """Whether this experiment chooses settings, and takes none from another."""
        return self.options.tunes and not self.experiment.tuned_in

    def cells(self) -> Iterator[Cell]:
        for dataset in self.loader.datasets(self.experiment):
            for candidate in self.experiment.on(dataset.name):
                for metric in self.metrics():
                    yield Cell(dataset, self.experiment.with_costs(metric, dataset.name), candidate)

    def metrics(self) -> list[Metric]:
        """Those of the experiment, or those along the axis of a sweep over costs."""
        found = list(self.experiment.metrics)
        for key, axis in self.experiment.axis.items():
            if key == "alpha_p":
                found = [replace(metric, alpha_p=value) for metric in found for value in values(axis)]
            elif key == "fn_cost":
                found = [
                    replace(metric, fn_cost=value, fp_cost=round(1.0 - value, 12))
                    for metric in found
                    for value in values(axis)
                ]
        return found

    def _trials(self, wanted: Sequence[tuple[Cell, list[Setting], int]]) -> list[Trial]:
        """Trials by data set, then by run, so that the rows of a run are put in order once."""
        found = {}
        for dataset in dict.fromkeys(cell.dataset for cell, _, _ in wanted):
            mine = [one for one in wanted if one[0].dataset == dataset]
            for run in range(max(runs for _, _, runs in mine)):
                for cell, settings, runs in mine:
                    if run < runs:
                        for setting in settings:
                            trial = self.trial(cell, setting, run)
                            found[trial.key] = trial
        return list(found.values())

    def trial(self, cell: Cell, setting: Setting, run: int) -> Trial:
        return self._once("trial", cell, setting, run, lambda: self._made(cell, setting, run))

    def _once(self, what: str, cell: Cell, setting: Setting, n: int, make: Callable[[], Made]) -> Made:
        """What was made before for the same question, or is made now."""
        key = (what, cell.dataset.name, cell.metric, cell.candidate.name, tuple(setting.items()), n)
        if key not in self._known:
            self._known[key] = make()
        return cast(Made, self._known[key])

    def _made(self, cell: Cell, setting: Setting, run: int) -> Trial:
        dataset, candidate = cell.dataset, cell.candidate
        metric = replace(cell.metric, ratio=candidate.ratio) if candidate.ratio else cell.metric
        params = resolved(candidate.learner, setting, dataset.positives, dataset.negatives, run)
        blind = not make_learner(candidate.learner, **params).cost_sensitive
        return Trial(
            dataset=dataset.name,
            content=dataset.content,
            rows=dataset.rows,
            positives=dataset.positives,
            order=dataset.order,
            run=run,
            learner=candidate.learner,
            params=params,
            metric=None if blind else metric,
            folds=self.experiment.folds,
            curve=self.options.curve,
            bins=self.options.bins,
        )

    def _runs(self, cell: Cell) -> int:
        return self.experiment.runs_on(cell.dataset.name)

    def _tuning(self, cell: Cell) -> int:
        return self.experiment.tuning_on(cell.dataset.name)

    # --- settings -------------------------------------------------------------------------------

    def settings(self, cell: Cell) -> list[Setting]:
        """The settings that are tried: the grid, and those that are tried for the nearest alone."""
        found, whole = self.grid(cell), cell.candidate.whole
        for other in cell.candidate.off_grid(cell.dataset.name):
            if whole(other) not in map(whole, found):
                found.append(other)
        return found

    def tried(self, cell: Cell) -> int:
        """How many settings are tried, which is known before any is."""
        tried = len(cell.candidate.settings()) + len(cell.candidate.off_grid(cell.dataset.name))
        axes = [axis for key, axis in self.experiment.axis.items() if key not in COSTS]
        return tried * math.prod(len(values(axis)) for axis in axes)

    def grid(self, cell: Cell) -> list[Setting]:
        """The settings that may be chosen."""
        found = cell.candidate.settings()
        for key, axis in self.experiment.axis.items():
            if key not in COSTS:
                found = [{**one, key: value} for one in found for value in values(axis)]
        if self.tuned is not None:
            taken = self._taken(cell)
            both = [{**other, **one} for one in found for other in taken]
            found = [one for n, one in enumerate(both) if one not in both[:n]]
        return found

    def _taken(self, cell: Cell) -> list[Setting]:
        """The settings that another experiment chose: the best, and for a table the nearest, too."""
        other = self._chosen_in(cell)
        if self.tuned is None or other is None:
            return [{}]
        best = self.tuned.best(other)
        near = self.tuned.nearest(other) if self.options.tunes else None
        return [best] if near is None or near == best else [best, near]

    def _chosen_in(self, cell: Cell) -> Cell | None:
        """The cell of the other experiment, if any, that chooses the settings of this one."""
        wanted = (cell.dataset.name, cell.metric.name, cell.candidate.like or cell.candidate.name)
        for other in self.tuned.cells() if self.tuned is not None else ():
            if (other.dataset.name, other.metric.name, other.candidate.name) == wanted:
                return other
        return None

    def shown(self, cell: Cell) -> list[Setting]:
        """The settings that are run in all orders."""
        settings = self.settings(cell)
        if not self._tunes:
            return settings
        best = self.best(cell)
        return [best, *(one for one in self.near(cell) if one != best)]

    def best(self, cell: Cell) -> Setting:
        """The setting with the best mean over the runs used for tuning; ties go to the first."""
        sign = -1.0 if cell.metric.better == "more" else 1.0

        def badness(one: Setting) -> float:
            return sign * self.summary(cell, one, self._tuning(cell)).mean[cell.metric.key]

        return self._once("best", cell, {}, 0, lambda: min(self.grid(cell), key=badness))

    def stated_by(self, cell: Cell) -> Candidate:
        """The candidate that knows what the paper states: of this table, or of the one that chose."""
        return (self._chosen_in(cell) or cell).candidate

    def near(self, cell: Cell) -> list[Setting]:
        """The nearest of the stated settings, and of the others, by the runs for tuning."""
        printed = self.printed(cell)
        if printed is None:
            return []

        def distance(one: Setting) -> float:
            return printed.distance(self.summary(cell, one, self._tuning(cell)))

        def nearest() -> list[Setting]:
            ranked, home = sorted(self.settings(cell), key=distance), self.stated_by(cell)
            stated = [one for one in ranked if home.is_stated(one)]
            return stated[:NEAR] + [one for one in ranked if one not in stated][:NEAR]

        return self._once("near", cell, {}, 0, nearest)

    def nearest(self, cell: Cell) -> Setting | None:
        """The setting that is set beside the printed numbers; None where nothing is printed.

        It is the one whose largest difference, over all printed numbers, is smallest: of the settings
        that give every printed digit if there are any, else of the stated ones that are close, else
        of all.
        """
        printed = self.printed(cell)
        if printed is None:
            return None
        summaries = [(one, self.summary(cell, one, self._runs(cell))) for one in self.near(cell)]
        exact = [(one, ours) for one, ours in summaries if printed.equals(ours)]
        stated = [(one, ours) for one, ours in summaries if self.stated_by(cell).is_stated(one)]
        close = [(one, ours) for one, ours in stated if printed.distance(ours) <= CLOSE]
        return min(exact or close or summaries, key=lambda pair: printed.distance(pair[1]))[0]

    def printed(self, cell: Cell) -> Printed | None:
        if not self.experiment.printed:
            return None
        rows = printed_rows(self.experiment.printed)
        name = cell.candidate.beside or cell.candidate.name
        return rows.get((cell.dataset.title, cell.metric.name, name))

    # --- results --------------------------------------------------------------------------------

    def results(self, cell: Cell, setting: Setting, runs: int | None = None) -> list[Result]:
        count = self._runs(cell) if runs is None else runs
        return [Result.of(self.store[self.trial(cell, setting, run).key]) for run in range(count)]

    def summary(self, cell: Cell, setting: Setting, runs: int | None = None) -> Summary:
        """Means and standard deviations over the runs."""
        count = self._runs(cell) if runs is None else runs

        def make() -> Summary:
            found = self.results(cell, setting, count)
            return summarised([one.tally(cell.metric).metrics(cell.metric.costs) for one in found])

        return self._once("summary", cell, setting, count, make)

    def seconds(self, cell: Cell, setting: Setting) -> float | None:
        """The mean time of a run, where all are known."""
        times = [
            self.store.seconds(self.trial(cell, setting, run).key) for run in range(self._runs(cell))
        ]
        known = [one for one in times if one is not None]
        return sum(known) / len(known) if known else None
