"""Parts of texts that are made from results."""

from __future__ import annotations

import textwrap

import stored

WIDTH = 118  # of a line


def filled(text: str) -> str:
    """A paragraph in lines."""
    return textwrap.fill(" ".join(text.split()), WIDTH, break_long_words=False, break_on_hyphens=False)


def provenance(name: str) -> str:
    """The commands of a file of results, and with what and where they were run."""
    abouts = [one["about"] for one in stored.read(name).get("records", {}).values()]
    if not abouts:
        return "Not measured yet."
    code = "\n".join(f"    {one}" for one in dict.fromkeys(about["command"] for about in abouts))
    versions = dict.fromkeys(
        ", ".join(f"{key} {value}" for key, value in about["versions"].items()) for about in abouts
    )
    days = sorted({about["date"].split()[0] for about in abouts})
    machines = "; ".join(dict.fromkeys(about["machine"] for about in abouts))
    day = " to ".join(dict.fromkeys((days[0], days[-1])))
    return f"{code}\n\n" + filled(f"Run on {day} with {'; '.join(versions)} ({machines}).")
