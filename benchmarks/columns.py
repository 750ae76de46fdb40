"""What is each way of reading a column worth, in money saved?

    python benchmarks/columns.py [--rows 40000] [--only DATASET ...]

`auto` runs over a table, prequentially, with a column read in one way or another; the savings are at
the costs of the rows. All else in the table is the same. The rows are the first 40,000 of each data
set, or all if it has fewer, in the order of the file and in two shuffled orders.

bank, gmsc  tables with prices, found through COSTREAM_DATA.
kdd99       as its file has it (COSTREAM_DATA); its service is a column of text with 66 values again,
            as are protocol and flag. Every second row, so that attacks are among them. A missed attack
            costs 9, a false alarm 1.
payments    the generated stream of card payments, its groups as columns of text again.

Each case adds something to the table, or takes something away:

gaps        numbers are missing at random (5 % of each column), or they tell something: in one column
            20 % of the positive rows and 3 % of the others. Of the columns that are never 0, and of
            those in which one row in a hundred or more is 0 (a missing value, which has no entry, looks
            the same there), the one with the most values. Read with a missing indicator, such as
            ``amount=missing``, or without.
time        a time that rises over the rows; at random, or half of the positive rows are at night.
            Read as hour, weekday, day and month; left out; or as text, each value a feature.
shop        a text of 1,000 values, the k-th of which is 1/k as frequent as the first; the same in both
            classes, or (telling) with a factor exp(1.5 z) for each value in the positive one, z normal.
            Read by target encoding; as hashed values, a feature each; as both; left out.
service     the column of kdd99, in the same ways.
words       messages of 8 to 20 words out of 5,000, the k-th of which is 1/k as frequent as the first;
            the same in both classes, or (telling) with a factor exp(z) for each word in the positive
            one, z normal. Read by the target encoding of its words; as hashed words with their counts;
            left out.
id          a number that counts the rows, or a text of its own for each row. Left out, or kept.

Results go to benchmarks/results/columns.json, a record for each data set.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import stored

from costream import Column, Cost, OnlineClassifier, Schema, metrics
from costream.datasets.dataset import Dataset, load_dataset
from costream.datasets.payments import card_payments
from costream.files.reader import Stream

ROWS = 40_000
ORDERS = 3  # the first is that of the file
SAMPLE = 2000  # rows by which a schema is inferred
VALUES = 1000  # of a text column
WORDS = 5000  # of all messages
KDD99 = {"protocol": 3, "service": 66, "flag": 11}  # columns of each, after 38 numbers
KDD99_NUMBERS, KDD99_EVERY = 38, 2
BOTH = "shop itself"
DATASETS = ("bank", "gmsc", "kdd99", "payments")


class Table(NamedTuple):
    """The features of rows, which of them are positive, and what mistakes cost."""

    features: pd.DataFrame
    positive: np.ndarray
    fn_cost: np.ndarray
    fp_cost: np.ndarray

    def take(self, order: np.ndarray) -> Table:
        return Table(
            self.features.iloc[order].reset_index(drop=True),
            *(one[order] for one in self[1:]),
        )


class Case(NamedTuple):
    """A column that is added to a table, and how it may be read; the first way is the default."""

    name: str
    features: pd.DataFrame
    ways: dict[str, tuple[Column, ...] | None]  # columns instead of inferred ones; None: no indicators


# --- tables -----------------------------------------------------------------------------------------


def load(name: str, rows: int) -> Table:
    if name == "payments":
        found = card_payments(rows)
        return Table(frame_of(found), found.positive, found.costs.fn_cost, found.costs.fp_cost)
    folder = Path(os.environ.get("COSTREAM_DATA", "."))
    if name == "kdd99":
        return kdd99(folder / "kdd99_normal_r2l_u2r.libsvm.xz", rows)
    table = pd.read_csv(folder / f"{name}.csv.xz", nrows=rows)
    label, fn_cost, fp_cost = (table.pop(key) for key in ("label", "fn_cost", "fp_cost"))
    return Table(table, (label == 1).to_numpy(), fn_cost.to_numpy(float), fp_cost.to_numpy(float))


def kdd99(path: Path, rows: int) -> Table:
    with Stream(path) as stream:
        whole = load_dataset(stream, (1, 2), str(path))[0]
    groups = [f"{group}={at}" for group, count in KDD99.items() for at in range(count)]
    names = ["0", *(f"number {at}" for at in range(1, KDD99_NUMBERS + 1)), *groups]
    part = replace(whole, names=names).take(np.arange(0, len(whole), KDD99_EVERY)[:rows])
    ones = np.ones(len(part))
    return Table(frame_of(part).drop(columns="0"), part.positive, 9.0 * ones, ones)


def frame_of(rows: Dataset) -> pd.DataFrame:
    """A table whose features such as ``country=FR`` are columns of text again."""
    dense = np.zeros((len(rows), len(rows.names)))
    row = np.repeat(np.arange(len(rows)), np.diff(rows.rows.start).astype(int))
    dense[row, rows.rows.index] = rows.rows.value
    groups: dict[str, list[int]] = {}
    columns = {}
    for at, name in enumerate(rows.names):
        if "=" in name:
            groups.setdefault(name.split("=")[0], []).append(at)
        else:
            columns[name] = dense[:, at]
    for group, places in groups.items():
        values = np.array([rows.names[at].split("=")[1] for at in places], object)
        key = f"{group} group" if group in columns else group
        columns[key] = values[dense[:, places].argmax(axis=1)]
    return pd.DataFrame(columns)


# --- what is added to them --------------------------------------------------------------------------


def cases(name: str, table: Table) -> Iterator[Case]:
    frame, positive = table.features, table.positive
    rng = np.random.default_rng(1)
    yield Case("table as it is", frame, {"as inferred": ()})
    for kind, gaps in gappy(rng, frame, positive).items():
        yield Case(
            f"gaps, {kind}", gaps, {"with missing indicators": (), "without missing indicators": None}
        )
    for kind in ("telling", "noise"):
        added = frame.assign(when=times(rng, positive, kind == "telling"))
        ways = {"hour, weekday, day, month": (), "left out": (Column("when", "left out"),)}
        yield Case(f"time, {kind}", added, {**ways, "text": (Column("when", "text"),)})
    for kind in ("telling", "noise"):
        values = shops(rng, positive, kind == "telling")
        yield Case(
            f"text of {VALUES:,} values, {kind}",
            frame.assign(shop=values, **{BOTH: values}),
            of_many_values("shop"),
        )
    if name == "kdd99":
        copied = frame.assign(**{BOTH: frame["service"]})
        yield Case("service, 66 values", copied, of_many_values("service"))
    for kind in ("telling", "noise"):
        added = frame.assign(message=messages(np.random.default_rng(2), positive, kind == "telling"))
        ways = {
            "target encoding of words": (Column("message", "text", words=True, target_encoding=True),),
            "hashed words": (Column("message", "text", words=True),),
            "left out": (Column("message", "left out"),),
        }
        yield Case(f"text of words, {kind}", added, ways)
    number, text = np.arange(len(frame)) + 1_000_000, rng.permutation(len(frame))
    words = np.array([f"{one:08x}" for one in text], object)
    for title, values, kind in (("a number", number, "number"), ("text", words, "text")):
        ways = {"left out": (Column("order", "id"),), "kept": (Column("order", kind),)}
        yield Case(f"id, {title}", frame.assign(order=values), ways)


def of_many_values(name: str) -> dict[str, tuple[Column, ...]]:
    gone = Column(BOTH, "left out")
    return {
        "target encoding": (Column(name, "text", target_encoding=True), gone),
        "hashed values": (Column(name, "text"), gone),
        "both": (Column(name, "text", target_encoding=True), Column(BOTH, "text")),
        "left out": (Column(name, "left out"), gone),
    }


def gappy(
    rng: np.random.Generator, frame: pd.DataFrame, positive: np.ndarray
) -> dict[str, pd.DataFrame]:
    """The table with gaps in its numbers."""
    numbers = frame.select_dtypes("number").astype(float)
    gone = numbers.mask(rng.random(numbers.shape) < 0.05)
    found = {"at random": frame.assign(**{name: gone[name] for name in numbers})}
    is_gap = rng.random(len(frame)) < np.where(positive, 0.20, 0.03)
    zeros = (numbers == 0.0).mean()
    for kind, names in (
        ("telling", zeros.index[zeros == 0.0]),
        ("telling, 0 is usual", zeros.index[zeros >= 0.01]),
    ):
        if len(names):
            most = numbers[names].nunique().idxmax()
            found[kind] = frame.assign(**{most: numbers[most].mask(is_gap)})
    return found


def times(rng: np.random.Generator, positive: np.ndarray, telling: bool) -> np.ndarray:
    """A year of times, in order; with fraud at night they are in order of days."""
    day = np.arange(len(positive)) * 365 // len(positive)
    second = rng.integers(0, 86_400, len(positive))
    night = rng.integers(0, 6 * 3600, len(positive))
    if telling:
        second = np.where(positive & (rng.random(len(positive)) < 0.5), night, second)
    return np.datetime64("2023-01-01", "us") + (day * 86_400 + second).astype("timedelta64[s]")


def shops(rng: np.random.Generator, positive: np.ndarray, telling: bool) -> np.ndarray:
    usual = 1.0 / np.arange(1, VALUES + 1)
    factor = np.exp(1.5 * rng.normal(size=VALUES)) if telling else np.ones(VALUES)
    drawn = [
        rng.choice(VALUES, len(positive), p=share / share.sum()) for share in (usual, usual * factor)
    ]
    names = np.array([f"shop {at}" for at in range(VALUES)], object)
    return names[np.where(positive, drawn[1], drawn[0])]


def messages(rng: np.random.Generator, positive: np.ndarray, telling: bool) -> np.ndarray:
    usual = 1.0 / np.arange(1, WORDS + 1)
    factor = np.exp(rng.normal(size=WORDS)) if telling else np.ones(WORDS)
    names = [f"word{at}" for at in range(WORDS)]
    lengths = rng.integers(8, 21, len(positive))
    found = np.empty(len(positive), object)
    for is_positive, share in ((False, usual), (True, usual * factor)):
        rows = np.flatnonzero(positive == is_positive)
        drawn = iter(rng.choice(WORDS, int(lengths[rows].sum()), p=share / share.sum()).tolist())
        for row in rows:
            found[row] = " ".join(names[next(drawn)] for _ in range(lengths[row]))
    return found


# --- runs -------------------------------------------------------------------------------------------


def savings(table: Table, columns: tuple[Column, ...] | None) -> float:
    """The savings of `auto` in percent; ``columns`` overrule those that are inferred."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is said about ids
        few = OnlineClassifier("perceptron")
        few.learn_many(table.features[:SAMPLE], table.positive[:SAMPLE])
        own = {one.name: one for one in columns or ()}
        found = [own.get(one.name, one) for one in few.schema.columns]
        if columns is None:
            found = [replace(one, missing_indicator=False) for one in found]
        objective = Cost(fn_cost=float(table.fn_cost.mean()), fp_cost=float(table.fp_cost.mean()))
        model = OnlineClassifier(objective=objective, schema=Schema(found), positive=True)
        costs = {"fn_cost": table.fn_cost, "fp_cost": table.fp_cost}
        flagged = model.prequential(table.features, table.positive, **costs) >= 0.0
    return 100.0 * metrics.savings(table.positive, flagged, **costs)


def measured(name: str, rows: int) -> dict[str, object]:
    """The savings of each way to read each column, in each order."""
    table = load(name, rows)
    orders = [np.arange(len(table.positive))]
    orders += [np.random.default_rng(at).permutation(len(orders[0])) for at in range(1, ORDERS)]
    found: dict[str, dict[str, list[float]]] = {}
    for case in cases(name, table):
        found[case.name] = {}
        for way, columns in case.ways.items():
            values = [savings(table._replace(features=case.features).take(o), columns) for o in orders]
            found[case.name][way] = values
            shown = ", ".join(f"{one:.1f}" for one in values)
            line = f"{name:9} {case.name:28} {way:26} {np.mean(values):6.2f}  ({shown})"
            print(line, flush=True)
    positives = int(table.positive.sum())
    return {"rows": len(table.positive), "positives": positives, "orders": ORDERS, "savings": found}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--only", nargs="+", choices=DATASETS, default=DATASETS, metavar="DATASET")
    given = parser.parse_args()
    header = stored.about(["pandas"])
    for one in given.only:
        stored.replace("columns", header, {one: measured(one, given.rows)})
