"""Clocks that jump ahead, while a service runs and while it is stopped, and time that stands still."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from costream import CostreamError
from costream.serve.engine.clock import Clock
from costream.serve.engine.engine import Engine
from costream.serve.engine.maintenance import compact
from costream.serve.engine.timekeeping import accept, set_back, times_of
from costream.serve.engine.verify import check
from costream.serve.messages import Event, Label
from helpers.commands import compiled_only, in_process
from helpers.crashes import crashed
from helpers.engines import DAY, START, Hand, Hands, expire, label, opened, score

pytestmark = compiled_only
YEAR = 365 * DAY
MINUTE, HOUR = 60.0, 3600.0
WINDOW = 30 * DAY


def event(name: str) -> Event:
    return Event(name, {"amount": float(len(name))})


def started(directory: Path, clock: Hand) -> Engine:
    return opened(directory, clock, expire=WINDOW)


def kinds(engine: Engine) -> list[str]:
    return [row[0] for row in engine.log.read("SELECT kind FROM operations ORDER BY seq")]


def times(engine: Engine) -> list[float]:
    """When events were received, in seconds after the beginning."""
    return [row[0] / 1000 - START for row in engine.log.read("SELECT received FROM events")]


def is_sound(engine: Engine) -> bool:
    directory = engine.directory
    engine.close()
    return check(directory).differences == 0


# --- while it runs ------------------------------------------------------------------------------------


def test_nothing_expires_by_a_jump_of_three_seconds(tmp_path: Path) -> None:
    clock = Hands()
    engine = started(tmp_path, clock)
    score(engine, event("a"))
    clock.seconds += YEAR
    for _ in range(3):
        clock.go(1)
        assert expire(engine) == 0
    score(engine, event("b"))
    clock.seconds -= YEAR
    clock.go(10)
    score(engine, event("c"))
    assert times(engine) == [0, 3, 13]
    assert kinds(engine) == ["clock-ahead", "clock-agrees"]
    clock.go(WINDOW)
    assert expire(engine) == 3
    assert is_sound(engine)


def test_a_clock_that_has_held_for_an_hour_is_right(tmp_path: Path) -> None:
    """As after a pause of a virtual machine, in which no time passes for it."""
    clock = Hands()
    engine = started(tmp_path, clock)
    score(engine, event("old"))
    clock.seconds += 20 * DAY
    score(engine, event("meanwhile"))
    clock.go(59 * MINUTE)
    expire(engine)
    assert kinds(engine) == ["clock-ahead"]
    clock.go(MINUTE)
    expire(engine)
    assert kinds(engine) == ["clock-ahead", "clock-accepted"]
    score(engine, event("later"))
    assert times(engine) == [0, 0, 20 * DAY + 3600]
    clock.go(10 * DAY)
    assert expire(engine) == 1  # the old one
    clock.go(19.9 * DAY)
    assert expire(engine) == 0  # the other came after the jump, whatever its record says
    clock.go(0.1 * DAY)
    assert expire(engine) == 2
    assert is_sound(engine)


def test_a_label_without_an_event_is_not_given_up_early_by_a_jump(tmp_path: Path) -> None:
    clock = Hands()
    engine = opened(tmp_path, clock, keep_unmatched=10 * DAY)
    score(engine, event("a"))
    clock.go(1)
    clock.seconds += 9 * DAY
    expire(engine)
    clock.go(1)
    label(engine, Label("later", True))
    clock.go(60 * MINUTE)
    expire(engine)
    clock.go(2 * DAY)
    expire(engine)
    assert engine.status().unmatched == 1
    assert is_sound(engine)


def test_a_clock_that_goes_back_for_a_while_is_still_trusted() -> None:
    hands = Hands()
    clock = Clock(hands, hands.passed, 0)
    began = clock.now()
    hands.seconds -= 2 * HOUR
    hands.go(30 * MINUTE)
    assert clock.now() == began
    hands.seconds += 2 * HOUR
    hands.go(1)
    assert clock.now() == began + 1801 * 1000
    assert clock.steps == []


def test_a_clock_that_was_put_back_for_good_is_ahead_where_it_was() -> None:
    hands = Hands()
    clock = Clock(hands, hands.passed, 0)
    began = clock.now()
    hands.seconds -= 2 * HOUR
    for _ in range(3):
        hands.go(40 * MINUTE)
        assert clock.now() == began
    hands.seconds += 2 * HOUR
    assert clock.now() == began
    assert [step.kind for step in clock.steps] == ["clock-ahead"]


@pytest.mark.parametrize(("ahead", "passed", "steps"), [(60, 60, []), (61, 0, ["clock-ahead"])])
def test_a_minute_ahead_is_no_jump(ahead: int, passed: int, steps: list[str]) -> None:
    hands = Hands()
    clock = Clock(hands, hands.passed, 0)
    began = clock.now()
    hands.seconds += ahead
    assert clock.now() == began + passed * 1000
    assert [step.kind for step in clock.steps] == steps


# --- after a stop -------------------------------------------------------------------------------------


def stopped(directory: Path, clock: Hand) -> None:
    engine = started(directory, clock)
    score(engine, event("a"))
    crashed(engine)


def test_after_a_long_stop_nothing_expires_until_the_clock_has_held(tmp_path: Path) -> None:
    clock = Hands()
    stopped(tmp_path, clock)
    clock.seconds += YEAR
    engine = started(tmp_path, clock)
    assert expire(engine) == 0
    assert engine.status().clock_in_doubt
    clock.go(9.9 * MINUTE)
    assert expire(engine) == 0
    clock.go(0.1 * MINUTE)
    expire(engine)
    assert expire(engine) == 1
    assert kinds(engine) == ["clock-ahead", "clock-accepted"]
    assert is_sound(engine)


def test_a_start_with_a_clock_that_is_wrong_for_a_while_is_harmless(tmp_path: Path) -> None:
    clock = Hands()
    stopped(tmp_path, clock)
    clock.seconds += YEAR
    engine = started(tmp_path, clock)
    score(engine, event("b"))
    clock.go(3)
    clock.seconds -= YEAR
    assert expire(engine) == 0
    score(engine, event("c"))
    assert times(engine) == [0, YEAR, 3]
    assert kinds(engine) == ["clock-ahead", "clock-set-back"]
    clock.go(WINDOW - 4)
    assert expire(engine) == 0
    clock.go(1)
    assert expire(engine) == 1
    clock.go(3)
    assert expire(engine) == 2
    assert is_sound(engine)


def test_a_second_start_does_not_settle_the_clock(tmp_path: Path) -> None:
    clock = Hands()
    stopped(tmp_path, clock)
    clock.seconds += YEAR
    for _ in range(2):
        engine = started(tmp_path, clock)
        assert expire(engine) == 0
        score(engine, event(f"at {clock.seconds}"))
        clock.go(5 * MINUTE)
        assert expire(engine) == 0
        crashed(engine)
    clock.seconds -= YEAR
    engine = started(tmp_path, clock)
    score(engine, event("right"))
    assert times(engine)[-1] == 600
    assert is_sound(engine)


def test_a_start_does_not_settle_a_jump_of_some_hours(tmp_path: Path) -> None:
    """The log knows that the clock is in doubt, however short the stop."""
    clock = Hands()
    engine = opened(tmp_path, clock, expire=DAY / 2)
    score(engine, event("a"))
    clock.seconds += 20 * HOUR
    assert expire(engine) == 0
    engine.close()
    clock.go(2)
    engine = opened(tmp_path, clock, expire=DAY / 2)
    assert expire(engine) == 0
    clock.seconds -= 20 * HOUR
    clock.go(MINUTE)
    assert expire(engine) == 0
    clock.go(DAY / 2)
    assert expire(engine) == 1
    assert is_sound(engine)


def test_the_operator_says_that_the_clock_is_right(tmp_path: Path) -> None:
    clock = Hands()
    stopped(tmp_path, clock)
    clock.seconds += YEAR
    assert times_of(tmp_path, clock).is_in_doubt
    accept(tmp_path, clock)
    assert not times_of(tmp_path, clock).is_in_doubt
    engine = started(tmp_path, clock)
    assert expire(engine) == 1
    assert is_sound(engine)


def test_nothing_is_removed_by_a_clock_that_may_be_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from costream.serve.engine import served_model

    monkeypatch.setattr(served_model, "INFER_AFTER", 1)
    engine = started(tmp_path, Hand(START - 20 * 365 * DAY))  # years before the clock of the machine
    score(engine, event("a"), event("b"))
    label(engine, Label("a", True), Label("b", False))
    engine.close()
    with pytest.raises(CostreamError, match="may be wrong"):
        compact(tmp_path, DAY)


# --- time that stands still ---------------------------------------------------------------------------


@pytest.fixture
def future(tmp_path: Path) -> Path:
    """A directory that was begun by a clock a year ahead."""
    clock = Hand(START + YEAR)
    engine = started(tmp_path, clock)
    score(engine, *map(event, ("a", "bb", "ccc")))
    label(engine, Label("a", True), Label("not yet", False))
    engine.close()
    return tmp_path


def test_time_that_stands_still_goes_on_from_the_clock(future: Path) -> None:
    clock = Hands()
    assert times_of(future, clock).stands_still
    before = check(future)
    set_back(future, clock)
    after = check(future)
    assert (before.differences, after.differences) == (0, 0)
    assert (before.decisions, before.labels) == (after.decisions, after.labels)
    engine = started(future, clock)
    clock.go(10)
    score(engine, event("now"))
    assert times(engine)[-1] == 10
    clock.go(WINDOW - 11)
    assert expire(engine) == 0
    clock.go(1)
    assert expire(engine) == 2
    clock.go(10)
    assert expire(engine) == 1
    assert engine.status().unmatched == 0
    assert is_sound(engine)


def test_events_before_the_clock_keep_their_time_where_only_labels_came_after_it(
    tmp_path: Path,
) -> None:
    clock = Hands()
    engine = started(tmp_path, clock)
    score(engine, event("a"), event("bb"))
    engine.close()
    clock.seconds += YEAR
    engine = started(tmp_path, clock)
    label(engine, Label("a", True))
    engine.close()
    clock.seconds += 10 * DAY - YEAR
    set_back(tmp_path, clock)
    engine = started(tmp_path, clock)
    assert expire(engine) == 0
    clock.go(20 * DAY - 1)
    assert expire(engine) == 0
    clock.go(1)
    assert expire(engine) == 1
    assert is_sound(engine)


def test_time_that_was_set_back_stays_so_at_later_starts(future: Path) -> None:
    clock = Hands()
    set_back(future, clock)
    for _ in range(2):
        started(future, clock).close()
        clock.go(100)
    assert times_of(future, clock).last == START * 1000
    assert not times_of(future, clock).stands_still


def test_the_clock_of_a_service_that_runs_is_not_corrected(future: Path) -> None:
    engine = started(future, Hand(START))
    with pytest.raises(CostreamError, match="in use by another process"):
        set_back(future, Hand(START))
    engine.close()


def test_the_command_shows_and_corrects(tmp_path: Path) -> None:
    engine = started(tmp_path, Hand(4_000_000_000.0))
    score(engine, event("a"))
    engine.close()
    shown = in_process("serve", "clock", tmp_path)
    assert "last record: 2096-10-02T07:06:40Z" in shown.stdout
    assert "time stands still" in shown.stdout
    assert "--set-back" in shown.stderr
    corrected = in_process("serve", "clock", tmp_path, "--set-back")
    assert "goes on from the clock" in corrected.stdout
    assert "INFO costream: clock set-back by=" in corrected.stderr
    assert "they agree" in in_process("serve", "clock", tmp_path).stdout
    checked = json.loads(in_process("replay", tmp_path, "--check", "--json").stdout)
    assert (checked["decisions"], checked["differences"]) == (1, 0)
