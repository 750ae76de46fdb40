"""Fill the tables and sentences of README.md and docs/ that come from the program or from results.

    python docs/fill.py            write them
    python docs/fill.py --check    exit with 1 if one is not as it would be written

A text stands between two comments, ``<!-- NAME -->`` and ``<!-- end of NAME -->``. It is made of the
program itself (learners and hyper-parameters), of ``benchmarks/results`` (speed and quality), or of
``docs/paper.md``, which ``costream lab report --markdown`` writes.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable
from inspect import getdoc
from pathlib import Path

from costream.learners import LEARNERS, Learner

ROOT = Path(__file__).resolve().parents[1]
PAPER = ROOT / "docs" / "paper.md"
WIDTH = 118  # of a line
SHOWN = ("Perceptron", "ACOG-II", "CAROW", "auto", "*flag every row*", "*flag none*")

sys.path.append(str(ROOT / "benchmarks"))
import published  # noqa: E402


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


# --- what the lab found -----------------------------------------------------------------------------


def paper_counts() -> str:
    """How the printed rows came out: the first paragraph of the results."""
    paragraphs = PAPER.read_text(encoding="utf-8").split("\n\n")
    text = paragraphs[paragraphs.index("# Results") + 1]
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def anomaly() -> str:
    """The table of what anomaly detection saves, with some of its learners."""
    _, _, text = PAPER.read_text(encoding="utf-8").partition("\n## Online anomaly detection: what it")
    head, line, *rows = re.findall(r"^\|.*\|$", text.partition("\n## ")[0], re.MULTILINE)
    return "\n".join([head, line, *(row for row in rows if row.split(" | ")[2] in SHOWN)])


TEXTS: dict[str, Callable[[], str]] = {
    "algorithms": algorithms,
    "learners": learners,
    "hyper-parameters": hyper_parameters,
    "paper counts": paper_counts,
    "anomaly detection": anomaly,
    **published.TEXTS,
}


def filled(text: str) -> str:
    """The text with all of its parts as they are now."""
    for name, make in TEXTS.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        if pattern.search(text):
            part = f"{begin}\n{make()}\n{end}"
            text = pattern.sub(lambda _, part=part: part, text)
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
    print(f"{word}: {', '.join(stale)}" if stale else "all tables and sentences are up to date")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
