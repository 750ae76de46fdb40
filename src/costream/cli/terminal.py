"""What a person sees: aligned tables, and progress bars where there is a terminal."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Any


def say(message: str) -> None:
    """A line for the person, not for the next program."""
    with contextlib.suppress(OSError, ValueError):  # nobody listens: no reason to stop
        print(message, file=sys.stderr, flush=True)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Aligned columns; the first ``left`` to the left, others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = []
    for row in (header, *rows):
        cells = [
            cell.ljust(width) if at < left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def number(value: float, form: str) -> str:
    """A number in a table; a dash where it is not defined."""
    if value is None or math.isnan(value):
        return "-"
    text = format(value, form)
    return text.lstrip("-") if not text.strip("-0.,") else text  # no minus before zero


def counted(count: int, what: str) -> str:
    """A number of things: ``1 run``, ``5 runs``."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def percent(value: float) -> str:
    return number(100 * value, ".1f") + ("" if math.isnan(value) else "%")


def money(value: float) -> str:
    """A bill: with decimals only while they matter."""
    return number(value, ",.1f" if abs(value) < 10_000 else ",.0f")


def finite(value: Any) -> Any:
    """What JSON can hold: null where a number is not defined."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


METRIC_HEADER = ("missed", "false alarms", "sensitivity", "specificity", "sum", "cost", "savings")


def metric_cells(metrics: dict[str, float]) -> list[str]:
    """One row of a table of metrics."""
    return [
        number(metrics["missed"], ",.1f").removesuffix(".0"),
        number(metrics["false_alarms"], ",.1f").removesuffix(".0"),
        percent(metrics["sensitivity"]),
        percent(metrics["specificity"]),
        number(metrics["sum"], ".4f"),
        money(metrics["cost"]),
        percent(metrics["savings"]),
    ]


def metrics_table(rows: list[tuple[str, dict[str, float]]], first: str = "") -> str:
    """Metrics by name, one line each."""
    header = (first, *METRIC_HEADER, "seconds")
    return table(
        header, [[name, *metric_cells(one), number(one["seconds"], ".3f")] for name, one in rows]
    )


class Progress:
    """A bar on standard error while there is a terminal; otherwise nothing at all."""

    def __init__(self, what: str, total: float | None, unit: str = "") -> None:
        self._bar: Any = None
        self._task: Any = None
        self._what, self._total, self._unit = what, total, unit

    def __enter__(self) -> Progress:
        if sys.stderr is not None and sys.stderr.isatty():
            from rich import progress
            from rich.console import Console

            columns = [
                progress.TextColumn("{task.description}"),
                progress.BarColumn(),
                progress.TaskProgressColumn(),
                progress.TextColumn("{task.fields[extra]}"),
                progress.TimeRemainingColumn(),
            ]
            self._bar = progress.Progress(
                *columns, console=Console(file=sys.stderr), transient=True, redirect_stdout=False
            )
            self._task = self._bar.add_task(self._what, total=self._total, extra="")
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    @property
    def shown(self) -> bool:
        return self._bar is not None

    def to(self, done: float, extra: str = "", total: float | None = None) -> None:
        """So much is done; ``total`` is for one that was not known before."""
        if self._bar is not None:
            known = {} if total is None else {"total": total}
            self._bar.update(self._task, completed=done, extra=extra, **known)

    def step(self) -> None:
        if self._bar is not None:
            self._bar.advance(self._task)
