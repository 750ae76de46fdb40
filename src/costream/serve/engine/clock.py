"""The clock of a service: when something was received."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import NamedTuple

logger = logging.getLogger("costream.serve")
DAY = 86_400_000  # ms
TOLERANCE = 60_000  # ms by which the clock may go back or ahead without a warning
STEADY = 3_600_000  # ms for which a clock that has jumped ahead must be steady, to be taken for right
LONGEST_STOP = DAY  # ms that may have passed before a start without anybody being asked
STEADY_AT_START = 600_000  # ms for which the clock must be steady where more have


class Step(NamedTuple):
    """What became of a clock that was found ahead, to be recorded."""

    kind: str  # of an operation
    before: int  # the time of the log before it
    system: int  # the clock of the system
    at_start: bool = False  # whether the service did not run meanwhile


class Clock:
    """A clock in milliseconds that never goes back, and forward no faster than time does.

    Where the system's clock jumps ahead, time goes on by the monotonic clock, until the system's agrees
    again or has been steady for `STEADY`. At a start time may have passed: if that is more than
    `LONGEST_STOP`, the clock is in doubt, and nothing may expire until it has been steady for
    `STEADY_AT_START`. If it goes back before that, so does time. Each of these is a step, which the
    engine records.

    ``in_doubt_since`` is the time before a start whose clock has been in doubt since.
    """

    def __init__(
        self,
        seconds: Callable[[], float],
        monotonic: Callable[[], float],
        last: int,
        in_doubt_since: int | None = None,
        is_ahead: bool = False,
    ) -> None:
        self._seconds, self._monotonic = seconds, monotonic
        self._last = last
        self._in_doubt_since = in_doubt_since
        self._is_ahead = is_ahead
        self._trusted: int | None = None  # system less monotonic clock; time goes on by it
        self._steady, self._steady_since = 0, 0  # the same as it is, and since when
        self._warned = False
        self.is_in_doubt = in_doubt_since is not None
        self.steps: list[Step] = []

    def now(self) -> int:
        system, passed = int(self._seconds() * 1000), int(self._monotonic() * 1000)
        offset = system - passed
        if self._trusted is None:
            self._begin(system, passed)
        elif abs(offset - self._steady) > TOLERANCE:
            self._steady, self._steady_since = offset, passed
        if self.is_in_doubt:
            self._look(system, passed)
        self._bound(system, passed)
        assert self._trusted is not None
        now = min(system, passed + self._trusted + TOLERANCE * (not self._is_ahead))
        self._warn_behind(system)
        self._last = max(now, self._last)
        return self._last

    def _begin(self, system: int, passed: int) -> None:
        self._trusted = self._steady = system - passed
        self._steady_since = passed
        ahead = system - self._last
        still_ahead = self._is_ahead and ahead > TOLERANCE  # as it was before the start
        if not self.is_in_doubt and self._last and (ahead > LONGEST_STOP or still_ahead):
            self.is_in_doubt, self._in_doubt_since = True, self._last
            self._step("clock-ahead", self._last, system, at_start=True)
            logger.warning(
                "the clock is %.1f days after the last record: nothing expires until it has been "
                "steady for %d minutes, or costream serve clock --accept confirms it",
                ahead / DAY,
                STEADY_AT_START // 60_000,
            )
        elif self._is_ahead and not self.is_in_doubt and ahead > 0:
            self._accept(system)

    def _look(self, system: int, passed: int) -> None:
        """Whether the clock of a start has been steady, or has gone back."""
        assert self._in_doubt_since is not None
        assert self._trusted is not None
        if system < self._last - TOLERANCE and self._last > self._in_doubt_since:
            self._last = max(system, self._in_doubt_since)
            self._trusted = system - passed
            self._step("clock-set-back", self._in_doubt_since, system)
            logger.warning("the clock has gone back: so has time, and nothing has expired meanwhile")
            self.is_in_doubt = self._last - self._in_doubt_since > LONGEST_STOP
            if self.is_in_doubt:
                self._step("clock-ahead", self._in_doubt_since, system, at_start=True)
        elif (
            passed - self._steady_since >= STEADY_AT_START and self._steady <= self._trusted + TOLERANCE
        ):
            self.is_in_doubt = False
            self._accept(system)

    def _bound(self, system: int, passed: int) -> None:
        """Whether the clock is ahead of where time can be."""
        assert self._trusted is not None
        offset, is_steady = system - passed, passed - self._steady_since >= STEADY
        if offset <= self._trusted + TOLERANCE:
            if self._is_ahead and not self.is_in_doubt:
                self._is_ahead = False
                self._step("clock-agrees", self._last, system)
                logger.warning("the clock agrees with the time that has passed again")
            if is_steady or offset > self._trusted - TOLERANCE:
                self._trusted = offset
        elif is_steady:
            self._trusted = offset
            self._accept(system)
        elif not self._is_ahead:
            self._is_ahead = True
            self._step("clock-ahead", self._last, system)
            logger.warning(
                "the clock has jumped ahead by %.0f s: time goes on without that until the clock "
                "agrees again, or has been steady for %d minutes",
                (offset - self._trusted) / 1000,
                STEADY // 60_000,
            )

    def _accept(self, system: int) -> None:
        self._is_ahead = False
        self._step("clock-accepted", self._last, system)
        logger.warning("the clock has been steady: time goes on by it")

    def _step(self, kind: str, before: int, system: int, at_start: bool = False) -> None:
        self.steps.append(Step(kind, before, system, at_start))

    def _warn_behind(self, system: int) -> None:
        behind = self._last - system
        if behind > TOLERANCE and not self._warned:
            self._warned = True
            logger.warning(
                "the clock is %.0f s behind the log; time stands still until it catches up. If the log "
                "was ahead, stop the service and run costream serve clock DIR --set-back",
                behind / 1000,
            )


def monotonic() -> float:
    """Seconds that have passed, with those in which the machine slept, where the system counts them."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)
