"""Running experiments: missing data sets are found first, and progress is reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from costream.lab.lab import Lab, check_any
from costream.lab.loader import Loader
from costream.lab.store import Store
from helpers.experiments import lab_of, mine


def test_every_missing_data_set_is_known_before_the_run(tmp_path: Path) -> None:
    other = replace(mine(tmp_path), name="other", datasets=("kddcup08",))
    lab = Lab([mine(tmp_path), other], Loader(tmp_path, download=False), Store(tmp_path / "out"))
    check_any(lab)
    assert "kddcup08" in lab.loader.missing


def test_progress_is_the_part_of_all_efforts_that_is_done(tmp_path: Path) -> None:
    """Two experiments of the same effort; the second finds all results in the store."""
    parts: list[tuple[float, str]] = []
    other = replace(mine(tmp_path), name="other")
    lab = lab_of(tmp_path / "out", mine(tmp_path), other)
    lab.run(lambda part, name: parts.append((part, name)))
    first = [part for part, name in parts if name == "mine"]
    assert 0.0 < first[0] < first[1] < 0.5
    assert first[-1] == pytest.approx(0.5)
    assert [part for part, name in parts if name == "other"] == [1.0]
