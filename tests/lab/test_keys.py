"""Keys of results: they cover all code that decides a result, and nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from costream._sources import ROOT, digest_of, files_behind

COMPUTING = ["costream.lab.trial", "costream.lab.regret", "costream.lab.timing"]


def paths_behind(module: str, root: Path = ROOT) -> set[str]:
    return {file.relative_to(root).as_posix() for file in files_behind(module, root)}


def modules_in(folder: str) -> set[str]:
    return {file.relative_to(ROOT).as_posix() for file in (ROOT / folder).rglob("*.py")}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package."""
    folder = tmp_path_factory.mktemp("copy") / "costream"
    return shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns("__pycache__"))


@pytest.mark.parametrize("module", COMPUTING)
def test_a_change_in_any_module_behind_a_result_gives_a_new_key(module: str, copy: Path) -> None:
    files = files_behind(module, copy)
    assert len(files) > 20
    known = digest_of(files)
    for file in files:
        before = file.read_bytes()
        file.write_bytes(before + b"\nCHANGED = 1\n")
        assert digest_of(files_behind(module, copy)) != known, file
        file.write_bytes(before)
    assert digest_of(files_behind(module, copy)) == known


@pytest.mark.parametrize("module", COMPUTING)
def test_the_code_that_learns_is_behind_every_result(module: str) -> None:
    behind = paths_behind(module)
    of_models = {"learners/states.py", "learners/auto/typical.py"}  # which no learner needs
    assert modules_in("learners") - behind <= of_models
    assert {"kernels/compile.py", "kernels/loop.py", "kernels/rules.py"} <= behind


def test_modules_that_decide_nothing_are_behind_no_trial() -> None:
    others = ("cli/", "report/", "adapters/", "lab/pages/", "lab/kinds/", "lab/store", "datasets/cat")
    assert not [path for path in paths_behind("costream.lab.trial") if path.startswith(others)]


LOADED = """
import sys
import numpy as np
from costream.datasets.dataset import Dataset
from costream.tables.arrays import Batch
from costream.lab.experiment import Metric
from costream.lab.trial import Trial, run_trial
from costream.learners import LEARNERS

index = np.tile(np.arange(2, dtype=np.uint32), 8)
rows = Batch(np.arange(0, 17, 2, dtype=np.uint64), index, np.arange(16.0), 2)
data = Dataset(rows, None, np.arange(8) % 3 == 0)
for name in LEARNERS:
    for options in ({"curve": True}, {"folds": 2}, *([{"bins": 5}] if name == "auto" else [])):
        run_trial(Trial("made", "up", 8, 3, "seed 0", 0, name, {}, Metric(), **options), data)
print(*(name for name in sys.modules if name.startswith("costream.")))
"""


def test_all_modules_that_running_trials_loads_are_behind_them() -> None:
    """Whatever way they are loaded."""
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    stems = [name.removeprefix("costream.").replace(".", "/") for name in done.stdout.split()]
    behind = paths_behind("costream.lab.trial")
    assert [one for one in stems if not {f"{one}.py", f"{one}/__init__.py"} & behind] == []
