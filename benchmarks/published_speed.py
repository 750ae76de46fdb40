"""The tables and sentences about speed, from `benchmarks/results/speed.json` and `files.json`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import stored
from speed import ROWS_OF_SACOG, ROWS_OF_SKLEARN, ROWS_ONE_BY_ONE
from timing import ratio_text
from wording import filled, provenance

Record = dict[str, Any]
IN_PYTHON = ("batch", "one_row", "array_row", "full", "sketch")
EMPTY = "Not measured yet."


def lines_of(*sections: str) -> list[Record]:
    records = stored.read("speed").get("records", {})
    return [line for name in sections if name in records for line in records[name]["lines"]]


def number(value: float | None) -> str:
    return "" if value is None else f"{value:,g}"


def in_python() -> str:
    """The table of speed.py, without auto."""
    rows = ["| what | us a row | against | us a row | ratio | goal |", "|---|---|---|---|---|---|"]
    rows += [
        f"| {one['what']} | {one['us']:.3f} | {one['against']} | {one['rival_us']:.3f} "
        f"| {ratio_text(one)} | {number(one['goal'])} |"
        for one in lines_of(*IN_PYTHON)
    ]
    return "\n".join(rows)


def in_python_rules() -> str:
    batch = stored.read("speed").get("records", {}).get("batch")
    if batch is None:
        return EMPTY
    return filled(
        f"""One thread; a9a has {batch["lines"][0]["rows"]:,} rows; the best of {batch["repeat"]}
        repeats counts, for each in turn. Slow competitors are timed on fewer rows: River on
        {ROWS_ONE_BY_ONE:,}, scikit-learn's single rows on {ROWS_OF_SKLEARN}, SACOG on
        {ROWS_OF_SACOG}. Times are those of the latest run. Ratios differ between machines, and between
        runs on one that is shared: where several runs are stored, the range that was seen is given."""
    )


def of_auto() -> str:
    """How fast the default is."""
    from costream.learners.auto.members import TEAM

    views = len({member.view for member in TEAM})
    intro = filled(
        f"""The default runs {len(TEAM)} learners at once, on {views} kinds of views of a row, and grows
        trees in a second thread. (The command is the same, or add `--only portfolio` or `--only
        tables`. Vowpal Wabbit runs a single first-order linear model; LightGBM, with its defaults and
        two threads, is fitted again whenever rows have grown by half.)"""
    )
    rows = [
        "| what | us a row | rows/s | goal, rows/s | against | us a row | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    rows += [
        f"| {one['what']} | {one['us']:.1f} | {1e6 / one['us']:,.0f} | {number(one['rate_goal'])} "
        f"| {one['against']} | {one['rival_us']:.1f} | {ratio_text(one)} |"
        for one in lines_of("portfolio", "tables")
    ]
    return "\n".join([intro, "", *rows, "", figures("single_rows", "long_stream")])


def figures(*sections: str) -> str:
    """Numbers by themselves, as a table."""
    found = lines_of(*sections)
    if not found:
        return EMPTY
    rows = [f"| with `--only {'` or `--only '.join(sections)}` | measured | goal |", "|---|---|---|"]
    rows += [f"| {one['what']} | {one['value']:.2g} {one['unit']} | {one['goal']:g} |" for one in found]
    return "\n".join(rows)


def start() -> str:
    """What a process takes to start."""
    return figures("start")


def files() -> str:
    """The table of files.py: a9a again and again, the smaller file first."""
    records = stored.read("files").get("records", {})
    rows = [
        "| what | file | s | MB/s | against | s | ratio | goal |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for kind in ("scan", "train"):
        mine = [one for name, one in records.items() if name.startswith(f"{kind}, a9a, ")]
        for one in sorted(mine, key=lambda record: record["file_mb"]):
            rows += [
                f"| {line['what']} | {one['file_mb']:,.0f} MB | {line['s']:.2f} "
                f"| {one['file_mb'] / line['s']:,.0f} | {line['against']} | {line['rival_s']:.2f} "
                f"| {line['rival_s'] / line['s']:.1f} | {number(line['goal'])} |"
                for line in one["lines"]
            ]
    return "\n".join(rows)


def commands() -> str:
    """Memory, and the time of commands."""
    records = stored.read("files").get("records", {})
    rows = []
    memory = [one for name, one in records.items() if name.startswith("memory, a9a, ")]
    if memory:
        most = max(memory, key=lambda record: record["file_mb"])
        rows.append(
            f"| memory of `costream train`, {most['file_mb']:,.0f} MB "
            f"| {most['mb']} MB | {most['goal']} |"
        )
    for what, one in records.get("commands", {}).items():
        if isinstance(one, dict) and "s" in one:
            name, _, when = what.partition(", ")
            rows.append(
                f"| `{name}`{f', {when}' if when else ''} | {one['s']:.2g} s | {one['goal']:g} |"
            )
    return "\n".join(["| what | measured | goal |", "|---|---|---|", *rows]) if rows else EMPTY


TEXTS: dict[str, Callable[[], str]] = {
    "files run": lambda: provenance("files"),
    "files": files,
    "files commands": commands,
    "speed run": lambda: provenance("speed"),
    "speed rules": in_python_rules,
    "speed": in_python,
    "speed auto": of_auto,
    "speed start": start,
}
