"""How fast, side by side with the rivals in one run, as ratios.

    python benchmarks/speed.py [--repeat 20] [--only NAME]

One thread; compile time is outside the clock. Rivals take turns, and the best time of each counts,
because a shared machine only ever adds time. The data are a9a (48,842 x 123, 14 nonzeros a row), found
through COSTREAM_DATA; without it a generated stream of that shape.
"""

from __future__ import annotations

import argparse
import lzma
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from costream import OnlineClassifier, make_learner
from costream.classifier import core_of
from costream.streams.reader import Stream

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
ROWS_ONE_BY_ONE = 4000


def sparse_stream(rows: int, width: int, nonzeros: int, seed: int = 0) -> tuple:
    """Rows of ``nonzeros`` ones at random columns, labelled by a random linear rule."""
    rng = np.random.default_rng(seed)
    index = np.sort(rng.integers(0, width, (rows, nonzeros)), axis=1).astype(np.int32).ravel()
    start = np.arange(0, rows * nonzeros + 1, nonzeros, dtype=np.int32)
    X = sp.csr_matrix((np.ones(rows * nonzeros), index, start), shape=(rows, width))
    X.sum_duplicates()
    scores = X @ rng.normal(size=width)
    return X, np.where(scores > np.quantile(scores, 0.76), 1, -1)


def a9a() -> tuple:
    folder = os.environ.get("COSTREAM_DATA")
    file = Path(folder or ".") / "a9a.libsvm.xz"
    if not folder or not file.exists():
        print("a9a is not at hand (COSTREAM_DATA): a generated stream of its shape is used")
        return sparse_stream(48_842, 123, 14)
    from sklearn.datasets import load_svmlight_file

    with lzma.open(file) as stream:
        X, y = load_svmlight_file(stream, n_features=123, zero_based=False)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y.astype(int)


def best_of(repeat: int, *functions: Callable[[], object]) -> list[float]:
    """The best time of each, taken in turns after a first round that does not count."""
    best = [float("inf")] * len(functions)
    for turn in range(repeat + 1):
        for at, function in enumerate(functions):
            begin = time.perf_counter()
            function()
            if turn:
                best[at] = min(best[at], time.perf_counter() - begin)
    return best


def batch(repeat: int) -> Iterator[tuple]:
    from sklearn.linear_model import SGDClassifier

    X, y = a9a()
    ours, rival = best_of(
        repeat,
        lambda: OnlineClassifier("acog-ii-diag").prequential(X, y),
        lambda: SGDClassifier(loss="hinge").partial_fit(X, y, classes=[-1, 1]),
    )
    yield "acog-ii-diag, one batch", ours, "scikit-learn SGD partial_fit", rival, 4, len(y)
    rows, labels = dict_rows(X, y)
    (river,) = best_of(3, lambda: river_perceptron(rows, labels))
    scaled = river / len(rows) * len(y)
    yield "acog-ii-diag, one batch", ours, "River Perceptron, row by row", scaled, 100, len(y)


def dict_rows(X: sp.csr_matrix, y: np.ndarray) -> tuple[list[dict], list[bool]]:
    bounds = zip(X.indptr[:ROWS_ONE_BY_ONE], X.indptr[1:], strict=False)
    names = [f"f{j}" for j in range(X.shape[1])]
    rows = [
        {names[j]: float(v) for j, v in zip(X.indices[a:b], X.data[a:b], strict=True)}
        for a, b in bounds
    ]
    return rows, [bool(label > 0) for label in y[:ROWS_ONE_BY_ONE]]


def river_perceptron(rows: list[dict], labels: list[bool]) -> None:
    from river.linear_model import Perceptron

    model = Perceptron()
    for x, y in zip(rows, labels, strict=True):
        model.predict_one(x)
        model.learn_one(x, y)


def one_row(repeat: int) -> Iterator[tuple]:
    rows, labels = dict_rows(*a9a())

    def one_call() -> None:
        model = OnlineClassifier("acog-ii-diag")
        for x, y in zip(rows, labels, strict=True):
            model.learn_one(x, y)

    def two_calls() -> None:
        model = OnlineClassifier("acog-ii-diag")
        for x, y in zip(rows, labels, strict=True):
            model.predict_one(x)
            model.learn_one(x, y)

    one, two, rival = best_of(repeat, one_call, two_calls, lambda: river_perceptron(rows, labels))
    n = len(rows)
    yield "dict row, learn_one alone", one, "River Perceptron, two calls", rival, 2, n
    yield "dict row, predict_one + learn_one", two, "River Perceptron, two calls", rival, 1, n


def array_row(repeat: int) -> Iterator[tuple]:
    from sklearn.linear_model import SGDClassifier

    X, y = a9a()
    rows, labels = X[:ROWS_ONE_BY_ONE].toarray(), y[:ROWS_ONE_BY_ONE].tolist()
    fewer = 200  # the rival takes its time

    def ours() -> None:
        model = OnlineClassifier("acog-ii-diag")
        for x, label in zip(rows, labels, strict=True):
            model.predict_one(x)
            model.learn_one(x, label)

    def rival() -> None:
        model = SGDClassifier(loss="hinge").partial_fit(rows[:1], y[:1], classes=[-1, 1])
        for t in range(fewer):
            model.predict(rows[t : t + 1])
            model.partial_fit(rows[t : t + 1], y[t : t + 1])

    times = best_of(min(repeat, 5), ours, rival)
    scaled = times[1] / fewer * len(rows)
    yield "array row, predict + learn", times[0], "scikit-learn SGD, one row", scaled, 100, len(rows)


