"""What rivals share: settings, rows in random orders, decisions out of probabilities, the clock."""

from __future__ import annotations

import itertools
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from costream.costs.tally import Costs
from costream.datasets.dataset import Dataset
from costream.evaluation.runs import order_of
from costream.tables.arrays import Batch

METRICS = ("sum", "cost")
COSTS = Costs(fn_cost=0.9, fp_cost=0.1, alpha_p=0.5)
SEED = 0
SMALL, LARGE = 10_000, 100_000  # rows
WIDEST = 400  # features of full covariances and of standardised rows
CHUNK = 10_000  # rows that are written at a time

Scores = np.ndarray
Unit = list[tuple[str, "Setting"]]  # metrics and settings that are played in one go


@dataclass(frozen=True)
class Setting:
    """How a rival, or one of our learners, is set; ``group`` is that of which the best counts."""

    rival: str
    group: str
    params: tuple[tuple[str, Any], ...]

    def __getitem__(self, key: str) -> Any:
        return dict(self.params)[key]

    def __str__(self) -> str:
        return ", ".join(f"{key} {value}" for key, value in self.params)


def combined(rival: str, group: str = "", **axes: Iterable[Any]) -> list[Setting]:
    points = itertools.product(*axes.values())
    return [Setting(rival, group or rival, tuple(zip(axes, one, strict=True))) for one in points]


@dataclass(frozen=True)
class Played:
    """The scores of all rows, or of the first ones, and the CPU seconds that they took."""

    scores: Scores
    seconds: float


# --- rows -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """A data set in random orders; or streams that keep their own order, one for each run."""

    name: str
    streams: tuple[Dataset, ...]
    folder: Path
    quick: bool = False

    @property
    def data(self) -> Dataset:
        return self.streams[0]

    @property
    def narrow(self) -> bool:
        return self.data.width - 1 <= WIDEST

    @property
    def large(self) -> bool:
        return len(self.data) > LARGE

    @cached_property
    def columns(self) -> list[int]:
        return sorted({int(j) for one in self.streams for j in np.unique(one.rows.index)})


class Order:
    """The rows of one run, in the shapes that rivals want; each is made when it is wanted."""

    def __init__(self, task: Task, run: int) -> None:
        self.task = task
        if len(task.streams) > 1:
            self.data = task.streams[run]
        else:
            self.data = task.data.take(order_of(len(task.data), SEED, run))
        self.data.rows.check()
        self.ratio = (len(self.data) - self.data.positives) / self.data.positives
        self.seconds: dict[str, float] = {"raw": 0.0}  # that a shape took
        self._rows: dict[str, Batch] = {"raw": self.data.rows}
        self._texts: dict[str, Path] = {}

    def rho(self, metric: str) -> float:
        """What a positive row weighs, a negative one being 1."""
        return self.ratio if metric == "sum" else COSTS.fn_cost / COSTS.fp_cost

    def rows(self, kind: str) -> Batch:
        """Rows as they came ("raw"), divided by their L2 norm ("L2"), or "standardised"."""
        if kind not in self._rows:
            begin = time.process_time()
            self._rows[kind] = divided(self.data.rows) if kind == "L2" else self._standardised()
            self.seconds[kind] = time.process_time() - begin
        return self._rows[kind]

    def _standardised(self) -> Batch:
        """Dense rows less their running mean, over their running deviation, this row included."""
        values, rows, d = dense(self.data.rows, self.data.width), len(self.data), self.data.width
        compiled(standardise)(values)
        start = np.arange(rows + 1, dtype=np.uint64) * np.uint64(d)
        return Batch(start, np.tile(np.arange(d, dtype=np.uint32), rows), values.ravel(), d)

    def text(self, kind: str) -> Path:
        """A file for Vowpal Wabbit."""
        if kind not in self._texts:
            self._texts[kind] = self.task.folder / f"{kind}.vw"
            self._write(self.rows(kind), self._texts[kind])
        return self._texts[kind]

    def _write(self, rows: Batch, path: Path) -> None:
        with open(path, "w", encoding="ascii") as file:
            for first in range(0, len(self.data), CHUNK):
                part = rows.part(first, min(first + CHUNK, len(self.data)))
                pairs = zip(part.index.tolist(), part.value.tolist(), strict=True)
                words = [f"{j}:{value:.8g}" for j, value in pairs]
                labels = self.data.positive[first : first + CHUNK].tolist()
                bounds = itertools.pairwise(part.start.tolist())
                file.writelines(
                    f"{1 if label else -1} | {' '.join(words[a:b])}\n"
                    for label, (a, b) in zip(labels, bounds, strict=True)
                )


