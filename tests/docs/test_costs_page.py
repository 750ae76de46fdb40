"""What docs/costs.md shows is what its commands and its Python lines print, one after the other."""

from __future__ import annotations

import doctest
import re

import pytest
import sklearn

from helpers.commands import compiled_only, data_file
from helpers.commands_of_pages import DOCS, blocks_of, run_in_turn, shown_by

BLOCKS = blocks_of("costs.md")
SHOWN = shown_by(BLOCKS)
MESSAGES = ("warning: ", "error: ", "hint: ")
pytestmark = [compiled_only, pytest.mark.slow]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The folder in which all commands of the page have run in turn, and what each has printed."""
    folder = tmp_path_factory.mktemp("costs")
    (folder / "bank.csv.xz").symlink_to(data_file("bank.csv.xz"))
    return folder, run_in_turn(BLOCKS, folder, lambda line: line.startswith(MESSAGES))


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
        failed, tried = doctest.testfile(str(DOCS / "costs.md"), module_relative=False, report=False)
    assert (failed, tried > 0) == (0, True)
