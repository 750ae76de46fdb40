"""Does one untuned default beat what others reach by tuning in hindsight?

    python benchmarks/quality.py [--runs 5] [--only DATASET ...] [--metric sum|cost]
                                 [--rivals vw,sgd,river,ours] [--quick] [--json FILE]

Every row is scored before it is learnt, in the same random orders for all. ``sum`` is half sensitivity
and half specificity, in %; ``cost`` is 0.9 a missed positive and 0.1 a false alarm. Data sets are found
through COSTREAM_DATA or among those downloaded before; kdd99 is taken as its file has it, not scaled.

auto   `OnlineClassifier("auto", objective)`: nothing tuned, rows as they come, class ratio estimated.
vw     Vowpal Wabbit, hinge and logistic loss, seven learning rates and ``--coin``, rows divided by
       their L2 norm or as they come; its speed is that of a pass over a text file, parsing included.
sgd    scikit-learn's SGDClassifier, hinge and log loss, five constant rates and "optimal", rows divided
       by their L2 norm or (up to 400 features) standardised by their running mean and deviation. One
       row at a time through ``partial_fit`` takes 300 us and more, so its update is compiled here; for
       every setting the first scores are compared with those of SGDClassifier itself.
river  River's LogisticRegression behind its StandardScaler, four rates of SGD. Where a pass would take
       more than two million values it reads the first 5,000 rows of an order, and is compared with auto
       on these. Beyond 400 features rows are divided by their L2 norm instead of scaled.
ours   every other learner of costream over its grid from 1e-5 to 1e5: eta or C first, then gamma at the
       eta that was best in the first order. Rows divided by their L2 norm. What is left out is said.

All but auto know the ratio of classes of the whole stream: a positive row weighs T_n/T_p (sum) or 9
(cost). The best setting of each is taken in hindsight: below 10,000 rows by all orders; above, all
settings run in the first two orders (in one above 100,000 rows, and with ``--quick``), and the best of
them in all.

A lead is in points (sum) or in % of the rival's bill (cost); its error is the standard error of the
mean over orders, paired. The paper's numbers are its best printed ones, tuned in hindsight as well.
``--quick`` takes two orders of the small data sets, fewer rates, and 1,000 rows for River.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from rivals import (
    CORES,
    COSTS,
    KEPT,
    METRICS,
    NAMES,
    RIVALS,
    SMALL,
    Descent,
    Order,
    Ours,
    Rival,
    River,
    Scores,
    Setting,
    Task,
    Unit,
    Wabbit,
    left_out,
)
from speed import machine

from costream import OnlineClassifier
from costream.classifier import core_of
from costream.datasets import catalogue
from costream.datasets.dataset import Dataset, load_dataset
from costream.evaluate.tally import Tally
from costream.lab.paper.printed import printed_rows
from costream.streams.reader import Stream

# --- results --------------------------------------------------------------------------------------


def value_of(metric: str, scores: Scores, positive: np.ndarray) -> float:
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
        self.pairs: dict[Setting, list[tuple[float, float]]] = {}  # theirs, auto's
        self.rows: dict[Setting, int] = {}

    def add(self, setting: Setting, scores: Scores, auto: Scores, positive: np.ndarray) -> None:
        self.rows[setting] = len(scores)
        theirs, ours = (value_of(self.metric, one[: len(scores)], positive) for one in (scores, auto))
        self.pairs.setdefault(setting, []).append((theirs, ours))

    def groups(self, rival: str) -> list[str]:
        return list(dict.fromkeys(one.group for one in self.pairs if one.rival == rival))

    def best(self, group: str, count: int = 1) -> list[Setting]:
        """The best settings of a group, of those that ran in most orders."""
        own = {one: pairs for one, pairs in self.pairs.items() if one.group == group}
        most = max(map(len, own.values()))
        own = {one: pairs for one, pairs in own.items() if len(pairs) == most}
        goodness = {one: self.sign * statistics.fmean(p for p, _ in own[one]) for one in own}
        return sorted(own, key=goodness.__getitem__, reverse=True)[:count]


@dataclass(frozen=True)
class Standing:
    """A rival at its best, and how far auto is ahead of it, in points or in %."""

    who: str
    setting: str
    value: float
    error: float
    lead: float
    lead_error: float
    rows: int | None = None  # None: all of them
    auto: float = math.nan  # on these rows

    @property
    def reached(self) -> bool:
        """Whether auto is ahead, or behind by no more than the error."""
        return self.lead >= -self.lead_error

    def shown(self, digits: int) -> str:
        of = "" if self.rows is None else f" (of {self.rows:,}; auto {self.auto:.{digits}f})"
        return f"{self.value:.{digits}f} ± {self.error:.{digits}f}{of}"

    @property
    def verdict(self) -> str:
        lead = f"{self.lead:+.2f} ± {self.lead_error:.2f}"
        return lead if self.reached else f"**{lead}**"


def tuned(board: Board, group: str, all_rows: int) -> Standing:
    """A rival with its best setting."""
    (setting,) = board.best(group)
    theirs, autos = zip(*board.pairs[setting], strict=True)
    value, rows = statistics.fmean(theirs), board.rows[setting]
    unit = 1.0 if board.metric == "sum" else -100.0 / max(value, 1e-9)
    leads = [unit * (auto - their) for their, auto in board.pairs[setting]]
    lead = statistics.fmean(leads), error_of(leads)
    part = (rows, statistics.fmean(autos)) if rows < all_rows else ()
    return Standing(group, str(setting), value, error_of(theirs), *lead, *part)


def fixed(board: Board, who: str, what: str, value: float, error: float = 0.0) -> Standing:
    """A rival that does not depend on the order, or was run in others."""
    unit = 1.0 if board.metric == "sum" else -100.0 / value
    lead = unit * (statistics.fmean(board.auto) - value)
    return Standing(who, what, value, error, lead, abs(unit) * math.hypot(error_of(board.auto), error))


def constant(board: Board, data: Dataset) -> Standing:
    """The better one of the two constant policies."""
    values = {
        name: value_of(board.metric, np.full(len(data), score), data.positive)
        for name, score in (("flag all", 1.0), ("flag none", -1.0))
    }
    better = max(values, key=lambda name: board.sign * values[name])
    return fixed(board, "constant", better, values[better])


def paper(board: Board, title: str) -> list[Standing]:
    """The best number that the paper prints, if it prints any."""
    rows = {
        name: row
        for table in ("table2", "table5", "table6", "table8")
        for (dataset, metric, name), row in printed_rows(table).items()
        if (dataset, metric) == (title, board.metric)
    }
    if not rows:
        return []
    best = max(rows, key=lambda name: board.sign * rows[name].value)
    unit = 100.0 if board.metric == "sum" else 1.0
    error = (rows[best].value_std or 0.0) / math.sqrt(rows[best].runs)
    return [fixed(board, "paper", best, unit * rows[best].value, unit * error)]


@dataclass
class Cell:
    """One data set under one metric; rivals in the order of auto's lead, the toughest first."""

    dataset: str
    metric: str
    rows: int
    auto: float
    error: float
    values: list[float]
    outsiders: list[Standing]
    ours: list[Standing]
    over_constant: float  # in %
    left_out: list[str] = field(default_factory=list)
    auto_rows_per_second: float | None = None
    vw_rows_per_second: float | None = None

    @property
    def digits(self) -> int:
        return 2 if self.metric == "sum" or self.auto < 100 else 1


