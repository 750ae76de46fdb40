"""Clocks that go back, also across a restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from costream.serve.engine.engine import Engine
from costream.serve.engine.recovery import open_engine
from costream.serve.messages import Event, Label
from costream.serve.settings import Settings
from helpers.crashes import crashed, trained
from helpers.engines import START, Hand, expire, label, score, statuses
from helpers.histories import costs_of, faults_of, records_of, replay, stored_costs

MINUTE = 60.0


def started(directory: Path, clock: Hand, **settings: float) -> Engine:
    return open_engine(directory, trained, Settings(**{"expire": MINUTE, **settings}), clock)


def event(name: str) -> Event:
    return Event(name, {"amount": float(len(name)), "shop": name})


def check(engine: Engine) -> None:
    """The model and the costs are those of the records, and no time falls."""
    bits, directory = engine.served.dump({}), engine.directory
    engine.close()
    records = records_of(directory)
    assert faults_of(records) == []
    assert stored_costs(records) == costs_of(records)
    assert replay(records).bits == bits


def test_nothing_expires_early_when_the_clock_goes_back(tmp_path: Path) -> None:
    clock = Hand()
    engine = started(tmp_path, clock)
    score(engine, event("a"))
    clock.seconds = START - 1000 * MINUTE
    score(engine, event("b"))
    assert expire(engine) == 0
    clock.seconds = START + 0.999 * MINUTE  # b waits as long as a: its time stood still at that of a
    assert expire(engine) == 0
    clock.seconds = START + MINUTE
    assert expire(engine) == 2
    check(engine)


def test_an_expiry_stays_one_when_the_clock_goes_back(tmp_path: Path) -> None:
    clock = Hand()
    engine = started(tmp_path, clock)
    score(engine, event("a"))
    clock.seconds += MINUTE
    assert expire(engine) == 1
    clock.seconds -= 5 * MINUTE
    assert expire(engine) == 0
    assert statuses(label(engine, Label("a", True))) == ["revised"]
    check(engine)


@pytest.mark.parametrize("restart", [False, True], ids=["running", "restarted"])
def test_the_times_of_records_never_fall(tmp_path: Path, restart: bool) -> None:
    clock = Hand()
    engine = started(tmp_path, clock)
    for number, step in enumerate([0, 30, -500, 10, 480, -20, 700]):
        clock.seconds += step
        if restart:
            crashed(engine)
            engine = started(tmp_path, clock)
        score(engine, event(f"e{number}"))
        label(engine, Label(f"e{number - 1}", False))
        expire(engine)
    received = [row[0] for row in engine.log.read("SELECT received FROM events ORDER BY seq")]
    assert received == [1000 * int(START + at) for at in (0, 30, 30, 30, 30, 30, 700)]
    check(engine)


def test_a_start_does_not_read_the_clock(tmp_path: Path) -> None:
    clock = Hand()
    engine = started(tmp_path, clock)
    score(engine, *map(event, ("a", "b", "c")))
    label(engine, Label("b", True))
    clock.seconds += MINUTE
    expire(engine)
    score(engine, event("waits"))
    bits = engine.served.dump({})
    crashed(engine)

    def no_clock() -> float:
        raise AssertionError("the clock was read")

    again = open_engine(tmp_path, trained, Settings(expire=MINUTE), no_clock)
    assert again.served.dump({}) == bits
    assert again.status().pending == 1
    crashed(again)
