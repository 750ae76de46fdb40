"""The figures in the texts about the paper: looked up in what was run and in what is printed.

A text has them in braces, as ``{tuned | table2 | german | sum | ACOG-II}``: the name of a fact, and
what it is about. A fact about something that was not run is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from ...costs.objectives.cost import Cost
from ...costs.tally import Costs, Tally
from ...datasets import catalogue
from ...datasets.dataset import Dataset
from ...errors import CostreamError
from ...evaluation.bounds import Regret, measure
from ...learners import make_learner
from ...report.numbers import number, percent
from ...tables.arrays import Batch
from ..paper.differences import Difference
from ..paper.printed import Printed, printed_rows
from ..results import Block, Outcome, Row, Table
from ..texts import best_value, mean_text, metric_text, setting_text

FIELD = re.compile(r"\{([^{}]*)\}")
COSTS = Costs()  # those of the paper, 0.9 and 0.1
ONE_ROW = Cost(fn_cost=0.5, fp_cost=1.0)  # rho = 0.5


class MissingFactError(CostreamError):
    """A fact about something that was not run."""


def with_figures(known: Iterable[Difference], tables: Sequence[Table]) -> list[Difference]:
    """Differences with the figures of these tables; those about something not run are left out."""
    found = []
    for one in known:
        with suppress(MissingFactError):
            found.append(replace(one, text=fill(one.text, tables)))
    return found


def fill(text: str, tables: Sequence[Table]) -> str:
    """The text with its figures; raises `MissingFactError` where one of them is not known."""

    def figure(match: re.Match[str]) -> str:
        name, *about = (word.strip() for word in match[1].split("|"))
        if name in OF_ROWS:
            return OF_ROWS[name](*_row(tables, *about))
        if name not in FACTS:
            raise CostreamError(f"there is no fact {name!r}", f"use one of {[*OF_ROWS, *FACTS]}")
        return FACTS[name](*about)

    return FIELD.sub(figure, text)


# --- of rows that were run --------------------------------------------------------------------------


def _row(
    tables: Sequence[Table], table: str, dataset: str, metric: str, algorithm: str
) -> tuple[Block, Row]:
    for one in tables:
        for block, row in one.rows() if one.experiment.name == table else ():
            names = block.dataset.name, block.metric.name, row.candidate.name
            if names == (dataset, metric, algorithm):
                return block, row
    raise MissingFactError(f"{table} has no row {dataset}, {metric}, {algorithm}")


def _nearest(row: Row) -> Outcome:
    if row.nearest is None:
        raise MissingFactError(f"nothing is printed for {row.candidate.name}")
    return row.nearest


def _rates(outcome: Outcome) -> str:
    return " and ".join(percent(outcome.summary.mean[key], 3) for key in ("sensitivity", "specificity"))


OF_ROWS: dict[str, Callable[[Block, Row], str]] = {
    "ours": lambda block, row: mean_text(block.metric.key, _nearest(row)),
    "our setting": lambda _, row: setting_text(_nearest(row).setting),
    "our rates": lambda _, row: _rates(_nearest(row)),
    "our spread": lambda block, row: metric_text(
        block.metric.key, _nearest(row).summary.std[block.metric.key]
    ),
    "tuned": lambda block, row: mean_text(block.metric.key, row.best),
    "tuned setting": lambda _, row: setting_text(row.best.setting),
    "tried": lambda _, row: f"{row.tried:,}",
}


# --- of the paper, of data sets and of theorems -----------------------------------------------------


def _printed(table: str, dataset: str, metric: str, algorithm: str) -> Printed:
    return printed_rows(table)[catalogue.entry(dataset).title, metric, algorithm]


def _printed_value(*about: str) -> str:
    printed = _printed(*about)
    return metric_text(printed.metric, printed.value)


def _printed_rates(*about: str) -> str:
    return " and ".join(percent(mean, 3) for mean, _ in _printed(*about).rates.values())


def _best_printed(table: str, dataset: str, metric: str) -> str:
    title = catalogue.entry(dataset).title
    values = [
        row.value
        for (name, which, _), row in printed_rows(table).items()
        if (name, which) == (title, metric)
    ]
    return metric_text(metric, best_value(metric, values))


def _implied_cost(table: str, dataset: str, algorithm: str) -> str:
    """The cost that the printed sensitivity and specificity come to."""
    entry, rates = catalogue.entry(dataset), _printed(table, dataset, "cost", algorithm).rates
    missed = entry.positives * (1.0 - rates["sensitivity"][0])
    alarms = (entry.rows - entry.positives) * (1.0 - rates["specificity"][0])
    mistakes: Any = {"missed": missed, "false_alarms": alarms}
    return metric_text("cost", Tally(**mistakes, costs=COSTS).cost)


def _flagging_all(dataset: str) -> str:
    entry = catalogue.entry(dataset)
    return metric_text("cost", Tally(negatives=entry.rows - entry.positives, costs=COSTS).flag_all)


def _class_ratio(dataset: str) -> str:
    entry = catalogue.entry(dataset)
    return f"1:{number((entry.rows - entry.positives) / entry.positives, 2)}"


def _one_row() -> Regret:
    """One negative row, x = 1, where a positive row would cost half as much."""
    rows = Batch(np.array([0, 1], np.uint64), np.zeros(1, np.uint32), np.ones(1), 1)
    data = Dataset(rows, None, np.zeros(1, np.bool_))
    return measure(
        data, make_learner("acog-ii"), ONE_ROW, Costs(fn_cost=ONE_ROW.fn_cost, fp_cost=ONE_ROW.fp_cost)
    )


def _printed_bound() -> str:
    """That of Theorem 1 with rho where max(1, rho) is needed."""
    found = _one_row()
    return number(found.printed * found.rho / max(1.0, found.rho), 3)


FACTS: dict[str, Callable[..., str]] = {
    "printed": _printed_value,
    "printed rates": _printed_rates,
    "best printed": _best_printed,
    "implied cost": _implied_cost,
    "flagging all": _flagging_all,
    "class ratio": _class_ratio,
    "rows": lambda dataset: f"{catalogue.entry(dataset).rows:,}",
    "regret of one row": lambda: number(_one_row().regret, 3),
    "printed bound of one row": _printed_bound,
}
