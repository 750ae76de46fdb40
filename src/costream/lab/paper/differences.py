"""Where our numbers differ from those of the paper, and why.

The reasons are errors and silences of the paper, as entries of TOML. An entry may have patterns, as
file names have them (``ACOG-*``), for tables, data sets, metrics and algorithms; it is the reason for
every row that all of its patterns match. An entry without patterns is a remark.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from importlib import resources
from typing import Any

from ...errors import CostreamError
from ..results import VERDICTS, Block, Row, Table
from .printed import printed_rows


@dataclass(frozen=True)
class Difference:
    """An error or a silence of the paper, and the rows that it explains; no pattern matches all."""

    title: str
    text: str
    tables: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    algorithms: tuple[str, ...] = ()

    @property
    def patterns(self) -> tuple[tuple[str, ...], ...]:
        return self.tables, self.datasets, self.metrics, self.algorithms

    def explains(self, *row: str) -> bool:
        """Whether it is the reason for a row, given as table, data set, metric and algorithm."""
        return any(self.patterns) and all(
            not patterns or any(fnmatchcase(word, pattern) for pattern in patterns)
            for word, patterns in zip(row, self.patterns, strict=True)
        )


def read_differences() -> list[Difference]:
    path = resources.files(__package__) / "differences.toml"
    return parse_differences(path.read_text(encoding="utf-8"))


def parse_differences(text: str) -> list[Difference]:
    try:
        entries = tomllib.loads(text).get("difference", [])
    except tomllib.TOMLDecodeError as error:
        raise CostreamError(f"differences: {error}") from None
    found = [_difference(entry) for entry in entries]
    titles = [one.title for one in found]
    for title in titles:
        if titles.count(title) > 1:
            raise CostreamError(f"two differences are called {title!r}")
    return found


def _difference(entry: dict[str, Any]) -> Difference:
    words = {key: " ".join(value.split()) for key, value in entry.items() if isinstance(value, str)}
    lists = {key: tuple(value) for key, value in entry.items() if isinstance(value, list)}
    title, text, *patterns = (item.name for item in fields(Difference))
    if words.keys() != {title, text} or not entry.keys() <= {title, text, *patterns} & {*words, *lists}:
        raise CostreamError(
            f"a difference has a {title}, a {text} and perhaps lists of {', '.join(patterns)}, "
            f"not {', '.join(entry)}"
        )
    return Difference(**words, **lists)  # type: ignore[arg-type]


# --- what was compared ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Match:
    """A printed row beside ours, and the reason why they differ if one is known."""

    table: Table
    block: Block
    row: Row
    reason: Difference | None = None


@dataclass(frozen=True)
class Score:
    """How many rows are printed, how many of them were compared, and how they came out."""

    printed: int
    counts: dict[str, int]

    @property
    def compared(self) -> int:
        return sum(self.counts.values())


def score_of(tables: Iterable[Table]) -> Score:
    """The score of the tables that stand beside printed ones."""
    tables = [table for table in tables if is_compared(table)]
    printed = {table.experiment.printed for table in tables}
    counts = {verdict: sum(table.count(verdict) for table in tables) for verdict in VERDICTS}
    return Score(sum(len(printed_rows(name)) for name in printed), counts)


def is_compared(table: Table) -> bool:
    """Whether a table is set beside a printed one; a sample of the rows is not."""
    return bool(table.experiment.printed) and not table.experiment.is_quick


def rows_with(verdict: str, tables: Iterable[Table], known: Sequence[Difference]) -> list[Match]:
    """The rows with a verdict, and what is known about them."""
    return [
        Match(table, block, row, _reason(known, table, block, row))
        for table in tables
        if is_compared(table)
        for block, row in table.rows()
        if row.counts and row.verdict == verdict
    ]


def _reason(known: Sequence[Difference], table: Table, block: Block, row: Row) -> Difference | None:
    names = (table.experiment.printed, block.dataset.title, block.metric.name, row.candidate.name)
    return next((one for one in known if one.explains(*names)), None)
