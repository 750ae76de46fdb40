"""All rivals on a data set: which settings run in which orders, and what is kept of it."""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import stored
from rivals import RIVALS
from rivals.base import (
    COSTS,
    METRICS,
    SMALL,
    Order,
    Played,
    Rival,
    Setting,
    Task,
    Unit,
    compiled,
    standardise,
)
from rivals.ours import auto, left_out

from costream.costs.tally import Tally
from costream.datasets.dataset import Dataset

PACKAGES = ("scikit-learn", "river", "vowpalwabbit", "lightgbm")
LARGE_RUNS = 3
Record = dict[str, Any]


def value_of(metric: str, scores: np.ndarray, positive: np.ndarray) -> float:
    tally = Tally.of(scores, positive[: len(scores)], COSTS)
    return float(tally.metrics(COSTS)[metric]) * (100.0 if metric == "sum" else 1.0)


def error_of(values: Sequence[float]) -> float:
    """The standard error of a mean; 0 for a single value."""
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


class Board:
    """What every setting has reached under one metric, order by order, and auto on the same rows."""

    def __init__(self, metric: str) -> None:
        self.metric, self.sign = metric, 1.0 if metric == "sum" else -1.0
        self.auto: list[float] = []
        self.rates: list[tuple[int, float]] = []  # auto's rows and seconds
        self.pairs: dict[Setting, list[tuple[float, float]]] = {}  # theirs, auto's
        self.clock: dict[Setting, list[tuple[int, float]]] = {}  # rows and seconds

    def start(self, ours: Played, positive: np.ndarray) -> None:
        self.auto.append(value_of(self.metric, ours.scores, positive))
        self.rates.append((len(positive), ours.seconds))

    def add(self, setting: Setting, theirs: Played, ours: Played, positive: np.ndarray) -> None:
        rows = len(theirs.scores)
        values = [value_of(self.metric, one.scores[:rows], positive) for one in (theirs, ours)]
        self.pairs.setdefault(setting, []).append((values[0], values[1]))
        self.clock.setdefault(setting, []).append((rows, theirs.seconds))

    def groups(self, rival: str) -> list[str]:
        return list(dict.fromkeys(one.group for one in self.pairs if one.rival == rival))

    def best(self, group: str, count: int = 1) -> list[Setting]:
        """The best settings of a group, of those that ran in most orders."""
        own = {one: pairs for one, pairs in self.pairs.items() if one.group == group}
        most = max(map(len, own.values()))
        own = {one: pairs for one, pairs in own.items() if len(pairs) == most}
        goodness = {one: self.sign * statistics.fmean(p for p, _ in own[one]) for one in own}
        return sorted(own, key=goodness.__getitem__, reverse=True)[:count]

    # --- records ------------------------------------------------------------------------------

    def tuned(self, group: str) -> Record:
        """A rival at its best, and how far auto is ahead of it: in points, or in % of its cost."""
        (setting,) = self.best(group)
        theirs, autos = (list(one) for one in zip(*self.pairs[setting], strict=True))
        value, rows = statistics.fmean(theirs), [rows for rows, _ in self.clock[setting]]
        leads = [self.unit_of(value) * (ours - their) for their, ours in self.pairs[setting]]
        return {
            **summary(theirs),
            "setting": str(setting),
            "settings_tried": sum(one.group == group for one in self.pairs),
            "rows": max(rows),
            "rows_per_second": rate(self.clock[setting]),
            "auto": summary(autos),
            "lead": statistics.fmean(leads),
            "lead_error": error_of(leads),
        }

    def fixed(self, setting: str, value: float, error: float = 0.0) -> Record:
        """A rival that does not depend on the order, or was run in others."""
        unit = self.unit_of(value)
        return {
            "mean": value,
            "error": error,
            "setting": setting,
            "lead": unit * (statistics.fmean(self.auto) - value),
            "lead_error": abs(unit) * math.hypot(error_of(self.auto), error),
        }

    def unit_of(self, value: float) -> float:
        return 1.0 if self.metric == "sum" else -100.0 / max(value, 1e-9)

    def constant(self, streams: Sequence[Dataset]) -> Record:
        """The better one of the two constant policies."""
        values = {
            name: statistics.fmean(
                value_of(self.metric, np.full(len(one), score), one.positive) for one in streams
            )
            for name, score in (("flag all", 1.0), ("flag none", -1.0))
        }
        better = max(values, key=lambda name: self.sign * values[name])
        return self.fixed(better, values[better])


def summary(values: Sequence[float]) -> Record:
    return {"mean": statistics.fmean(values), "error": error_of(values), "values": list(values)}


