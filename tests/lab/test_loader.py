"""The data sets of the lab: which are at hand, and their rows in each order."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from costream.lab.loader import Loader
from costream.lab.reading import find_experiments
from helpers.experiments import lab_of, mine


def test_a_missing_data_set_is_named_and_its_substitute_bears_its_own_name() -> None:
    if "COSTREAM_DATA" not in os.environ:
        pytest.skip("COSTREAM_DATA is not set")
    experiment = replace(find_experiments(["table8"])[0], datasets=("kddcup08",))
    loader = Loader(download=False)
    assert [one.title for one in loader.datasets(experiment)] == ["KDD99"]
    assert "kddcup08" in loader.missing


def test_every_run_has_an_order_of_its_own(tmp_path: Path) -> None:
    experiment = mine(tmp_path)
    loader = lab_of(tmp_path / "out", experiment).loader
    runs = [loader.in_order(experiment, "rows", run).rows.value for run in range(3)]
    assert sorted(runs[0]) == sorted(runs[1]) == sorted(runs[2])
    assert len({run.tobytes() for run in runs}) == 3
