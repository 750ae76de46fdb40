"""Parts of texts that are made from results."""

from __future__ import annotations

import re
import textwrap
from typing import Any

import stored

WIDTH = 118  # of a line


def filled(text: str) -> str:
    """A paragraph in lines."""
    return textwrap.fill(" ".join(text.split()), WIDTH, break_long_words=False, break_on_hyphens=False)


def provenance(name: str) -> str:
    """The commands of a file of results, and with what and where they were run."""
    records = stored.read(name).get("records", {})
    if not records:
        return "Not measured yet."
    rivals = {
        name: {"about": one["rivals_about"]} for name, one in records.items() if "rivals_about" in one
    }
    text = shown(records)
    if rivals:
        text += (
            "\n\nThe results of the rivals are stored ones, of the same rows in the same orders:\n\n"
        )
        text += shown(rivals)
    return text


def shown(records: dict[str, dict[str, Any]]) -> str:
    """The commands of some records, and with what and where they were run."""
    abouts = [one["about"] for one in records.values()]
    code = "\n".join(f"    {command}" for command in commands(records))
    versions = dict.fromkeys(
        ", ".join(f"{key} {value}" for key, value in about["versions"].items()) for about in abouts
    )
    days = sorted({about["date"].split()[0] for about in abouts})
    machines = "; ".join(dict.fromkeys(about["machine"] for about in abouts))
    day = " to ".join(dict.fromkeys((days[0], days[-1])))
    return f"{code}\n\n" + filled(f"Run on {day} with {'; '.join(versions)} ({machines}).")


def commands(records: dict[str, dict[str, Any]]) -> list[str]:
    """Commands without repetition; runs over parts of the data sets are put together."""
    found: dict[str, list[str]] = {}
    for name, one in records.items():
        words = one["about"]["command"].split(" --only ")
        if len(words) == 2 and name in words[1].split():
            _, *others = words[1].split(" --")
            command = re.sub(r" --jobs \d+", "", " --".join([words[0], *others]))
            found.setdefault(f"{command} --only", []).append(name)
        else:
            found.setdefault(one["about"]["command"], [])
    return [" ".join([command, *sorted(names, key=str.lower)]) for command, names in found.items()]
