"""How fast, side by side with the rivals in one run, as ratios.

    python benchmarks/speed.py [--repeat 20] [--only NAME ...]

One thread, or two where `auto` grows trees and LightGBM is fitted; compile time is outside the clock.
Rivals take turns, and the best time of each counts, because a shared machine only ever adds time. The
data are a9a (48,842 x 123, 14 nonzeros a row), magic04 and covtype, found through COSTREAM_DATA; or
else a generated stream of a9a's shape, and no others. Results go to benchmarks/results/speed.json, one
record for each section; the ratios of earlier runs stay there, since a ratio differs between machines.
"""

from __future__ import annotations

import argparse
import lzma
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import speed_auto
import stored
from timing import Figure, Timing, best_of, with_earlier

from costream import OnlineClassifier
from costream.files.reader import Stream
from costream.learners import make_learner
from costream.model.classifier import core_of

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
ROWS_ONE_BY_ONE, ROWS_OF_SKLEARN, ROWS_OF_SACOG = 4000, 200, 200
PACKAGES = ("scikit-learn", "river", "vowpalwabbit", "lightgbm")
RIVALS = {
    "batch": ("river",),
    "one_row": ("river",),
    "portfolio": ("vowpalwabbit",),
    "tables": ("lightgbm",),
}
Lines = Iterator[Timing | Figure]


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


def batch(repeat: int) -> Lines:
    from sklearn.linear_model import SGDClassifier

    X, y = a9a()
    ours, rival = best_of(
        repeat,
        lambda: OnlineClassifier("acog-ii-diag").prequential(X, y),
        lambda: SGDClassifier(loss="hinge").partial_fit(X, y, classes=[-1, 1]),
    )
    what, n = "acog-ii-diag, one batch", len(y)
    yield Timing(what, ours, "scikit-learn SGD partial_fit", rival, 4, n, n)
    rows, labels = dict_rows(X, y)
    (river,) = best_of(3, lambda: river_perceptron(rows, labels))
    yield Timing(what, ours, "River Perceptron, row by row", river, 100, n, len(rows))


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


def one_row(repeat: int) -> Lines:
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
    yield Timing("dict row, learn_one alone", one, "River Perceptron, two calls", rival, 2, n, n)
    what = "dict row, predict_one + learn_one"
    yield Timing(what, two, "River Perceptron, two calls", rival, 1, n, n)


def array_row(repeat: int) -> Lines:
    from sklearn.linear_model import SGDClassifier

    X, y = a9a()
    rows, labels = X[:ROWS_ONE_BY_ONE].toarray(), y[:ROWS_ONE_BY_ONE].tolist()
    fewer = ROWS_OF_SKLEARN  # the rival takes its time

    def ours(count: int) -> None:
        model = OnlineClassifier("acog-ii-diag")
        for x, label in zip(rows[:count], labels[:count], strict=True):
            model.predict_one(x)
            model.learn_one(x, label)

    def rival() -> None:
        model = SGDClassifier(loss="hinge").partial_fit(rows[:1], y[:1], classes=[-1, 1])
        for t in range(fewer):
            model.predict(rows[t : t + 1])
            model.partial_fit(rows[t : t + 1], y[t : t + 1])

    n, one = len(rows), "scikit-learn SGD, one row"
    many, few, slow = best_of(min(repeat, 5), lambda: ours(n), lambda: ours(fewer), rival)
    yield Timing("array row, predict + learn", many, one, slow, 100, n, fewer)
    yield Timing(f"array row, the first {fewer} rows", few, one, slow, 100, fewer, fewer)


def full(repeat: int) -> Lines:
    import reference

    X, y = a9a()
    X, y = X[:5000], y[:5000]
    dense = reference.normalise(X.toarray())
    costs = reference.laplace(y)

    def rival() -> None:
        reference.run(reference.make("acog-ii", X.shape[1]), dense, y, costs)

    times = best_of(min(repeat, 3), lambda: OnlineClassifier("acog-ii").prequential(X, y), rival)
    yield Timing(
        "acog-ii, full, d = 123", times[0], "the NumPy reference", times[1], 10, len(y), len(y)
    )


