"""How fast tables are read: files, data frames and dicts, beside rivals in the same run.

    python benchmarks/tables.py [--repeat 5] [--megabytes 200] [--only NAME ...] [--store]

Rivals take turns, and the best time of each counts; compile time is outside the clock. What a `Stream`
gives is rows that are ready to be learnt, with labels and with the kinds of columns found out; pyarrow
(in one thread) and pandas give columns, `json.loads` a dict for each line. Finding out the kinds takes
the same time for every file, so a short one is read at fewer MB/s; lines name the size of the file.

numbers  a CSV file of 28 numbers of six digits and a label
mixed    a CSV file of 10 numbers, 4 texts (of 5, 20, 200 and 5,000 values), a time and a label
json     JSON lines with 15 numbers, 3 texts, a boolean, a number that is sometimes null and a label
dicts    learn_one of `auto`: 14 numbers; 10 numbers and 4 texts of 2 to 20 values. The rival is River's
         logistic regression behind its scaler, with text one-hot
frame    score_many of a numeric data frame, 100,000 x 28; the rival is the same model and the array

With ``--store`` the results go to benchmarks/results/tables.json, one record for each section.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.csv
import stored
from timing import best_of

from costream import OnlineClassifier, Stream

PACKAGES = ("pyarrow", "pandas", "msgspec", "river")
WIDTH = 28
FRAME_ROWS = 100_000
DICTS = 3000
VALUES = (5, 20, 200, 5000)  # of columns of text
FEW_VALUES = (2, 5, 10, 20)


@dataclass(frozen=True)
class Line:
    """What takes how long, as a rate or a time, and what a rival takes."""

    what: str
    value: float
    unit: str
    against: str
    rival: float
    goal: float | None = None  # of the value

    @property
    def ratio(self) -> float:
        """How many times as fast as the rival."""
        return self.value / self.rival if self.unit.endswith("/s") else self.rival / self.value


Lines = Iterator[Line]


# --- files ------------------------------------------------------------------------------------------


def numbers(folder: Path, repeat: int, megabytes: int) -> Lines:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(20_000, WIDTH)), columns=[f"n{j}" for j in range(WIDTH)])
    table["label"] = (table["n0"] + rng.normal(size=len(table)) > 1.0).astype(int)
    yield from csv_lines("CSV of numbers", repeat, csv_file(folder, table, megabytes), 200)


def mixed(folder: Path, repeat: int, megabytes: int) -> Lines:
    rng = np.random.default_rng(1)
    rows = 20_000
    table = pd.DataFrame(rng.normal(size=(rows, 10)), columns=[f"n{j}" for j in range(10)])
    for values in VALUES:
        table[f"text{values}"] = [f"value {at}" for at in rng.integers(values, size=rows)]
    table["when"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(10**7, size=rows), "s")
    table["label"] = (table["n0"] + rng.normal(size=rows) > 1.0).astype(int)
    yield from csv_lines("mixed CSV", repeat, csv_file(folder, table, megabytes))


def csv_file(folder: Path, table: pd.DataFrame, megabytes: int) -> Path:
    """A file that repeats a table."""
    text = table.to_csv(index=False, float_format="%.6g")
    head, _, rows = text.partition("\n")
    path = folder / "table.csv"
    path.write_text(f"{head}\n{rows * max(1, round(megabytes * 1e6 / len(rows)))}", encoding="ascii")
    return path


def csv_lines(what: str, repeat: int, path: Path, goal: float | None = None) -> Lines:
    ours, arrow, pandas = best_of(
        repeat, lambda: stream(path), lambda: arrow_csv(path), lambda: pd.read_csv(path)
    )
    size = path.stat().st_size / 1e6
    what = f"{what}, {size:.0f} MB"
    yield Line(what, size / ours, "MB/s", "pyarrow, one thread", size / arrow, goal)
    yield Line(what, size / ours, "MB/s", "pandas", size / pandas, goal)


def stream(path: Path) -> int:
    """The rows of a file, read as for a model."""
    with Stream(path, label="label") as blocks:
        return sum(block.rows.rows for block in blocks)


def arrow_csv(path: Path) -> object:
    options = pyarrow.csv.ReadOptions(use_threads=False)
    return pyarrow.csv.read_csv(path, read_options=options)


def json_lines(folder: Path, repeat: int, megabytes: int) -> Lines:
    rng = np.random.default_rng(2)
    block = []
    for _ in range(10_000):
        row = {f"number_{at}": round(float(value), 4) for at, value in enumerate(rng.normal(size=15))}
        row |= {f"text_{n}": f"value {rng.integers(n)}" for n in VALUES[:3]}
        row |= {"flag": bool(rng.random() < 0.5), "sometimes": float(rng.random())}
        row |= {"sometimes": None} if rng.random() < 0.1 else {}
        block.append(json.dumps({**row, "label": int(rng.random() < 0.1)}) + "\n")
    times = max(1, round(megabytes * 1e6 / sum(map(len, block))))
    path = folder / "table.jsonl"
    path.write_text("".join(block) * times, encoding="ascii")
    ours, loads = best_of(repeat, lambda: stream(path), lambda: each_line(path))
    rows = len(block) * times
    yield Line("JSON lines of 21 keys", rows / ours, "rows/s", "json.loads", rows / loads, 210_000)


def each_line(path: Path) -> int:
    with open(path, encoding="utf-8") as lines:
        return sum(len(json.loads(line)) for line in lines)


# --- Python -----------------------------------------------------------------------------------------


def dicts(_: Path, repeat: int, __: int) -> Lines:
    yield one_dict(repeat, 14, ())
    yield one_dict(repeat, 10, FEW_VALUES)


def one_dict(repeat: int, numbers: int, texts: tuple[int, ...]) -> Line:
    rng = np.random.default_rng(3)
    rows = [
        {f"n{at}": float(value) for at, value in enumerate(x)}
        | {f"t{n}": f"value {rng.integers(n)}" for n in texts}
        for x in rng.normal(size=(DICTS, numbers))
    ]
    labels = [row["n0"] > 1.0 for row in rows]
    ours, river = best_of(
        min(repeat, 3),
        lambda: one_by_one(OnlineClassifier(positive=True), rows, labels),
        lambda: one_by_one(river_model(bool(texts)), rows, labels),
    )
    what = f"learn_one of {numbers} numbers" + (f" and {len(texts)} texts" if texts else "")
    return Line(what, 1e6 * ours / DICTS, "us", "River, learn_one", 1e6 * river / DICTS, 40)


def one_by_one(model: object, rows: list[dict[str, object]], labels: list[bool]) -> None:
    for row, label in zip(rows, labels, strict=True):
        model.learn_one(row, label)


def river_model(text: bool) -> object:
    from river import compose, linear_model, preprocessing

    scaled = preprocessing.StandardScaler()
    if not text:
        return scaled | linear_model.LogisticRegression()
    parts = compose.SelectType(float) | scaled
    return (parts + (compose.SelectType(str) | preprocessing.OneHotEncoder())) | (
        linear_model.LogisticRegression()
    )


def frame(_: Path, repeat: int, __: int) -> Lines:
    X = np.random.default_rng(4).normal(size=(FRAME_ROWS, WIDTH))
    table = pd.DataFrame(X, columns=[f"n{j}" for j in range(WIDTH)])
    model = OnlineClassifier("acog-ii-diag")
    model.learn_many(table[:5000], X[:5000, 0] > 1.0)
    names = list(table)
    ours, array = best_of(
        repeat, lambda: model.score_many(table), lambda: model.score_many(X, names=names)
    )
    us = 1e6 / FRAME_ROWS
    yield Line("score_many of a data frame, a row", us * ours, "us", "of an array", us * array)


SECTIONS: dict[str, Callable[[Path, int, int], Lines]] = {
    "numbers": numbers,
    "mixed": mixed,
    "json": json_lines,
    "dicts": dicts,
    "frame": frame,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=tuple(SECTIONS), metavar="NAME")
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    header = stored.about(PACKAGES)
    print(f"machine: {header['machine']}\n")
    print("| what | costream | against | rival | ratio | goal |\n|---|---|---|---|---|---|")
    for name in options.only:
        lines = []
        with tempfile.TemporaryDirectory() as folder:
            for one in SECTIONS[name](Path(folder), options.repeat, options.megabytes):
                goal = "" if one.goal is None else f"{one.goal:,g}"
                ours, rival = (f"{value:,.4g} {one.unit}" for value in (one.value, one.rival))
                shown = [one.what, ours, one.against, rival, f"{one.ratio:.2f}", goal]
                print(f"| {' | '.join(shown)} |", flush=True)
                lines.append({**asdict(one), "ratio": one.ratio})
        if options.store:
            stored.replace("tables", header, {name: {"repeat": options.repeat, "lines": lines}})


if __name__ == "__main__":
    main()
