"""Fill the tables of README.md and docs/ that come from the program.

    python docs/fill.py            write them
    python docs/fill.py --check    exit with 1 if one is not as it would be written

A table stands between two comments, ``<!-- NAME -->`` and ``<!-- end of NAME -->``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from inspect import getdoc
from pathlib import Path

from costream import LEARNERS
from costream.learners import Learner

ROOT = Path(__file__).resolve().parents[1]


def algorithms() -> str:
    """A line for each file of learners."""
    files: dict[str, list[type[Learner]]] = {}
    for learner in LEARNERS.values():
        files.setdefault(learner.__module__, []).append(learner)
    lines = ["| name | what it is | hyper-parameters |", "|---|---|---|"]
    for module, learners in files.items():
        names = ", ".join(f"`{one.name}`" for one in learners)
        keys = dict.fromkeys(key for one in learners for key in one.hyper_parameters())
        parameters = ", ".join(f"`{key}`" for key in keys)
        lines.append(f"| {names} | {summary(sys.modules[module])} | {parameters} |")
    return "\n".join(lines)


def learners() -> str:
    """A line for each learner, with its hyper-parameters and their defaults."""
    lines = ["| name | class | what it is | hyper-parameters | from |", "|---|---|---|---|---|"]
    for name, learner in LEARNERS.items():
        values = learner().get_params()
        parameters = ", ".join(f"`{key}={value!r}`" for key, value in values.items())
        what = f"{summary(learner)} | {parameters} | {learner.reference}"
        lines.append(f"| `{name}` | `{learner.__name__}` | {what} |")
    return "\n".join(lines)


def hyper_parameters() -> str:
    """A line for each hyper-parameter."""
    found = {
        (key, known.help, known.range): None
        for learner in LEARNERS.values()
        for key, known in learner.hyper_parameters().items()
    }
    lines = ["| hyper-parameter | meaning | values |", "|---|---|---|"]
    rows = sorted(found, key=lambda row: row[0].lower())
    return "\n".join(lines + [f"| `{key}` | {text} | {values} |" for key, text, values in rows])


def summary(thing: object) -> str:
    """The first line of a docstring, without its full stop."""
    return (getdoc(thing) or "").partition("\n")[0].rstrip(".").replace("|", r"\|")


TABLES: dict[str, Callable[[], str]] = {
    "algorithms": algorithms,
    "learners": learners,
    "hyper-parameters": hyper_parameters,
}


def filled(text: str) -> str:
    """The text with all of its tables as they are now."""
    for name, make in TABLES.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        if pattern.search(text):
            table = f"{begin}\n{make()}\n{end}"
            text = pattern.sub(lambda _, table=table: table, text)
    return text


def main() -> int:
    stale = []
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        if filled(text) != text:
            stale.append(path.relative_to(ROOT).as_posix())
            if "--check" not in sys.argv:
                path.write_text(filled(text), encoding="utf-8")
    word = "would change" if "--check" in sys.argv else "changed"
    print(f"{word}: {', '.join(stale)}" if stale else "all tables are up to date")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
