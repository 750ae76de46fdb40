"""When payments with late labels are learnt, and as what."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

import late_labels

from costream.datasets.payment_events import DAY, PaymentEvent

NEVER = float("inf")


def event(day, positive, delay):
    return PaymentEvent(day * DAY, {}, 10.0, 5.0, positive, delay * DAY)


# A fraud known on day 9, one known too late, a payment without a label.
EVENTS = [event(0, True, 9), event(1, True, 40), event(2, False, NEVER)]


@pytest.mark.parametrize(
    ("way", "wanted"),
    [
        ("at-once", [(9, 0, True), (31, 1, False), (32, 2, False)]),
        ("at-window", [(30, 0, True), (31, 1, False), (32, 2, False)]),
        ("immediate", [(0, 0, True), (1, 1, True), (2, 2, False)]),
    ],
)
def test_examples_come_when_the_way_says(way, wanted):
    found = late_labels.examples(EVENTS, 30 * DAY, way)
    assert [(one.time / DAY, one.event, one.positive) for one in found] == wanted


def test_an_event_is_scored_by_what_was_learnt_before_it(monkeypatch):
    known = []

    class Model:
        def predict_one(self, x, **costs):
            known.append([*learnt])
            return 1

    learnt = []
    monkeypatch.setattr(late_labels, "learn", lambda _, event, *__: learnt.append(event.time))
    events = [event(day, False, NEVER) for day in (0, 5, 10)]
    late_labels.decisions(events, late_labels.examples(events, 7 * DAY, "at-window"), Model())
    assert known == [[], [], [0.0]]
