"""Limits: what is too large, too much or too early is refused, and nothing of it is kept."""

import sqlite3

import pytest

from helpers.asked import asked, event, label, score
from helpers.commands import compiled_only

pytestmark = compiled_only
JSON_HEAD = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    settings = {
        "max_body": 5000,
        "max_rows": 5,
        "max_features": 4,
        "max_pending": 10,
        "max_unmatched": 2,
    }
    with asked(tmp_path_factory.mktemp("small") / "fraud", settings=settings) as client:
        yield client


def error_of(answer, status):
    assert answer.status_code == status, answer.text
    assert answer.json().keys() == {"error", "hint"}
    return answer.json()["error"]


async def parts(count):
    """A body that does not say how long it will be."""
    for _ in range(count):
        yield b" " * 1000


@pytest.mark.parametrize("length", ["5001", "9" * 30, "-1", "many"])
def test_a_body_that_says_it_is_too_large_is_refused(client, length):
    head = {**JSON_HEAD, "content-length": length}
    error_of(client.post("/v1/score", content=parts(1), headers=head), 413)


def test_a_body_that_becomes_too_large_is_refused(client):
    assert "5,000 bytes" in error_of(client.post("/v1/score", content=parts(6), headers=JSON_HEAD), 413)


def test_a_body_in_parts_is_taken(client):
    async def halves():
        yield b'{"id":"halves",'
        yield b'"features":{}}'

    assert client.post("/v1/score", content=halves(), headers=JSON_HEAD).status_code == 200


def test_the_sign_in_has_the_same_limit(client):
    head = {"content-type": "application/x-www-form-urlencoded"}
    error_of(client.post("/login", content=parts(6), headers=head), 413)


def test_a_sign_in_is_small(tmp_path):
    """Nobody needs a token to send one."""
    with asked(tmp_path / "fraud") as client:
        head = {"content-type": "application/x-www-form-urlencoded"}
        assert "4,096" in error_of(client.post("/login", content=parts(6), headers=head), 413)


def test_too_many_rows_are_refused(client):
    for path, key in (("/v1/score/batch", "events"), ("/v1/labels/batch", "labels")):
        rows = [event("row"), *[{}] * 5]
        assert "6" in error_of(client.post(path, json={key: rows}), 422)
    assert client.get("/v1/events/row").status_code == 404


def test_too_many_features_are_refused(client):
    body = {"id": "wide", "features": dict.fromkeys("abcde", 1.0)}
    assert "4 features" in error_of(client.post("/v1/score", json=body), 422)
    found = client.post("/v1/score/batch", json={"events": [body]}).json()["results"]
    assert (found[0]["status"], found[0]["id"]) == (422, "wide")


def test_too_many_labels_without_events_are_refused_for_now(client):
    for name in ("p1", "p2"):
        assert label(client, name)["status"] == "unmatched"
    answer = client.post("/v1/labels", json={"id": "p3", "label": 1})
    assert "wait for their events" in error_of(answer, 429)
    assert int(answer.headers["Retry-After"]) > 0


def test_too_many_events_without_labels_are_refused_for_now(tmp_path):
    with asked(tmp_path / "fraud", settings={"max_pending": 2}) as client:
        score(client, "a")
        score(client, "b")
        answer = client.post("/v1/score", json=event("c"))
        assert "wait for their labels" in error_of(answer, 429)
        assert int(answer.headers["Retry-After"]) > 0
        [row] = client.post("/v1/score/batch", json={"events": [event("c")]}).json()["results"]
        assert (row["id"], row["status"]) == ("c", 429)
        assert client.post("/v1/score", json=event("a")).headers["Idempotent-Replayed"] == "true"
        label(client, "a")
        score(client, "c")


def test_a_full_queue_is_reported_with_the_time_to_wait(tmp_path):
    with asked(tmp_path / "fraud", settings={"max_queue": 3}) as client:
        rows = [event(f"q{at}") for at in range(4)]
        answer = client.post("/v1/score/batch", json={"events": rows})
        error_of(answer, 503)
        assert int(answer.headers["Retry-After"]) > 0
        assert client.get("/v1/events/q0").status_code == 404


def failing(message, code):
    """What stands in for a commit that fails."""

    def commit():
        error = sqlite3.OperationalError(message)
        error.sqlite_errorcode = code
        raise error

    return commit


def test_a_full_disk_is_reported_with_the_time_to_wait(tmp_path, monkeypatch):
    with asked(tmp_path / "fraud") as client:
        engine = client.app.state.service.engine
        monkeypatch.setattr(engine.log, "commit", failing("full", sqlite3.SQLITE_FULL))
        answer = client.post("/v1/score", json=event("a"))
        assert "disk is full" in error_of(answer, 503)
        assert int(answer.headers["Retry-After"]) > 0
        monkeypatch.undo()
        score(client, "a")


def test_a_log_that_failed_takes_nothing_more(tmp_path, monkeypatch):
    with asked(tmp_path / "fraud") as client:
        engine = client.app.state.service.engine
        monkeypatch.setattr(engine.log, "commit", failing("disk I/O error", sqlite3.SQLITE_IOERR))
        for name in ("a", "b"):
            answer = client.post("/v1/score", json=event(name))
            assert "log cannot be written" in error_of(answer, 503)
            assert "Retry-After" in answer.headers
        assert client.get("/health/ready").status_code == 503


def test_a_disk_is_full_until_there_is_room_for_what_did_not_fit(tmp_path, monkeypatch):
    """A few bytes still fit, such as the service's own attempts, and single events."""
    with asked(tmp_path / "fraud") as client:
        service = client.app.state.service
        free = [0.0]
        monkeypatch.setattr(service, "_room", lambda: free[0])
        service._now_full("the disk is full", 5)
        score(client, "fits")
        assert client.get("/health/ready").status_code == 503
        rows = [event(f"e{n}") for n in range(5)]
        client.post("/v1/score/batch", json={"events": rows})
        assert client.get("/health/ready").status_code == 200
        service._now_full("the disk is full", 5)
        free[0] = 1e12
        score(client, "there is room")
        assert client.get("/health/ready").status_code == 200
