"""The numbers that the paper prints, and how far ours are from them."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..plan import Summary


SAME_RESULTS = {"table6": "table5"}  # a table that repeats results of another one, without their rates
RATE_DIGIT = 1e-5  # rates are printed in %, with three decimals


@dataclass(frozen=True)
class Number:
    """A printed mean, its standard deviation where one is printed, and the worth of its last digit."""

    key: str  # in our summaries
    mean: float
    std: float | None
    digit: float

    def equals(self, ours: Summary) -> bool:
        """Whether it comes out to all printed digits, its standard deviation, too."""
        spread = self.std is None or abs(ours.std[self.key] - self.std) <= 0.501 * self.digit
        return spread and abs(ours.mean[self.key] - self.mean) <= 0.501 * self.digit

    def error(self, ours: Summary, runs: int) -> float:
        """The standard error of the difference of our mean and a printed one of so many runs.

        The spread of a run is the printed one, for our runs, too: with our own, a setting that varies
        wildly would be close to everything. Where none is printed it is ours, and the printed number
        that of a single run.
        """
        std, runs = (ours.std[self.key], 1) if self.std is None else (self.std, runs)
        return std * math.sqrt(1.0 / runs + 1.0 / ours.runs)

    def z_score(self, ours: Summary, runs: int) -> float:
        """Our mean less the printed one, in standard errors of the difference."""
        difference, error = ours.mean[self.key] - self.mean, self.error(ours, runs)
        if error == 0.0:
            near = abs(difference) <= 0.501 * self.digit
            return 0.0 if near else math.copysign(math.inf, difference)
        return difference / error


@dataclass(frozen=True)
class Printed:
    """A row of a table; rates are parts of 1 and costs are plain, whatever unit was printed."""

    metric: str
    value: float
    value_std: float | None  # None where none is printed
    rates: dict[str, tuple[float, float]]  # sensitivity, specificity: mean and standard deviation
    seconds: float
    digit: float  # what one unit of the last printed digit is worth
    runs: int = 20

    @property
    def numbers(self) -> dict[str, Number]:
        """All that is printed but the time: the value, and the rates where there are any."""
        rates = {key: Number(key, *rate, RATE_DIGIT) for key, rate in self.rates.items()}
        return {"value": Number(self.metric, self.value, self.value_std, self.digit), **rates}

    def equals(self, ours: Summary) -> bool:
        """Whether every number comes out to all printed digits."""
        return all(number.equals(ours) for number in self.numbers.values())

    def z_scores(self, ours: Summary) -> dict[str, float]:
        """How far each of our numbers is from the printed one, in standard errors."""
        return {name: number.z_score(ours, self.runs) for name, number in self.numbers.items()}

    def distance(self, ours: Summary) -> float:
        """The largest of these, without its sign: a row comes out only if all of its numbers do."""
        return max(map(abs, self.z_scores(ours).values()))


Rows = dict[tuple[str, str, str], Printed]


@cache
def printed_rows(table: str) -> Rows:
    """The rows of a table by data set, metric and algorithm, named as in the paper."""
    path = resources.files(__package__) / "tables" / f"{table}.csv"
    rows = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    found = {(row["dataset"], row["metric"], row["algorithm"]): _row(table, row) for row in rows}
    return _with_rates(found, printed_rows(SAME_RESULTS[table])) if table in SAME_RESULTS else found


def _with_rates(found: Rows, others: Rows) -> Rows:
    """Rows with the rates that another table prints for the same result."""
    return {
        key: replace(row, rates=others[key].rates)
        if key in others and (row.value, row.value_std) == (others[key].value, others[key].value_std)
        else row
        for key, row in found.items()
    }


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
