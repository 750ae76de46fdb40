"""The documents quote real code."""

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = [*(ROOT / "src").rglob("*.py"), *(ROOT / "tests" / "reference").glob("*.py")]
SOURCES = "\n".join(file.read_text() for file in sorted(FILES))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = {
    command.strip()
    for page in PAGES
    for line in re.findall(r"^ {4}(.*costream .*)$", page.read_text(), re.MULTILINE)
    for command in re.split(r"\||&&", line)
    if command.strip().startswith("costream ")
}
QUOTES = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)


@pytest.mark.parametrize("quote", QUOTES, ids=lambda quote: quote.split("(")[0].split()[-1])
def test_contributing_quotes_the_source(quote):
    assert quote in SOURCES


def test_readme_is_two_screens():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_commands_of_the_documents_are_understood(command):
    """Parsed, not run: every command and option is there."""
    from costream.cli.app import app

    _, name, *arguments = shlex.split(command)
    found = app.commands[name]
    while arguments and arguments[0] in getattr(found, "commands", {}):
        name, *arguments = arguments
        found = found.commands[name]
    found.make_context(name, arguments)


def test_pictures_of_the_readme_are_there():
    pictures = re.findall(r"!\[.*?\]\((.*?)\)", (ROOT / "README.md").read_text())
    assert pictures
    assert all((ROOT / picture).is_file() for picture in pictures)


def test_the_test_command_of_the_readme_is_what_ci_runs():
    command = "python -m pytest -n auto"
    assert command in (ROOT / "README.md").read_text()
    assert f"\n{command} " in (ROOT / ".ci" / "run").read_text()


def members_of_the_document():
    """Kind, gamma, eta and slots of each member, from the table."""
    page = (ROOT / "docs" / "default.md").read_text()
    table = page.partition("| learner | member | up to | gamma |\n|---|---|---|---|\n")[2]
    for row in table.partition("\n\n")[0].splitlines():
        learner, kind, width, gammas = row.strip("| ").split(" | ")
        eta = re.search(r"eta ([\d.]+)", learner)
        slots = re.search(r"(\d+) slots", width)
        settings = float(eta[1]) if eta else 0.0, float(slots[1]) if slots else float("inf")
        for gamma in gammas.replace("none", "0").split(", "):
            yield kind, float(gamma), *settings


def test_members_of_auto_are_those_of_the_document():
    from costream.learners.auto.member import ANY
    from costream.learners.auto.members import TEAM

    kinds = [f"{one.kind} {one.scale:g}" if one.scale else one.kind for one in TEAM]
    widths = [float("inf") if one.widest == ANY else one.widest for one in TEAM]
    expected = [
        (kind, one.gamma, one.eta, width) for kind, width, one in zip(kinds, widths, TEAM, strict=True)
    ]
    assert list(members_of_the_document()) == expected
