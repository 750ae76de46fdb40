"""What the bits of a model depend on: the code behind it, Numba, NumPy and the processor."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version

from llvmlite import binding

from ..kernels.compile import remembered
from ..kernels.sources import ROOT, digest_of

PACKAGES = ("kernels", "learners", "tables")


@cache
def fingerprint() -> str:
    """A line that is the same wherever the same records give the same bits."""
    files = sorted([*ROOT.glob("*.py"), *(one for p in PACKAGES for one in (ROOT / p).rglob("*.py"))])
    code = remembered("what decides the bits of a model", files, lambda: digest_of(files))
    versions = f"numba {version('numba')}, numpy {version('numpy')}"
    return f"costream {version('costream')} {code[:12]}, {versions}, {binding.get_host_cpu_name()}"
