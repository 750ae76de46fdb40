"""The demo: which payments come, when, and with which ids."""

import itertools
import threading

import pytest

from costream.datasets.payment_events import DAY
from costream.serve import demo

NOW = 1_800_000_000.0  # 08:00 in UTC


@pytest.fixture(scope="module")
def two_turns():
    return list(itertools.islice(demo.demo_payments(0, NOW), 2 * demo.ROWS - 500))


def test_payments_are_of_the_90_days_until_now(two_turns):
    times = [one.event["time"] for one in two_turns]
    assert NOW - 90 * DAY < min(times) < NOW - 89 * DAY
    assert NOW - 0.1 * DAY < max(times) <= NOW


def test_payments_are_sent_in_order(two_turns):
    due = [one.due for one in two_turns]
    assert due == sorted(due)


def test_ids_are_unique(two_turns):
    assert len({one.event["id"] for one in two_turns}) == len(two_turns)


def test_another_start_has_other_ids(two_turns):
    later = next(demo.demo_payments(0, NOW + 0.001))
    assert later.event["id"] != two_turns[0].event["id"]


def test_the_next_turn_has_other_payments_on_the_same_days(two_turns):
    second = next(one for one in two_turns if one.due >= 90 * DAY)
    assert second.event["features"] != two_turns[0].event["features"]
    assert abs(second.event["time"] - two_turns[0].event["time"]) < DAY


def test_labels_of_both_classes_come_days_later(two_turns):
    assert {one.positive for one in two_turns} == {True, False}
    assert all(0.2 * DAY < one.label_due - one.due < 61 * DAY for one in two_turns)


def test_a_demo_without_a_service_waits_until_it_is_stopped():
    stopping = threading.Event()
    thread = demo.start_demo("http://127.0.0.1:9", stopping)
    assert thread.is_alive()
    stopping.set()
    thread.join(10.0)
    assert not thread.is_alive()