def rate(clock: Sequence[tuple[int, float]]) -> float:
    """Rows for each second of CPU time."""
    return sum(rows for rows, _ in clock) / max(sum(seconds for _, seconds in clock), 1e-9)


class Contest:
    """All rivals on one data set."""

    def __init__(self, task: Task, rivals: Sequence[Rival], runs: int) -> None:
        self.task, self.rivals = task, rivals
        self.runs = len(task.streams) if len(task.streams) > 1 else runs
        if task.large:
            self.runs = min(self.runs, LARGE_RUNS)
        self.boards = {metric: Board(metric) for metric in METRICS}
        one = task.quick or task.large
        self.tuning = 1 if one else self.runs if len(task.data) < SMALL else 2
        self.playing = [rival for rival in rivals if not rival.missing(task)]

    def run(self) -> Record:
        begin = time.perf_counter()
        compiled(standardise)(np.zeros((1, 1)))  # so that no clock sees the compiler
        for run in range(self.runs):
            order = Order(self.task, run)
            ours: dict[str, Played] = {}
            for metric, board in self.boards.items():
                auto(order.data.part(0, 10), metric)
                ours[metric] = auto(order.data, metric)
                board.start(ours[metric], order.data.positive)
            for rival in self.playing:
                if run == 0:
                    rival.check(order)
                if run < rival.orders(self.task):
                    self._play(order, rival, self._wanted(rival, run), ours)
                if run == 0:
                    self._play(order, rival, self._more(rival), ours)
                log(f"{self.task.name}: order {run + 1} of {self.runs}, {rival.name}", begin)
        return self._record()

    def _wanted(self, rival: Rival, run: int) -> Unit:
        """All settings, then all that were tried, then the best of them."""
        if run == 0:
            return [(m, one) for m in self.boards for one in rival.settings(self.task, m)]
        count = 1 if self.task.large else rival.kept
        if run < min(self.tuning, rival.tuned_in):
            count = sys.maxsize
        return [
            (metric, one)
            for metric, board in self.boards.items()
            for group in board.groups(rival.name)
            for one in board.best(group, count)
        ]

    def _more(self, rival: Rival) -> Unit:
        return [
            (metric, one)
            for metric, board in self.boards.items()
            for group in board.groups(rival.name)
            for one in rival.more(self.task, board.best(group, rival.kept))
        ]

    def _play(self, order: Order, rival: Rival, wanted: Unit, ours: dict[str, Played]) -> None:
        for unit in rival.played_together(wanted):
            for (metric, setting), theirs in zip(unit, rival.play(order, unit), strict=True):
                self.boards[metric].add(setting, theirs, ours[metric], order.data.positive)

    def _record(self) -> Record:
        data = self.task.data
        return {
            "rows": len(data),
            "columns": len(self.task.columns),
            "positives": data.positives,
            "orders": self.runs,
            "orders_of_all_settings": self.tuning,
            "metrics": {metric: self._cell(board) for metric, board in self.boards.items()},
        }

    def _cell(self, board: Board) -> Record:
        rivals: dict[str, Record] = {}
        for rival in self.rivals:
            if why := rival.missing(self.task):
                rivals[rival.name] = {"did_not_run": why}
            elif rival.name != "ours":
                rivals[rival.name] = board.tuned(rival.name)
        rivals["constant"] = board.constant(self.task.streams)
        ours = {group: board.tuned(group) for group in board.groups("ours")}
        cell: Record = {
            "auto": {**summary(board.auto), "rows_per_second": rate(board.rates)},
            "rivals": rivals,
        }
        if ours:
            best = min(ours, key=lambda group: ours[group]["lead"])
            cell["ours"] = {"learner": best, **ours[best], "left_out": left_out(self.task)}
        return cell


def auto_again(task: Task, record: Record) -> Record:
    """A stored record with `auto` run again, on the same rows in the same orders as the rivals were."""
    boards, played = {}, {}
    for metric in METRICS:
        boards[metric] = Board(metric)
        for run in range(record["orders"]):
            data = Order(task, run).data
            auto(data.part(0, 10), metric)
            played[metric, run] = auto(data, metric), data.positive
            boards[metric].start(*played[metric, run])
    for metric, cell in record["metrics"].items():
        board, rivals = boards[metric], dict(cell["rivals"])
        for name, one in rivals.items():
            if "values" in one:
                rivals[name] = paired_again(board, one, played)
            elif "did_not_run" not in one:
                rivals[name] = board.fixed(one["setting"], one["mean"], one["error"])
        cell["rivals"] = rivals
        cell["auto"] = {**summary(board.auto), "rows_per_second": rate(board.rates)}
        if "ours" in cell:
            cell["ours"] = paired_again(board, cell["ours"], played)
    rivals_about = record.get("rivals_about", record["about"])
    return {**record, "rivals_about": rivals_about}


