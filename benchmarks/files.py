"""How fast from a file to a model: whole commands against whole commands, as ratios in one run.

    python benchmarks/files.py [--megabytes 250] [--repeat 3] [--shape a9a|numbers] [--only NAME]

The file is a9a (found through COSTREAM_DATA; else a generated stream of its shape) again and again,
each time in another order; or, with ``--shape numbers``, rows of 28 numbers with six decimals. It is
written to a temporary folder, for us and for Vowpal Wabbit in its own format. The compile cache is
warm, but for the first run of `compare`, which has an empty one. Rivals take turns; the best time
of each counts. Results go to benchmarks/results/files.json, one record for each kind and size.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import stored
from speed import a9a

PACKAGES = ("scikit-learn", "vowpalwabbit")
Record = dict[str, object]

PIPELINE = """
import sys
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier
X, y = load_svmlight_file(sys.argv[1])
X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")
SGDClassifier(loss="hinge").partial_fit(X, y, classes=[-1, 1])
"""
LOAD = """
import sys, time
from sklearn.datasets import load_svmlight_file
begin = time.perf_counter()
load_svmlight_file(sys.argv[1])
print(time.perf_counter() - begin)
"""
# One thread: what `Stream` would do ahead of the learner, without its thread.
SCAN = """
import sys, time
from costream.files.libsvm import libsvm_blocks
from costream.files.source import Source
for path in sys.argv[2], sys.argv[1]:
    begin = time.perf_counter()
    rows = sum(block.rows.rows for block in libsvm_blocks(Source(path)))
print(time.perf_counter() - begin)
"""


def lines_of(shape: str) -> list[str]:
    if shape == "numbers":
        rng = np.random.default_rng(0)
        X = rng.normal(size=(50_000, 28))
        y = np.where(X @ rng.normal(size=28) + rng.normal(size=50_000) > 1.5, 1, -1)
        return [
            f"{label} " + " ".join(f"{j}:{v:.6f}" for j, v in enumerate(x, 1))
            for x, label in zip(X.tolist(), y.tolist(), strict=True)
        ]
    X, y = a9a()
    starts, columns = X.indptr.tolist(), (X.indices + 1).tolist()
    return [
        f"{label:+d} " + " ".join(f"{j}:1" for j in columns[begin:end])
        for label, begin, end in zip(y.tolist(), starts[:-1], starts[1:], strict=True)
    ]


def write_files(folder: Path, shape: str, megabytes: int) -> tuple[Path, Path, Path]:
    """The same rows for us and for Vowpal Wabbit, and a few of them for warming up."""
    lines = lines_of(shape)
    ours, theirs, few = folder / "rows.libsvm", folder / "rows.vw", folder / "few.libsvm"
    few.write_text("\n".join(lines[:100]) + "\n", encoding="ascii")
    rng = np.random.default_rng(0)
    written = 0
    with open(ours, "w", encoding="ascii") as libsvm, open(theirs, "w", encoding="ascii") as vw:
        while written < megabytes * 10**6:
            shuffled = [lines[at] for at in rng.permutation(len(lines))]
            written += libsvm.write("\n".join(shuffled) + "\n")
            vw.write("".join(line.replace(" ", " | ", 1).lstrip("+") + "\n" for line in shuffled))
    return ours, theirs, few


def run(*command: str, **options: object) -> tuple[float, str]:
    """The seconds and the output of a command."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )
    out, errors = process.communicate()
    seconds = time.perf_counter() - begin
    if process.returncode:
        sys.exit(f"{' '.join(command)[:200]} failed:\n{errors}")
    return seconds, out


def best(repeat: int, *commands: tuple[str, ...], printed: bool = False) -> list[float]:
    """The best time of each command, in turns; or the best of the numbers that it prints."""
    found = [float("inf")] * len(commands)
    for _ in range(repeat):
        for at, command in enumerate(commands):
            seconds, out = run(*command)
            found[at] = min(found[at], float(out) if printed else seconds)
    return found


def costream(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "costream", *arguments)


def scanning(repeat: int, ours: Path, few: Path) -> Iterator[tuple]:
    scan, load = best(
        repeat,
        (sys.executable, "-c", SCAN, str(ours), str(few)),
        (sys.executable, "-c", LOAD, str(ours)),
        printed=True,
    )
    yield "scanning LIBSVM text, one thread", scan, "scikit-learn load_svmlight_file", load, 25


