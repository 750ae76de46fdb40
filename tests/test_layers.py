"""The layers that pyproject.toml declares: nothing imports upward, only the kernels know numba."""

import subprocess
import sys
from pathlib import Path

import pytest

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def test_nothing_imports_upward():
    pytest.importorskip("importlinter")
    code = (
        "import sys; from importlinter.cli import lint_imports;"
        "sys.exit(lint_imports(sys.argv[1], no_cache=True))"
    )
    command = [sys.executable, "-c", code, str(PYPROJECT)]
    run = subprocess.run(command, cwd=PYPROJECT.parent, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
