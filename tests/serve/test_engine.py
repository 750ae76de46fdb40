"""Events and labels through the engine: answers, statuses, costs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from costream import Cost, OnlineClassifier
from costream.serve.engine.engine import SEVERAL, Engine
from costream.serve.engine.jobs import Scored
from costream.serve.engine.recovery import open_engine
from costream.serve.messages import Event, Label, Problem
from costream.serve.storage.records import EVENT, EventRecord
from helpers.engines import DAY, Hand, expire, label, opened, score, statuses


@pytest.fixture
def engine(tmp_path: Path):
    made = opened(tmp_path)
    yield made
    made.close()


def sole(results: list[object]) -> Problem:
    [found] = results
    assert isinstance(found, Problem)
    return found


@pytest.mark.parametrize(("first", "again"), [(1, 1.0), (2.0, 2), ({"b": 1}, {"b": 1.0})])
def test_a_number_may_be_written_otherwise_when_it_is_sent_again(
    engine: Engine, first: object, again: object
) -> None:
    score(engine, Event("a", {"x": first}, time=5))
    [scored] = score(engine, Event("a", {"x": again}, time=5.0))
    assert isinstance(scored, Scored)
    assert scored.replayed


def test_true_is_not_one(engine: Engine) -> None:
    score(engine, Event("a", {"x": True}))
    assert sole(score(engine, Event("a", {"x": 1}))).status == 409


@pytest.mark.parametrize(
    "event",
    [
        Event("x" * 201, {}),
        Event("ä" * 101, {}),
        Event("a\0b", {}),
        Event("a", {"big": 10**400}),
        Event("a", {"deep": [[1]]}),
        Event("a", {}, time="yesterday"),
        Event("a", {}, time=-1),
        Event("a", {f"x{j}": 1.0 for j in range(1001)}),
        Event("a", {"x": {f"x{j}": 1.0 for j in range(1001)}}),
        Event("a", {"x": [f"x{j}" for j in range(1001)]}),
        Event("a", {}, fn_cost=1e13),
    ],
    ids=[
        "long id",
        "bytes of id",
        "NUL",
        "large number",
        "nested list",
        "time",
        "negative time",
        "wide",
        "wide within",
        "many tags",
        "dear",
    ],
)
def test_a_bad_event_is_refused_and_the_rest_of_its_batch_is_not(engine: Engine, event: Event) -> None:
    refused, fine = score(engine, event, Event("fine", {"amount": 1.0}))
    assert isinstance(refused, Problem)
    assert refused.status == 422
    assert isinstance(fine, Scored)
    assert engine.status().events == 1


def trained() -> OnlineClassifier:
    model = OnlineClassifier("auto", Cost(fn_cost=50, fp_cost=5))
    X = np.random.default_rng(1).normal(size=(300, 3))
    model.learn_many([dict(zip("abc", x, strict=True)) for x in X.tolist()], (X[:, 0] > 1).astype(int))
    return model


PLAIN = [
    Event(f"e{n}", dict(zip("abc", x, strict=True)))
    for n, x in enumerate(np.random.default_rng(2).normal(size=(SEVERAL + 1, 3)).tolist())
]
WHOLE = [
    replace(one, features={"a": n, "b": n % 2 == 0, "c": one.features["c"]})
    for n, one in enumerate(PLAIN)
]
PRICED = [replace(one, fn_cost=float(n), fp_cost=5.0) for n, one in enumerate(PLAIN)]


@pytest.mark.parametrize(
    "events",
    [
        PLAIN,
        WHOLE,
        PRICED,
        [*PLAIN[1:], PRICED[0]],
        [*PLAIN[:-1], Event("text", {"a": "x", "b": 1.0, "c": 2.0})],
        [*PLAIN[:-1], Event("large", {"a": 10**400, "b": 1.0, "c": 2.0})],
        [*PLAIN, Event("other", {"a": 1.0, "b": 1.0, "d": 2.0})],
        [*PRICED[:-1], Event("cost", PLAIN[0].features, fn_cost=1e13)],
        [*PLAIN, PLAIN[3], replace(PLAIN[4], features={"a": 1.0, "b": 1.0, "c": 1.0})],
    ],
    ids=[
        "plain",
        "whole",
        "priced",
        "one priced",
        "text",
        "large",
        "unknown name",
        "bad cost",
        "twice",
    ],
)
def test_events_are_decided_together_as_one_by_one(tmp_path: Path, events: list[Event]) -> None:
    found = []
    for name in ("together", "alone"):
        engine = open_engine(tmp_path / name, trained)
        parts = [events] if name == "together" else [[one] for one in events]
        answers = [one for part in parts for one in score(engine, *part)]
        records = engine.log.read(f"SELECT {EVENT} FROM events e")
        found.append(
            (answers, [EventRecord._make(row)._replace(received=0, hour=0) for row in records])
        )
        engine.close()
    assert found[0] == found[1]


def test_plain_rows_of_numbers_are_decided_together(tmp_path: Path) -> None:
    engine = open_engine(tmp_path, trained)
    for events in (PLAIN, PRICED):
        assert engine.served.decide_together(events) == [engine.served.decide(one) for one in events]
    engine.close()


def test_an_empty_label_is_refused(engine: Engine) -> None:
    score(engine, Event("a", {"amount": 3.0}))
    assert sole(label(engine, Label("a", " "))).status == 422


def test_an_event_expires_after_the_window_and_its_label_corrects_the_costs(tmp_path: Path) -> None:
    clock = Hand()
    engine = opened(tmp_path, clock, expire=30 * DAY)
    score(engine, Event("a", {"amount": 3.0}, fn_cost=70.0))
    assert expire(engine) == 0
    clock.seconds += 30 * DAY
    assert expire(engine) == 1
    assert engine.served.model.counts == (0.0, 1.0)
    assert statuses(label(engine, Label("a", True))) == ["revised"]
    assert engine.served.model.counts == (0.0, 1.0)
    total = engine.summary().total
    assert (total.positives, total.labelled, total.expired) == (1, 1, 0)
    engine.close()


def test_at_window_a_label_waits_for_the_end_of_its_window(tmp_path: Path) -> None:
    clock = Hand()
    engine = opened(tmp_path, clock, expire=DAY, learn="at-window")
    score(engine, Event("a", {"amount": 3.0}), Event("b", {"amount": 1.0}))
    assert statuses(label(engine, Label("b", False), Label("b", True))) == ["deferred", "revised"]
    assert engine.served.learnt == 0
    clock.seconds += DAY
    assert expire(engine) == 2
    assert engine.served.model.counts == (1.0, 1.0)
    assert [row[0] for row in engine.log.read("SELECT kind FROM labels ORDER BY seq")] == [
        "deferred",
        "deferred",
        "expiry",
        "due",
    ]
    engine.close()


def test_costs_from_a_column_of_the_event(tmp_path: Path) -> None:
    def make() -> OnlineClassifier:
        from costream import CostColumn

        return OnlineClassifier("carow-diag", Cost(fn_cost=CostColumn("amount"), fp_cost=5))

    engine = open_engine(tmp_path, make)
    fine, refused = score(engine, Event("a", {"amount": 80.0, "x": 1.0}), Event("b", {"x": 1.0}))
    assert isinstance(fine, Scored)
    assert sole([refused]).status == 422
    label(engine, Label("a", True))
    assert engine.served.learnt == 1
    assert engine.find("a")["costs"]["fn_cost"] == 80.0
    engine.close()
