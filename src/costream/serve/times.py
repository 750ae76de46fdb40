"""Times as callers write them, as hours since 1970, and as text."""

from __future__ import annotations

from datetime import UTC, datetime

from ..errors import CostreamError

HOUR = 3600
YEAR = 366 * 86400  # seconds that a time may be ahead of the clock
FURTHEST = 253402300800  # the year 10000
TIME_HINT = 'write "2026-11-16T14:03:00Z", or seconds since 1970'


def hour_of(time: str | float | None, received: int) -> int:
    """The hour since 1970 of an event, by its own time or by when it was received (ms)."""
    if time is None:
        return received // 1000 // HOUR
    seconds = seconds_since_1970(time)
    if seconds > received / 1000 + YEAR:
        raise CostreamError(
            f"{time!r:.40} is more than a year ahead of the clock of the service", TIME_HINT
        )
    return int(seconds // HOUR)


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
