"""What the command line says of itself: help, version and completion."""

import os
import subprocess

import pytest

import costream as library
from costream.learners import LEARNERS
from helpers.commands import COSTREAM, compiled_only, succeed

pytestmark = compiled_only
COMMANDS = ("compare", "train", "score", "evaluate", "inspect")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command):
    text = succeed(command, "--help")
    assert f"costream {command}" in text.split("Example", 1)[1]


def unwrapped(text):
    """Text without the spaces and line breaks that wrapping may have put anywhere."""
    return "".join(text.split())


@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_help_names_every_learner(command):
    expected = unwrapped(f"One of {', '.join(LEARNERS)}.  [auto]")
    assert expected in unwrapped(succeed(command, "--help"))


def test_help_loads_no_numpy():
    run = subprocess.run(
        [COSTREAM, "--help"],
        env={**os.environ, "PYTHONPROFILEIMPORTTIME": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.split("|")[-1].strip() for line in run.stderr.splitlines()}
    assert not loaded & {"numpy", "numba", "scipy", "sklearn", "pyarrow", "rich"}


def test_version():
    assert succeed("--version") == f"costream {library.__version__}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(shell):
    assert "_COSTREAM_COMPLETE" in succeed("--completion", shell)


def test_python_m_costream():
    run = subprocess.run(
        [os.path.join(os.path.dirname(COSTREAM), "python"), "-m", "costream", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.startswith("costream ")
