"""What docs/your-own-table.md shows is what its commands and its Python lines print, in turn."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import warnings
from pathlib import Path

import pytest

from helpers import commands
from helpers.commands import COSTREAM, compiled_only

PATH = Path(__file__).resolve().parents[2] / "docs" / "your-own-table.md"
TEXT = PATH.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(sh|console)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
SHOWN = {  # what the page shows below each command
    part.partition("\n")[0]: part.partition("\n")[2].rstrip("\n")
    for kind, block in BLOCKS
    if kind == "console"
    for part in block.removeprefix("$ ").split("\n$ ")
}
OPTIONS = [
    option
    for option in re.findall(r"\| `(--[^`]+)`", TEXT.partition("## When later rows")[0])
    if option
]
COSTS = ("--label", "fraud", "--fn-cost-column", "loss", "--fp-cost", "10")
PROGRESS = re.compile(r" |costream: compiling|saved ")  # how lines of the progress begin
SECONDS = re.compile(r"^((?:run|[a-z-]+) .*%) +[\d.]+$", re.MULTILINE)
pytestmark = [compiled_only, pytest.mark.slow]


def printed(script, folder):
    """What a command prints, messages first, without the progress."""
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
    messages = [line for line in done.stderr.splitlines() if not PROGRESS.match(line)]
    return "\n".join([*messages, *done.stdout.splitlines()])


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The folder in which all commands of the page have run in turn, and what each has printed."""
    folder = tmp_path_factory.mktemp("table")
    found = {}
    for kind, block in BLOCKS:
        if kind == "sh":
            printed(block, folder)
        for command in [one for one in SHOWN if kind == "console" and f"$ {one}\n" in block]:
            found[command] = printed(command, folder)
    return folder, found


@pytest.mark.parametrize("command", SHOWN)
def test_a_command_prints_what_the_page_shows(page, command):
    _, found = page
    assert SECONDS.sub(r"\1", found[command]) == SECONDS.sub(r"\1", SHOWN[command])


def test_the_numbers_in_the_sentences_are_those_of_the_command(page):
    _, found = page
    output = next(found[command] for command in SHOWN if command.startswith("costream compare"))
    saved = re.search(r"`auto`, the default, saves ([\d.]+) %", TEXT)[1]
    passed_over = re.search(r"^(\d+) rows have no loss", TEXT, re.MULTILINE)[1]
    assert f"{saved}%" in output.splitlines()[-1]
    assert f"passed over {passed_over} rows without a cost" in output


def test_the_page_names_every_option_that_overrules():
    assert {option.split()[0] for option in OPTIONS} == {
        *("--number", "--text", "--time", "--keep", "--ignore", "--decimal", "--thousands"),
        *("--missing", "--day-first", "--month-first", "--time-zone"),
    }


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_of_the_page_works_with_its_file(page, option):
    folder, _ = page
    given = shlex.split(option)
    done = commands.in_process("evaluate", folder / "orders.csv", *COSTS, "-l", "perceptron", *given)
    assert (done.returncode, "hint:" in done.stderr) == (0, False), done.stderr


def test_python_prints_what_the_page_shows(page, monkeypatch):
    folder, _ = page
    monkeypatch.chdir(folder)
    with warnings.catch_warnings():  # the page turns them off
        failed, tried = doctest.testfile(str(PATH), module_relative=False, report=False)
    assert (failed, tried > 0) == (0, True)
