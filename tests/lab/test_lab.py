"""Running experiments: missing data sets are found first, and progress is reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from costream.lab.lab import Lab, check_any
from costream.lab.loader import Loader
from costream.lab.store import Store
from helpers.experiments import lab_of, mine


def test_every_missing_data_set_is_known_before_the_run(tmp_path: Path) -> None:
    other = replace(mine(tmp_path), name="other", datasets=("kddcup08",))
    lab = Lab([mine(tmp_path), other], Loader(tmp_path, download=False), Store(tmp_path / "out"))
    check_any(lab)
    assert "kddcup08" in lab.loader.missing


def test_progress_ends_at_one(tmp_path: Path) -> None:
    parts: list[float] = []
    lab_of(tmp_path / "out", mine(tmp_path)).run(lambda part, _: parts.append(part))
    assert parts == sorted(parts)
    assert parts[-1] == 1.0
