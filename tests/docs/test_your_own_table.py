"""What docs/your-own-table.md shows is what its commands and its Python lines print, in turn."""

from __future__ import annotations

import doctest
import re
import shlex
import warnings

import pytest

from helpers import commands
from helpers.commands import compiled_only
from helpers.commands_of_pages import DOCS, blocks_of, run_in_turn, shown_by

PATH = DOCS / "your-own-table.md"
TEXT = PATH.read_text(encoding="utf-8")
BLOCKS = blocks_of(PATH.name)
SHOWN = shown_by(BLOCKS)
OPTIONS = [
    option
    for option in re.findall(r"\| `(--[^`]+)`", TEXT.partition("## When later rows")[0])
    if option
]
COSTS = ("--label", "fraud", "--fn-cost-column", "loss", "--fp-cost", "10")
PROGRESS = re.compile(r" |costream: compiling|saved ")  # how lines of the progress begin
SECONDS = re.compile(r"^((?:run|[a-z-]+) .*%) +[\d.]+$", re.MULTILINE)
pytestmark = [compiled_only, pytest.mark.slow]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The folder in which all commands of the page have run in turn, and what each has printed."""
    folder = tmp_path_factory.mktemp("table")
    return folder, run_in_turn(BLOCKS, folder, lambda line: not PROGRESS.match(line))


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
    assert f"skipped {passed_over} rows without a cost" in output


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