def divided(rows: Batch) -> Batch:
    """Rows divided by their L2 norm."""
    scale = np.repeat(rows.scale, np.diff(rows.start).astype(np.int64))
    return Batch(rows.start, rows.index, rows.value * scale, rows.width)


def dense(rows: Batch, width: int) -> np.ndarray:
    found = np.zeros((rows.rows, width))
    lines = np.repeat(np.arange(rows.rows), np.diff(rows.start).astype(np.int64))
    found[lines, rows.index] = rows.value
    return found


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    import numba

    return numba.njit(nogil=True, error_model="numpy")(function)


def standardise(dense):
    """In place; a feature that has not varied yet is 0."""
    mean, square = np.zeros(dense.shape[1]), np.zeros(dense.shape[1])
    for t in range(dense.shape[0]):
        for j in range(dense.shape[1]):
            x = dense[t, j]
            before = x - mean[j]
            mean[j] += before / (t + 1)
            square[j] += before * (x - mean[j])
            dense[t, j] = (x - mean[j]) / np.sqrt(square[j] / (t + 1)) if square[j] > 0.0 else 0.0


def dict_rows(rows: Batch, columns: list[int]) -> Iterator[dict[int, float]]:
    """Rows for River; with ``columns`` each has all of them, else its nonzeros alone."""
    zeros = dict.fromkeys(columns, 0.0)
    index, value = rows.index.tolist(), rows.value.tolist()
    for a, b in itertools.pairwise(rows.start.tolist()):
        yield {**zeros, **dict(zip(index[a:b], value[a:b], strict=True))}


# --- decisions ------------------------------------------------------------------------------------


def decided(metric: str, probability: np.ndarray, positive: np.ndarray) -> Scores:
    """Scores of 0 or more where a row is to be flagged, given its probability of being positive.

    Under the cost that is the Bayes rule at the costs; under the sum, a probability of at least the
    rate of positives so far. Where there is no probability yet (NaN): the constant policy that would
    have been cheaper so far; under the sum, where the two are equal, every row is flagged.
    """
    positive = positive[: len(probability)]
    positives = np.cumsum(positive) - positive
    negatives = np.arange(len(positive)) - positives
    fn, fp = (COSTS.fn_cost, COSTS.fp_cost) if metric == "cost" else (negatives, positives)
    constant = COSTS.fn_cost * positives - COSTS.fp_cost * negatives if metric == "cost" else 0.0
    return np.where(np.isnan(probability), constant, fn * probability - fp * (1.0 - probability))


# --- rivals ---------------------------------------------------------------------------------------


class Rival(ABC):
    """Settings to try, and how to play some of them."""

    name: str
    tuned_in = sys.maxsize  # orders in which all settings run, at most
    kept = 3  # settings that run in all orders; the best alone where data are large

    def missing(self, task: Task) -> str:
        """Why it does not run, if it does not."""
        return ""

    def orders(self, task: Task) -> int:
        """At most so many."""
        return sys.maxsize

    @abstractmethod
    def settings(self, task: Task, metric: str) -> list[Setting]:
        """All that are tried in the first order."""

    def more(self, task: Task, best: list[Setting]) -> list[Setting]:
        """What else to try, when the best ones of a group in the first order are known."""
        return []

    def played_together(self, wanted: Unit) -> list[Unit]:
        """What is played together."""
        return [[one] for one in wanted]

    def check(self, order: Order) -> None:  # noqa: B027 (most rivals run as they are)
        """Stop if this is not what the rival itself does."""

    @abstractmethod
    def play(self, order: Order, unit: Unit) -> list[Played]:
        """The scores of each setting, every row scored before it is learnt."""


def by_setting(wanted: Unit) -> list[Unit]:
    """The metrics of a setting together: one pass serves both."""
    found: dict[Setting, Unit] = {}
    for metric, setting in wanted:
        found.setdefault(setting, []).append((metric, setting))
    return list(found.values())
