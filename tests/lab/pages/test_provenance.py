"""A document of results says with what and on what they were computed."""

from __future__ import annotations

import platform
from pathlib import Path

import numpy as np

from costream.lab.pages.provenance import machine, provenance


def test_versions_and_machine_are_named() -> None:
    text = provenance("1.2.3")
    python = platform.python_version()
    assert text.startswith(f"costream 1.2.3, Python {python}, numpy {np.__version__}, numba ")
    assert text.endswith(machine())


def test_the_processor_is_that_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmodel name\t: Abacus 3000\n")
    assert machine(tmp_path / "cpuinfo").startswith("Abacus 3000, ")


def test_a_system_that_tells_no_name_has_an_architecture(tmp_path: Path) -> None:
    assert machine(tmp_path / "none").partition(", ")[0] in (platform.processor(), platform.machine())
