"""The data sets of the lab: those at hand, what is known of them, and their rows in each order."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import numpy as np

from ..datasets import catalogue
from ..datasets.dataset import Dataset, load_dataset
from ..datasets.download import OnProgress
from ..errors import CostreamError
from ..evaluation.runs import Order, order_of, read_orders
from .experiment import DatasetInfo, Experiment


class Loader:
    """Loads data sets when they are needed, and keeps them."""

    def __init__(
        self,
        folder: Path | None = None,
        download: bool = True,
        watch: Callable[[str], AbstractContextManager[OnProgress]] | None = None,
    ) -> None:
        self.folder, self.download, self.watch = folder, download, watch
        self.missing: dict[str, str] = {}  # data sets that could not be had, and why
        self._data: dict[tuple[str, int], Dataset] = {}
        self._infos: dict[tuple[str, str, int, int], DatasetInfo] = {}
        self._orders: dict[str, list[Order]] = {}
        self._lock = threading.RLock()

    def datasets(self, experiment: Experiment) -> list[DatasetInfo]:
        """The data sets of an experiment that are at hand, or their substitutes."""
        found = []
        for name in experiment.datasets:
            for one in (name, *experiment.substitutes.get(name, ())):
                if self.has(experiment, one):
                    found.append(self.info(experiment, one))
                    if one == name:
                        break
        return found

    def has(self, experiment: Experiment, name: str) -> bool:
        """Whether a data set is at hand; one that is not is tried to be had, once."""
        if name in self.missing:
            return False
        try:
            self.info(experiment, name)
        except catalogue.Missing as error:
            self.missing[name] = str(error)
            return False
        return True

    def info(self, experiment: Experiment, name: str) -> DatasetInfo:
        own = experiment.name if name in experiment.files else ""
        key = (own, name, experiment.rows, experiment.seed)
        if key not in self._infos:
            self._infos[key] = self._find(experiment, name)
        return self._infos[key]

    def _find(self, experiment: Experiment, name: str) -> DatasetInfo:
        order, limit = f"seed {experiment.seed}", experiment.rows
        entry = None if name in experiment.files else catalogue.entry(name)
        if entry is None or limit or not (entry.exact and entry.checksums):
            data = self.data(experiment, name)
            counts = len(data), data.positives, data.width
            content = catalogue.fingerprint(data)
        else:  # the checksum is compared when the rows are loaded
            if catalogue.locate(entry, self.folder) is None:
                self.data(experiment, name)
            counts = entry.rows, entry.positives, entry.features
            content = entry.checksums[0]
        if entry is not None and not limit and (path := catalogue.orders_path(entry, self.folder)):
            self._orders[name] = read_orders(path, counts[0])
            order = "file " + hashlib.sha256(np.array(self._orders[name]).tobytes()).hexdigest()[:16]
        title = name if entry is None else entry.title
        return DatasetInfo(name, title, content, *counts, order, entry.note if entry else "")

    def data(self, experiment: Experiment, name: str) -> Dataset:
        """All rows, or as many as the experiment wants, evenly spread."""
        with self._lock:
            own = experiment.name if name in experiment.files else ""
            whole = self._data.get((own + name, 0))
            if whole is None:
                whole = self._data[own + name, 0] = self._load(experiment, name)
            limit = experiment.rows
            if not limit or limit >= len(whole):
                return whole
            part = self._data.get((own + name, limit))
            if part is None:
                part = whole.take(np.linspace(0, len(whole) - 1, limit).astype(np.intp))
                self._data[own + name, limit] = part
            return part

    def _load(self, experiment: Experiment, name: str) -> Dataset:
        if name not in experiment.files:
            with self.watch(name) if self.watch else nullcontext() as watch:
                return catalogue.load(name, self.folder, download=self.download, on_progress=watch)
        from ..files.reader import Stream
        from ..labels.labels import parsed_labels

        options = experiment.files[name]
        path = experiment.home / options["path"]
        positive = parsed_labels(options.get("positive"))
        with Stream(path, label=options.get("label"), format=options.get("format")) as stream:
            data, _ = load_dataset(stream, positive, str(path))
        if not 0 < data.positives < len(data):
            raise CostreamError(f"{path} has rows of only one class")
        return data

    def in_order(self, experiment: Experiment, name: str, run: int) -> Dataset:
        """The rows of a run, with their norms taken."""
        data = self.data(experiment, name)
        dataset = self.info(experiment, name)
        if dataset.order.startswith("file "):
            orders = self._orders[name]
            if run >= len(orders):
                raise CostreamError(
                    f"{name}: {run + 1} runs are required, but {len(orders)} orders are known"
                )
            order = orders[run]
        else:
            order = order_of(len(data), experiment.seed, run)
        taken = data.take(order)
        taken.rows.check()
        return taken
