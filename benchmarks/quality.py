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
import itertools
import json
import math
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from speed import machine

from costream import LEARNERS, Cost, OnlineClassifier, Sum, make_learner
from costream.evaluate.tally import Prices, Tally
from costream.inputs import Batch
from costream.lab.printed import printed_rows
from costream.lab.trial import order_of
from costream.streams import catalogue
from costream.streams.dataset import Dataset, load_dataset
from costream.streams.reader import Stream

NAMES = (
    *("australian", "german", "dna", "sensorless2200", "protein-val", "usps", "mushrooms", "sector"),
    *("news20", "magic04", "a9a", "ijcnn1", "kdd99", "covtype", "covtype-36", "covtype-4"),
)
METRICS = ("sum", "cost")
RIVALS = ("vw", "sgd", "river", "ours")
PRICES = Prices(fn_cost=0.9, fp_cost=0.1, alpha_p=0.5)
SEED = 0
SMALL, LARGE = 10_000, 100_000  # rows
KEPT = 3  # settings of a rival that run in all orders
WIDEST = 400  # features of full covariances and of standardised rows
RIVER_VALUES, RIVER_ROWS, RIVER_QUICK = 2_000_000, 5_000, 1_000
PENALTY = 1e-4  # SGDClassifier's alpha, its default
CHECKED = 50  # scores that are compared with those of SGDClassifier
CORES = os.cpu_count() or 1

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


# --- rows -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """A data set, and what its orders share."""

    name: str
    data: Dataset
    folder: Path
    quick: bool

    @property
    def narrow(self) -> bool:
        return self.data.width - 1 <= WIDEST

    @property
    def large(self) -> bool:
        return len(self.data) > LARGE

    @property
    def ratio(self) -> float:
        return (len(self.data) - self.data.positives) / self.data.positives

    def rho(self, metric: str) -> float:
        return self.ratio if metric == "sum" else PRICES.fn_cost / PRICES.fp_cost

    @cached_property
    def columns(self) -> list[int]:
        return np.unique(self.data.rows.index).tolist()

    @cached_property
    def lines(self) -> dict[str, list[str]]:
        """Each row as Vowpal Wabbit's text, divided by its L2 norm and as it came."""
        rows = self.data.rows
        starts, columns = rows.start.tolist(), rows.index.tolist()

        def written(values: np.ndarray) -> list[str]:
            words = [f"{j}:{value:.8g}" for j, value in zip(columns, values.tolist(), strict=True)]
            return [" ".join(words[a:b]) for a, b in itertools.pairwise(starts)]

        return {"L2": written(divided(rows)), "raw": written(rows.value)}


def divided(rows: Batch) -> np.ndarray:
    """The values of rows divided by their L2 norm."""
    return rows.value * np.repeat(rows.scale, np.diff(rows.start).astype(np.int64))


class Order:
    """The rows in one order, in the shapes that rivals want; each is made when it is wanted."""

    def __init__(self, task: Task, run: int) -> None:
        self.task, self.order = task, order_of(len(task.data), SEED, run)
        self.data = task.data.take(self.order)
        self.data.rows.check()
        self._made: dict[Any, Any] = {}
        self._lock = threading.Lock()

    def _once(self, key: Any, make: Callable[..., Any], *arguments: Any) -> Any:
        with self._lock:
            if key not in self._made:
                self._made[key] = make(*arguments)
            return self._made[key]

    def text(self, metric: str, kind: str) -> Path:
        """A file for Vowpal Wabbit, with the price of each positive row as its importance."""
        return self._once((metric, kind), self._write, metric, kind)

    def _write(self, metric: str, kind: str) -> Path:
        path = self.task.folder / f"{metric}-{kind}.vw"
        lines, positive = self.task.lines[kind], self.task.data.positive
        begin = ("-1 | ", f"1 {self.task.rho(metric):.8g} | ")
        with open(path, "w", encoding="ascii") as file:
            file.writelines(f"{begin[int(positive[t])]}{lines[t]}\n" for t in self.order.tolist())
        return path

    def rows(self, kind: str) -> Batch:
        """Rows divided by their L2 norm, or standardised."""
        return self._once(kind, self._divided if kind == "L2" else self._standardised)

    def _divided(self) -> Batch:
        rows = self.data.rows
        return Batch(rows.start, rows.index, divided(rows), rows.width)

    def _standardised(self) -> Batch:
        """Dense rows less their running mean, over their running deviation, this row included."""
        rows, d = self.data.rows, self.task.data.width
        dense = np.zeros((rows.rows, d))
        dense[np.repeat(np.arange(rows.rows), np.diff(rows.start).astype(np.int64)), rows.index] = (
            rows.value
        )
        compiled(standardise)(dense)
        start = np.arange(rows.rows + 1, dtype=np.uint64) * np.uint64(d)
        return Batch(start, np.tile(np.arange(d, dtype=np.uint32), rows.rows), dense.ravel(), d)


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


