"""What is measured: a time beside that of a rival, or a number by itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Timing:
    """One line: what took how long for so many rows, and the rival for its own."""

    what: str
    seconds: float
    against: str
    rival_seconds: float
    goal: float | None  # ratio
    rows: int
    rival_rows: int
    rate_goal: int | None = None  # rows a second

    @property
    def record(self) -> dict[str, object]:
        us, rival_us = 1e6 * self.seconds / self.rows, 1e6 * self.rival_seconds / self.rival_rows
        kept = asdict(self)
        del kept["seconds"], kept["rival_seconds"]
        return {**kept, "us": us, "rival_us": rival_us, "ratio": rival_us / us}


@dataclass(frozen=True)
class Figure:
    """A number by itself, and what it should stay below."""

    what: str
    value: float
    unit: str
    goal: float

    @property
    def record(self) -> dict[str, object]:
        return asdict(self)


RUNS_KEPT = 10  # of which the ratios are stored


def with_earlier(
    lines: list[dict[str, Any]], about: dict[str, Any], before: dict[str, Any]
) -> list[dict[str, Any]]:
    """Lines of a run with the ratios that were seen so far, by the times of the runs.

    ``about`` is the header of the run, ``before`` the record of the same lines that is stored.
    """
    known = {(one["what"], one.get("against")): one for one in before.get("lines", [])}
    found = []
    for line in lines:
        if "ratio" in line:
            old = known.get((line["what"], line["against"]), {})
            seen = old.get("seen") or ({before["about"]["date"]: old["ratio"]} if old else {})
            seen = {**seen, about["date"]: line["ratio"]}
            line = {**line, "seen": dict(list(seen.items())[-RUNS_KEPT:])}
        found.append(line)
    return found


def ratio_text(line: dict[str, Any]) -> str:
    """The ratio of a line, or the range of those that were seen."""
    ratios = [*line.get("seen", {}).values(), line["ratio"]]
    return " to ".join(dict.fromkeys(f"{one:.1f}" for one in (min(ratios), max(ratios))))


def best_of(repeat: int, *functions: Callable[[], object]) -> list[float]:
    """The best time of each, taken in turns after a first round that does not count."""
    best = [float("inf")] * len(functions)
    for turn in range(repeat + 1):
        for at, function in enumerate(functions):
            begin = time.perf_counter()
            function()
            if turn:
                best[at] = min(best[at], time.perf_counter() - begin)
    return best
