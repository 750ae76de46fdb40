"""The house as it stands: layers that pyproject.toml declares, and how large rooms may be."""

import subprocess
import sys
from statistics import median

import pytest

from helpers.copies import ROOT, copied

PACKAGE = ROOT / "src" / "costream"
LONGEST, USUAL, LOOSE = 450, 150, 10  # lines of a module, of half of them; modules beside the packages
LINT = (
    "import sys; from importlinter.cli import lint_imports;"
    "sys.exit(lint_imports(sys.argv[1], no_cache=True))"
)


def lint(folder):
    """What the contracts say of the package in a folder."""
    pytest.importorskip("importlinter")
    command = [sys.executable, "-c", LINT, str(ROOT / "pyproject.toml")]
    env = {"PYTHONPATH": str(folder / "src"), "PATH": ""}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_nothing_imports_upward():
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        ("room/__init__.py", "", "- costream.room\n"),
        ("errors.py", "import numba\n", "costream.errors -> numba"),
        ("tables/words.py", "from ..model import core\n", "costream.tables is not allowed to import"),
        ("serve/endpoints.py", "from .engine import fit\n", "not allowed to import costream.serve.eng"),
        ("serve/room.py", "", "- costream.serve.room\n"),
    ],
)
def test_a_contract_that_is_broken_is_seen(file, text, complaint, tmp_path):
    path = copied(tmp_path) / "src" / "costream" / file
    path.parent.mkdir(exist_ok=True)
    path.write_text((path.read_text(encoding="utf-8") if path.exists() else "") + "\n" + text)
    done = lint(tmp_path)
    assert done.returncode == 1
    assert complaint in done.stdout


def lengths():
    files = PACKAGE.rglob("*.py")
    return {one.relative_to(PACKAGE): len(one.read_text("utf-8").splitlines()) for one in files}


def test_no_module_is_too_long():
    assert {file: lines for file, lines in lengths().items() if lines > LONGEST} == {}


def test_half_of_the_modules_are_short():
    assert median(lengths().values()) <= USUAL


def test_few_modules_lie_loose():
    assert len(list(PACKAGE.glob("*.py"))) <= LOOSE
