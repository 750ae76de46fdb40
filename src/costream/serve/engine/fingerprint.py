"""What the bits of a model depend on: the code behind it, Numba, NumPy and the processor."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

from llvmlite import binding

from ..._sources import ROOT, digest_of
from ...kernels.compile import remembered

PACKAGES = ("kernels", "learners", "tables", "costs", "model")
ADDS_UP = ("metrics.py", "policies.py", "running.py", "tally.py")  # what decisions have cost
SERVED_MODEL = ("serve", "engine", "served_model.py")  # in which groups labels are learnt


def deciding_files(root: Path = ROOT) -> list[Path]:
    """The files of this package that decide which bits the same records give."""
    files = [one for package in PACKAGES for one in sorted((root / package).rglob("*.py"))]
    after = {root / "costs" / name for name in ADDS_UP}
    return [*(one for one in files if one not in after), root.joinpath(*SERVED_MODEL)]


@cache
def fingerprint() -> str:
    """A line that is the same wherever the same records give a bit-identical model."""
    files = deciding_files()
    code = remembered("what decides the bits of a model", files, lambda: digest_of(files))
    versions = f"numba {version('numba')}, numpy {version('numpy')}"
    can = hashlib.sha256(binding.get_host_cpu_features().flatten().encode()).hexdigest()[:8]
    processor = f"{binding.get_host_cpu_name()} {can}"
    return f"costream {version('costream')} {code[:12]}, {versions}, {processor}"
