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
from ..errors import CostreamError
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

    def __post_init__(self) -> None:
        if self.data is not None and not self.data.is_dir():
            raise CostreamError(
                f"{self.data} is not a folder", "name the folder of the data sets (--data)"
            )

    @property
    def folder(self) -> Path:
        return folder_of(self.output, self.quick)

    def lab(self, names: tuple[str, ...], loader: Loader, jobs: int = 1) -> Lab:
        found = find_experiments(names)
        chosen = [one.quick() for one in found] if self.quick else found
        return Lab(chosen, loader, Store(self.folder), jobs)


def list_experiments(options: LabOptions) -> int:
    """Print the experiments of the paper and the data sets of the catalogue, at hand or not."""
    lines = [
        [one.name, one.title, ", ".join(one.datasets) or "synthetic"]
        for one in paper_experiments().values()
    ]
    print(text_table(("experiment", "what it shows", "data sets"), lines, left=3))
    print()
    lines = [_dataset_line(entry, options.data) for entry in catalogue.entries().values()]
    print(text_table(("data set", "rows", "features", "positives", "location"), lines))
    return 0


def _dataset_line(entry: catalogue.CatalogueEntry, folder: Path | None) -> list[str]:
    found = catalogue.locate(entry, folder)
    where = "to be downloaded" if entry.sources else f"missing: see {entry.home}"
    where = str(found[0]) if found else where
    return [entry.name, f"{entry.rows:,}", f"{entry.features:,}", f"{entry.positives:,}", where]


def run_experiments(
    options: LabOptions, names: tuple[str, ...], jobs: int | None, no_report: bool
) -> int:
    """Run experiments, show how far they are, and write the report."""
    loader = Loader(options.data, not options.no_download, _download_bar)
    lab = options.lab(names, loader, jobs or os.cpu_count() or 1)
    began = monotonic()
    with _each_warning_once():
        check_any(lab)
        _report_missing(lab)
        with Progress("running", 1.0) as bar:
            new = lab.run(Ticker(bar).show)
    took = monotonic() - began
    notify(f"{counted(new, 'new trial')} in {took:,.0f} s; results are in {options.folder}")
    return 0 if no_report else report_experiments(options, names)


def report_experiments(
    options: LabOptions, names: tuple[str, ...], markdown: Path | None = None
) -> int:
    """Write the page, and the tables as Markdown, from results that are there."""
    from ..lab.pages.report import write_report

    with _each_warning_once():
        lab = options.lab(names or ("all",), Loader(options.data, False, None))
        command = " ".join(["costream", *sys.argv[1:]])
        page = write_report(lab, options.folder, command, markdown)
    notify(f"wrote {page}: open it in a browser")
    return 0


class Ticker:
    """A bar on a terminal, a line now and then elsewhere."""

    def __init__(self, bar: Progress) -> None:
        self._bar, self._shown = bar, monotonic()

    def show(self, part: float, name: str) -> None:
        self._bar.to(part, name)
        if not self._bar.shown and monotonic() - self._shown > EVERY:
            self._shown = monotonic()
            notify(f"{part:.0%} done, in {name}")


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
