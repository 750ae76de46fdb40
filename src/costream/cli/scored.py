"""What ``costream score`` writes: a line for each row, or for those with most at stake."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ..costs.rows import FourCosts
from ..evaluation.deciding import Decided
from ..files.blocks import Block
from ..files.reader import Stream
from ..labels.labels import REST
from ..model.classifier import OnlineClassifier, core_of
from ..model.explanations import Effects, Explanation, explain_batch
from ..report.numbers import cell_text
from ..tables.reading import Reading
from ..tables.schema import Schema

COLUMNS = (
    "score",
    "probability",
    "label",
    "decision",
    "expected_cost_flag",
    "expected_cost_pass",
)
DECISIONS = ("pass", "flag")
DELIMITERS = {"csv": ",", "tsv": "\t"}


def target_of(path: Path | None) -> AbstractContextManager[TextIO]:
    """Where lines go: a file, or standard output."""
    if path is None:
        return nullcontext(sys.stdout)
    return open(path, "w", encoding="utf-8", errors="backslashreplace", newline="")


class Output:
    """Writes decisions about rows, and what is passed through."""

    def __init__(
        self,
        model: OnlineClassifier,
        target: TextIO,
        format: str,  # noqa: A002 (the name of the option)
        keep: tuple[str, ...],
        explain: int,
    ) -> None:
        self._model, self._target, self._format = model, target, format
        self._delimiter, self._explain = DELIMITERS.get(format), explain
        reasons = [f"reason_{k + 1}" for k in range(explain)] if self._delimiter else ["reasons"]
        own = [*COLUMNS, *(reasons if explain else [])]
        self._keep = keep
        kept = (f"input_{name}" if name in own else name for name in keep)
        self._header = [*kept, *own]
        self._begun = self._delimiter is None

    def write(
        self, decided: Decided, kept: dict[str, list[Any]], explained: list[Effects] | None
    ) -> None:
        """Write rows."""
        columns = [kept[name] for name in self._keep]
        rows = self._rows(decided, columns, explained)
        if self._delimiter is None:
            lines = (dict(zip(self._header, row, strict=True)) for row in rows)
            text = "".join(json.dumps(line, default=str) + "\n" for line in lines)
        else:
            text = self._table([[_cell(one) for one in row] for row in rows])
        self._put(text)

    def _put(self, text: str) -> None:
        """Write lines, for others to read at once."""
        self._target.write(text)
        self._target.flush()

    def end(self) -> None:
        """Write the header of a table without rows."""
        if not self._begun:
            self._put(self._table([]))

    def _rows(
        self, decided: Decided, columns: list[list[Any]], explained: list[Effects] | None
    ) -> Iterator[list[Any]]:
        negative, positive = self._model.labels.pair
        labels = (REST if negative is None else negative, positive)
        flagged = (decided.scores >= 0.0).tolist()
        expected = decided.expected_costs()
        none = [None] * len(flagged)
        flag_cost, pass_cost = (none, none) if expected is None else (one.tolist() for one in expected)
        found = [
            *columns,
            decided.scores.tolist(),
            decided.probabilities.tolist(),
            [labels[one] for one in flagged],
            [DECISIONS[one] for one in flagged],
            flag_cost,
            pass_cost,
        ]
        for t, row in enumerate(zip(*found, strict=True)):
            plain = [None if one != one else one for one in row]  # NaN is no JSON
            if explained is None:
                yield plain
            else:
                reasons = explained[t].reasons(flagged[t], self._explain)
                yield [*plain, *self._reasons(reasons)]

    def _reasons(self, reasons: list[Explanation]) -> list[Any]:
        """The reasons for a decision: objects in JSON, a cell each in a table."""
        if self._delimiter is None:
            return [[asdict(one) for one in reasons]]
        cells = [f"{one.feature}={cell_text(one.value)} ({one.effect:+.2f})" for one in reasons]
        return cells + [""] * (self._explain - len(cells))

    def _table(self, rows: list[list[Any]]) -> str:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=self._delimiter or ",", lineterminator="\n")
        if not self._begun:
            writer.writerow(self._header)
            self._begun = True
        writer.writerows(rows)
        return text.getvalue()


def _cell(value: Any) -> Any:
    """A value of a table; what JSON has beyond text and numbers is written as JSON."""
    return json.dumps(value) if isinstance(value, list | dict) else value


def explain_rows(model: OnlineClassifier, stream: Stream, block: Block) -> list[Effects]:
    """What the columns of each row do to its log-odds."""
    core, schema = core_of(model), stream.schema
    reading = None if schema is None else Reading(schema)
    columns = _typed(block.kept, schema)
    found = []
    for t in range(block.rows.rows):
        raw = None if schema is None else {name: values[t] for name, values in columns.items()}
        found.append(explain_batch(core, block.rows.part(t, t + 1), block.names, raw, reading))
    return found


def _typed(kept: dict[str, list[Any]], schema: Schema | None) -> dict[str, list[Any]]:
    """The values of a file, of which those in columns of numbers are numbers, as far as they can be."""
    plain = set() if schema is None else {one.name for one in schema.features if one.is_plain}
    return {name: [*map(_number, one)] if name in plain else one for name, one in kept.items()}


def _number(value: Any) -> Any:
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:  # a missing one, perhaps
        return value


Explain = Callable[[int], Effects]


# --- the rows with most money at stake --------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A row that is kept, with all that is written of it."""

    at_stake: float
    number: int  # in the stream
    score: float
    log_odds: float
    costs: tuple[float, ...]
    kept: dict[str, Any]
    effects: Effects | None


