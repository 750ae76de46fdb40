"""What the model said of an event is kept, and the model is judged by that when the label comes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from costream import Cost, OnlineClassifier, dumps
from costream.learners import Auto
from costream.serve.engine import served_model
from costream.serve.engine.engine import Engine
from costream.serve.engine.recovery import open_engine
from costream.serve.engine.replay import total_costs
from costream.serve.engine.verify import check
from costream.serve.messages import Event, Label
from costream.serve.settings import Settings
from costream.serve.storage.records import EVENT, EventRecord
from helpers.commands import compiled_only
from helpers.crashes import crashed
from helpers.engines import Hand, changed, expire, label, score
from helpers.portfolios import be_quick

pytestmark = compiled_only
ROWS, LATE = 100, 10
X, POSITIVE = np.random.default_rng(0).normal(size=(ROWS, 3)), []
POSITIVE = (X[:, 0] + np.where(np.arange(ROWS) < 60, X[:, 1], -X[:, 1]) > 0.3).tolist()


@pytest.fixture(autouse=True)
def _adaptive(monkeypatch: pytest.MonkeyPatch) -> None:
    be_quick(monkeypatch)
    monkeypatch.setattr(served_model, "INFER_AFTER", 10**9)  # rows are read by their types to the end


def new() -> OnlineClassifier:
    return OnlineClassifier(Auto(views=("linear",)), Cost(5, 1))


def features(n: int) -> dict[str, float]:
    return dict(zip("abc", X[n].tolist(), strict=True))


def opened(directory: Path, clock: Hand | None = None, **settings: Any) -> Engine:
    return open_engine(directory, new, Settings(**settings), clock or Hand())


def served(directory: Path) -> Engine:
    """A service that has decided on all events, and has the labels of all but the last ones."""
    engine = opened(directory)
    for n in range(ROWS):
        score(engine, Event(f"e{n}", features(n)))
        if n >= LATE:
            label(engine, Label(f"e{n - LATE}", POSITIVE[n - LATE]))
    return engine


def model_of(engine: Engine) -> bytes:
    return engine.served.dump({})


def in_python(known: bool) -> OnlineClassifier:
    """The same with a model alone, which is told what it has said, or is not."""
    model, said = new(), []
    for n in range(ROWS):
        said.append(model.forecast_one(features(n)))
        if n >= LATE:
            then = n - LATE
            told = {"forecast": said[then]} if known else {}
            model.learn_one(features(then), POSITIVE[then], **told)
    return model


def mixture_of(model: OnlineClassifier) -> list[float]:
    return [one.share for one in model.standings().half_lives]


def test_a_late_label_is_judged_by_what_was_said(tmp_path: Path) -> None:
    engine = served(tmp_path)
    assert mixture_of(engine.served.model) == mixture_of(in_python(known=True))
    assert mixture_of(engine.served.model) != mixture_of(in_python(known=False))
    engine.close()


def test_labels_in_a_group_are_judged_as_one_by_one(tmp_path: Path) -> None:
    model, said = new(), []
    engine = opened(tmp_path)
    for begin in range(0, ROWS, 25):
        part = range(begin, begin + 25)
        score(engine, *(Event(f"e{n}", features(n)) for n in part))
        said += [model.forecast_one(features(n)) for n in part]
        label(engine, *(Label(f"e{n}", POSITIVE[n]) for n in part))
        for n in part:
            model.learn_one(features(n), POSITIVE[n], forecast=said[n])
    assert mixture_of(engine.served.model) == mixture_of(model)
    engine.close()


def test_what_expires_is_judged_by_what_was_said(tmp_path: Path) -> None:
    clock = Hand()
    engine, model = opened(tmp_path, clock, expire=60.0), new()
    score(engine, *(Event(f"e{n}", features(n)) for n in range(30)))
    said = [model.forecast_one(features(n)) for n in range(30)]
    for n in range(15):
        label(engine, Label(f"e{n}", True))
        model.learn_one(features(n), True, forecast=said[n])
    clock.seconds += 61
    assert expire(engine) == 15
    for n in range(15, 30):
        model.learn_one(features(n), False, forecast=said[n])
    assert mixture_of(engine.served.model) == mixture_of(model)
    engine.close()


def test_it_outlives_a_crash(tmp_path: Path) -> None:
    engine = served(tmp_path)
    before = model_of(engine)
    crashed(engine)
    engine = opened(tmp_path)
    assert model_of(engine) == before
    engine.close()


def test_replay_makes_it_again(tmp_path: Path) -> None:
    served(tmp_path / "fraud").close()
    assert check(tmp_path / "fraud").differences == 0
    statement = "UPDATE events SET forecast = zeroblob(40) WHERE id = 'e50'"
    found = check(changed(tmp_path / "fraud", tmp_path / "copy", statement, sealed=True))
    assert any("'e50'" in one for one in found.examples)


def test_another_learner_is_judged_by_what_it_would_have_said(tmp_path: Path) -> None:
    """A service of a linear learner keeps nothing; `auto` costs in replay what it costs live."""
    served(tmp_path / "auto").close()
    live = next(one for one in total_costs(tmp_path / "auto") if one.name.startswith("live"))
    engine = open_engine(tmp_path / "carow", lambda: OnlineClassifier("carow-diag", Cost(5, 1)))
    for n in range(ROWS):
        score(engine, Event(f"e{n}", features(n)))
        if n >= LATE:
            label(engine, Label(f"e{n - LATE}", POSITIVE[n - LATE]))
    records = [EventRecord._make(row) for row in engine.log.read(f"SELECT {EVENT} FROM events e")]
    engine.close()
    assert {one.forecast for one in records} == {None}
    again = total_costs(tmp_path / "carow", [Auto(views=("linear",))])[1]
    assert (again.name, again.tally) == ("auto", live.tally)


def test_what_another_kind_of_model_said_is_not_known() -> None:
    example = served_model.TrainingExample(features(0), None, True, True, b"12345678")
    told, not_told = (served_model.ServedModel(dumps(new())) for _ in range(2))
    assert told.learn([example]) == not_told.learn([example._replace(forecast=None)]) == {}
    assert told.dump({}) == not_told.dump({})
