"""What a person sees: aligned tables, and progress bars where there is a terminal."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Any


def say(message: str) -> None:
    """A line for the person, not for the next program."""
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
    return "-" if value is None or math.isnan(value) else format(value, form)


def counted(count: int, what: str) -> str:
    """A number of things: ``1 run``, ``5 runs``."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def percent(value: float) -> str:
    return number(100 * value, ".1f") + ("" if math.isnan(value) else "%")


def money(value: float) -> str:
    """A bill: with decimals only while they matter."""
    return number(value, ",.1f" if abs(value) < 10_000 else ",.0f")


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

    def to(self, done: float, extra: str = "") -> None:
        if self._bar is not None:
            self._bar.update(self._task, completed=done, extra=extra)

    def step(self) -> None:
        if self._bar is not None:
            self._bar.advance(self._task)
