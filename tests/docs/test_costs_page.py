"""What docs/costs.md shows is what its commands and its Python lines print, one after the other."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
from pathlib import Path

import pytest
import sklearn

from helpers.commands import COSTREAM, compiled_only, data_file

PATH = Path(__file__).resolve().parents[2] / "docs" / "costs.md"
BLOCKS = re.findall(r"^```(sh|console)\n(.*?)^```$", PATH.read_text(), re.DOTALL | re.MULTILINE)
SHOWN = {}  # what the page shows below each command
for kind, block in BLOCKS:
    if kind == "console":
        for part in block.split("$ ", 1)[1].split("\n$ "):
            command, _, output = part.partition("\n")
            SHOWN[command] = output.rstrip("\n")
MESSAGES = ("warning: ", "error: ", "hint: ")
pytestmark = [compiled_only, pytest.mark.slow]


def printed(script, folder):
    """What a command prints on standard output, and warnings and errors before it."""
    path = f"{Path(COSTREAM).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-uc", script],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    messages = [line for line in done.stderr.splitlines() if line.startswith(MESSAGES)]
    return "\n".join([*messages, *done.stdout.splitlines()])


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The folder in which all commands of the page have run in turn, and what each has printed."""
    folder = tmp_path_factory.mktemp("costs")
    (folder / "bank.csv.xz").symlink_to(data_file("bank.csv.xz"))
    found = {}
    for kind, block in BLOCKS:
        if kind == "sh":
            printed(block, folder)
        for command in [one for one in SHOWN if kind == "console" and f"$ {one}\n" in block]:
            found[command] = printed(command, folder)
    return folder, found


def without_seconds(text):
    return re.sub(r"^(run .*?) +[\d.]+$", r"\1", text, flags=re.MULTILINE)


@pytest.mark.parametrize("command", SHOWN)
def test_a_command_prints_what_the_page_shows(page, command):
    _, found = page
    assert without_seconds(found[command]) == without_seconds(SHOWN[command])


def test_python_prints_what_the_page_shows(page, monkeypatch):
    folder, _ = page
    monkeypatch.chdir(folder)
    with sklearn.config_context():  # the page turns metadata routing on
        failed, tried = doctest.testfile(str(PATH), module_relative=False, report=False)
    assert (failed, tried > 0) == (0, True)