def cell_of(task: Task, board: Board) -> Cell:
    groups = [group for rival in RIVALS[:3] for group in board.groups(rival)]
    outsiders, ours = (
        [tuned(board, group, len(task.data)) for group in some]
        for some in (groups, board.groups("ours"))
    )
    policy, mean = constant(board, task.data), statistics.fmean(board.auto)
    outsiders += [policy, *paper(board, catalogue.entry(task.name).title)]
    return Cell(
        task.name,
        board.metric,
        len(task.data),
        mean,
        error_of(board.auto),
        board.auto,
        sorted(outsiders, key=lambda one: one.lead),
        sorted(ours, key=lambda one: one.lead),
        100.0 * board.sign * (mean / policy.value - 1.0),
        left_out(task) if ours else [],
    )


# --- the run --------------------------------------------------------------------------------------


class Contest:
    """All rivals on one data set."""

    def __init__(self, task: Task, rivals: list[Rival], options: argparse.Namespace) -> None:
        self.task, self.rivals, self.runs = task, rivals, options.runs
        self.boards = {metric: Board(metric) for metric in options.metrics}
        one = task.quick or task.large
        self.tuning = 1 if one else self.runs if len(task.data) < SMALL else 2

    def run(self, threads: ThreadPoolExecutor) -> list[Cell]:
        for run in range(self.runs):
            order = Order(self.task, run)
            scores = {metric: auto(order, metric) for metric in self.boards}
            for metric, board in self.boards.items():
                board.auto.append(value_of(metric, scores[metric], order.data.positive))
            for rival in self.rivals:
                if run == 0 and isinstance(rival, Descent):
                    rival.check(order, next(iter(self.boards)))
                self._play(threads, order, rival, self._wanted(rival, run), scores)
                if run == 0:
                    self._play(threads, order, rival, self._more(rival), scores)
            told(f"{self.task.name}: order {run + 1} of {self.runs}")
        cells = [cell_of(self.task, board) for board in self.boards.values()]
        for cell in cells:
            self._time(cell, order)
        return cells

    def _wanted(self, rival: Rival, run: int) -> Unit:
        """All settings, then all that were tried, then the best of them."""
        if run == 0:
            return [(m, one) for m in self.boards for one in rival.settings(self.task, m)]
        count = sys.maxsize if run < self.tuning else 1 if rival.name == "ours" else KEPT
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
            for one in rival.more(self.task, board.best(group)[0])
        ]

    def _play(
        self,
        threads: ThreadPoolExecutor,
        order: Order,
        rival: Rival,
        wanted: Unit,
        scores: dict[str, Scores],
    ) -> None:
        units = rival.class_costs(wanted)
        results = threads.map(lambda unit: rival.play(order, unit), units)
        for unit, found in zip(units, results, strict=True):
            for (metric, setting), theirs in zip(unit, found, strict=True):
                self.boards[metric].add(setting, theirs, scores[metric], order.data.positive)

    def _time(self, cell: Cell, order: Order) -> None:
        """Rows a second of auto and of Vowpal Wabbit, with nothing else at work; the better of two."""
        for rival in self.rivals:
            if isinstance(rival, Wabbit):
                (best,) = self.boards[cell.metric].best("vw")
                passes = [rival.timed(order, cell.metric, best)[1] for _ in range(2)]
                cell.vw_rows_per_second = cell.rows / min(passes)
        seconds = []
        for _ in range(2):
            begin = time.perf_counter()
            auto(order, cell.metric)
            seconds.append(time.perf_counter() - begin)
        cell.auto_rows_per_second = cell.rows / min(seconds)


