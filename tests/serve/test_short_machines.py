"""A machine that is short of threads or memory is not the label's fault."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from costream import CostreamError
from costream.learners import states
from costream.learners.states import memory, resized
from costream.model.file import dumps
from costream.serve.engine import served_model
from costream.serve.engine.verify import check
from costream.serve.messages import Event, Label
from helpers.commands import compiled_only
from helpers.engines import label, opened, score

pytestmark = compiled_only
ROWS = 600  # until trees grow, in a second thread


def stopped(directory: Path, learner: str = "auto") -> bytes:
    """A service that has stopped, without its snapshot; gives its model."""
    engine = opened(directory, learner=learner)
    rng = np.random.default_rng(0)
    for at in range(0, ROWS, 100):
        rows = range(at, at + 100)
        score(
            engine,
            *(
                Event(f"e{n}", {"a": float(x), "b": n % 7, f"c{n % 50}": 1.0})
                for n, x in zip(rows, rng.normal(size=100), strict=True)
            ),
        )
        label(engine, *(Label(f"e{n}", n % 5 == 0) for n in rows))
    bits = dumps(engine.served.model)
    engine.close()
    shutil.rmtree(directory / "snapshots")
    return bits


@contextmanager
def no_threads() -> Iterator[None]:
    """No thread can be started: each would need more memory than there is."""
    before = threading.stack_size(1 << 46)
    try:
        yield
    finally:
        threading.stack_size(before)


def started_again(directory: Path, learner: str) -> bytes:
    engine = opened(directory, learner=learner)
    assert engine.rejected == 0
    bits = dumps(engine.served.model)
    engine.close()
    return bits


def test_without_threads_a_start_ends_and_no_label_is_lost(tmp_path: Path) -> None:
    bits = stopped(tmp_path)
    with no_threads(), pytest.raises(CostreamError, match="short of memory or threads: can't start"):
        opened(tmp_path, learner="auto")
    assert started_again(tmp_path, "auto") == bits
    assert check(tmp_path).differences == 0


@pytest.mark.parametrize("error", [MemoryError(), OSError(12, "Cannot allocate memory")])
def test_without_memory_a_start_ends_and_no_label_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def no_memory(learner: Any, state: Any, capacity: int, *rest: Any, **more: Any) -> Any:
        if capacity:
            raise error
        return resized(learner, state, capacity, *rest, **more)

    bits = stopped(tmp_path, "carow-diag")
    with monkeypatch.context() as short:
        short.setattr("costream.model.runtime.resized", no_memory)
        with pytest.raises(CostreamError, match="short of memory or threads"):
            opened(tmp_path)
    assert started_again(tmp_path, "carow-diag") == bits


def test_a_smaller_machine_does_not_start_what_it_has_no_memory_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bits = stopped(tmp_path, "carow-diag")
    with monkeypatch.context() as smaller:
        smaller.setattr(states, "memory", lambda: 200)
        with pytest.raises(CostreamError, match="more than half of the memory"):
            opened(tmp_path)
    assert started_again(tmp_path, "carow-diag") == bits


def test_without_memory_to_learn_the_first_labels_again_the_service_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that went on without would be another one after the next start."""
    infer_schema = served_model.infer_schema

    def less_memory(*what: Any) -> Any:
        found = infer_schema(*what)
        monkeypatch.setattr(states, "memory", lambda: 200)
        return found

    monkeypatch.setattr(served_model, "INFER_AFTER", 100)
    engine = opened(tmp_path)
    score(engine, *(Event(f"e{n}", {"a": n / 7, f"c{n % 50}": n % 3}) for n in range(100)))
    with monkeypatch.context() as short:
        short.setattr(served_model, "infer_schema", less_memory)
        with pytest.raises(CostreamError, match="more than half of the memory"):
            label(engine, *(Label(f"e{n}", n % 5 == 0) for n in range(100)))
    engine.release()
    monkeypatch.setattr(states, "memory", memory)
    engine = opened(tmp_path)
    assert (engine.served.infers, engine.served.learnt, engine.rejected) == (False, 100, 0)
    engine.close()
    assert check(tmp_path).differences == 0


def test_without_memory_for_a_snapshot_a_service_ends_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_memory(*_: Any, **__: Any) -> bytes:
        raise MemoryError

    engine = opened(tmp_path)
    score(engine, Event("a", {"x": 1.0}))
    label(engine, Label("a", True))
    with monkeypatch.context() as short:
        short.setattr(served_model, "dumps", no_memory)
        engine.close()
    assert "a snapshot could not be written, so a start takes longer: MemoryError" in caplog.text
    assert not list((tmp_path / "snapshots").iterdir())
    engine = opened(tmp_path)
    assert engine.served.learnt == 1
    engine.close()
