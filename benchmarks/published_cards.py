"""The table of what is saved on card payments, from `benchmarks/results/cards.json`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import stored
from cards import RULE, WAYS
from wording import provenance

EMPTY = "Not measured yet."


def table() -> str:
    """A line for each way to read the columns, and one for the rule."""
    found = stored.read("cards").get("records", {}).get("savings")
    if not found:
        return EMPTY
    parts = list(found["as found"])
    lines = [f"| columns | {' | '.join(parts)} |", "|---" * (len(parts) + 1) + "|"]
    for way in (*WAYS, RULE):
        name = f"the rule `{way}`" if way == RULE else way
        lines.append(f"| {name} | {' | '.join(f'{found[way][part]:.1f} %' for part in parts)} |")
    return "\n".join(lines)


TEXTS: dict[str, Callable[[], str]] = {"cards": table, "cards run": partial(provenance, "cards")}
