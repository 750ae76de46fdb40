"""What ``costream score`` writes: a line for each row, as CSV, TSV or JSON."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from ..blocks import Block
from ..classifier import OnlineClassifier, core_of
from ..explain import Explanation, explain_batch
from ..labels import REST
from ..streams.reader import Stream
from .costs import Decided

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
Reasons = list[tuple[Explanation, str]]  # each with its name in a cell


class Target:
    """Where lines go: a file, or standard output."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: TextIO = sys.stdout

    def __enter__(self) -> Target:
        if self._path is not None:
            self._file = open(self._path, "w", encoding="utf-8", errors="backslashreplace", newline="")
        return self

    def write(self, text: str) -> None:
        """Write lines, for others to read at once."""
        self._file.write(text)
        self._file.flush()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._path is not None:
            self._file.close()


class Output:
    """Writes decisions about rows, and what is passed through."""

    def __init__(
        self,
        model: OnlineClassifier,
        target: Target,
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
        self, decided: Decided, kept: dict[str, list[Any]], reasons: list[Reasons] | None
    ) -> None:
        """Write rows."""
        columns = [kept[name] for name in self._keep]
        rows = self._rows(decided, columns, reasons)
        if self._delimiter is None:
            lines = (dict(zip(self._header, row, strict=True)) for row in rows)
            text = "".join(json.dumps(line, default=str) + "\n" for line in lines)
        else:
            text = self._table([[_cell(one) for one in row] for row in rows])
        self._target.write(text)

    def end(self) -> None:
        """Write the header of a table without rows."""
        if not self._begun:
            self._target.write(self._table([]))

    def _rows(
        self, decided: Decided, columns: list[list[Any]], reasons: list[Reasons] | None
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
            yield plain if reasons is None else [*plain, *self._reasons(reasons[t])]

    def _reasons(self, reasons: Reasons) -> list[Any]:
        """The reasons of a row: objects in JSON, a cell each in a table.

        The effect is that of the value of a feature, where its usual value would change the log-odds.
        """
        if self._delimiter is not None:
            cells = [f"{name} ({-one.change:+.2f})" for one, name in reasons]
            return cells + [""] * (self._explain - len(cells))
        return [
            [
                {"feature": one.feature, "value": one.value, "usual": one.usual, "effect": -one.change}
                for one, _ in reasons
            ]
        ]

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


def reasons_for(
    model: OnlineClassifier, stream: Stream, block: Block, count: int
) -> list[Reasons] | None:
    """What raises and lowers the log-odds of each row most; None if nobody asks."""
    if not count:
        return None
    texts = _texts(stream)
    found = []
    for t in range(block.rows.rows):
        one = block.part(t, t + 1)
        reasons = explain_batch(core_of(model), one.rows, one.names, count)
        found.append([(reason, _named(reason, texts)) for reason in reasons])
    return found


def _texts(stream: Stream) -> tuple[str, ...]:
    """How the features begin that are there or not: values of text, and marks of missing values."""
    columns = () if stream.schema is None else stream.schema.features
    text = [f"{one.name}=" for one in columns if one.kind == "text"]
    return (*text, *(f"{one.name}=missing" for one in columns if one.marks))


def _named(one: Explanation, texts: tuple[str, ...]) -> str:
    """A feature and its value, in a cell; text is there or not."""
    if isinstance(one.feature, str) and one.feature.startswith(texts) and one.value in (0.0, 1.0):
        return one.feature if one.value else f"not {one.feature}"
    return f"{one.feature}={one.value:.6g}"
