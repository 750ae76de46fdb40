"""A directory opened again: the same model, from snapshots or without; other models are refused."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from costream import Cost, CostreamError, OnlineClassifier
from costream.model.core import Core
from costream.serve.engine import served_model
from costream.serve.engine.engine import Engine
from costream.serve.engine.maintenance import backup
from costream.serve.engine.recovery import open_engine
from costream.serve.messages import Event, Label
from costream.serve.settings import Settings
from helpers.engines import fresh, label, opened, score


def learn(engine: Engine, rows: int, begin: int = 0) -> None:
    events = [
        Event(
            f"e{t}", {"amount": float(t % 7), "shop": f"s{t % 50}", "country": "FR" if t % 3 else "DE"}
        )
        for t in range(begin, begin + rows)
    ]
    score(engine, *events)
    label(engine, *(Label(one.id, t % 7 > 5) for t, one in enumerate(events, begin)))


def bits(engine: Engine) -> bytes:
    return engine.served.dump({})


@pytest.mark.parametrize("with_snapshot", [True, False])
@pytest.mark.parametrize("learner", ["carow-diag", "auto"])
def test_the_same_bits_after_a_restart(tmp_path: Path, learner: str, with_snapshot: bool) -> None:
    engine = opened(tmp_path, learner=learner)
    learn(engine, 100)
    engine.snapshots.write(*engine.snapshot())
    learn(engine, 60, 100)
    before = bits(engine)
    engine.log.close()  # as a crash leaves it
    engine._lock.release()
    if not with_snapshot:
        for file in engine.snapshots.files():
            file.unlink()
    again = opened(tmp_path, learner=learner)
    assert bits(again) == before
    again.close()


def test_the_columns_are_inferred_after_enough_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served_model, "INFER_AFTER", 300)
    engine = opened(tmp_path)
    learn(engine, 250)
    assert engine.served.model.schema is None
    learn(engine, 80, 250)
    schema = engine.served.model.schema
    assert schema is not None
    assert [one.kind for one in schema.columns] == ["number", "text", "text"]
    assert engine.served.learnt == 330
    assert engine.served.model.rows == 330
    before = bits(engine)
    engine.close()
    again = opened(tmp_path)
    assert bits(again) == before
    again.close()


@pytest.mark.parametrize("learner", ["carow-diag", "auto"])
def test_groups_make_no_difference_whatever_the_order_of_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, learner: str
) -> None:
    monkeypatch.setattr(served_model, "INFER_AFTER", 40)
    draw = random.Random(5)
    events = []
    for t in range(200):
        keys = draw.sample("abcdef", 6)
        events.append(Event(f"e{t}", {key: draw.gauss(0, 1) for key in keys}))
    engines = [opened(tmp_path / name, learner=learner) for name in ("one", "many")]
    for engine, size in zip(engines, (1, 50), strict=True):
        for at in range(0, 200, size):
            score(engine, *events[at : at + size])
            label(engine, *(Label(one.id, one.features["a"] > 1.0) for one in events[at : at + size]))
    assert bits(engines[0]) == bits(engines[1])
    for engine in engines:
        engine.close()


def test_a_label_of_another_history_is_not_in_the_model(tmp_path: Path) -> None:
    """A log that was restored from a copy goes on otherwise than the snapshots beside it."""
    model = fresh()
    model.learn_one({"amount": 1.0}, 0)
    engine = open_engine(tmp_path / "fraud", lambda: model)
    learn(engine, 20)
    backup(tmp_path / "fraud", tmp_path / "copy")
    learn(engine, 20, 20)
    engine.close()  # a snapshot after 40 labels
    shutil.copy(tmp_path / "copy" / "log.sqlite", tmp_path / "fraud" / "log.sqlite")
    engine = open_engine(tmp_path / "fraud", settings=Settings(accept_loss=True))
    assert engine.served.learnt == 20
    learn(engine, 30, 100)
    before = bits(engine)
    engine.log.close()
    engine._lock.release()
    again = open_engine(tmp_path / "fraud")
    assert bits(again) == before
    again.close()


def test_no_snapshot_is_written_of_a_model_that_lacks_a_label(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = fresh()
    model.learn_one({"amount": 1.0}, 0)
    engine = open_engine(tmp_path, lambda: model)
    score(engine, Event("a", {"amount": 1.0}))

    def fail(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(engine.served, "learn", fail)
        with pytest.raises(MemoryError):
            label(engine, Label("a", True))
    engine.close()
    again = open_engine(tmp_path)
    assert again.served.learnt == 1
    again.close()


def test_a_number_and_a_text_of_one_name_give_the_same_bits_after_a_restart(tmp_path: Path) -> None:
    """``k=1017`` and ``shop=s23000`` share a slot, whichever was a number."""
    found = []
    for name in ("crashed", "closed"):
        model = fresh()
        model.learn_one({"x": 1.0}, 0)
        engine = open_engine(tmp_path / name, lambda model=model: model)
        score(engine, Event("a", {"k=1017": 2.0, "x": 1.0}), Event("b", {"shop": "s23000", "x": 1.0}))
        label(engine, Label("a", 1))
        if name == "closed":
            engine.close()
            engine = open_engine(tmp_path / name)
        label(engine, Label("b", 1))
        found.append(engine.served.model.coef_.tolist())
        engine.close()
    assert found[0] == found[1]


def test_saving_changes_no_later_score(tmp_path: Path) -> None:
    engines = [opened(tmp_path / name, learner="auto") for name in ("plain", "saved")]
    for begin in range(0, 300, 50):
        for engine in engines:
            learn(engine, 50, begin)
        engines[1].snapshots.write(*engines[1].snapshot())
    assert bits(engines[0]) == bits(engines[1])
    for engine in engines:
        engine.close()


def test_a_new_directory_needs_a_model(tmp_path: Path) -> None:
    with pytest.raises(CostreamError, match="no model to begin with"):
        open_engine(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_another_model_than_the_one_it_began_with_is_refused(tmp_path: Path) -> None:
    opened(tmp_path).close()
    with pytest.raises(CostreamError, match="began with another model: carow-diag"):
        open_engine(tmp_path, lambda: OnlineClassifier("carow-diag", Cost(100, 5)))
    opened(tmp_path).close()  # the lock is free again


def test_a_label_that_stops_learning_is_rejected_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = opened(tmp_path)
    learn(engine, 40)
    engine.close()
    for file in engine.snapshots.files():
        file.unlink()
    sound = Core.learn_row

    def unsound(self: Core, x: dict[str, object], *rest: object, **more: object) -> float:
        if x["amount"] == 3.0 and x["shop"] == "s17":
            raise KeyError("unsound")
        return sound(self, x, *rest, **more)

    monkeypatch.setattr(Core, "learn_row", unsound)
    monkeypatch.setattr(served_model, "SINGLY", 1000)
    again = opened(tmp_path)
    assert again.status().rejected == 1
    assert again.served.learnt == 39
    again.close()
