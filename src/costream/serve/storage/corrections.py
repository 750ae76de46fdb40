"""Times that were recorded by a wrong clock, and what they count as since that was found out.

A record stays as it was written. An operation says that events from one to another count as received at
a time of its own, and windows are counted from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..messages import decode
from .records import Operation

CORRECTING = ("clock-accepted", "clock-set-back")
CLOCK = ("clock-ahead", "clock-agrees", *CORRECTING)


class Unresolved(NamedTuple):
    """A clock that was found ahead, and neither accepted nor set back since."""

    in_doubt_since: int | None = None  # the time before a start that found it so
    doubted_event: int = 0  # and the last event before it
    event: int | None = None  # the last event before it jumped while the service ran
    time: int = 0  # and when that was

    @classmethod
    def of(cls, operations: Iterable[Operation]) -> Unresolved:
        """What the operations about the clock have left unresolved."""
        found = cls()
        for one in operations:
            found = found.after(one.kind, decode(one.detail))
        return found

    def after(self, kind: str, detail: dict[str, Any]) -> Unresolved:
        """What is unresolved after one more."""
        if kind in CORRECTING:
            return Unresolved()
        if kind == "clock-agrees":
            return self._replace(event=None)
        if detail["at_start"]:
            return self._replace(in_doubt_since=detail["before"], doubted_event=detail["event_seq"])
        return self._replace(event=detail["event_seq"], time=detail["before"])


class Correction(NamedTuple):
    """Events from one to another count as received at a time."""

    first: int
    last: int
    time: int


def corrections_of(operations: Iterable[Operation]) -> list[Correction]:
    """The corrections, the newest first: that one counts."""
    found = [decode(one.detail) for one in operations if one.kind in CORRECTING]
    kept = [Correction(one["first"], one["last"], one["time"]) for one in found]
    return [one for one in reversed(kept) if one.first <= one.last]


def effective(corrections: Sequence[Correction], seq: int, received: int) -> int:
    """When an event counts as received."""
    for one in corrections:
        if one.first <= seq <= one.last:
            return one.time
    return received


def effective_sql(corrections: Sequence[Correction]) -> str:
    """The same as an expression over ``events``."""
    if not corrections:
        return "received"
    cases = " ".join(f"WHEN seq BETWEEN {a} AND {b} THEN {time}" for a, b, time in corrections)
    return f"CASE {cases} ELSE received END"
