"""The commands in docs/speed.md are understood, and ratios are given as they were seen."""

import re
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

import speed

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = re.findall(
    r"^    python benchmarks/speed\.py(.*)$", (ROOT / "docs" / "speed.md").read_text(), re.MULTILINE
)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_of_the_page_are_understood(command, monkeypatch):
    monkeypatch.setattr(speed, "find_spec", lambda _: True)
    found = speed.options_of(command.split())
    assert set(found.only) <= set(speed.SECTIONS)


def test_a_rival_that_is_not_installed_is_named_before_anything_runs(monkeypatch, capsys):
    monkeypatch.setattr(speed, "find_spec", lambda _: None)
    with pytest.raises(SystemExit):
        speed.options_of(["--only", "start", "tables"])
    assert "not installed: lightgbm; pip install" in capsys.readouterr().err
