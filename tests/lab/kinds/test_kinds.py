"""The kinds of experiments: one file each."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from costream.lab.kinds import KINDS
from costream.lab.reading import paper_experiments

ROOT = Path(str(resources.files("costream")))


def test_every_kind_has_its_file() -> None:
    files = {path.stem for path in (ROOT / "lab" / "kinds").glob("*.py")}
    assert files - {"__init__", "base"} == set(KINDS)


def test_the_paper_has_experiments_of_every_kind() -> None:
    assert {one.kind for one in paper_experiments().values()} == set(KINDS)