# --- rivals ---------------------------------------------------------------------------------------


class Rival:
    """Settings to try, and how to play some of them: scores of all rows, or of the first ones."""

    name: str

    def settings(self, task: Task, metric: str) -> list[Setting]:
        raise NotImplementedError

    def more(self, task: Task, best: Setting) -> list[Setting]:
        """What else to try, when the best of a group in the first order is known."""
        return []

    def units(self, wanted: Unit) -> list[Unit]:
        return [[one] for one in wanted]

    def play(self, order: Order, unit: Unit) -> list[Scores]:
        raise NotImplementedError


@dataclass
class Wabbit(Rival):
    pool: ProcessPoolExecutor
    name = "vw"

    def settings(self, task: Task, metric: str) -> list[Setting]:
        rates = (0.5, 2) if task.quick else (0.01, 0.05, 0.1, 0.5, 1, 2, 5)
        steps = [*(f"-l {rate}" for rate in rates), "--coin"]
        return combined("vw", rows=("L2", "raw"), loss=("hinge", "logistic"), step=steps)

    def play(self, order: Order, unit: Unit) -> list[Scores]:
        ((metric, setting),) = unit
        return [self.timed(order, metric, setting)[0]]

    def timed(self, order: Order, metric: str, setting: Setting) -> tuple[Scores, float]:
        """The scores, and the seconds from text to predictions."""
        path, step = order.text(metric, setting["rows"]), setting["step"].split()
        bits = max(18, order.task.data.width.bit_length() + 2)
        scores, seconds = self.pool.submit(wabbit, str(path), setting["loss"], step, bits).result()
        if len(scores) != len(order.data) or np.isnan(scores).any():
            sys.exit(f"{order.task.name}: Vowpal Wabbit with {setting} did not score every row")
        return scores, seconds


def wabbit(path: str, loss: str, step: list[str], bits: int) -> tuple[Scores, float]:
    """Progressive validation: each prediction is made before its row is learnt."""
    from vowpalwabbit import Workspace

    out = f"{path}.{os.getpid()}"
    options = ["--quiet", "-b", str(bits), "--loss_function", loss, *step, "-d", path, "-p", out]
    begin = time.perf_counter()
    Workspace(arg_list=options).finish()
    seconds = time.perf_counter() - begin
    scores = np.fromfile(out, sep="\n")
    os.remove(out)
    return scores, seconds


class Descent(Rival):
    name = "sgd"

    def settings(self, task: Task, metric: str) -> list[Setting]:
        rates = (0.01, 0.1, 1.0) if task.quick else (0.001, 0.01, 0.1, 1.0, 10.0)
        kinds = ("L2", "standardised") if task.narrow else ("L2",)
        return combined("sgd", rows=kinds, loss=("hinge", "log_loss"), eta0=(*rates, "optimal"))

    def play(self, order: Order, unit: Unit) -> list[Scores]:
        ((metric, setting),) = unit
        return [self._scores(order, order.rows(setting["rows"]), metric, setting)]

    def _scores(self, order: Order, rows: Batch, metric: str, setting: Setting) -> Scores:
        task, rate = order.task, setting["eta0"]
        return compiled(descend)(
            rows.start,
            rows.index,
            rows.value,
            order.data.positive,
            np.zeros(task.data.width),
            setting["loss"] == "hinge",
            0.0 if rate == "optimal" else rate,
            task.rho(metric),
            1.0 if task.narrow else 0.01,  # how scikit-learn slows the intercept of sparse rows
        )

    def check(self, order: Order, metric: str) -> None:
        """Stop if the first scores are not those of SGDClassifier."""
        for setting in self.settings(order.task, metric):
            rows = order.rows(setting["rows"]).part(0, min(CHECKED, len(order.data)))
            ours = self._scores(order, rows, metric, setting)
            theirs = original(order, rows, metric, setting)
            if np.abs(ours - theirs).max() > 1e-6 * max(np.abs(theirs).max(), 1e-3):
                sys.exit(f"{order.task.name}: {setting} is not what SGDClassifier does")


