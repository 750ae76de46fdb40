"""The commands do without every package that is not among the dependencies."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from helpers import plain_install
from helpers.commands import compiled_only

ROOT = Path(__file__).resolve().parents[1]
OPTIONAL = {
    "matplotlib",
    "pandas",
    "polars",
    "rich",
    "river",
    "scipy",
    "sklearn",
    "starlette",
    "uvicorn",
}
BLOCKER = f"""
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {OPTIONAL}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
"""


@pytest.fixture(autouse=True)
def plain(tmp_path, monkeypatch):
    """Python processes in which nothing optional can be imported."""
    (tmp_path / "sitecustomize.py").write_text(BLOCKER)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)


def in_python(code):
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return run.stdout.strip() or run.stderr.strip().splitlines()[-1]


@pytest.mark.slow
@compiled_only
def test_all_formats_are_read(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    plain_install.check_formats(folder)


@pytest.mark.slow
@compiled_only
def test_learners_are_compared(tmp_path):
    options = ("--runs", "1", "--learner", "carow-diag", "--json")
    assert b"Breast cancer" in plain_install.costream(
        "compare", *options, "--report", tmp_path / "r.html"
    )
    assert (tmp_path / "r.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import costream; costream.sklearn", "costream.sklearn needs scikit-learn"),
        ("from costream.river import CostSensitiveClassifier", "costream.river needs River"),
        ("import costream; costream.metrics.Savings", "costream.river needs River"),
        ("import costream; costream.metrics.savings_scorer()", "scorers need scikit-learn"),
        ("from costream.serve import app", "the live service needs a few more packages"),
        (
            "from costream.evaluation import bounds\nwith bounds.scipy_needed(): import scipy",
            "the bounds of the theorems need SciPy",
        ),
    ],
)
def test_what_is_missing_is_said_with_its_extra(code, message):
    lines = code.splitlines()
    error = in_python(
        "try:\n"
        + "".join(f"    {line}\n" for line in lines)
        + "except ImportError as error: print(error)"
    )
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    first, _, hint = error.partition("\n")
    assert first == message
    assert any(hint == f'hint: pip install ".[{name}]" in a checkout of costream' for name in extras)


def test_dependencies_are_not_optional():
    """Nothing that the commands do without is installed with them."""
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert not {one for one in needed for name in (*OPTIONAL, "scikit") if one.startswith(name)}
