"""How fast the default is on tables of numbers: whole streams, single rows, long streams, memory.

Sections of `speed.py`. LightGBM, with its defaults and two threads, is fitted on all rows so far after
50 rows and whenever they have grown by half; `auto` grows its trees in a second thread.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from timing import Figure, Timing, best_of

from costream import OnlineClassifier
from costream.datasets import catalogue
from costream.datasets.dataset import Dataset
from costream.evaluation.runs import order_of

FIRST_FIT, GROWN = 50, 1.5
WIDTH, SINGLE_ROWS, LONG_ROWS, FIRST_ROWS = 14, 30_000, 1_000_000, 20_000
MEMORY_WIDTH = 50


def shuffled(name: str, rows: int) -> Dataset | None:
    """The first rows of a data set in a random order; None where it is not at hand."""
    if not os.environ.get("COSTREAM_DATA"):
        print(f"{name} is not at hand (COSTREAM_DATA): left out")
        return None
    data = catalogue.load(name, download=False)
    return data.take(order_of(len(data), 0, 0)[:rows])


def dense(data: Dataset) -> np.ndarray:
    rows, start = data.rows, data.rows.start.astype(np.int64)
    X = np.zeros((len(data), rows.largest + 1))
    X[np.repeat(np.arange(len(data)), np.diff(start)), rows.index] = rows.value
    return X


def refitted(X: np.ndarray, y: np.ndarray) -> None:
    """Probabilities of all rows but the first, each from a model of rows before it."""
    import lightgbm

    begin = FIRST_FIT
    while begin < len(y):
        end = min(int(begin * GROWN), len(y))
        train = lightgbm.Dataset(X[:begin], y[:begin])
        model = lightgbm.train({"objective": "binary", "verbosity": -1, "num_threads": 2}, train)
        model.predict(X[begin:end], num_threads=2)
        begin = end


def learnt(X: np.ndarray, y: np.ndarray) -> None:
    OnlineClassifier().prequential(X, y)


def tables(repeat: int) -> Iterator[Timing | Figure]:
    """Rows a second over a whole stream, growing included."""
    for name, rows, goal in (
        ("magic04", FIRST_ROWS, 30_000),
        ("covtype", FIRST_ROWS, 15_000),
        ("covtype", 10 * FIRST_ROWS, 30_000),
    ):
        data = shuffled(name, rows)
        if data is not None:
            X, y = dense(data), data.positive.astype(int)
            turns = min(repeat, 5 if rows == FIRST_ROWS else 1)
            ours, rival = best_of(turns, partial(learnt, X, y), partial(refitted, X, y))
            what = f"auto, {len(y):,} rows of {name}"
            yield Timing(what, ours, "LightGBM, refitted", rival, 1, len(y), len(y), goal)


def numbers(rows: int, width: int = WIDTH) -> tuple[np.ndarray, np.ndarray]:
    """Rows of normal numbers, whose label depends on products and squares."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, width))
    return X, (X[:, 0] * X[:, 1] + X[:, 2] ** 2 - 1.0 + 0.5 * rng.normal(size=rows) > 0.0).astype(int)


def single_rows(repeat: int) -> Iterator[Timing | Figure]:
    """One dict at a time, as fast as they can be learnt."""
    X, y = numbers(SINGLE_ROWS)
    rows = [{f"f{j}": float(v) for j, v in enumerate(x)} for x in X]
    labels = y.tolist()
    learning, scoring, worst = [], [], []
    for _ in range(min(repeat, 3)):
        model = OnlineClassifier()
        taken = [seconds(model.learn_one, *one) for one in zip(rows, labels, strict=True)]
        learning.append(float(np.median(taken)))
        worst.append(max(taken[1:]))
        scoring.append(float(np.median([seconds(model.score_one, x) for x in rows])))
    yield Figure(f"learn_one of {WIDTH} numbers, median", 1e6 * min(learning), "us", 40)
    yield Figure(f"score_one of {WIDTH} numbers, median", 1e6 * min(scoring), "us", 20)
    yield Figure(f"learn_one, the slowest of {SINGLE_ROWS:,}", 1e3 * min(worst), "ms", 20)


def seconds(call: Callable[..., object], *arguments: object) -> float:
    begin = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - begin


def long_stream(_: int) -> Iterator[Timing | Figure]:
    """What a row of a long stream costs, over a row of its beginning; and the memory."""
    X, y = numbers(LONG_ROWS, width=10)
    model = OnlineClassifier()
    first = seconds(model.learn_many, X[:FIRST_ROWS], y[:FIRST_ROWS]) / FIRST_ROWS
    rest = seconds(model.learn_many, X[FIRST_ROWS:], y[FIRST_ROWS:])
    share = rest / (LONG_ROWS - FIRST_ROWS) / first
    yield Figure(f"a row of {LONG_ROWS:,}, over one of the first {FIRST_ROWS:,}", share, "", 0.5)
    yield Figure(f"model after {LONG_ROWS:,} rows of 10 numbers", size(model), "MB", 100)
    X, y = numbers(FIRST_ROWS, MEMORY_WIDTH)
    model = OnlineClassifier()
    model.learn_many(X, y)
    yield Figure(f"model after {FIRST_ROWS:,} rows of {MEMORY_WIDTH} numbers", size(model), "MB", 20)


def size(model: OnlineClassifier) -> float:
    """Megabytes of all that a model keeps."""
    return len(pickle.dumps(model)) / 1e6