def training(repeat: int, ours: Path, theirs: Path, goal: float) -> Iterator[tuple]:
    model = str(ours.with_suffix(".model"))
    train = costream("train", str(ours), "--learner", "acog-ii-diag", "-o", model)
    wabbit = (sys.executable, "-m", "vowpalwabbit", "--quiet", "--loss_function", "hinge")
    wabbit += ("-d", str(theirs), "-f", str(ours.with_suffix(".vw.model")))
    run(*train)
    seconds, vw = best(repeat, train, wabbit)
    what = "`train --learner acog-ii-diag`"
    yield what, seconds, "Vowpal Wabbit, its own format", vw, goal
    (pipeline,) = best(max(1, repeat // 2), (sys.executable, "-c", PIPELINE, str(ours)))
    yield what, seconds, "load_svmlight_file + SGD partial_fit", pipeline, 15


def memory(ours: Path) -> int:
    """The peak memory of `train`, in MB, as its own operating system process."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stderr=-3);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    train = costream(
        "train", str(ours), "--learner", "acog-ii-diag", "-o", str(ours.with_suffix(".model"))
    )
    _, out = run(sys.executable, "-c", code, *train)
    return int(out) // 1024


def commands(repeat: int, folder: Path) -> Record:
    (helping,) = best(max(repeat, 5), costream("--help"))
    print(f"costream --help: {helping:.2f} s (goal: under 0.3)")
    environment = {**os.environ, "COSTREAM_CACHE_DIR": str(folder / "cache")}
    compare = costream("compare", "--report", str(folder / "report.html"))
    first, _ = run(*compare, env=environment)
    later = min(run(*compare, env=environment)[0] for _ in range(repeat))
    print(
        f"costream compare: first run ever {first:.1f} s (goal: under 40), later {later:.1f} (under 10)"
    )
    names = ("costream --help", "costream compare, first run ever", "costream compare, later")
    goals = zip(names, (helping, first, later), (0.3, 40, 10), strict=True)
    return {what: {"s": seconds, "goal": goal} for what, seconds, goal in goals}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--megabytes", type=int, default=250)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--shape", choices=["a9a", "numbers"], default="a9a")
    parser.add_argument("--only", choices=["scan", "train", "memory", "commands"])
    arguments = parser.parse_args()
    wanted = {arguments.only} if arguments.only else {"scan", "train", "memory", "commands"}
    header = stored.about(PACKAGES)
    print(f"{header['machine']}, Python {header['versions']['python']}")

    def keep(kind: str, record: Record) -> None:
        name = kind if kind == "commands" else f"{kind}, {arguments.shape}, {arguments.megabytes} MB"
        stored.replace("files", header, {name: {"repeat": arguments.repeat, **record}})

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if wanted != {"commands"}:
            ours, theirs, few = write_files(folder, arguments.shape, arguments.megabytes)
            size = ours.stat().st_size / 1e6
            print(f"{size:,.0f} MB of LIBSVM text ({arguments.shape})\n")
            print("| what | s | MB/s | against | s | ratio | goal |\n|---|---|---|---|---|---|---|")
        if "scan" in wanted:
            keep("scan", report(scanning(arguments.repeat, ours, few), size))
        if "train" in wanted:
            goal = 3 if arguments.megabytes < 1000 else 4
            keep("train", report(training(arguments.repeat, ours, theirs, goal), size))
        print()
        if "memory" in wanted:
            peak = memory(ours)
            print(f"peak memory of costream train: {peak} MB (goal: under 400 on 1 GB)")
            keep("memory", {"file_mb": size, "mb": peak, "goal": 400})
        if "commands" in wanted:
            keep("commands", commands(arguments.repeat, folder))


def report(rows: Iterator[tuple], size: float) -> Record:
    lines = []
    for what, seconds, rival, theirs, goal in rows:
        print(
            f"| {what} | {seconds:.2f} | {size / seconds:,.0f} | {rival} | {theirs:.2f} "
            f"| {theirs / seconds:.1f} | {goal} |",
            flush=True,
        )
        lines.append({"what": what, "s": seconds, "against": rival, "rival_s": theirs, "goal": goal})
    return {"file_mb": size, "lines": lines}


if __name__ == "__main__":
    main()
