"""The time of an event or a label: what is taken, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from costream.serve.engine.engine import Engine
from costream.serve.engine.jobs import Scored
from costream.serve.http.openapi import document
from costream.serve.messages import Event, Label, Problem
from helpers.engines import DAY, START, label, opened, score, statuses

YEAR = 366 * DAY


@pytest.fixture
def engine(tmp_path: Path):
    made = opened(tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize("time", [START + YEAR + 3600, 1000 * START, "2999-01-01T00:00:00Z"])
def test_a_time_more_than_a_year_ahead_is_refused(engine: Engine, time: Any) -> None:
    score(engine, Event("a", {"x": 1.0}))
    [event] = score(engine, Event("b", {"x": 1.0}, time=time))
    [outcome] = label(engine, Label("a", 1, time=time))
    for refused in (event, outcome):
        assert isinstance(refused, Problem)
        assert refused.status == 422
    assert (engine.status().events, engine.status().labels) == (1, 0)


@pytest.mark.parametrize("time", [0, START, START + YEAR - 3600, "1970-01-01", "2026-11-16T14:03:00Z"])
def test_times_of_the_past_and_of_the_next_year_are_taken(engine: Engine, time: Any) -> None:
    [found] = score(engine, Event("a", {"x": 1.0}, time=time))
    assert isinstance(found, Scored)
    assert statuses(label(engine, Label("a", 1, time=time))) == ["learnt"]


@pytest.mark.parametrize("time", ["", " ", "yesterday", "14:03"])
def test_a_text_that_is_not_a_time_is_refused_as_the_document_says(engine: Engine, time: str) -> None:
    [refused] = score(engine, Event("a", {"x": 1.0}, time=time))
    assert isinstance(refused, Problem)
    assert (refused.status, refused.error) == (422, f"{time!r} is not a time")
    for name in ("Event", "Label"):
        text, number, _ = document()["components"]["schemas"][name]["properties"]["time"]["anyOf"]
        assert not re.search(text["pattern"], time)
        assert number == {"type": "number", "minimum": 0}
