"""What a person sees while a command runs: messages, and a line of progress on a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from shutil import get_terminal_size
from threading import Lock
from time import monotonic
from types import TracebackType

EVERY = 0.1  # seconds between two states of the line of progress
_write: Callable[[str], None] | None = None
_clear: Callable[[], None] | None = None  # takes the line of progress away


def notify(message: str) -> None:
    """Print a message for the person on standard error, not for the next program."""
    if _write is not None:
        _write(message)
        return
    if _clear is not None:
        _clear()
    with contextlib.suppress(OSError, ValueError):  # nobody listens: no reason to stop
        print(message, file=sys.stderr, flush=True)


def print_json(value: object) -> None:
    """Print a value as JSON on standard output; a number that is not finite is null."""
    import json

    from ..report.numbers import finite

    print(json.dumps(finite(value), indent=2, allow_nan=False))


@contextlib.contextmanager
def notices_to(write: Callable[[str], None]) -> Iterator[None]:
    """Pass all messages to a function meanwhile, such as to a log that programs read."""
    global _write
    before, _write = _write, write
    try:
        yield
    finally:
        _write = before


def start() -> None:
    """Print what is compiled, and write warnings in one line."""
    import warnings

    from ..kernels import compile as compiler

    warnings.showwarning = lambda message, *_, **__: notify(f"warning: {message}")
    compiler.ANNOUNCE = notify


class Progress:
    """A line on standard error while there is a terminal; otherwise nothing at all."""

    def __init__(self, what: str, total: float | None) -> None:
        self.shown = False
        self._what, self._total = what, total
        self._done, self._written = 0.0, ""
        self._next = 0.0  # the time at which the line may change
        self._lock = Lock()
        self._outer: Callable[[], None] | None = None

    def __enter__(self) -> Progress:
        global _clear
        if sys.stderr is not None and sys.stderr.isatty():
            if _clear is not None:
                _clear()
            self.shown, self._outer, _clear = True, _clear, self._clear
            self.to(0.0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        global _clear
        if self.shown:
            self._clear()
            self.shown, _clear = False, self._outer

    def to(self, done: float, extra: str = "", total: float | None = None) -> None:
        """So much is done; ``total`` is for one that was not known before."""
        self._done = done
        self._total = self._total if total is None else total
        if self.shown and (now := monotonic()) >= self._next:
            self._next = now + EVERY
            part = f"{min(1.0, done / self._total):.0%}" if self._total else "..."
            self._write("  ".join(word for word in (self._what, part, extra) if word))

    def step(self) -> None:
        with self._lock:
            self.to(self._done + 1.0)

    def _clear(self) -> None:
        self._write("")
        self._next = 0.0

    def _write(self, line: str) -> None:
        """Put a line in the place of the one before, and leave the cursor at its end."""
        line = line[: get_terminal_size().columns - 1]
        with contextlib.suppress(OSError, ValueError):
            blank = " " * len(self._written)
            sys.stderr.write(f"\r{blank}\r{line}" if blank else line)
            sys.stderr.flush()
        self._written = line
