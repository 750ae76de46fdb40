"""What the lab has found: what is complete, what is left out and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from costream.lab.experiment import Experiment
from costream.lab.lab import Lab
from costream.lab.loader import Loader
from costream.lab.pages.findings import Findings, gather
from costream.lab.pages.report import write_report
from costream.lab.results import Figure
from costream.lab.store import Store
from helpers.experiments import mine, nobody


def lab_of(tmp_path: Path, *experiments: Experiment) -> Lab:
    return Lab(experiments, Loader(tmp_path, download=False), Store(tmp_path / "out"))


def test_one_sample_makes_the_page_that_of_a_sample() -> None:
    quick, full = (
        Figure(Experiment(f"figure{n}", "Curves", is_quick=n == 1), "<svg/>") for n in (1, 2)
    )
    assert [Findings(figures=some).is_quick for some in ([quick, full], [full], [])] == [
        True,
        False,
        False,
    ]


def test_what_was_not_run_is_left_out_with_its_reason(tmp_path: Path) -> None:
    lacking = replace(mine(tmp_path), name="lacking", datasets=("kddcup08",))
    found = gather(lab_of(tmp_path, mine(tmp_path), lacking))
    assert [(one.name, why) for one, why in found.left_out] == [
        ("mine", "its results are not all there"),
        ("lacking", "not one of its data sets is at hand"),
    ]
    assert found.experiments == []


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


def test_the_page_and_the_document_have_the_tables(tmp_path: Path) -> None:
    lab = lab_of(tmp_path, mine(tmp_path))
    lab.run(nobody)
    write_report(lab, tmp_path, "costream lab run", tmp_path / "tables.md")
    text = (tmp_path / "tables.md").read_text(encoding="utf-8")
    assert "## Mine" in text
    assert "| rows | sum | perceptron |" in text
    assert (tmp_path / "report.html").exists()
