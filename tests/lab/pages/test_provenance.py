"""A document of results says with what and on what they were computed."""

from __future__ import annotations

import os
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


def test_without_its_name_the_kind_of_the_processor_is_stated(tmp_path: Path) -> None:
    model, cores, _ = machine(tmp_path / "none").split(", ")
    assert model == (platform.processor() or platform.machine())
    assert model
    assert cores == f"{os.cpu_count()} cores"


def test_the_name_of_a_processor_may_hold_any_bytes(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_bytes(b"flags : \xff\nmodel name : A\xffB 3 GHz\nmodel name : C\n")
    assert machine(tmp_path / "cpuinfo").startswith("A\N{REPLACEMENT CHARACTER}B 3 GHz, ")