def descend(start, index, value, positive, w, hinge, eta0, rho, decay):
    """SGDClassifier's update, row by row (``_plain_sgd``); eta0 = 0 stands for "optimal"."""
    scores = np.empty(len(start) - 1)
    scale, intercept = 1.0, 0.0
    for t in range(len(scores)):
        p = 0.0
        for k in range(start[t], start[t + 1]):
            p += w[index[k]] * value[k]
        p = scale * p + intercept
        scores[t] = p
        y = 1.0 if positive[t] else -1.0
        eta = eta0 if eta0 > 0.0 else 1.0 / (np.sqrt(np.sqrt(PENALTY)) + PENALTY * t)
        slope = 1.0 if y * p <= 1.0 else 0.0
        if not hinge:
            slope = 1.0 / (1.0 + np.exp(y * p))
        update = eta * slope * y * (rho if positive[t] else 1.0)
        scale *= max(0.0, 1.0 - eta * PENALTY)
        if scale < 1e-9:
            w *= scale
            scale = 1.0
        for k in range(start[t], start[t + 1]):
            w[index[k]] += update / scale * value[k]
        intercept += update * decay
    return scores


def original(order: Order, rows: Batch, metric: str, setting: Setting) -> Scores:
    """What SGDClassifier itself gives, one row at a time."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import SGDClassifier

    arrays = rows.value, rows.index.astype(np.int32), rows.start.astype(np.int32)
    X = csr_matrix(arrays, shape=(rows.rows, order.task.data.width))
    X = X.toarray() if order.task.narrow else X
    y = np.where(order.data.positive[: rows.rows], 1, -1)
    weight = np.where(y > 0, order.task.rho(metric), 1.0)
    rate = setting["eta0"]
    how = {} if rate == "optimal" else {"learning_rate": "constant", "eta0": rate}
    model = SGDClassifier(loss=setting["loss"], alpha=PENALTY, **how)
    scores = np.zeros(rows.rows)
    for t in range(rows.rows):
        if t:
            scores[t] = model.decision_function(X[t : t + 1])[0]
        model.partial_fit(X[t : t + 1], y[t : t + 1], [-1, 1], weight[t : t + 1])
    return scores


@dataclass
class River(Rival):
    pool: ProcessPoolExecutor
    name = "river"

    def settings(self, task: Task, metric: str) -> list[Setting]:
        return combined("river", lr=(0.01, 0.1) if task.quick else (0.001, 0.01, 0.1, 1.0))

    def units(self, wanted: Unit) -> list[Unit]:
        """All in one pass, so that rows are scaled once."""
        return [wanted] if wanted else []

    def play(self, order: Order, unit: Unit) -> list[Scores]:
        task = order.task
        rows = order.data.rows if task.narrow else order.rows("L2")
        values = len(task.columns) * rows.rows if task.narrow else len(rows.value)
        limit = RIVER_QUICK if task.quick else RIVER_ROWS if values > RIVER_VALUES else rows.rows
        part = rows.part(0, min(limit, rows.rows))
        columns = task.columns if task.narrow else []
        models = [(task.rho(metric), setting["lr"]) for metric, setting in unit]
        positive = order.data.positive[: part.rows]
        return self.pool.submit(river, part, positive, columns, models).result()


def river(
    rows: Batch, positive: np.ndarray, columns: list[int], models: list[tuple[float, float]]
) -> list[Scores]:
    """Several models behind one scaler, or without it where no columns are given."""
    from river.linear_model import LogisticRegression
    from river.optim import SGD
    from river.preprocessing import StandardScaler

    scaler = StandardScaler()
    learners = [(rho, LogisticRegression(SGD(rate))) for rho, rate in models]
    found = [np.empty(rows.rows) for _ in models]
    starts, index, value = rows.start.tolist(), rows.index.tolist(), rows.value.tolist()
    zeros = dict.fromkeys(columns, 0.0)
    for t, (begin, end) in enumerate(itertools.pairwise(starts)):
        x = {**zeros, **dict(zip(index[begin:end], value[begin:end], strict=True))}
        y = bool(positive[t])
        if columns:
            scaler.learn_one(x)
            x = scaler.transform_one(x)
        for scores, (rho, model) in zip(found, learners, strict=True):
            scores[t] = model.predict_proba_one(x)[True] - 0.5
            model.learn_one(x, y, w=rho if y else 1.0)
    return found


class Ours(Rival):
    name = "ours"

    def settings(self, task: Task, metric: str) -> list[Setting]:
        names = [name for name in LEARNERS if name != "auto" and not skipped(name, task)]
        return [one for name in names for one in self._grid(name, task, metric)]

    def _grid(self, name: str, task: Task, metric: str) -> list[Setting]:
        params = make_learner(name).get_params()
        rates = [key for key in ("eta", "C", "gamma") if key in params][:1]
        axes: dict[str, Iterable[Any]] = {key: powers(name, task) for key in rates}
        if "margin" in params and metric == "cost":
            axes["margin"] = (None, task.ratio)
        return combined("ours", name, **axes)

    def more(self, task: Task, best: Setting) -> list[Setting]:
        if not {"eta", "gamma"} <= set(make_learner(best.group).get_params()):
            return []
        gammas = [gamma for gamma in powers(best.group, task) if gamma != 1.0]
        return combined("ours", best.group, eta=(best["eta"],), gamma=gammas)

    def play(self, order: Order, unit: Unit) -> list[Scores]:
        ((metric, setting),) = unit
        objective = Sum(ratio=order.task.ratio) if metric == "sum" else Cost()
        model = OnlineClassifier(make_learner(setting.group, **dict(setting.params)), objective)
        return [model.learn_rows(order.data.rows, order.data.positive)]


def powers(name: str, task: Task) -> list[float]:
    """The grid; every second power of ten where a learner is slow."""
    slow = is_full(name) or is_sketch(name)
    coarse = task.quick or (slow and (task.large or not task.narrow))
    return [10.0**k for k in (range(-4, 5, 2) if coarse else range(-5, 6))]


def is_full(name: str) -> bool:
    return make_learner(name).bytes_needed(10_000) >= 8 * 10_000**2


def is_sketch(name: str) -> bool:
    return "m" in make_learner(name).get_params()


def skipped(name: str, task: Task) -> str:
    """Why a learner is left out, if it is."""
    if is_full(name) and not task.narrow:
        return f"full covariance of {task.data.width - 1:,} features"
    if name.startswith("sacog") and (task.quick or task.large or not task.narrow):
        return "slow, and the same as ssacog"
    if is_sketch(name) and not name.startswith("ssacog") and not task.narrow:
        return "dense sketch"
    return ""


def left_out(task: Task) -> list[str]:
    why = {name: skipped(name, task) for name in LEARNERS if name != "auto"}
    reasons = dict.fromkeys(reason for reason in why.values() if reason)
    return [f"{', '.join(n for n in why if why[n] == one)} left out: {one}" for one in reasons]


# --- results --------------------------------------------------------------------------------------


def value_of(metric: str, scores: Scores, positive: np.ndarray) -> float:
    tally = Tally.of(scores, positive[: len(scores)], PRICES)
    return float(tally.metrics(PRICES)[metric]) * (100.0 if metric == "sum" else 1.0)


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
        units = rival.units(wanted)
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
    return OnlineClassifier("auto", metric).learn_rows(order.data.rows, order.data.positive)


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
