"""What the command line says of itself: help, version and completion."""

import os
import subprocess

import pytest

import costream as library
from costream import OnlineClassifier
from costream.cli.learner_options import DEFAULT_LEARNER
from costream.learners import LEARNERS
from helpers.commands import COSTREAM, compiled_only, costream, succeed

pytestmark = compiled_only
COMMANDS = ("compare", "train", "score", "evaluate", "inspect")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command):
    text = succeed(command, "--help")
    assert f"costream {command}" in text.split("Example", 1)[1]


def test_the_default_written_out_for_help_is_that_of_the_library():
    assert OnlineClassifier().learner.name == DEFAULT_LEARNER


def unwrapped(text):
    """Text without the spaces and line breaks that wrapping may have put anywhere."""
    return "".join(text.split())


@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_help_names_every_learner(command):
    expected = unwrapped(f"One of {', '.join(LEARNERS)}.  [auto]")
    assert expected in unwrapped(succeed(command, "--help"))


def test_help_of_set_names_every_hyper_parameter():
    shown = unwrapped(succeed("train", "--help"))
    known = [item for cls in LEARNERS.values() for item in cls.hyper_parameters().items()]
    missing = [key for key, one in known if unwrapped(f"{key}: {one.help.rstrip('.')} [") not in shown]
    assert missing == []


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


def test_completion_of_a_learner():
    words = {"_COSTREAM_COMPLETE": "bash_complete", "COMP_WORDS": "costream train --learner ssac"}
    found = costream(env={**os.environ, **words, "COMP_CWORD": "3"}).stdout
    assert [line.split(",")[1] for line in found.split()] == ["ssacog-i", "ssacog-ii"]


def test_python_m_costream():
    run = subprocess.run(
        [os.path.join(os.path.dirname(COSTREAM), "python"), "-m", "costream", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.startswith("costream ")
