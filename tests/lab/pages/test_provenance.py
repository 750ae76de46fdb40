"""A document of results says with what and on what they were computed."""

from __future__ import annotations

from pathlib import Path

from costream.lab.pages.provenance import machine


def test_the_name_of_a_processor_may_hold_any_bytes(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_bytes(b"flags : \xff\nmodel name : A\xffB 3 GHz\nmodel name : C\n")
    assert machine(tmp_path / "cpuinfo").startswith("A\N{REPLACEMENT CHARACTER}B 3 GHz, ")
