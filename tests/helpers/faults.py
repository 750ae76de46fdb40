"""A disk that fails on demand: `faults.c`, compiled and preloaded into a process."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("faults.c")


def compiled(folder: Path) -> Path:
    """The library, or a skip that says why there is none."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("NOT RUN: faults of the disk need Linux and a C compiler, cc")
    library = folder / "faults.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, SOURCE], check=True
    )
    return library


class Disk:
    """What a process with the library in it finds when it writes."""

    def __init__(self, library: Path, folder: Path) -> None:
        self._control = folder / "faults"
        self.environment = {"LD_PRELOAD": str(library), "COSTREAM_TEST_FAULTS": str(self._control)}

    def fails(self, error: int, calls: str, ending: str, times: int = -1) -> None:
        """Let calls on files with such a name fail: w for write, s for sync, t for truncate."""
        draft = self._control.with_suffix(".draft")
        draft.write_text(f"{error} {times} {calls} {ending}\n", encoding="ascii")
        draft.replace(self._control)

    def recovers(self) -> None:
        self._control.unlink()

    @property
    def calls(self) -> list[str]:
        """The calls on such files since the first one failed, as letters."""
        listed = self._control.with_suffix(".log")
        lines = listed.read_text(encoding="utf-8").splitlines() if listed.exists() else []
        return [line[0] for line in lines]
