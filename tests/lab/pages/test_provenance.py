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


def test_the_name_of_a_processor_may_hold_any_bytes(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_bytes(b"flags : \xff\nmodel name : A\xffB 3 GHz\nmodel name : C\n")
    assert machine(tmp_path / "cpuinfo").startswith("A\N{REPLACEMENT CHARACTER}B 3 GHz, ")
