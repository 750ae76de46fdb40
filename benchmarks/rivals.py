"""The rivals of `quality.py`: their settings, and how each reads a stream row by row."""

from __future__ import annotations

import itertools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from costream import LEARNERS, Cost, OnlineClassifier, Sum, make_learner
from costream.classifier import core_of
from costream.datasets.dataset import Dataset
from costream.evaluate.runs import order_of
from costream.evaluate.tally import Costs
from costream.inputs import Batch

NAMES = (
    *("australian", "german", "dna", "sensorless2200", "protein-val", "usps", "mushrooms", "sector"),
    *("news20", "magic04", "a9a", "ijcnn1", "kdd99", "covtype", "covtype-36", "covtype-4"),
)
METRICS = ("sum", "cost")
RIVALS = ("vw", "sgd", "river", "ours")
COSTS = Costs(fn_cost=0.9, fp_cost=0.1, alpha_p=0.5)
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
        return self.ratio if metric == "sum" else COSTS.fn_cost / COSTS.fp_cost

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
        """A file for Vowpal Wabbit, with the cost of each positive row as its importance."""
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

    def class_costs(self, wanted: Unit) -> list[Unit]:
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

    def class_costs(self, wanted: Unit) -> list[Unit]:
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
        return [core_of(model).learn_rows(order.data.rows, order.data.positive)]


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
