"""What one caller can make the service do is bounded: new names, long names, long requests."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from costream import Cost, OnlineClassifier
from costream.model.file import dumps
from costream.serve.engine import served_model as served_model_module
from costream.serve.engine import service as service_module
from costream.serve.engine.engine import Engine
from costream.serve.engine.jobs import LabelJob, ScoreJob
from costream.serve.engine.labelling import MOST_LEARNT
from costream.serve.engine.recovery import open_engine
from costream.serve.engine.served_model import ServedModel, TrainingExample
from costream.serve.engine.service import Service
from costream.serve.engine.verify import check
from costream.serve.messages import Event, Label, Problem
from costream.serve.settings import Settings
from helpers.commands import compiled_only
from helpers.engines import DAY, Hand, expire, fresh, label, opened, score

pytestmark = compiled_only


class Counted(str):
    """A name that counts how often it is looked up."""

    __slots__ = ()
    count = 0

    def __hash__(self) -> int:
        Counted.count += 1
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other)


def lookups(names: int) -> int:
    """How often names are looked up while rows with so many new ones are learnt."""
    rows = [{Counted(f"{t}-{n}"): 1.0 for n in range(names // 20)} for t in range(20)]
    served = ServedModel(dumps(fresh()))
    Counted.count = 0
    assert not served.learn(
        [TrainingExample(row, None, t % 2 == 0, t % 2) for t, row in enumerate(rows)]
    )
    return Counted.count


def test_learning_new_names_is_not_quadratic() -> None:
    assert lookups(800) < 3 * lookups(400)


def named(number: int, *names: str) -> Event:
    return Event(f"e{number}", dict.fromkeys(names, 1.0))


def features_of(engine: Engine, number: int) -> dict[str, Any]:
    found = engine.find(f"e{number}")
    assert found is not None
    return dict(found["features"])


def test_names_beyond_the_limit_are_left_out_and_counted(tmp_path: Path) -> None:
    engine = opened(tmp_path, max_names=3)
    score(engine, named(1, "a", "b"), named(2, "a", "c", "d", "e"))
    score(engine, named(3, "a", "f"))
    assert features_of(engine, 2) == {"a": 1.0, "c": 1.0}
    assert features_of(engine, 3) == {"a": 1.0}
    assert (engine.names.taken, engine.names.left_out) == (3, 3)
    assert (engine.status().names, engine.status().names_left_out) == (3, 3)
    answer = engine.find("e3")
    assert answer is not None
    assert answer["warnings"] == ["'f' is left out: the model takes no more names"]
    engine.close()


def test_names_are_counted_across_starts(tmp_path: Path) -> None:
    engine = opened(tmp_path, max_names=3)
    score(engine, named(1, "a", "b"))
    engine.close()
    engine = opened(tmp_path, max_names=3)
    score(engine, named(2, "b", "c", "d"))
    assert features_of(engine, 2) == {"b": 1.0, "c": 1.0}
    engine.close()


def test_an_event_that_lost_a_name_is_known_again(tmp_path: Path) -> None:
    """Also where the limit was raised meanwhile; another value, or another id, is another event."""
    engine = opened(tmp_path, max_names=1)
    first = score(engine, named(1, "a", "b"))[0]
    engine.close()
    engine = opened(tmp_path, max_names=5)
    again, other = score(engine, named(1, "a", "b"), Event("e1", {"a": 2.0, "b": 1.0}))
    assert (again.replayed, again.answer) == (True, first.answer)  # type: ignore[union-attr]
    assert isinstance(other, Problem)
    assert other.status == 409
    engine.close()


def test_nested_names_count_by_their_whole_names(tmp_path: Path) -> None:
    engine = opened(tmp_path, max_names=2)
    score(engine, Event("e1", {"card": {"age": 1.0, "limit": 2.0}}))
    score(engine, Event("e2", {"card": {"age": 3.0, "colour": 4.0}}), Event("e3", {"card": {"x": 1.0}}))
    assert [features_of(engine, n) for n in (2, 3)] == [{"card": {"age": 3.0}}, {"card": {}}]
    engine.close()


def test_a_known_name_is_no_way_past_the_limit(tmp_path: Path) -> None:
    engine = opened(tmp_path, max_names=1)
    score(engine, named(1, "a"))
    score(engine, Event("e2", {"a": {"b": 1.0}}))
    assert features_of(engine, 2) == {"a": {}}
    engine.close()


def test_events_that_are_refused_bring_no_names(tmp_path: Path) -> None:
    engine = opened(tmp_path, max_names=2)
    refused = score(engine, Event("e1", {"a": 1.0, "b": [[1.0]]}))[0]
    assert isinstance(refused, Problem)
    assert engine.names.taken == 0
    engine.close()


def test_long_texts_count_as_names(tmp_path: Path) -> None:
    """A model keeps them as names: in fields, in lists and in nested fields."""
    engine = opened(tmp_path, max_names=4, max_name=8)
    long = [f"{n} is a long text" for n in range(3)]
    score(engine, Event("e1", {"a": long[0], "b": ["short", long[1]]}))  # two names, two texts
    assert engine.names.taken == 4
    score(engine, Event("e2", {"a": long[0], "b": [long[1]]}), Event("e3", {"a": long[2], "b": "b"}))
    assert features_of(engine, 2) == {"a": long[0], "b": [long[1]]}
    assert features_of(engine, 3) == {"b": "b"}
    engine.close()
    engine = opened(tmp_path, max_names=4, max_name=8)
    score(engine, Event("e4", {"a": long[1], "b": "a short one"[:8]}))
    assert features_of(engine, 4) == {"b": "a short "}
    engine.close()


def test_a_text_that_is_too_long_is_refused(tmp_path: Path) -> None:
    engine = opened(tmp_path, max_text=300)
    texts: list[Any] = ["x" * 300, "x" * 301, "é" * 151, ["x" * 301], {"nested": "x" * 301}]
    results = score(engine, *(Event(f"e{n}", {"a": one}) for n, one in enumerate(texts)))
    assert [isinstance(one, Problem) for one in results] == [False, True, True, True, True]
    engine.close()


@pytest.mark.parametrize("value", ["FR", "2026-05-01 12:00"])
def test_a_model_keeps_the_fields_that_it_began_with(tmp_path: Path, value: str) -> None:
    model = OnlineClassifier("carow-diag", Cost(200, 5))
    model.learn_one({"amount": 1.0, "field": value}, 1)
    settings = Settings(max_names=0)
    engine = open_engine(tmp_path, lambda: model, settings)
    score(engine, Event("e1", {"amount": 2.0, "field": value, "other": 1.0}))
    assert features_of(engine, 1) == {"amount": 2.0, "field": value}
    engine.close()


def test_a_name_that_is_too_long_is_refused(tmp_path: Path) -> None:
    engine = opened(tmp_path, max_name=8)
    results = score(
        engine,
        named(1, "a" * 8),
        named(2, "a" * 9),
        named(3, "é" * 5),
        Event("e4", {"card": {"limit": 1.0}}),
    )
    assert [isinstance(one, Problem) for one in results] == [False, True, True, True]
    engine.close()


def test_records_beyond_a_lower_limit_replay_as_they_are(tmp_path: Path) -> None:
    engine = opened(tmp_path)
    for n in range(20):
        score(engine, named(n, *(f"{n}-{k}" for k in range(5))))
        label(engine, Label(f"e{n}", n % 3 == 0))
    engine.close()
    opened(tmp_path, max_names=1, max_name=1, max_features=1).close()
    assert check(tmp_path).differences == 0


def test_decisions_that_take_too_long_are_left_for_a_later_group(tmp_path: Path) -> None:
    engine = opened(tmp_path)
    job = ScoreJob([named(n, "a") for n in range(3)])
    rounds = 0
    while job.done < job.rows:
        engine.begin([job], seconds=0.0)
        engine.commit()
        engine.finish()
        rounds += 1
    assert rounds == 3
    assert [one.answer.id for one in job.results] == ["e0", "e1", "e2"]  # type: ignore[union-attr]
    engine.close()


def test_a_group_learns_a_bounded_amount(tmp_path: Path) -> None:
    engine = opened(tmp_path)
    wide = {f"name of a feature {n}": 1.0 for n in range(900)}
    events = [Event(f"e{n}", wide) for n in range(50)]
    assert 50 * len(str(wide)) > 2 * MOST_LEARNT
    score(engine, *events)
    job = LabelJob([Label(one.id, n % 2) for n, one in enumerate(events)])
    learnt = []
    while job.done < job.rows:
        engine.run([job])
        learnt.append(engine.served.learnt)
    assert 1 < len(learnt) < 6
    assert [one.status for one in job.results] == ["learnt"] * 50
    engine.close()


def test_a_bounded_amount_expires_at_a_time(tmp_path: Path) -> None:
    clock = Hand()
    engine = opened(tmp_path, clock, expire=DAY)
    wide = {f"name of a feature {n}": 1.0 for n in range(900)}
    score(engine, *(Event(f"e{n}", wide) for n in range(50)))
    clock.seconds += 2 * DAY
    assert 0 < expire(engine) < 50
    engine.close()


def served(directory: Path, **settings: Any) -> Service:
    return Service.open(directory, fresh, Settings(**settings))


def test_a_large_batch_lets_others_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "SECONDS_A_GROUP", 0.0)

    async def both() -> list[str]:
        service, order = served(tmp_path), []
        await service.start()

        async def send(name: str, count: int) -> None:
            results = await service.score(
                [named(n, "a") for n in range(count)] if count > 1 else [Event(name, {"a": 1.0})]
            )
            assert all(not isinstance(one, Problem) for one in results)
            order.append(name)

        await asyncio.gather(send("batch", 10), send("one", 1), send("two", 1))
        await service.stop()
        return order

    assert asyncio.run(both()) == ["one", "two", "batch"]


def test_a_name_of_signs_is_not_kept_in_a_hundred_parts(tmp_path: Path) -> None:
    """What stands before each ``=`` may be a field: a start would keep that of all names."""
    engine = opened(tmp_path)
    score(engine, Event("e1", {f"{n}" + "=" * 190: 1.0 for n in range(100)}))
    label(engine, Label("e1", 1))
    engine.close()
    engine = opened(tmp_path)
    assert len(engine.names.known) < 1000
    engine.close()


def test_what_a_large_model_knows_is_looked_at_beside_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    renew, threads = ServedModel.renew_fit, []

    def renew_noting(self: ServedModel) -> None:
        if not self.infers:
            threads.append(threading.current_thread())
        renew(self)

    async def labelled() -> None:
        service = served(tmp_path)
        await service.start()
        threads.clear()
        for part in range(3):
            events = [named(n, "a") for n in range(40 * part, 40 * part + 40)]
            await service.score(events)
            await service.label([Label(one.id, n % 2) for n, one in enumerate(events)])
        await service.stop()

    monkeypatch.setattr(served_model_module, "INFER_AFTER", 50)
    monkeypatch.setattr(ServedModel, "renew_fit", renew_noting)
    asyncio.run(labelled())
    assert threads
    assert threading.main_thread() not in threads


def test_a_large_group_is_learnt_beside_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand tags that are new take ten times as long to learn as to read: health checks wait."""
    learn, threads = ServedModel.learn, []

    def learn_noting(self: ServedModel, *examples: Any) -> dict[int, str]:
        threads.append(threading.current_thread())
        return learn(self, *examples)

    async def labelled() -> None:
        service = served(tmp_path)
        await service.start()
        for size in (1000, 2):
            events = [Event(f"{size} {n}", {"t": [f"{n} {k}" for k in range(size)]}) for n in range(40)]
            await service.score(events)
            await service.label([Label(one.id, n % 2) for n, one in enumerate(events)])
        await service.stop()

    monkeypatch.setattr(ServedModel, "learn", learn_noting)
    asyncio.run(labelled())
    assert [one is threading.main_thread() for one in threads] == [False, True]


def test_rows_of_a_batch_that_the_disk_has_no_room_for_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that are on disk are answered all the same."""
    monkeypatch.setattr(service_module, "SECONDS_A_GROUP", 0.0)

    async def filled() -> tuple[list[Any], int]:
        service = served(tmp_path)
        await service.start()
        pages = service.engine.log._db.execute("PRAGMA page_count").fetchone()[0]
        service.engine.log._db.execute(f"PRAGMA max_page_count = {pages + 20}")
        results = await service.score([Event(f"e{n}", {"a": "x" * 3900}) for n in range(40)])
        stored = service.engine.log.count("events")
        await service.stop()
        return results, stored

    results, stored = asyncio.run(filled())
    full = [isinstance(one, Problem) for one in results]
    assert 0 < stored < 40
    assert full == [n >= stored for n in range(40)]
    assert {(one.status, one.id) for one in results[stored:]} == {
        (503, f"e{n}") for n in range(stored, 40)
    }