def sketch(repeat: int) -> Lines:
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
    what, n = "ssacog-ii, d = 10^4", 20_000
    yield Timing(what, times[0], "itself at d = 10^6, at most 2.5", times[1], 2.5, n, n)
    model, X, y = trained(10**4, "sacog-ii", ROWS_OF_SACOG)
    (explicit,) = best_of(3, lambda: model.learn_many(X, y))
    yield Timing(what, times[0], "sacog-ii", explicit, 50, n, ROWS_OF_SACOG)


def portfolio(repeat: int) -> Lines:
    """`auto` against six full learners, and, each from its kind of text, against Vowpal Wabbit."""
    X, y = a9a()
    repeat = min(repeat, 5)

    def six() -> None:
        for gamma in (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0):
            OnlineClassifier(make_learner("carow", gamma=gamma)).prequential(X, y)

    times = best_of(repeat, lambda: OnlineClassifier().prequential(X, y), six)
    what = "auto, d = 123 (a9a), from memory"
    yield Timing(what, times[0], "six `carow` in turn", times[1], 1, len(y), len(y))
    yield from against_wabbit("auto, d = 123 (a9a), from text", X, y, repeat, 55_000)
    X, y = sparse_stream(50_000, 10**5, 50)
    what = "auto, 50 nonzeros in 10^5 columns, from text"
    yield from against_wabbit(what, X, y, repeat, 170_000)


def against_wabbit(what: str, X: sp.csr_matrix, y: np.ndarray, repeat: int, goal: int) -> Lines:
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
    yield Timing(what, times[0], "Vowpal Wabbit, hinge", times[1], None, len(y), len(y), goal)


def start(repeat: int) -> Lines:
    def seconds(code: str) -> float:
        return best_of(
            min(repeat, 8), lambda: subprocess.run([sys.executable, "-c", code], check=True)
        )[0]

    bare, imported = seconds("pass"), seconds("import costream")
    yield Figure("import costream, beyond a bare interpreter", 1e3 * (imported - bare), "ms", 50)
    first = "import costream; costream.OnlineClassifier('acog-ii-diag').score_one({'a': 1.0})"
    yield Figure("first prediction of a process, from the cache", seconds(first), "s", 0.6)
    for what, call in (
        ("batches", "learn_many([[float(n)] for n in range(130)], [0, 1] * 65)"),
        ("single rows", "learn_one({'a': 1.0}, 1)"),
    ):
        code = f"import costream; costream.OnlineClassifier().{call}"
        yield Figure(f"compiling auto, once, for {what}", compiling(code), "s", 15)


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


OF_AUTO = (portfolio, speed_auto.tables, speed_auto.single_rows, speed_auto.long_stream)
SECTIONS = {f.__name__: f for f in (batch, one_row, array_row, full, sketch, *OF_AUTO, start)}


def options_of(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of a command line, by default that of the process."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=20)
    names = ", ".join(SECTIONS)
    parser.add_argument(
        "--only", nargs="+", choices=SECTIONS, default=list(SECTIONS), metavar="NAME", help=names
    )
    found = parser.parse_args(words)
    missing = [one for name in found.only for one in RIVALS.get(name, ()) if find_spec(one) is None]
    if missing:
        parser.error(
            f"not installed: {', '.join(dict.fromkeys(missing))}; pip install -e .[bench], or choose "
            "other sections with --only"
        )
    return found


def main() -> None:
    options = options_of()
    header = stored.about(PACKAGES)
    print(f"machine: {header['machine']}\n")
    print("| what | us a row | against | us a row | ratio | goal |")
    print("|---|---|---|---|---|---|")
    for name in options.only:
        lines = []
        for line in SECTIONS[name](options.repeat):
            show(line)
            lines.append(line.record)
        before = stored.read("speed").get("records", {}).get(name, {})
        lines = with_earlier(lines, header, before)
        stored.replace("speed", header, {name: {"repeat": options.repeat, "lines": lines}})


def show(line: Timing | Figure) -> None:
    one = line.record
    if isinstance(line, Figure):
        print(f"| {line.what} | {line.value:.3g} {line.unit} | | | | {line.goal:g} |", flush=True)
        return
    goal = "" if line.goal is None else f"{line.goal:g}"
    print(
        f"| {line.what} | {one['us']:.3f} | {line.against} | {one['rival_us']:.3f} "
        f"| {one['ratio']:.1f} | {goal} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
