"""With what, and on what, results were computed."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("numpy", "numba")
CPUINFO = Path("/proc/cpuinfo")


def machine(cpuinfo: Path = CPUINFO) -> str:
    """The processor, how many cores it has here, and the system."""
    model = platform.processor() or platform.machine()
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
        names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        model = next(names, model)
    return f"{model}, {os.cpu_count()} cores, {platform.system()}"


def provenance(edition: str) -> str:
    """The versions of this package and of what it computes with, and the machine."""
    others = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"costream {edition}, Python {platform.python_version()}, {others}; {machine()}"
