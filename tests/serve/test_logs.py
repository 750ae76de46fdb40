"""What is logged: time, level, request and token, as text or JSON; audit lines of all that changes."""

import io
import json
import logging
import re
import warnings

import pytest

from costream.errors import PlainWarning
from costream.serve.engine import served_model
from costream.serve.http import logs
from costream.serve.http.tokens import Tokens
from costream.serve.messages import Event, Label
from helpers import commands
from helpers.asked import asked, event
from helpers.commands import compiled_only, costream
from helpers.engines import label as labelled
from helpers.engines import opened
from helpers.engines import score as sent
from helpers.processes import running

pytestmark = compiled_only
SECRET = "s3cret-card-4711"
JSON = {"content-type": "application/json"}
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "fraud"


@pytest.fixture(params=["text", "json"])
def form(request):
    return request.param


@pytest.fixture
def token(folder):
    return {"authorization": f"Bearer {Tokens.of(folder).add('till', ['admin'])}"}


@pytest.fixture
def client(folder, token):
    assert token
    with asked(folder) as client:
        yield client


@pytest.fixture
def logged(client, form):
    """All lines so far, as the command logs them; with a token that every request needs."""
    names = ("costream", "uvicorn", "uvicorn.error", "asyncio")
    before = {name: vars(logging.getLogger(name)).copy() for name in names}
    lines = io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        logs.log_to_stderr(form, client.app.audit)
        for name in ("costream", "asyncio"):
            for handler in logging.getLogger(name).handlers:
                handler.setStream(lines)
        client.app.audit.to(lines, form)

        def found():
            client.app.audit.flush()
            return lines.getvalue().splitlines()

        yield found
    for name, kept in before.items():
        one = logging.getLogger(name)
        one.handlers, one.propagate, one.filters = kept["handlers"], kept["propagate"], kept["filters"]
        one.setLevel(kept["level"])


def parsed(line, form):
    """The fields of a line."""
    if form == "json":
        return json.loads(line)
    time, level, rest = re.fullmatch(rf"({TIME}) (\w+) costream: (.*)", line).groups()
    pairs = [one.split("=", 1) for one in rest.split() if "=" in one]
    found = {key: int(value) if value.isdigit() else value for key, value in pairs}
    return {"time": time, "level": level, "message": rest, **found}


def broken(*_, **__):
    raise RuntimeError(f"cannot handle {SECRET}")


def test_a_line_has_time_level_request_and_token(client, logged, token, form, monkeypatch):
    monkeypatch.setattr(client.app.state.service.engine, "find", broken)
    answer = client.get("/v1/events/a", headers={**token, "x-request-id": "abc-1"})
    assert answer.status_code == 500
    [line] = [parsed(one, form) for one in logged()]
    assert re.fullmatch(TIME, line["time"])
    assert (line["level"], line["request_id"], line["token"]) == ("ERROR", "abc-1", "till")
    assert "a request failed: RuntimeError in broken" in line["message"]


def test_access_lines_have_them_too(client, logged, token, form):
    client.app.state.guard.access_log = True
    client.get("/v1/events/a", headers={**token, "x-request-id": "abc-2"})
    client.get("/v1/events/a")
    first, second = (parsed(one, form) for one in logged())
    assert '"GET /v1/events/{id} HTTP/1.1" 404' in first["message"]
    assert (first["level"], first["request_id"], first["token"]) == ("INFO", "abc-2", "till")
    assert '"GET /v1/events/{id} HTTP/1.1" 401' in second["message"]
    assert second["request_id"]
    assert "token" not in second


def test_access_lines_have_the_client_the_method_and_the_time_taken(client, logged, form):
    client.app.state.guard.access_log = True
    client.request("BREW", "/health/live")
    [line] = [parsed(one, form) for one in logged()]
    found = re.search(r'\S+:\d+ "other /health/live HTTP/1.1" 405 (\d+\.\d) ms', line["message"])
    assert found
    assert 0 < float(found[1]) < 10_000


@pytest.mark.parametrize(
    ("path", "route"),
    [
        (f"/v1/events/%73%33cret-card-4711?x={SECRET}", "/v1/events/{id}"),
        ("/v1/summary?by=day", "/v1/summary"),
        (f"/{SECRET}", "other"),
    ],
)
def test_requests_are_logged_by_their_routes(client, logged, path, route):
    client.app.state.guard.access_log = True
    client.get(path)
    [line] = logged()
    assert f"GET {route} HTTP/1.1" in line
    assert SECRET not in line


def test_refused_events_are_not_logged(client, logged, token):
    client.post("/v1/score", json={"id": SECRET, "features": SECRET}, headers=token)
    assert logged() == []


