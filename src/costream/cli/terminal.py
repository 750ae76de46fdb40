"""What a person sees while a command runs: messages, and progress bars where there is a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

_write: Callable[[str], None] | None = None


def say(message: str) -> None:
    """A line for the person, not for the next program."""
    if _write is not None:
        _write(message)
        return
    with contextlib.suppress(OSError, ValueError):  # nobody listens: no reason to stop
        print(message, file=sys.stderr, flush=True)


@contextlib.contextmanager
def said_by(write: Callable[[str], None]) -> Iterator[None]:
    """Hand on all that is said meanwhile, such as to a log that programs read."""
    global _write
    before, _write = _write, write
    try:
        yield
    finally:
        _write = before


def start() -> None:
    """Say what is compiled, and write warnings in one line."""
    import warnings

    from ..kernels import compile as compiler

    warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
    compiler.ANNOUNCE = say


class Progress:
    """A bar on standard error while there is a terminal; otherwise nothing at all."""

    def __init__(self, what: str, total: float | None) -> None:
        self._bar: Any = None
        self._task: Any = None
        self._what, self._total = what, total

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
