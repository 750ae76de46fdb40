"""What the lab has found: what stands in for missing data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from costream.lab.pages.findings import gather
from helpers.experiments import lab_of, mine, nobody


def test_missing_data_sets_are_known_with_what_stands_in_for_them(tmp_path: Path) -> None:
    substitutes = {"kddcup08": ["rows"]}
    experiment = replace(mine(tmp_path), datasets=("kddcup08",), substitutes=substitutes)
    lab = lab_of(tmp_path / "out", experiment)
    lab.run(nobody)
    found = gather(lab)
    assert {name: [one.name for one in where] for name, where in found.missing.items()} == {
        "kddcup08": ["mine"]
    }
    assert found.stand_ins == {"kddcup08": ["rows"]}
    assert [table.experiment.name for table in found.tables] == ["mine"]
    assert [block.stands_for for block in found.tables[0].blocks] == ["kddcup08"] * 2
