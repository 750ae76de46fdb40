"""Running trials: the same bytes however they are run."""

from __future__ import annotations

from pathlib import Path

import pytest

from costream.lab.store import RESULTS
from helpers.experiments import mine, results, run


def test_the_bytes_do_not_depend_on_the_number_of_jobs(tmp_path: Path) -> None:
    experiment = mine(tmp_path)
    run(tmp_path / "one", experiment, jobs=1)
    run(tmp_path / "many", experiment, jobs=4)
    assert results(tmp_path / "one") == results(tmp_path / "many")


@pytest.mark.parametrize("part", [0.0, 0.31, 0.77, 0.999])
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, part: float) -> None:
    experiment = mine(tmp_path)
    total = run(tmp_path / "out", experiment)
    whole = results(tmp_path / "out")
    kept = whole[: int(part * len(whole))]
    (tmp_path / "out" / ("mine" + RESULTS)).write_bytes(kept)
    assert run(tmp_path / "out", experiment) == total - kept.count(b"\n")
    assert results(tmp_path / "out") == whole
