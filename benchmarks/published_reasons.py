"""The table of how good reasons are, from `benchmarks/results/reasons.json`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import fmean
from typing import Any

import stored
from reasons import SHOWN, TABLES
from wording import filled, provenance

EMPTY = "Not measured yet."
HEAD = ("table", "flags", "same first reason", "same sign", "a minus is shown", "ms a row")
SHARES = ("first", "sign", "minus")


def records() -> dict[str, dict[str, Any]]:
    """What was measured of each table."""
    known = stored.read("reasons").get("records", {})
    return {name: known[name] for name in TABLES if name in known}


def table() -> str:
    """A line for each table, with the shares one by one in parentheses."""
    lines = [f"| {' | '.join(HEAD)} |", "|---" * len(HEAD) + "|"]
    for name, one in records().items():
        shares = [f"{share(one[key])} ({share(one[f'one by one {key}'])})" for key in SHARES]
        cells = [name, f"{sum(one['flags']):,.0f}", *shares, f"{fmean(one['ms']):.2f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) if records() else EMPTY


def share(values: list[float]) -> str:
    return f"{100 * fmean(values):.1f} %"


def rules() -> str:
    """What was run."""
    return filled(
        f"""{SHOWN} reasons of each flag, against exact Shapley values over all columns with the same
        usual row; in parentheses what one column alone would change, the largest changes of either sign
        first. Correlated: ten numbers made of three others; copies: some of them are copied; gates:
        fraud where three numbers are high together, or three others. cards: card payments of the days
        after 60, of which `auto` has learnt; a missed fraud costs its amount, a flag 5."""
    )


TEXTS: dict[str, Callable[[], str]] = {
    "reasons": table,
    "reasons rules": rules,
    "reasons run": partial(provenance, "reasons"),
}
