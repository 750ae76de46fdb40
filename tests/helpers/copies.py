"""Copies of the package, for tests that put something into it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def copied(folder, *more):
    """A folder with a copy of the package in ``src``, and of more folders of the project."""
    ignore = shutil.ignore_patterns("__pycache__", "*.png")
    for one in ("src", *more):
        shutil.copytree(ROOT / one, folder / one, ignore=ignore)
    return folder


def run(root, *arguments):
    """What Python prints in the copy; it must succeed."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def command(root, *arguments):
    return run(root, "-m", "costream", *arguments)
