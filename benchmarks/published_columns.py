"""The table of what ways to read columns are worth, from `benchmarks/results/columns.json`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import fmean, stdev
from typing import Any

import stored
from columns import DATASETS
from wording import filled, provenance

EMPTY = "Not measured yet."


def records() -> dict[str, dict[str, Any]]:
    """What was measured on each data set, in the order of the table."""
    known = stored.read("columns").get("records", {})
    return {name: known[name] for name in DATASETS if name in known}


def table() -> str:
    """A block for each case: the savings of the default, and what other ways add to them."""
    found = records()
    if not found:
        return EMPTY
    head = ["column", "read as", *found]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for case in dict.fromkeys(case for one in found.values() for case in one["savings"]):
        blocks = [one["savings"].get(case, {}) for one in found.values()]
        ways = dict.fromkeys(way for block in blocks for way in block)
        for at, way in enumerate(ways):
            cells = [cell(block, way) for block in blocks]
            lines.append(f"| {'' if at else case} | {way} | {' | '.join(cells)} |")
    return "\n".join(lines)


def cell(block: dict[str, list[float]], way: str) -> str:
    """The savings of the default; of another way the difference, with its standard error."""
    if way not in block:
        return ""
    default = next(iter(block.values()))
    if block[way] is default:
        return f"{fmean(default):.1f} %"
    more = [one - other for one, other in zip(block[way], default, strict=True)]
    return f"{fmean(more):+.1f} ± {stdev(more) / len(more) ** 0.5:.1f}"


def rules() -> str:
    """What was run."""
    found = records()
    if not found:
        return EMPTY
    sizes = ", ".join(
        f"{name} {one['rows']:,} ({one['positives']:,} positive)" for name, one in found.items()
    )
    words = (
        "Text of words: 8 to 20 words a row, out of 5,000; telling words differ in how often they "
        "stand in positive rows."
    )
    measured = any("text of words, telling" in one["savings"] for one in found.values())
    return filled(
        f"""Rows: {sizes}; means over {next(iter(found.values()))["orders"]} orders, the first of
        them that of the file, with the standard error of the paired difference. Gaps at random: 5 % of
        each column of numbers. Telling gaps: 20 % of the positive rows and 3 % of the others, in one
        column that is never 0, or (0 is usual) in one where 0 is also a value. Telling times: half of
        the positive rows are at night. Telling text: values differ in how often they are positive;
        noise has nothing to tell. {words if measured else ""} The service is the real one of kdd99,
        whose other columns of text have few values; kdd99 has one cost for all rows, 9 for a miss and
        1 for a false alarm."""
    )


def ahead(default: str, other: str) -> str:
    """In how many cells the default way saves more than another one."""
    pairs = [
        (fmean(block[default]), fmean(block[other]))
        for one in records().values()
        for block in one["savings"].values()
        if default in block and other in block
    ]
    return f"in {sum(ours > theirs for ours, theirs in pairs)} of {len(pairs)} cells"


def by_order(dataset: str, case: str, better: str, worse: str) -> tuple[float, float]:
    """What one way saves more than another: in the order of the file, and in shuffled ones."""
    block = records()[dataset]["savings"][case]
    first, *others = (one - two for one, two in zip(block[better], block[worse], strict=True))
    return first, fmean(others)


def in_short() -> str:
    """What the table says."""
    if len(records()) < len(DATASETS):
        return EMPTY
    rate, times = "target encoding", "hour, weekday, day, month"
    kept = by_order("bank", "id, a number", "kept", "left out")
    noise = by_order("bank", "time, noise", times, "left out")
    telling = by_order("bank", "time, telling", times, "left out")
    return filled(
        f"""Target encoding saves more than hashed values {ahead(rate, "hashed values")}, more than
        both together {ahead(rate, "both")}, and more than nothing {ahead(rate, "left out")}. Times
        save more than nothing {ahead(times, "left out")}, missing indicators
        {ahead("with missing indicators", "without missing indicators")}. A text of a thousand values,
        a feature each, makes the
        model so wide that not all members of `auto` take part ([default.md](default.md)). The rows of
        bank are by date. A number that counts them, or a month, says in shuffled orders where in the
        file a row was; a stream that goes on has no use for that. In the order of the file and in the
        shuffled ones, a row number adds {kept[0]:+.1f} and {kept[1]:+.1f} points there, a time at
        random {noise[0]:+.1f} and {noise[1]:+.1f}, a telling one {telling[0]:+.1f} and
        {telling[1]:+.1f}."""
    )


TEXTS: dict[str, Callable[[], str]] = {
    "columns": table,
    "columns in short": in_short,
    "columns rules": rules,
    "columns run": partial(provenance, "columns"),
}