def auto(order: Order, metric: str) -> Scores:
    return core_of(OnlineClassifier("auto", metric)).learn_rows(order.data.rows, order.data.positive)


def load(name: str) -> Dataset:
    """A data set by name; kdd99 without the scaling of the catalogue."""
    entry = catalogue.entry(name)
    paths = catalogue.locate(entry, None) if name == "kdd99" else None
    if paths is None:
        return catalogue.load(name, download=False)
    with Stream(paths[0], format="libsvm") as stream:
        return load_dataset(stream, entry.positive, str(paths[0]))[0]


# --- what is printed ------------------------------------------------------------------------------


def told(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def show(cell: Cell) -> None:
    """A cell as soon as it is known: everyone at their best."""
    n = cell.digits
    print(f"\n{cell.dataset}, {cell.metric}: auto {cell.auto:.{n}f} ± {cell.error:.{n}f}")
    for one in (*cell.outsiders, *cell.ours[:3]):
        print(f"  {one.who:13} {one.shown(n):>18}  lead {one.verdict:>15}  {one.setting}")
    for note in cell.left_out:
        print(f"  {note}")
    sys.stdout.flush()


COLUMNS = (
    *("data set", "metric", "auto", "vw", "sgd", "river", "paper", "constant", "lead over outsiders"),
    *("ours tuned", "lead over ours", "over constant, %", "rows/s auto", "rows/s vw"),
)


def table(cells: list[Cell]) -> str:
    """Markdown; what is lost is bold."""
    head = f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|"
    return "\n".join([head, *(f"| {' | '.join(line(cell))} |" for cell in cells)])


def line(cell: Cell) -> list[str]:
    n = cell.digits
    shown = {one.who: one.shown(n) for one in cell.outsiders}
    rates = cell.auto_rows_per_second, cell.vw_rows_per_second
    return [
        cell.dataset,
        cell.metric,
        f"{cell.auto:.{n}f} ± {cell.error:.{n}f}",
        *(shown.get(name, "-") for name in ("vw", "sgd", "river", "paper", "constant")),
        *(f"{one.verdict} ({one.who})" for one in cell.outsiders[:1]),
        *([f"{one.shown(n)} ({one.who})" for one in cell.ours[:1]] or ["-"]),
        *([one.verdict for one in cell.ours[:1]] or ["-"]),
        f"{cell.over_constant:+.1f}",
        *("-" if rate is None else f"{rate:,.0f}" for rate in rates),
    ]


def counted(cells: list[Cell]) -> str:
    """How many cells are reached."""
    outside = [cell.outsiders[0].reached for cell in cells]
    whole = [next(one for one in cell.outsiders if one.rows is None).reached for cell in cells]
    ours = [cell.ours[0].reached for cell in cells if cell.ours]
    above, below = (sum(sign * cell.over_constant > 2.0 for cell in cells) for sign in (1, -1))
    return (
        "auto is first, or within one standard error of the first, "
        f"in {sum(outside)} of {len(outside)} cells against outsiders ({sum(whole)} against those that "
        f"read all rows) and in {sum(ours)} of {len(ours)} against our tuned learners; "
        f"it beats the better constant policy by more than 2 % in {above} cells"
        f" and loses to it by more than 2 % in {below}."
    )


def as_json(cells: list[Cell]) -> str:
    return json.dumps([asdict(cell) for cell in cells], indent=1).replace("NaN", "null")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, help="random orders (default 5; 2 with --quick)")
    parser.add_argument("--only", nargs="+", choices=NAMES, metavar="DATASET", help=", ".join(NAMES))
    parser.add_argument("--metric", choices=METRICS, help="one alone")
    parser.add_argument("--rivals", default=",".join(RIVALS), help="some of %(default)s")
    parser.add_argument("--quick", action="store_true", help="small data sets, few rates")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results there, too")
    found = parser.parse_args()
    found.rivals = found.rivals.split(",") if found.rivals else []
    if unknown := set(found.rivals) - set(RIVALS):
        parser.error(f"--rivals knows {', '.join(RIVALS)}, not {', '.join(sorted(unknown))}")
    found.runs = found.runs or (2 if found.quick else 5)
    found.metrics = [found.metric] if found.metric else list(METRICS)
    return found


