"""How good are the reasons of flags, against exact Shapley values, and what do they cost?

    python benchmarks/reasons.py [--flags 200] [--seeds 4] [--only TABLE ...]

`auto` learns 20,000 rows of a table; of those that follow, the first 200 that it flags are explained.
Beside each explanation stands the one by exact Shapley values over all columns, with the same usual
row: 1,024 coalitions of ten columns instead of 22 to 86. Three reasons of each flag are shown. One by
one: how the log-odds would change if one column alone had its usual value, the largest changes of
either sign first, which is what reasons were before.

first   share of the flags with the same first reason as by exact values
sign    share of the reasons shown with the same sign as there
minus   share of the flags that show a reason which lowers the risk
ms      milliseconds for a row, the median over the flags

correlated  ten numbers made of three others, in part skewed; effects alone and of pairs
copies      the same, of which two are copied twice and once, with little noise
gates       ten numbers, and fraud where three of them are high together, or three others
bank, gmsc  tables of ten columns, found through COSTREAM_DATA; text and yes/no among them
cards       card payments of 60 days, then those of the next; four columns, so all values are exact.
            A missed fraud costs its amount, a flag 5.

There are as many generated tables of a kind, and orders of a real one, as there are seeds; cards has
one order, its own. Results go to benchmarks/results/reasons.json, a record for each table.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pandas as pd
import stored

from costream import Cost, OnlineClassifier, Schema
from costream.model import Explanation
from costream.model.explanations import SMALLEST
from costream.model.shapley import Game, exact_values

FLAGS, SEEDS, SHOWN = 200, 4, 3
LEARNT, FOLLOWING, COLUMNS = 20_000, 10_000, 10
CARDS_LEARNT, CARDS_FOLLOWING = 575_755, 40_000  # 60 days, and four
KEYS = ("CUSTOMER_ID", "TERMINAL_ID")


class Table(NamedTuple):
    """Rows, which of them are positive, what mistakes cost, and how many rows are learnt."""

    rows: pd.DataFrame
    positive: np.ndarray
    costs: dict[str, Any]
    learnt: int = LEARNT
    schema: Schema | None = None


# --- tables -----------------------------------------------------------------------------------------


def generated(kind: str, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    n = LEARNT + FOLLOWING
    X = 0.8 * rng.normal(size=(n, 3)) @ rng.normal(size=(3, COLUMNS))
    X += 0.6 * rng.normal(size=X.shape)
    X[:, ::3] = np.exp(0.7 * X[:, ::3])
    if kind == "copies":
        X[:, [1, 2]] = X[:, [0]] + 0.05 * rng.normal(size=(n, 2))
        X[:, 4] = X[:, 3] + 0.05 * rng.normal(size=n)
    if kind == "gates":
        X = rng.normal(size=X.shape)
    s = (X - X.mean(axis=0)) / X.std(axis=0)
    if kind == "gates":
        one, two = (s[:, :3] > 0.4).all(axis=1), (s[:, 3:6] > 0.6).all(axis=1)
        p = np.where(one | two, 0.8, 0.02)
    else:
        risk = s @ (rng.normal(size=COLUMNS) * (rng.random(COLUMNS) < 0.7))
        risk += s[:, 0] * s[:, 5] - 0.7 * np.abs(s[:, 6]) + 1.5 * ((s[:, 3] > 1) & (s[:, 7] > 0))
        p = 1.0 / (1.0 + np.exp(np.quantile(1.5 * risk, 0.93) - 1.5 * risk))
    positive = rng.random(n) < p
    frame = pd.DataFrame(X.round(3), columns=[f"x{at}" for at in range(COLUMNS)])
    return Table(frame, positive, {"fn_cost": 10.0, "fp_cost": 1.0})


def folder() -> Path:
    return Path(os.environ.get("COSTREAM_DATA", "."))


def real(name: str, seed: int) -> Table:
    table = pd.read_csv(folder() / f"{name}.csv.xz", nrows=LEARNT + FOLLOWING)
    if seed:
        table = table.sample(frac=1.0, random_state=seed).reset_index(drop=True)
    positive = (table.pop("label") == 1).to_numpy()
    costs = {cost: table.pop(cost).to_numpy(float) for cost in ("fn_cost", "fp_cost")}
    return Table(table, positive, costs)


def cards(_seed: int) -> Table:
    table = pd.read_csv(
        folder() / "cards.csv.xz",
        nrows=CARDS_LEARNT + CARDS_FOLLOWING,
        dtype=dict.fromkeys(KEYS, str),
    )
    positive = (table.pop("TX_FRAUD") == 1).to_numpy()
    costs = {"fn_cost": table["TX_AMOUNT"].to_numpy(), "fp_cost": 5.0, "tp_cost": 5.0}
    return Table(table, positive, costs, CARDS_LEARNT, Schema(dict.fromkeys(KEYS, "text")))


TABLES: dict[str, Callable[[int], Table]] = {
    **{
        kind: (lambda seed, kind=kind: generated(kind, seed))
        for kind in ("correlated", "copies", "gates")
    },
    **{name: (lambda seed, name=name: real(name, seed)) for name in ("bank", "gmsc")},
    "cards": cards,
}
IN_ONE_ORDER = ("cards",)


# --- reasons ----------------------------------------------------------------------------------------


def one_by_one(game: Game, players: int) -> np.ndarray:
    """What each player takes away by leaving alone."""
    every = np.ones((1, players), bool)
    worth = game(np.concatenate([every, ~np.eye(players, dtype=bool)]))
    return worth[0] - worth[1:]


def flags(table: Table, most: int) -> tuple[OnlineClassifier, list[dict[str, Any]]]:
    """A model that has learnt the first rows, and the first rows after them that it flags."""
    parts = slice(0, table.learnt), slice(table.learnt, None)
    costs = [
        {name: one[part] if np.ndim(one) else one for name, one in table.costs.items()}
        for part in parts
    ]
    objective = Cost(**{name: float(np.mean(one)) for name, one in costs[0].items()})
    model = OnlineClassifier(objective=objective, positive=True, schema=table.schema)
    model.learn_many(table.rows[parts[0]], table.positive[parts[0]], **costs[0])
    later = table.rows[parts[1]]
    flagged = np.asarray(model.predict_many(later, **costs[1])) == True  # noqa: E712
    return model, later[flagged][:most].to_dict("records")


def measured(table: Table, most: int) -> dict[str, float]:
    """The figures of one table."""
    model, rows = flags(table, most)
    kinds: dict[str, list[list[Explanation]]] = {"ours": [], "exact": [], "one by one": []}
    milliseconds = []
    for x in rows:
        begin = time.perf_counter()
        kinds["ours"].append(model.explain_one(x, top=None))
        milliseconds.append(1000.0 * (time.perf_counter() - begin))
        for kind, values in (("exact", exact_values), ("one by one", one_by_one)):
            with mock.patch("costream.model.explanations.shapley_values", values):
                kinds[kind].append(model.explain_one(x, top=None))
    ours, exact = ([for_a_flag(one) for one in kinds[kind]] for kind in ("ours", "exact"))
    before = [
        [one for one in row[:SHOWN] if abs(one.effect) >= SMALLEST] for row in kinds["one by one"]
    ]
    found: dict[str, float] = {"flags": len(rows), "columns": len(table.rows.columns)}
    for name, shown in (("", ours), ("one by one ", before)):
        for key, value in agreement(shown, exact, kinds["exact"]):
            found[f"{name}{key}"] = value
    return found | {"ms": float(np.median(milliseconds))}


def for_a_flag(every: list[Explanation]) -> list[Explanation]:
    """What is shown of all effects: those that raise the risk, if any does."""
    seen = [one for one in every if abs(one.effect) >= SMALLEST]
    return ([one for one in seen if one.effect > 0.0] or seen)[:SHOWN]


def agreement(
    shown: list[list[Explanation]], exact: list[list[Explanation]], every: list[list[Explanation]]
) -> Iterator[tuple[str, float]]:
    """How the reasons shown agree with exact ones."""
    first = [
        a[:1] and b[:1] and a[0].feature == b[0].feature for a, b in zip(shown, exact, strict=True)
    ]
    right = {(at, one.feature): one.effect > 0.0 for at, row in enumerate(every) for one in row}
    signs = [
        (one.effect > 0.0) == right[at, one.feature] for at, row in enumerate(shown) for one in row
    ]
    yield "first", float(np.mean([bool(one) for one in first]))
    yield "sign", float(np.mean(signs))
    yield "minus", float(np.mean([any(one.effect < 0.0 for one in row) for row in shown]))


def record(name: str, most: int, seeds: int) -> dict[str, Any]:
    """The figures of a table, a list with those of each seed."""
    each = [measured(TABLES[name](seed), most) for seed in range(1 if name in IN_ONE_ORDER else seeds)]
    found = {key: [one[key] for one in each] for key in each[0]}
    shown = "  ".join(
        f"{key} {np.mean(values):.3f}"
        for key, values in found.items()
        if key not in ("flags", "columns")
    )
    print(f"{name:11} {sum(found['flags']):5.0f} flags  {shown}", flush=True)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--flags", type=int, default=FLAGS)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES), metavar="TABLE")
    given = parser.parse_args()
    header = stored.about(["pandas"])
    for one in given.only:
        stored.replace("reasons", header, {one: record(one, given.flags, given.seeds)})