def test_a_label_has_an_audit_line(client, logged, token, form):
    headers = {**token, "x-request-id": "abc-3"}
    client.post("/v1/score", json=event(SECRET), headers=token)
    assert logged() == []
    answer = client.post("/v1/labels", json={"id": SECRET, "label": 1}, headers=headers)
    [line] = [parsed(one, form) for one in logged()]
    assert (line["token"], line["request_id"], line["level"]) == ("till", "abc-3", "INFO")
    assert line["message"].startswith("label")
    assert (line["status"], int(line["record"])) == ("learnt", 1)
    assert answer.headers["x-request-id"] == "abc-3"
    assert not any(SECRET in one for one in logged())


def sent_labels(client, headers, content=b"{}"):
    return client.post("/v1/labels", content=content, headers={**JSON, **headers}).status_code


@pytest.mark.parametrize(
    ("headers", "content", "answer"),
    [({"content-type": "text/plain"}, b"{}", 415), ({}, b"{", 400)],
)
def test_a_body_that_is_not_looked_into_has_an_audit_line(
    client, logged, token, form, headers, content, answer
):
    assert sent_labels(client, {**token, **headers}, content) == answer
    [line] = [parsed(one, form) for one in logged()]
    assert (line["status"], line["token"]) == ("refused", "till")


def test_a_label_of_a_token_that_may_not_label_has_an_audit_line(client, folder, logged, token, form):
    reader = {"authorization": f"Bearer {Tokens.of(folder).add('reader', ['read'])}"}
    client.app.state.guard.tokens.delay = 0.0
    assert [sent_labels(client, reader), sent_labels(client, {})] == [403, 401]
    [line] = [parsed(one, form) for one in logged()]  # strangers do not fill the log
    assert (line["status"], line["token"]) == ("refused", "reader")
    assert token


def test_a_warning_keeps_its_words_where_they_quote_nothing(logged, form):
    warnings.warn(PlainWarning("a column is long"), stacklevel=1)
    warnings.warn(PlainWarning(f"{SECRET} is not a number", "a value is not a number"), stacklevel=1)
    warnings.warn(SECRET, UserWarning, stacklevel=1)
    found = [parsed(one, form) for one in logged()]
    assert [one["level"] for one in found] == ["WARNING"] * 3
    assert "a column is long" in found[0]["message"]
    assert "a value is not a number" in found[1]["message"]
    assert "UserWarning at " in found[2]["message"]
    assert SECRET not in str(found)


async def failing(data):
    raise RuntimeError(data)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("serve", "token", "add", "till", "--scope", "read", "--dir", "fraud"), "token add"),
        (("serve", "token", "remove", "old", "--dir", "fraud"), "token remove"),
        (("serve", "token", "open", "--dir", "other"), "token open"),
        (("serve", "backup", "fraud", "copy"), "backup"),
        (("serve", "compact", "other", "--keep", "1s"), "compact"),
        (("serve", "relearn", "other"), "relearn"),
    ],
)
def test_a_command_that_changes_something_says_who_did_what(tmp_path, monkeypatch, arguments, words):
    monkeypatch.setattr(served_model, "INFER_AFTER", 2)
    opened(tmp_path / "fraud").close()
    engine = opened(tmp_path / "other")
    for name in ("a", "b", "c"):
        sent(engine, Event(name, {"amount": 1.0}))
        labelled(engine, Label(name, name == "a"))
    engine.close()
    Tokens.of(tmp_path / "fraud").add("old", ["read"])
    done = commands.in_process(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    [line] = [one for one in done.stderr.splitlines() if f"INFO costream: {words}" in one]
    assert re.match(TIME, line)
    assert " by=" in line


@pytest.mark.slow
def test_as_text_each_line_of_a_service_has_a_time_and_a_level(tmp_path):
    cold = {"COSTREAM_CACHE_DIR": str(tmp_path / "cache")}
    options = ("-l", "perceptron", "--fn-cost", 9, "--fp-cost", 1)
    with running(tmp_path / "fraud", *options, environment=cold) as process:
        process.stop()
    assert any("compiling" in line for line in process.lines)
    odd = [line for line in process.lines if not re.match(rf"{TIME} [A-Z]+ costream: ", line)]
    assert odd == []


def test_as_json_all_that_a_command_writes_is_json(tmp_path):
    options = ("--log-format", "json", "-l", "carow-diag")
    with running(tmp_path / "fraud", *options, "--fn-cost", 9, "--fp-cost", 1) as process:
        process.stop()
    refused = costream("serve", "--dir", tmp_path / "none", "--port", 0, *options[:2])
    assert refused.returncode == 1
    found = [
        json.loads(line) for line in [*process.lines, *refused.stderr.splitlines()] if line.strip()
    ]
    assert all({"time", "level", "message"} <= set(one) for one in found)
    assert found[-1]["level"] == "ERROR"
    assert "is new, and there is no model" in found[-1]["message"]
