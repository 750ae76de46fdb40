"""Prequential runs: every row is scored, then learnt, in one order or in many."""

from __future__ import annotations

import copy
import math
import os
import statistics
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .._typing import Floats
from ..costs.rows import NO_COSTS
from ..costs.tally import Costs, Tally
from ..datasets.dataset import Dataset
from ..errors import CostreamError
from ..files.source import Source, line_blocks
from ..learners.auto.standings import Standings
from ..model.classifier import OnlineClassifier, core_of
from .shapes import Shape, shapes_of

Order = NDArray[np.intp]
T = TypeVar("T")


@dataclass(frozen=True)
class Run:
    """The result of one prequential pass over a data set."""

    tally: Tally
    curve: list[Tally]  # the decisions on the rows up to each of the places
    seconds: float
    leaders: list[str] = field(default_factory=list)  # of a portfolio, at each of the places
    half_lives: list[int | None] = field(default_factory=list)  # likewise, None for never forgetting
    member_costs: dict[str, float] = field(default_factory=dict)  # of active members, the leader first
    shapes: list[Shape] = field(default_factory=list)

    def metrics(self, costs: Costs) -> dict[str, float]:
        return {**self.tally.metrics(costs), "seconds": self.seconds}


def run_once(
    model: OnlineClassifier,
    data: Dataset,
    costs: Costs,
    places: Sequence[int] = (),
    watch: bool = True,
) -> Run:
    """Run a new model prequentially over a data set: score each row, then learn from it.

    Rows with costs of their own are decided and billed at these, others at ``costs``. The curve has a
    point at each of the places. With ``watch`` it is recorded who leads a portfolio there, which takes
    a second pass, by a copy of the model: many short batches would take longer than one, and spoil the
    time of the run.
    """
    watched = copy.deepcopy(model) if watch and places and model.learner.has_standings else None
    began = perf_counter()
    scores = learn_dataset(model, data)
    run = tallied(scores, data, costs, places, perf_counter() - began)
    if watched is None:
        return run
    standings = standings_at(watched, data, places)
    return replace(
        run,
        leaders=[one.leader.name for one in standings],
        half_lives=[one.half_life for one in standings],
        member_costs=_member_costs(model),
        shapes=shapes_of(model),
    )


def learn_dataset(model: OnlineClassifier, data: Dataset, log_odds: Floats | None = None) -> Floats:
    """The score of each row before it is learnt; ``log_odds``, if given, receives its log-odds.

    Under an objective without costs, those of rows are for the total cost alone.
    """
    costs = data.costs if model.objective.has_costs else NO_COSTS
    return core_of(model).learn_rows(
        data.rows, data.positive, costs=costs, names=data.names, log_odds=log_odds
    )


def standings_at(model: OnlineClassifier, data: Dataset, places: Sequence[int]) -> list[Standings]:
    """Let a portfolio learn a data set in parts; returns its standings after each of them."""
    standings, begin = [], 0
    for end in places:
        part = data.part(begin, end)
        # there may be many more names than columns in use, and each name is looked up
        part = part.narrow() if begin and part.names is not None else part
        learn_dataset(model, part)
        standings.append(model.standings())
        begin = end
    return standings


def _member_costs(model: OnlineClassifier) -> dict[str, float]:
    """What the mistakes of each active member have cost, of those that are not paused."""
    unit = model.objective.unit
    members = [one for one in model.standings().members if one.active]
    return {one.name: one.cost * unit for one in members if one.leads or not one.paused}


def tallied(
    scores: Floats,
    data: Dataset,
    costs: Costs,
    places: Sequence[int] = (),
    seconds: float = 0.0,
) -> Run:
    """The run that gave these scores."""
    curve, total, begin = [], Tally(), 0
    for end in (*places, len(data)):
        part = slice(begin, end)
        own = data.costs.where(part)._asdict()
        total += Tally.of(scores[part], data.positive[part], costs, **own)
        curve.append(total)
        begin = end
    return Run(total, curve[:-1], seconds)


def places_for(rows: int, count: int = 120) -> list[int]:
    """Evenly spaced numbers of rows, the last one being all."""
    return sorted({math.ceil(rows * i / count) for i in range(1, count + 1)}) if rows else []


def in_parallel(tasks: Sequence[Callable[[], T]], on_progress: Callable[[], None]) -> list[T]:
    """Run tasks in as many threads as there are cores; ``on_progress`` is called after each."""
    pool = ThreadPoolExecutor(os.cpu_count() or 1)
    try:
        futures = [pool.submit(task) for task in tasks]
        for future in as_completed(futures):
            future.result()
            on_progress()
        return [future.result() for future in futures]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def order_of(rows: int, seed: int, run: int) -> Order:
    """The order of the rows in one run: the only place where a seed becomes an order."""
    return np.random.default_rng((seed, run)).permutation(rows)


def permutations(rows: int, runs: int, seed: int) -> list[Order]:
    return [order_of(rows, seed, run) for run in range(runs)]


def read_orders(path: str | os.PathLike[str], rows: int) -> list[Order]:
    """Permutations from a text file, plain or compressed: one a line, counted from 1."""
    orders: list[Order] = []
    line = 0
    with closing(Source(path)) as source:
        for block in line_blocks(source):
            for text in bytes(block).split(b"\n")[:-1]:
                line += 1
                if text.strip():
                    orders.append(_order(text, rows, f"{source.name}, line {line}"))
    if not orders:
        raise CostreamError(f"{source.name} has no permutation")
    return orders


def _order(text: bytes, rows: int, where: str) -> Order:
    try:
        order = np.array([int(word) for word in text.replace(b",", b" ").split()], np.int64) - 1
    except (ValueError, OverflowError):
        raise CostreamError(f"{where}: a permutation consists of whole numbers") from None
    if len(order) != rows:
        raise CostreamError(f"{where}: {len(order):,} numbers for {rows:,} rows")
    seen = np.zeros(rows, np.bool_)
    inside = (order >= 0) & (order < rows)
    seen[order[inside]] = True
    if not seen.all():
        absent = int(np.argmin(seen)) + 1
        raise CostreamError(
            f"{where}: {absent} is missing", f"each number from 1 to {rows} must occur once"
        )
    return order.astype(np.intp)


def mean_of(metrics: Iterable[dict[str, float]]) -> dict[str, float]:
    """The mean of each metric; NaN where one is."""
    return _each(metrics, statistics.fmean)


def std_of(metrics: Iterable[dict[str, float]]) -> dict[str, float]:
    """The standard deviation (n - 1) of each metric; NaN for a single run."""
    return _each(metrics, lambda values: float(np.std(values, ddof=1)) if len(values) > 1 else math.nan)


def _each(
    metrics: Iterable[dict[str, float]], statistic: Callable[[list[float]], float]
) -> dict[str, float]:
    table = list(metrics)
    return {key: statistic([float(one[key]) for one in table]) for key in table[0]}
