"""What the lab has found: what is complete, what is left out and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from costream.lab.experiment import Experiment
from costream.lab.lab import Lab
from costream.lab.loader import Loader
from costream.lab.pages.findings import gather
from costream.lab.store import Store
from helpers.experiments import mine, nobody


def lab_of(tmp_path: Path, *experiments: Experiment) -> Lab:
    return Lab(experiments, Loader(tmp_path, download=False), Store(tmp_path / "out"))


def test_missing_data_sets_are_known_with_what_stands_in_for_them(tmp_path: Path) -> None:
    substitutes = {"kddcup08": ["rows"]}
    experiment = replace(mine(tmp_path), datasets=("kddcup08",), substitutes=substitutes)
    lab = lab_of(tmp_path, experiment)
    lab.run(nobody)
    found = gather(lab)
    assert {name: [one.name for one in where] for name, where in found.missing.items()} == {
        "kddcup08": ["mine"]
    }
    assert found.stand_ins == {"kddcup08": ["rows"]}
    assert [table.experiment.name for table in found.tables] == ["mine"]
    assert [block.stands_for for block in found.tables[0].blocks] == ["kddcup08"] * 2
