"""Results on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from costream.errors import CostreamError
from costream.lab.store import RESULTS, Store
from helpers.experiments import mine, run


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


def records(folder: Path, name: str = "mine", *keys: str, **seconds: float) -> Store:
    """A store with a record for each key, and the seconds of some."""
    store = Store(folder)
    with store.writing(name) as writer:
        for key in keys:
            writer.append({"key": key, "value": len(key)}, seconds.get(key))
    return store


def test_a_result_is_written_once_and_its_time_as_often_as_it_is_measured(tmp_path: Path) -> None:
    records(tmp_path, "mine", "a", a=1.0)
    store = records(tmp_path, "mine", "a", "b", "b", a=2.0)
    lines = (tmp_path / ("mine" + RESULTS)).read_text().splitlines()
    assert lines == ['{"key": "a", "value": 1}', '{"key": "b", "value": 1}']
    assert (store.seconds("a"), Store(tmp_path).seconds("a")) == (2.0, 2.0)


def test_a_line_that_was_cut_short_is_left_out_and_overwritten(tmp_path: Path) -> None:
    records(tmp_path, "mine", "a", "b")
    path = tmp_path / ("mine" + RESULTS)
    path.write_bytes(path.read_bytes()[:-3])
    assert Store(tmp_path).held("mine") == ["a"]
    assert records(tmp_path, "mine", "c").held("mine") == ["a", "c"]
    assert Store(tmp_path).held("mine") == ["a", "c"]
