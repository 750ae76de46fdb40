"""The Dockerfile copies what is there, and its commands are understood."""

import json
import re
import shlex
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OPERATIONS = (ROOT / "docs" / "operations.md").read_text().replace("\\\n", "")
LINES = (ROOT / "Dockerfile").read_text().replace("\\\n", "").splitlines()
STEPS = [tuple(line.split(maxsplit=1)) for line in LINES if line and line[0] not in "# "]
TEXTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("src/**/*.py"), ROOT / "Dockerfile"]


def of(name):
    return [rest for what, rest in STEPS if what == name]


def understood(arguments):
    """A command is parsed, not run: it and all of its options are there."""
    from costream.cli.app import app

    found = app
    while arguments and arguments[0] in getattr(found, "commands", {}):
        name, *arguments = arguments
        found = found.commands[name]
    found.make_context("costream", arguments)


def test_what_is_copied_is_in_the_checkout_and_in_the_context():
    ignored, *taken = (ROOT / ".dockerignore").read_text().split()
    sources = [one for rest in of("COPY") for one in rest.split()[:-1]]
    assert ignored == "*"
    assert all((ROOT / one).exists() for one in sources)
    kept = [one[1:] for one in taken if one.startswith("!")]
    assert all(any(fnmatch(Path(one).as_posix(), name) for name in kept) for one in sources)


def test_its_commands_are_understood():
    (_, *entry), options = (json.loads(*of(name)) for name in ("ENTRYPOINT", "CMD"))
    understood([*entry, *options])
    understood(["compile", "auto"])


@pytest.mark.parametrize("line", re.findall(r"^docker run .* costream (.*)$", OPERATIONS, re.MULTILINE))
def test_containers_are_run_with_options_that_are_there(line):
    understood(["serve", *shlex.split(line)])


def test_nothing_is_installed_from_an_index_where_it_is_not():
    wrong = re.compile(r"pip3? install\s+(?:-\S+\s+)*[\"']?costream\b")
    assert [file.name for file in TEXTS if wrong.search(file.read_text())] == []
