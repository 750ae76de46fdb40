"""The tables and sentences about the live service, from `benchmarks/results/serve.json`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import stored
from serve_load import BATCH, CONNECTIONS, FEATURES, SLOWER, SNAPSHOT_LABELS
from serve_rivals import TRAINED_ON
from wording import filled, provenance

Record = dict[str, Any]
EMPTY = "Not measured yet."
PARTS = ("disk", "singles", "slow_disk", "chantilly", "batches", "mixed", "recovery", "memory")


def records() -> dict[str, Record]:
    """What was measured, by part, in the order of the parts."""
    known = stored.read("serve").get("records", {})
    return {name: known[name] for name in PARTS if name in known}


def lines_of(*parts: str) -> list[Record]:
    found = records()
    return [line for part in parts if part in found for line in found[part]["lines"]]


def rates() -> str:
    """The table of rates: rows a second, and the time of an answer."""
    found = [one for one in lines_of(*PARTS) if "rate" in one]
    if not found:
        return EMPTY
    head = ["what", "rows/s", "ms: p50, p99, longest", "against", "rows/s", "ms", "ratio", "goal"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for one in found:
        rival = one["rival"]
        cells = [one["what"], f"{one['rate']:,.0f}", times(one), one["against"]]
        cells += [f"{rival['rate']:,.0f}", times(rival), figure(one["ratio"]), goal(one)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def times(one: Record) -> str:
    return ", ".join(figure(one[key]) for key in ("p50", "p99", "longest"))


def figure(value: float) -> str:
    """Two decimals below 1, one below 100, none above."""
    return f"{value:,.{2 if abs(value) < 1 else 1 if abs(value) < 100 else 0}f}"


def goal(one: Record) -> str:
    return "" if one["goal"] is None else f"{one['goal']:g}"


def numbers() -> str:
    """The table of recovery and memory."""
    found = lines_of("recovery", "memory")
    if not found:
        return EMPTY
    lines = ["| what | | goal, at most | against | |", "|---|---|---|---|---|"]
    for one in found:
        rival = "" if one["rival"] is None else measure(one["rival"], one["unit"])
        cells = [one["what"], measure(one["value"], one["unit"]), goal(one), one["against"], rival]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def measure(value: float, unit: str) -> str:
    return f"{figure(value)} {unit}".rstrip()


def disk() -> str:
    """How fast the disk was."""
    found = lines_of("disk")
    if not found:
        return EMPTY
    parts = [f"{one['value']:,.0f} {one['what']}" for one in found]
    return filled(f"What the disk took a second: {'; '.join(parts)}.")


def rules() -> str:
    """How it was measured."""
    found = records()
    if not found:
        return EMPTY
    repeats = sorted({one["repeat"] for one in found.values()})
    seconds = sorted({one["seconds"] for one in found.values()})
    return filled(
        f"""One server process with `auto`, which has learnt {TRAINED_ON:,} rows of {FEATURES} numbers;
        a process of its own sends requests over {CONNECTIONS} connections that are kept alive, each
        its next one when it has the answer to the last one. Rivals take turns, in rounds of
        {" or ".join(f"{one:g}" for one in seconds)} s; the best round of
        {" or ".join(str(one) for one in repeats)} counts, after one that does not. Every answer of the
        service is on disk (`synchronous=FULL`). "Without a log" is the same service with a log that
        writes nothing and knows nothing; "without log and queue" answers each request by itself. The
        slower disk is a pause of {1e3 * SLOWER:g} ms after each commit, for both. The way of Chantilly
        is FastAPI and the same model, written as a whole to a shelf at every request; nothing there is
        forced to disk. Batches have {BATCH} rows. By default a snapshot is written every 10,000 labels,
        here every {SNAPSHOT_LABELS:,}."""
    )


def in_short() -> str:
    """The goals, and whether they were met."""
    with_goals = [one for one in lines_of(*PARTS) if one["goal"] is not None]
    if not with_goals:
        return EMPTY
    missed = [one for one in with_goals if not is_met(one)]
    text = f"{len(with_goals) - len(missed)} of {len(with_goals)} goals are met."
    for one in missed:
        text += f" Missed: {one['what']}, against: {one['against']}: {reached(one)}, goal {goal(one)}."
    return filled(text)


def is_met(one: Record) -> bool:
    """Whether a ratio is at least its goal, or a number at most."""
    return one["ratio"] >= one["goal"] if "ratio" in one else one["value"] <= one["goal"]


def reached(one: Record) -> str:
    return figure(one["ratio"]) if "ratio" in one else measure(one["value"], one["unit"])


def speed() -> str:
    """All of it: the rules, the rates, what else was measured, and the disk."""
    if not records():
        return EMPTY
    return "\n\n".join((rules(), rates(), numbers(), disk()))


TEXTS: dict[str, Callable[[], str]] = {
    "service speed": speed,
    "service speed in short": in_short,
    "service speed run": partial(provenance, "serve"),
}
