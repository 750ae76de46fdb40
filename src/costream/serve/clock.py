"""Times: when something was received, and when an event happened."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime

from ..errors import CostreamError

logger = logging.getLogger("costream.serve")
HOUR = 3600
FURTHEST = 253402300800  # the year 10000
FAR_BEHIND = 60_000  # ms by which the clock may go back without a word
TIME_HINT = 'write "2026-11-16T14:03:00Z", or seconds since 1970'


class Clock:
    """A clock in milliseconds that never goes back, whatever the system's does."""

    def __init__(self, seconds: Callable[[], float], last: int) -> None:
        self._seconds = seconds
        self._last = last
        self._warned = False

    def now(self) -> int:
        now = int(self._seconds() * 1000)
        behind = self._last - now
        if behind > FAR_BEHIND and not self._warned:
            self._warned = True
            logger.warning(
                "the clock is %.0f s behind the log; time stands still until it catches up",
                behind / 1000,
            )
        self._last = max(now, self._last)
        return self._last


def hour_of(time: str | float | None, received: int) -> int:
    """The hour since 1970 of an event, by its own time or by when it was received (ms)."""
    return int((received / 1000 if time is None else seconds_since_1970(time)) // HOUR)


def seconds_since_1970(time: str | float) -> float:
    """A time as seconds since 1970; a text without an offset is in UTC."""
    if isinstance(time, str):
        try:
            moment = datetime.fromisoformat(time)
        except ValueError:
            raise CostreamError(f"{time!r:.40} is not a time", TIME_HINT) from None
        try:
            seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except OverflowError:
            raise CostreamError(f"{time!r:.40} is out of range", TIME_HINT) from None
    else:
        seconds = float(time)
    if not 0 <= seconds < FURTHEST:
        raise CostreamError(f"{time!r:.40} is not a time between 1970 and 9999", TIME_HINT)
    return seconds


def iso(seconds: float) -> str:
    """A time as text, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