def full(repeat: int) -> Iterator[tuple]:
    import reference

    X, y = a9a()
    X, y = X[:5000], y[:5000]
    dense = reference.normalise(X.toarray())
    costs = reference.laplace(y)

    def rival() -> None:
        reference.run(reference.make("acog-ii", X.shape[1]), dense, y, costs)

    times = best_of(min(repeat, 3), lambda: OnlineClassifier("acog-ii").prequential(X, y), rival)
    yield "acog-ii, full, d = 123", times[0], "the NumPy reference", times[1], 10, len(y)


def sketch(repeat: int) -> Iterator[tuple]:
    def trained(width: int, learner: str, rows: int) -> tuple:
        """A model that has met the stream, so that neither growth nor page faults are timed."""
        X, y = sparse_stream(rows, width, 50)
        model = OnlineClassifier(learner)
        model.learn_many(X, y)
        return model, X, y

    narrow, wide = trained(10**4, "ssacog-ii", 20_000), trained(10**6, "ssacog-ii", 20_000)
    times = best_of(
        min(repeat, 10),
        lambda: narrow[0].learn_many(narrow[1], narrow[2]),
        lambda: wide[0].learn_many(wide[1], wide[2]),
    )
    yield "ssacog-ii, d = 10^4", times[0], "itself at d = 10^6, at most 2.5", times[1], 2.5, 20_000
    model, X, y = trained(10**4, "sacog-ii", 200)
    (explicit,) = best_of(3, lambda: model.learn_many(X, y))
    yield "ssacog-ii, d = 10^4", times[0], "sacog-ii", explicit * 100, 50, 20_000


def portfolio(repeat: int) -> Iterator[tuple]:
    """`auto` against six full learners, and, each from its kind of text, against Vowpal Wabbit."""
    X, y = a9a()
    repeat = min(repeat, 5)

    def six() -> None:
        for gamma in (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0):
            OnlineClassifier(make_learner("carow", gamma=gamma)).prequential(X, y)

    times = best_of(repeat, lambda: OnlineClassifier().prequential(X, y), six)
    yield "auto, full, d = 123", times[0], "six times carow", times[1], 1, len(y)
    yield from against_wabbit("auto, full, d = 123, from text", X, y, repeat, 60_000)
    X, y = sparse_stream(50_000, 10**5, 50)
    yield from against_wabbit("auto, 50 of 10^5, from text", X, y, repeat, 100_000)


def against_wabbit(
    what: str, X: sp.csr_matrix, y: np.ndarray, repeat: int, goal: int
) -> Iterator[tuple]:
    from sklearn.datasets import dump_svmlight_file
    from vowpalwabbit import Workspace

    with tempfile.TemporaryDirectory() as folder:
        libsvm, wabbit = Path(folder) / "rows.libsvm", Path(folder) / "rows.vw"
        dump_svmlight_file(X, y, str(libsvm), zero_based=False)
        text = libsvm.read_text().splitlines()
        wabbit.write_text("".join(line.replace(" ", " | ", 1) + "\n" for line in text))

        def ours() -> None:
            model = OnlineClassifier(classes=(-1, 1))
            with Stream(libsvm) as stream:
                for block in stream:
                    core_of(model).learn_rows(block.rows, block.label > 0)

        def rival() -> None:
            options = ["--quiet", "-b", "18", "--loss_function", "hinge", "-d", str(wabbit)]
            Workspace(arg_list=options).finish()

        times = best_of(repeat, ours, rival)
    speeds = [f"{len(y) / one:,.0f}" for one in times]
    print(f"rows/s: {speeds[0]} (goal: {goal:,}), Vowpal Wabbit {speeds[1]}", file=sys.stderr)
    yield what, times[0], "Vowpal Wabbit, hinge, from text", times[1], "", len(y)


def start(repeat: int) -> Iterator[tuple]:
    def seconds(code: str) -> float:
        return best_of(
            min(repeat, 8), lambda: subprocess.run([sys.executable, "-c", code], check=True)
        )[0]

    bare, imported = seconds("pass"), seconds("import costream")
    print(f"import costream adds {1e3 * (imported - bare):.0f} ms (goal: below 50)")
    first = "import costream; costream.OnlineClassifier('acog-ii-diag').score_one({'a': 1.0})"
    print(f"first prediction of a process, from the cache: {seconds(first):.2f} s (goal: below 0.6)")
    for what, call in (
        ("a batch", "learn_many([[1.0], [2.0]], [0, 1])"),
        ("single rows", "learn_one({'a': 1.0}, 1)"),
    ):
        code = f"import costream; costream.OnlineClassifier().{call}"
        print(f"what auto takes to compile, once, for {what}: {compiling(code):.1f} s (goal: below 10)")
    yield from ()


def compiling(code: str) -> float:
    """How much longer a process takes that compiles than one that finds the machine code."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "COSTREAM_CACHE_DIR": folder}
        times = []
        for _ in range(2):
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, env=environment)
            times.append(time.perf_counter() - begin)
    return times[0] - times[1]


SECTIONS = {f.__name__: f for f in (batch, one_row, array_row, full, sketch, portfolio, start)}


def machine() -> str:
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        model = next((li.split(":")[1].strip() for li in lines if "model name" in li), model)
    return f"{model}, Python {platform.python_version()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--only", choices=SECTIONS, help="one section alone")
    options = parser.parse_args()
    print(f"machine: {machine()}\n")
    print("| what | us a row | against | us a row | ratio | goal |")
    print("|---|---|---|---|---|---|")
    for name, section in SECTIONS.items():
        if options.only in (None, name):
            for ours, mine, rival, theirs, goal, rows in section(options.repeat):
                cells = f"| {ours} | {1e6 * mine / rows:.3f} | {rival} | {1e6 * theirs / rows:.3f} "
                print(f"{cells}| {theirs / mine:.1f} | {goal} |", flush=True)


if __name__ == "__main__":
    main()