class Top:
    """Keeps the rows that are expected to save most if they are flagged.

    That is q a - (1 - q) b, where q is the probability that the row is positive, a = fn_cost - tp_cost
    and b = fp_cost - tn_cost. No more rows are in memory than are kept: ``most`` of them, and the best
    one alone for each value of a column ``per``.
    """

    def __init__(self, most: int | None = None, per: str | None = None) -> None:
        self._most, self._per = most, per
        self._rows: dict[Any, Row] = {}
        self._seen = 0
        self._least = -np.inf  # what a row must have at stake, once all places are taken

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, decided: Decided, kept: dict[str, list[Any]], explain: Explain | None = None) -> None:
        """Look at rows; ``explain(t)`` is asked for the reasons of those that are kept for now."""
        expected = decided.expected_costs()
        assert expected is not None
        assert decided.costs is not None
        at_stake = np.nan_to_num(expected[1] - expected[0], nan=-np.inf)
        best: dict[Any, int] = {}
        for t in np.argsort(-at_stake, kind="stable").tolist():
            if len(best) == self._most or at_stake[t] <= self._least:
                break
            best.setdefault(self._key(kept, t), t)
        for key, t in best.items():
            if key not in self._rows or at_stake[t] > self._rows[key].at_stake:
                self._rows[key] = Row(
                    float(at_stake[t]),
                    self._seen + t,
                    float(decided.scores[t]),
                    float(decided.log_odds[t]),
                    tuple(float(cost[t]) for cost in decided.costs),
                    {name: values[t] for name, values in kept.items()},
                    None if explain is None else explain(t),
                )
        self._seen += len(at_stake)
        self._drop()

    def _key(self, kept: dict[str, list[Any]], t: int) -> Any:
        if self._per is None:
            return self._seen + t
        value = kept[self._per][t]
        return "" if value is None else str(value)

    def _drop(self) -> None:
        """Keep the best rows alone, the largest first."""
        if self._most is not None and len(self._rows) >= self._most:
            best = sorted(self._rows.items(), key=lambda one: (-one[1].at_stake, one[1].number))
            self._rows = dict(best[: self._most])
            self._least = best[self._most - 1][1].at_stake

    def result(self) -> tuple[Decided, dict[str, list[Any]], list[Effects] | None]:
        """The rows that are kept, at least one, the largest first: decisions, columns and reasons."""
        rows = sorted(self._rows.values(), key=lambda one: (-one.at_stake, one.number))
        costs = FourCosts(*np.array([one.costs for one in rows], np.float64).reshape(-1, 4).T)
        decided = Decided(
            np.array([one.score for one in rows]), np.array([one.log_odds for one in rows]), costs
        )
        kept = {name: [one.kept[name] for one in rows] for name in rows[0].kept}
        effects = [one.effects for one in rows if one.effects is not None]
        return decided, kept, effects or None