def main() -> None:
    options, began = arguments(), time.perf_counter()
    print(f"machine: {machine()}, {CORES} cores; {options.runs} orders", flush=True)
    rows = {name: catalogue.entry(name).rows for name in options.only or NAMES}
    wanted = [name for name in rows if options.only or not options.quick or rows[name] < SMALL]
    cells: list[Cell] = []
    with (
        ProcessPoolExecutor(CORES, mp_context=get_context("spawn")) as processes,
        ThreadPoolExecutor(CORES) as threads,
    ):
        rivals = (Wabbit(processes), Descent(), River(processes), Ours())
        chosen = [rival for rival in rivals if rival.name in options.rivals]
        for name in sorted(wanted, key=rows.__getitem__):
            try:
                data = load(name)
            except catalogue.Missing as error:
                told(str(error))
                continue
            with tempfile.TemporaryDirectory() as folder:
                task = Task(name, data, Path(folder), options.quick)
                found = Contest(task, chosen, options).run(threads)
            for cell in found:
                show(cell)
            cells += found
            if options.json:
                options.json.write_text(as_json(cells), encoding="utf-8")
    if cells:
        print(f"\n{table(cells)}\n\n{counted(cells)}")
    told(f"{time.perf_counter() - began:.0f} s in all")


if __name__ == "__main__":
    main()
