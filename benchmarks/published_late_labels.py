"""The table of when late labels are learnt best, from `benchmarks/results/late-labels.json`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from statistics import fmean, stdev
from typing import Any

import stored
from late_labels import IMMEDIATE, SCENARIOS, STARTS, WAYS, WINDOWS
from wording import filled, provenance

EMPTY = "Not measured yet."
ALL_DAYS = 0  # the part of a run: all days, the first window, the days after it
Values = list[list[float]]  # of each seed, of each part


def records() -> dict[int, dict[str, Any]]:
    """What was measured with each window, shortest first."""
    known = stored.read("late-labels").get("records", {})
    return {window: known[str(window)] for window in WINDOWS if str(window) in known}


def table() -> str:
    """A line for each window, start and scenario: savings over all days, and the difference."""
    found = records()
    if not found:
        return EMPTY
    head = ["window", "start", "labels", IMMEDIATE, *WAYS, "at-once - at-window"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for window, record in found.items():
        for start in STARTS:
            for scenario in SCENARIOS:
                ways = record["savings"][start][scenario]
                means = [f"{fmean(of_part(ways[way])):.1f} %" for way in (IMMEDIATE, *WAYS)]
                cells = [f"{window} d", start, scenario, *means, with_error(differences(ways))]
                lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def of_part(values: Values, part: int = ALL_DAYS) -> list[float]:
    return [one[part] for one in values]


def differences(ways: dict[str, Values], part: int = ALL_DAYS) -> list[float]:
    """What learning at once saves more than learning at the window, for each seed."""
    once, late = (of_part(ways[way], part) for way in WAYS)
    return [one - other for one, other in zip(once, late, strict=True)]


def with_error(values: Sequence[float]) -> str:
    """The mean and its standard error."""
    if len(values) < 2:
        return f"{fmean(values):+.1f}"
    return f"{fmean(values):+.1f} ± {stdev(values) / len(values) ** 0.5:.1f}"


def rules() -> str:
    """What was run."""
    found = records()
    if not found:
        return EMPTY
    one = next(iter(found.values()))
    return filled(
        f"""Savings in %, the part of the avoidable cost that was avoided, over all 90 days;
        {one["rows"]:,} payments, means over {one["seeds"]} seeds, with the standard error of the paired
        difference. Chargeback: only frauds get a label, after 9 days at the median. Review:
        every payment gets one, after such a delay. A payment without a label counts as negative when
        its window ends. Immediate: each payment is learnt right after it was scored, which a service
        cannot do. From a model: one that has learnt 90 days of other payments."""
    )


def in_short() -> str:
    """How often each way is ahead, by more than two standard errors."""
    cells = [
        differences(record["savings"][start][scenario])
        for record in records().values()
        for start in STARTS
        for scenario in SCENARIOS
    ]
    if not cells:
        return EMPTY
    clear = [fmean(one) for one in cells if abs(fmean(one)) > 2 * error_of(one)]
    once = sum(one > 0.0 for one in clear)
    means = [fmean(one) for one in cells]
    return filled(
        f"""Of {len(cells)} cells, learning at once saves more in {once} and learning at the window in
        {len(clear) - once}; in the other {len(cells) - len(clear)} the difference is within two
        standard errors. It is from {min(means):+.1f} to {max(means):+.1f} points."""
    )


def error_of(values: Sequence[float]) -> float:
    """The standard error of a mean; infinite for one value."""
    return stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("inf")


TEXTS: dict[str, Callable[[], str]] = {
    "late labels": table,
    "late labels in short": in_short,
    "late labels rules": rules,
    "late labels run": partial(provenance, "late-labels"),
}
