"""``costream lab``: the paper's experiments, or one's own, run and reported."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from ..datasets import catalogue
from ..datasets.download import OnProgress
from ..datasets.entry import CatalogueEntry
from ..errors import CostreamError
from ..lab.experiment import Experiment
from ..lab.lab import Lab, check_any, folder_of
from ..lab.loader import Loader
from ..lab.reading import find_experiments, paper_experiments
from ..lab.store import Store
from ..report.numbers import counted
from ..report.tables import text_table
from .terminal import Progress, notify

OUTPUT = Path("costream-lab")
EVERY = 20.0  # seconds between lines where there is no terminal


@dataclass(frozen=True)
class LabOptions:
    """What the commands of the lab share."""

    data: Path | None = None
    output: Path = OUTPUT
    quick: bool = False
    no_download: bool = False

    def check(self) -> None:
        if self.data is not None and not self.data.is_dir():
            raise CostreamError(
                f"{self.data} is not a folder", "name the folder of the data sets (--data)"
            )

    @property
    def folder(self) -> Path:
        return folder_of(self.output, self.quick)

    def experiments(self, names: tuple[str, ...]) -> list[Experiment]:
        found = find_experiments(names)
        return [one.quick() for one in found] if self.quick else found


class ListExperiments:
    """The experiments of the paper and the data sets of the catalogue, at hand or not."""

    def __init__(self, options: LabOptions) -> None:
        options.check()
        self.options = options

    def run(self) -> int:
        experiments = paper_experiments().values()
        lines = [_experiment_line(one) for one in experiments]
        print(text_table(("experiment", "what it shows", "data sets"), lines, left=3))
        print()
        lines = [self._dataset_line(entry) for entry in catalogue.entries().values()]
        print(text_table(("data set", "rows", "features", "positives", "location"), lines))
        return 0

    def _dataset_line(self, entry: CatalogueEntry) -> list[str]:
        found = catalogue.locate(entry, self.options.data)
        if found:
            where = str(found[0])
        else:
            where = "to be downloaded" if entry.sources else f"missing: see {entry.home}"
        return [entry.name, f"{entry.rows:,}", f"{entry.features:,}", f"{entry.positives:,}", where]


def _experiment_line(experiment: Experiment) -> list[str]:
    return [experiment.name, experiment.title, ", ".join(experiment.datasets) or "synthetic"]


class RunExperiments:
    """Run experiments, show how far they are, and write the report."""

    def __init__(
        self, options: LabOptions, names: tuple[str, ...], jobs: int | None, no_report: bool
    ) -> None:
        options.check()
        self.options, self.names, self.no_report = options, names, no_report
        self.jobs = jobs or os.cpu_count() or 1

    def run(self) -> int:
        experiments = self.options.experiments(self.names)
        loader = Loader(self.options.data, not self.options.no_download, _download_bar)
        lab = Lab(experiments, loader, Store(self.options.folder), self.jobs)
        began = monotonic()
        with _each_warning_once():
            check_any(lab)
            _report_missing(lab)
            with Progress("running", 1.0) as bar:
                ticker = Ticker(bar)
                new = lab.run(ticker.show)
        took = monotonic() - began
        notify(f"{counted(new, 'new trial')} in {took:,.0f} s; results are in {self.options.folder}")
        return 0 if self.no_report else ReportExperiments(self.options, self.names).run()


class Ticker:
    """A bar on a terminal, a line now and then elsewhere."""

    def __init__(self, bar: Progress) -> None:
        self._bar, self._shown = bar, monotonic()

    def show(self, part: float, name: str) -> None:
        self._bar.to(part, name)
        if not self._bar.shown and monotonic() - self._shown > EVERY:
            self._shown = monotonic()
            notify(f"{part:.0%} done, in {name}")


class ReportExperiments:
    """Write the page, and the tables as Markdown, from results that are there."""

    def __init__(
        self, options: LabOptions, names: tuple[str, ...], markdown: Path | None = None
    ) -> None:
        options.check()
        self.options, self.names, self.markdown = options, names, markdown

    def run(self) -> int:
        from ..lab.pages.report import write_report

        experiments = self.options.experiments(self.names or ("all",))
        loader = Loader(self.options.data, False, None)
        with _each_warning_once():
            lab = Lab(experiments, loader, Store(self.options.folder))
            command = " ".join(["costream", *sys.argv[1:]])
            page = write_report(lab, self.options.folder, command, self.markdown)
        notify(f"wrote {page}: open it in a browser")
        return 0


@contextmanager
def _download_bar(name: str) -> Iterator[OnProgress]:
    with Progress(f"downloading {name}", None) as bar:
        yield lambda done, total: bar.to(done, f"{done / 1e6:,.1f} MB", total)


@contextmanager
def _each_warning_once() -> Iterator[None]:
    """Each warning once."""
    with warnings.catch_warnings():
        warnings.simplefilter("once")
        yield


def _report_missing(lab: Lab) -> None:
    for name, why in lab.loader.missing.items():
        notify(f"MISSING {name}: {why}")
        stands = {other for one in lab.experiments for other in one.substitutes.get(name, ())}
        if stands:
            notify(f"  used instead, under its own name: {', '.join(sorted(stands))}")
