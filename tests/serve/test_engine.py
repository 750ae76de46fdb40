"""Events and labels through the engine: answers, statuses, costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from costream import Cost, OnlineClassifier
from costream.serve.engine.engine import Engine
from costream.serve.engine.jobs import LabelJob, Scored, ScoreJob
from costream.serve.engine.recovery import open_engine
from costream.serve.messages import Event, Label, Problem
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


def test_an_event_sent_again_gets_the_same_answer(engine: Engine) -> None:
    event = Event("a", {"amount": 3.0, "country": "FR"}, time="2026-11-01T10:00:00Z", fn_cost=40.0)
    [first], [again] = score(engine, event), score(engine, event)
    assert isinstance(first, Scored)
    assert isinstance(again, Scored)
    assert again.answer == first.answer
    assert (first.replayed, again.replayed) == (False, True)


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


def test_the_answer_stays_after_learning(engine: Engine) -> None:
    event = Event("a", {"amount": 3.0})
    [first] = score(engine, event)
    label(engine, Label("a", True))
    assert score(engine, event)[0].answer == first.answer


@pytest.mark.parametrize(
    "other",
    [
        Event("a", {"amount": 4.0, "hour": 1.0}),
        Event("a", {"hour": 1.0, "amount": 3.0}),  # another order numbers the columns otherwise
        Event("a", {"amount": 3.0, "hour": 1.0}, time=5.0),
        Event("a", {"amount": 3.0, "hour": 1.0}, fp_cost=7.0),
    ],
    ids=["value", "order", "time", "cost"],
)
def test_another_event_with_the_same_id_is_refused(engine: Engine, other: Event) -> None:
    score(engine, Event("a", {"amount": 3.0, "hour": 1.0}))
    assert sole(score(engine, other)).status == 409


def test_the_same_event_twice_in_a_batch_has_one_answer(engine: Engine) -> None:
    first, again = score(engine, *[Event("a", {"amount": 3.0})] * 2)
    assert isinstance(first, Scored)
    assert isinstance(again, Scored)
    assert again.answer == first.answer
    assert again.replayed
    assert engine.status().events == 1


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


def test_label_statuses(engine: Engine) -> None:
    score(engine, Event("a", {"amount": 3.0}))
    sent = [Label("a", True), Label("a", 1), Label("a", False), Label("a", False), Label("b", 0)]
    found = [label(engine, one)[0] for one in sent]
    assert statuses(found) == ["learnt", "duplicate", "revised", "duplicate", "unmatched"]
    assert [one.learnt for one in found] == [1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("text", "counts"),
    [("1", (1, 0)), ("0", (0, 1)), ("+1", (1, 0)), ("false", (0, 1)), ("TRUE", (1, 0))],
)
def test_a_label_may_be_text_as_in_files(
    engine: Engine, text: str, counts: tuple[float, float]
) -> None:
    score(engine, Event("a", {"amount": 3.0}))
    assert statuses(label(engine, Label("a", text))) == ["learnt"]
    assert engine.served.model.counts == counts


def test_an_empty_label_is_refused(engine: Engine) -> None:
    score(engine, Event("a", {"amount": 3.0}))
    assert sole(label(engine, Label("a", " "))).status == 422


def test_a_revision_says_that_it_is_not_unlearnt(engine: Engine) -> None:
    score(engine, Event("a", {"amount": 3.0}))
    _, revised = label(engine, Label("a", True), Label("a", False))
    assert revised.detail is not None
    assert "stays" in revised.detail


def test_a_label_that_is_none_is_refused(engine: Engine) -> None:
    score(engine, Event("a", {"amount": 3.0}))
    assert sole(label(engine, Label("a", "maybe"))).status == 422
    assert engine.status().labels == 0


def test_an_unmatched_label_is_learnt_when_its_event_comes(engine: Engine) -> None:
    label(engine, Label("a", False))
    label(engine, Label("a", True))  # the last one counts
    [scored] = score(engine, Event("a", {"amount": 3.0}))
    assert isinstance(scored, Scored)
    assert scored.answer.learnt == 0
    assert engine.served.model.counts == (1.0, 0.0)
    assert engine.status().unmatched == 0


def test_label_and_event_in_one_group(engine: Engine) -> None:
    first, second = LabelJob([Label("a", True)]), ScoreJob([Event("a", {"amount": 3.0})])
    engine.run([first, second])
    assert statuses(first.results) == ["learnt"]
    assert engine.status().pending == 0


def test_the_costs_follow_revisions(engine: Engine) -> None:
    score(engine, Event("a", {"amount": 3.0}, fn_cost=70.0, fp_cost=3.0))
    [flag] = engine.log.read("SELECT flag FROM events")[0]
    label(engine, Label("a", True))
    total = engine.summary().total
    assert (total.cost, total.flag_nothing, total.flag_all) == (0.0 if flag else 70.0, 70.0, 0.0)
    label(engine, Label("a", False))
    total = engine.summary().total
    assert (total.cost, total.flag_nothing, total.flag_all) == (3.0 if flag else 0.0, 0.0, 3.0)


def test_costs_are_by_the_day_of_the_event(engine: Engine) -> None:
    score(
        engine,
        Event("a", {}, time="2026-03-01T23:30:00Z"),
        Event("b", {}, time="2026-03-02T00:30:00+02:00"),
    )
    assert [(one.start, one.events) for one in engine.summary("day").rows] == [
        ("2026-03-01T00:00:00Z", 2)
    ]
    assert len(engine.summary("hour").rows) == 2


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


def test_a_label_after_expiry_that_agrees_is_recorded_once(tmp_path: Path) -> None:
    clock = Hand()
    engine = opened(tmp_path, clock, expire=DAY)
    score(engine, Event("a", {"amount": 3.0}))
    clock.seconds += DAY
    expire(engine)
    found = label(engine, Label("a", False), Label("a", False))
    assert statuses(found) == ["revised", "duplicate"]
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


def test_deferred_labels_are_learnt_when_labels_are_learnt_at_once(tmp_path: Path) -> None:
    engine = opened(tmp_path, expire=DAY, learn="at-window")
    score(engine, Event("a", {"amount": 3.0}))
    label(engine, Label("a", True))
    engine.close()
    engine = opened(tmp_path)
    assert expire(engine) == 1
    assert engine.served.model.counts == (1.0, 0.0)
    engine.close()


def test_too_many_pending_events_are_refused(tmp_path: Path) -> None:
    engine = opened(tmp_path, max_pending=1)
    _, second = score(engine, Event("a", {}), Event("b", {}))
    assert sole([second]).status == 429
    engine.close()


def test_too_many_unmatched_labels_are_refused(tmp_path: Path) -> None:
    engine = opened(tmp_path, max_unmatched=1)
    assert statuses(label(engine, Label("a", 1), Label("b", 1), Label("a", 0))) == [
        "unmatched",
        429,
        "unmatched",
    ]
    engine.close()


def test_an_unmatched_label_is_dropped_in_the_end(tmp_path: Path) -> None:
    clock = Hand()
    engine = opened(tmp_path, clock, keep_unmatched=DAY)
    label(engine, Label("a", True))
    clock.seconds += DAY + 1
    expire(engine)
    assert engine.status().unmatched == 0
    score(engine, Event("a", {"amount": 1.0}))
    assert engine.served.learnt == 0
    engine.close()


def test_reasons_come_with_flags_and_are_stored(tmp_path: Path) -> None:
    engine = opened(tmp_path, learner="auto")
    for t in range(40):
        score(engine, Event(f"t{t}", {"amount": float(t % 10), "hour": 3.0}))
        label(engine, Label(f"t{t}", t % 10 > 7))
    event = Event("a", {"amount": 9.0, "hour": 3.0})
    [scored] = score(engine, event)
    assert isinstance(scored, Scored)
    assert scored.answer.flag
    assert scored.answer.reasons
    assert scored.answer.reasons[0].feature == "amount"
    assert score(engine, event)[0].answer.reasons == scored.answer.reasons
    engine.close()


def test_as_many_reasons_as_asked_for(tmp_path: Path) -> None:
    engine = opened(tmp_path, learner="auto")
    for t in range(40):
        score(engine, Event(f"t{t}", {"amount": float(t % 10), "hour": t % 24}))
        label(engine, Label(f"t{t}", t % 10 > 7))
    [scored] = score(engine, Event("a", {"amount": 2.0, "hour": 3.0}), reasons=1)
    assert len(scored.answer.reasons) == 1
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


def test_an_event_can_be_looked_up(engine: Engine) -> None:
    score(engine, Event("a", {"amount": 3.0, "country": "FR"}, time=1_700_000_000))
    label(engine, Label("a", 1, time="2026-11-02"))
    found = engine.find("a")
    assert found is not None
    assert found["features"] == {"amount": 3.0, "country": "FR"}
    assert (found["state"], found["positive"], found["labels"][0]["label"]) == ("labelled", True, 1)
    assert engine.find("b") is None
