"""Warnings about rows and columns: each once; in a service in words that quote no row."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..errors import PlainWarning


class Warner:
    """Warns of each thing once.

    ``log``, if there is one, is given the words of warnings that have some without a value of a row;
    all others are dropped then.
    """

    def __init__(self) -> None:
        self.warned: set[str] = set()
        self.log: Callable[[str], None] | None = None
        self._is_muted = False

    def warn_once(self, key: str, message: str | Warning) -> None:
        """Warn, unless that was done under the same key."""
        if key in self.warned or self._is_muted:
            return
        if self.log is None:
            self.warned.add(key)
            warnings.warn(message, UserWarning, stacklevel=6)
        elif isinstance(message, PlainWarning):
            self.warned.add(key)
            self.log(message.words)

    @contextmanager
    def muted(self) -> Iterator[None]:
        """Warn of nothing meanwhile; it may be warned of later."""
        self._is_muted = True
        try:
            yield
        finally:
            self._is_muted = False
