"""Where auto stands in stored results: ahead, within one standard error, or behind."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

TITLES = {
    "vw": "Vowpal Wabbit",
    "sgd": "scikit-learn SGD",
    "river": "River's logistic regression",
    "forest": "River's adaptive random forest",
    "lightgbm": "LightGBM, refitted as rows come",
    "paper": "the paper",
    "constant": "constant policy",
}
LINEAR = ("vw", "sgd", "river", "paper", "constant")
AHEAD, WITHIN, BEHIND, MISSING = "ahead", "within", "behind", "did not run"
Record = dict[str, Any]


def standing(rival: Record) -> str:
    """How auto stands against one rival on the same rows; equal is not ahead."""
    if "did_not_run" in rival:
        return MISSING
    if rival["lead"] > 0.0:
        return AHEAD
    return WITHIN if -rival["lead"] <= rival["lead_error"] else BEHIND


@dataclass(frozen=True)
class Cell:
    """One data set under one metric."""

    dataset: str
    metric: str
    record: Record
    rows: int
    orders: int

    @property
    def auto(self) -> Record:
        return self.record["auto"]

    @property
    def digits(self) -> int:
        return 2 if self.metric == "sum" or self.auto["mean"] < 100 else 1

    def rivals(self, names: Iterable[str] = TITLES) -> dict[str, Record]:
        return {name: self.record["rivals"][name] for name in names if name in self.record["rivals"]}

    def toughest(self, names: Iterable[str] = TITLES) -> str:
        """The rival over which the lead is smallest; of those that auto is behind, if there are any."""
        found = self.rivals(names)
        ran = [name for name in found if standing(found[name]) != MISSING]
        behind = [name for name in ran if standing(found[name]) == BEHIND]
        return min(behind or ran, key=lambda name: found[name]["lead"])

    def missing(self, names: Iterable[str] = TITLES) -> list[str]:
        return [name for name, one in self.rivals(names).items() if standing(one) == MISSING]

    def standing(self, names: Iterable[str] = TITLES) -> str:
        """Against all: behind one is behind; ahead of all that ran is not ahead where one did not."""
        found = {standing(one) for one in self.rivals(names).values()}
        if BEHIND in found:
            return BEHIND
        return MISSING if MISSING in found else WITHIN if WITHIN in found else AHEAD


def cells_of(records: dict[str, Record], names: Sequence[str]) -> list[Cell]:
    return [
        Cell(name, metric, cell, records[name]["rows"], records[name]["orders"])
        for name in names
        if name in records
        for metric, cell in records[name]["metrics"].items()
    ]


def counts(cells: Iterable[Cell], names: Iterable[str] = TITLES) -> dict[str, int]:
    names = list(names)
    found = [cell.standing(names) for cell in cells]
    return {which: found.count(which) for which in (AHEAD, WITHIN, BEHIND, MISSING)}


def strongest(cells: Sequence[Cell]) -> str:
    """The rival that auto is behind in most cells."""
    return max(TITLES, key=lambda name: counts_against(cells, name)[BEHIND])


def counts_against(cells: Iterable[Cell], name: str) -> dict[str, int]:
    found = [standing(one) for cell in cells for one in cell.rivals([name]).values()]
    return {which: found.count(which) for which in (AHEAD, WITHIN, BEHIND, MISSING)}


def leads(cells: Iterable[Cell], metric: str, name: str) -> dict[str, float]:
    """The leads over a rival under a metric, by data set."""
    return {
        cell.dataset: one["lead"]
        for cell in cells
        if cell.metric == metric
        for one in cell.rivals([name]).values()
        if standing(one) != MISSING
    }


def middle(found: dict[str, float]) -> float:
    return statistics.median(found.values())


def extreme(found: dict[str, float], best: Callable[..., str] = min) -> str:
    """The data set of the smallest lead, or of the largest."""
    return best(found, key=found.__getitem__)
