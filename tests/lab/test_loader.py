"""The data sets of the lab: which are at hand, and their rows in each order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from costream.lab.loader import Loader
from helpers.experiments import MINE, lab_of, mine


def test_every_run_has_an_order_of_its_own(tmp_path: Path) -> None:
    experiment = mine(tmp_path)
    loader = lab_of(tmp_path / "out", experiment).loader
    runs = [loader.in_order(experiment, "rows", run).rows.value for run in range(3)]
    assert sorted(runs[0]) == sorted(runs[1]) == sorted(runs[2])
    assert len({run.tobytes() for run in runs}) == 3


TWO = MINE.replace(
    'files.rows = {path = "rows.libsvm"}',
    'files.rows = {path = "rows.libsvm"}\nfiles.other = {path = "rows.libsvm"}\n'
    'files.third = {path = "rows.libsvm"}',
)


def test_substitutes_are_used_only_where_a_data_set_is_missing(tmp_path: Path) -> None:
    experiment = mine(tmp_path, TWO)
    loader = Loader(tmp_path, download=False)
    for name, expected in (("rows", ["rows"]), ("kddcup08", ["other", "third"])):
        asked = replace(experiment, datasets=(name,), substitutes={name: ["other", "third"]})
        assert [one.name for one in loader.datasets(asked)] == expected


def test_a_file_may_say_its_format_its_label_and_what_is_positive(tmp_path: Path) -> None:
    (tmp_path / "other.libsvm").write_text("amount,fraud\n1.5,yes\n2.5,no\n3.5,no\n")
    options = 'path = "other.libsvm", format = "csv", label = "fraud", positive = "yes"'
    experiment = mine(tmp_path, MINE.replace('path = "rows.libsvm"', options))
    data = Loader(download=False).data(experiment, "rows")
    assert data.positive.tolist() == [True, False, False]
    assert data.rows.value.tolist() == [1.5, 2.5, 3.5]
