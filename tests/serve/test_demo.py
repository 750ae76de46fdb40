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


def test_ids_are_unique(two_turns):
    assert len({one.event["id"] for one in two_turns}) == len(two_turns)


def test_a_demo_without_a_service_waits_until_it_is_stopped():
    stopping = threading.Event()
    thread = demo.start_demo("http://127.0.0.1:9", stopping)
    assert thread.is_alive()
    stopping.set()
    thread.join(10.0)
    assert not thread.is_alive()
