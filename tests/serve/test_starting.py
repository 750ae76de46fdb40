"""A service is live from the first moment, and ready when its model knows what the log does."""

from __future__ import annotations

import asyncio
import logging
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from costream import Cost, CostreamError, OnlineClassifier
from costream.serve import server
from costream.serve.application import Application
from costream.serve.engine.recovery import Opening, StartCancelledError
from costream.serve.engine.service import Service
from costream.serve.http.tokens import Tokens
from costream.serve.messages import Event, Label
from helpers.asked import Asked
from helpers.commands import compiled_only, fail
from helpers.engines import fresh, label, opened, score
from helpers.processes import running

pytestmark = compiled_only


class Held:
    """What opens a service when it is allowed to."""

    def __init__(self, directory: Path) -> None:
        self.may, self.directory = threading.Event(), directory

    def __call__(self) -> Service:
        assert self.may.wait(60.0)
        return Service.open(self.directory, fresh)


@pytest.fixture
def starting(tmp_path: Path) -> Any:
    """A client of an application whose service is being opened, and what lets it go on."""
    held = Held(tmp_path / "fraud")
    application = Application(held, Tokens.of(tmp_path / "fraud"), 10**6, waits=False)
    client = Asked(application)
    yield client, held
    held.may.set()
    client.run(application.stop())
    client.close()


def test_it_is_live_and_not_ready_while_it_recovers(starting: Any) -> None:
    client, _ = starting
    assert client.get("/health/live").status_code == 200
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    assert "is starting" in answer.json()["error"]


@pytest.mark.parametrize("path", ["/v1/summary", "/metrics", "/", "/v1/stream", "/v1/events/a"])
def test_what_needs_the_model_is_refused_for_now(starting: Any, path: str) -> None:
    client, _ = starting
    assert client.get(path).status_code == 503


def test_events_are_refused_and_nothing_is_recorded(starting: Any) -> None:
    client, held = starting
    event = {"id": "a", "features": {"amount": 1.0}}
    assert client.post("/v1/score", json=event).status_code == 503
    held.may.set()
    while client.get("/health/ready").status_code != 200:
        client.run(asyncio.sleep(0.01))
    answer = client.post("/v1/score", json=event)
    assert (answer.status_code, answer.headers.get("idempotent-replayed")) == (200, None)


@pytest.mark.parametrize("path", ["/v1/labels", "/v1/labels/batch"])
def test_labels_that_come_too_early_have_an_audit_line(
    starting: Any, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    client, _ = starting
    with caplog.at_level(logging.INFO, logger="costream.audit"):
        assert client.post(path, json={"id": "a", "label": 1}).status_code == 503
        client.app.audit.flush()
    assert [one.about["status"] for one in caplog.records] == ["not-taken"]


def recorded(directory: Path) -> None:
    """A directory whose start has labels to learn."""
    engine = opened(directory)
    score(engine, *(Event(f"e{n}", {"a": float(n)}) for n in range(20)))
    label(engine, *(Label(f"e{n}", n % 2) for n in range(20)))
    engine.close()
    shutil.rmtree(directory / "snapshots")


def test_a_start_that_is_cancelled_gives_the_directory_back(tmp_path: Path) -> None:
    recorded(tmp_path)
    opening = Opening(tmp_path)
    opening.cancel()
    with pytest.raises(StartCancelledError):
        opening.engine()
    engine = opened(tmp_path)
    assert engine.served.learnt == 20
    engine.close()


def test_a_start_that_fails_ends_the_process_with_its_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_: Opening) -> None:
        raise CostreamError("the machine is short of threads")

    monkeypatch.setattr(Opening, "engine", failing)
    opening = Opening(tmp_path, lambda: OnlineClassifier("carow-diag", Cost(200, 5)))
    with server.listen("127.0.0.1", 0) as bound, pytest.raises(CostreamError, match="short of threads"):
        server.run(opening, bound)
    opening.close()


def test_what_is_wrong_with_a_directory_is_found_before_it_listens(tmp_path: Path) -> None:
    assert "no model to begin with" in fail(1, "serve", "--dir", tmp_path / "new", "--port", 0)


def test_it_says_when_it_is_ready(tmp_path: Path) -> None:
    recorded(tmp_path)
    with running(tmp_path) as process:
        process.ready()
        process.stop()
    assert "ready after" in process.output
    assert "20 labels learnt" in process.output
