"""The commands of speed that README shows are understood, and ratios are given as they were seen."""

import re
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

import speed
import wording
from timing import RUNS_KEPT, ratio_text, with_earlier

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = re.findall(
    r"^    python benchmarks/speed\.py(.*)$", (ROOT / "README.md").read_text(), re.MULTILINE
)
ABOUT = {"date": "2026-11-18 13:00 UTC"}


def line(ratio, what="one batch"):
    return {"what": what, "against": "SGD", "ratio": ratio}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_of_readme_are_understood(command, monkeypatch):
    monkeypatch.setattr(speed, "find_spec", lambda _: True)
    found = speed.options_of(command.split())
    assert set(found.only) <= set(speed.SECTIONS)


def test_a_rival_that_is_not_installed_is_named_before_anything_runs(monkeypatch, capsys):
    monkeypatch.setattr(speed, "find_spec", lambda _: None)
    with pytest.raises(SystemExit):
        speed.options_of(["--only", "start", "tables"])
    assert "not installed: lightgbm; pip install" in capsys.readouterr().err


def test_ratios_of_several_runs_are_a_range():
    before = {"about": {"date": "2026-11-16 06:44 UTC"}, "lines": [line(3.79), line(9.0, "other")]}
    (found,) = with_earlier([line(1.43)], ABOUT, before)
    assert found["ratio"] == 1.43
    assert ratio_text(found) == "1.4 to 3.8"
    again = with_earlier(
        [line(2.0)], {"date": "2026-11-19 06:00 UTC"}, {"about": ABOUT, "lines": [found]}
    )
    assert list(again[0]["seen"].values()) == [3.79, 1.43, 2.0]
    assert ratio_text(again[0]) == "1.4 to 3.8"


def test_old_ratios_go():
    lines, about = [line(9.0)], ABOUT
    for day in range(RUNS_KEPT + 1):
        found = with_earlier(
            [line(1.0 + day)], {"date": f"day {day}"}, {"about": about, "lines": lines}
        )
        lines, about = found, {"date": f"day {day}"}
    assert list(lines[0]["seen"].values()) == [2.0 + day for day in range(RUNS_KEPT)]


def test_commands_over_parts_are_put_together_with_their_other_options():
    records = {
        name: {"about": {"command": f"python benchmarks/speed.py --only {name} --repeat 3 --jobs 2"}}
        for name in ("start", "portfolio")
    }
    assert wording.commands(records) == ["python benchmarks/speed.py --repeat 3 --only portfolio start"]
