"""The numbers that the paper prints, and how far ours are from them."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..plan import Summary


@dataclass(frozen=True)
class Printed:
    """A row of a table; rates are parts of 1 and costs are plain, whatever unit was printed."""

    metric: str
    value: float
    value_std: float | None  # None where none is printed: then it is one run that varies as ours do
    rates: dict[str, tuple[float, float]]  # sensitivity, specificity: mean and standard deviation
    seconds: float
    digit: float  # what one unit of the last printed digit is worth
    runs: int = 20

    def equals(self, ours: Summary) -> bool:
        """Whether the value comes out to all printed digits, its standard deviation, too."""
        near = 0.501 * self.digit
        same = abs(ours.mean[self.metric] - self.value) <= near
        return same and (not self.value_std or abs(ours.std[self.metric] - self.value_std) <= near)

    def z_scores(self, ours: Summary) -> dict[str, float]:
        """Our mean less the printed one, in standard errors of the difference, for each number."""
        std = self.value_std
        error = ours.std[self.metric] if std is None else std / math.sqrt(self.runs)
        found = {"value": (self.metric, self.value, error)}
        for key, (mean, std) in self.rates.items():
            found[key] = (key, mean, std / math.sqrt(self.runs))
        return {
            name: _in_errors(ours.mean[key] - mean, ours.error(key), theirs)
            for name, (key, mean, theirs) in found.items()
        }


def _in_errors(difference: float, ours: float, theirs: float) -> float:
    error = math.hypot(ours, theirs)
    if error == 0.0:
        return 0.0 if difference == 0.0 else math.copysign(math.inf, difference)
    return difference / error


@cache
def printed_rows(table: str) -> dict[tuple[str, str, str], Printed]:
    """The rows of a table by data set, metric and algorithm, named as in the paper."""
    path = resources.files(__package__) / "tables" / f"{table}.csv"
    rows = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    return {(row["dataset"], row["metric"], row["algorithm"]): _row(table, row) for row in rows}


def _row(table: str, row: dict[str, str]) -> Printed:
    cost = 100.0 if table == "table2" else 1.0  # Table 2 prints costs in hundreds
    scale = cost if row["metric"] == "cost" else 0.01
    rates = {
        key: (float(row[f"{key}_mean"]) / 100.0, float(row[f"{key}_std"]) / 100.0)
        for key in ("sensitivity", "specificity")
        if row.get(f"{key}_mean")
    }
    return Printed(
        row["metric"],
        float(row["value_mean"]) * scale,
        float(row["value_std"]) * scale if row["value_std"] else None,
        rates,
        float(row["time_s"] or "nan"),
        digit=0.001 * scale,
    )
