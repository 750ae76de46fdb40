"""What the command line says of itself: help and version."""

import os
import subprocess

import pytest

import costream as library
from helpers.commands import COSTREAM, compiled_only, succeed

pytestmark = compiled_only


@pytest.mark.parametrize("group", [(), ("serve",), ("serve", "token"), ("lab",)], ids=" ".join)
def test_every_command_has_a_summary_that_is_not_cut(group):
    listed = succeed(*group, "--help").rpartition("\nCommands:\n")[2].splitlines()
    assert listed
    assert [line for line in listed if not line.endswith(".") or line.endswith("...")] == []


@pytest.mark.parametrize(
    ("command", "groups"),
    [
        ("compare", "Input Columns Costs Model Runs Output"),
        ("evaluate", "Input Columns Costs Model Runs Output"),
        ("train", "Input Columns Costs Model Output"),
        ("score", "Model Output Input Columns Costs"),
        ("serve", "Service Network Costs Labels Model Columns Storage"),
        ("replay", "Model Output"),
    ],
)
def test_help_has_options_in_groups(command, groups):
    lines = succeed(command, "--help").partition("\nCommands:")[0].splitlines()
    titles = [line[:-1] for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles == [*groups.split(), "Other options"]


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