def paired_again(board: Board, one: Record, played: dict[Any, Any]) -> Record:
    """A rival's stored results beside new ones of `auto`, order by order, on as many rows."""
    autos = []
    for run in range(len(one["values"])):
        ours, positive = played[board.metric, run]
        autos.append(value_of(board.metric, ours.scores[: one["rows"]], positive))
    unit = board.unit_of(one["mean"])
    leads = [unit * (mine - their) for their, mine in zip(one["values"], autos, strict=True)]
    lead = {"lead": statistics.fmean(leads), "lead_error": error_of(leads)}
    return {**one, "auto": summary(autos), **lead}


# --- the run --------------------------------------------------------------------------------------


def log(text: str, begin: float) -> None:
    print(f"{text} ({time.perf_counter() - begin:.0f} s)", file=sys.stderr, flush=True)


def options(doc: str, names: Sequence[str], rivals: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    parser.add_argument("--runs", type=int, help="random orders (default 5; 2 with --quick)")
    parser.add_argument("--only", nargs="+", choices=names, metavar="DATASET", help=", ".join(names))
    parser.add_argument("--rivals", default=",".join(rivals), help="some of %(default)s")
    parser.add_argument(
        "--auto-only",
        action="store_true",
        help="run auto alone, in the orders of the stored results of its rivals, which are kept",
    )
    parser.add_argument("--quick", action="store_true", help="few settings and rows; stores nothing")
    parser.add_argument("--jobs", type=int, default=2, help="data sets at a time (default 2)")
    found = parser.parse_args()
    found.rivals = found.rivals.split(",") if found.rivals else []
    if unknown := set(found.rivals) - set(rivals):
        parser.error(f"--rivals knows {', '.join(rivals)}, not {', '.join(sorted(unknown))}")
    found.runs = found.runs or (2 if found.quick else 5)
    found.only = found.only or list(names)
    return found


Loader = Callable[[str], tuple[Dataset, ...]]
Finish = Callable[[str, Record], Record]


def contest(load: Loader, name: str, found: argparse.Namespace) -> Record:
    with tempfile.TemporaryDirectory() as folder:
        task = Task(name, load(name), Path(folder), found.quick)
        if found.auto_only:
            return auto_again(task, stored.read(found.results)["records"][name])
        return Contest(task, [RIVALS[one]() for one in found.rivals], found.runs).run()


def run_all(
    name: str, load: Loader, found: argparse.Namespace, finish: Finish = lambda _, record: record
) -> None:
    """Every data set in a process of its own; its record is stored as soon as it is there."""
    found.results = name
    begin, header, failed = time.perf_counter(), stored.about(PACKAGES), []
    with ProcessPoolExecutor(
        found.jobs, mp_context=get_context("spawn"), max_tasks_per_child=1
    ) as processes:
        waiting = {processes.submit(contest, load, one, found): one for one in found.only}
        for done in as_completed(waiting):
            dataset = waiting[done]
            if error := done.exception():
                failed.append(f"{dataset}: {error!r}")
                log(failed[-1], begin)
                continue
            record = finish(dataset, done.result())
            show(dataset, record)
            if not found.quick:
                stored.replace(name, header, {dataset: record})
    log("all", begin)
    if failed:
        sys.exit("\n".join(failed))


def show(dataset: str, record: Record) -> None:
    """Everyone at their best."""
    for metric, cell in record["metrics"].items():
        ours = cell["auto"]
        print(f"\n{dataset}, {metric}: auto {ours['mean']:.2f} ± {ours['error']:.2f}")
        others = {**cell["rivals"], **({"ours": cell["ours"]} if "ours" in cell else {})}
        for who, one in others.items():
            if "did_not_run" in one:
                print(f"  {who:10} did not run: {one['did_not_run']}")
            else:
                lead = f"{one['lead']:+.2f} ± {one['lead_error']:.2f}"
                speed = f"{one['rows_per_second']:,.0f}" if "rows_per_second" in one else ""
                print(
                    f"  {who:10} {one['mean']:10.2f} ± {one['error']:.2f}  lead {lead:>16}"
                    f"  {speed:>12} rows/s  {one['setting']}"
                )
    sys.stdout.flush()
