"""Results on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from costream.errors import CostreamError
from costream.lab.store import RESULTS, TIMES, Store
from helpers.experiments import MINE, mine, results, run


def test_a_file_of_results_forgets_what_is_no_longer_asked_for(tmp_path: Path) -> None:
    run(tmp_path / "out", mine(tmp_path))
    smaller = mine(tmp_path, MINE.replace("[0.1, 1, 10]", "[1]"))
    run(tmp_path / "out", smaller)
    run(tmp_path / "fresh", smaller)
    assert results(tmp_path / "out") == results(tmp_path / "fresh")


def test_times_are_kept_apart_from_results(tmp_path: Path) -> None:
    run(tmp_path / "out", mine(tmp_path))
    assert b"seconds" not in results(tmp_path / "out")
    assert b"seconds" in (tmp_path / "out" / ("mine" + TIMES)).read_bytes()


def test_a_broken_line_of_results_is_named(tmp_path: Path) -> None:
    run(tmp_path / "out", mine(tmp_path))
    path = tmp_path / "out" / ("mine" + RESULTS)
    path.write_bytes(path.read_bytes().replace(b"{", b"<", 1))
    with pytest.raises(CostreamError, match="line 1: not a result"):
        Store(tmp_path / "out")


def test_two_processes_do_not_write_one_file(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    first, second = Store(tmp_path), Store(tmp_path)
    with (
        first.writing("mine"),
        pytest.raises(CostreamError, match="another process"),
        second.writing("mine"),
    ):
        pass
