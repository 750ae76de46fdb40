"""No event data in logs, whatever happens, and none in the labels of metrics."""

import io
import logging
import warnings

import pytest

from costream.serve.http import logs
from helpers.asked import asked
from helpers.commands import compiled_only

pytestmark = compiled_only
SECRET = "s3cret-card-4711"


@pytest.fixture
def client(tmp_path):
    with asked(tmp_path / "fraud") as client:
        yield client


@pytest.fixture
def logged(client):
    """What the service logs as it is run by the command; its loggers are as before afterwards."""
    names = ("costream", "uvicorn", "uvicorn.error")
    before = {}
    for name in names:
        one = logging.getLogger(name)
        before[name] = (one.handlers, one.propagate, one.level, one.filters)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        logs.log_to_stderr(audit=client.app.audit)
        lines = io.StringIO()
        logging.getLogger("uvicorn").handlers[0].setStream(lines)
        client.app.audit.to(lines)
        yield lines.getvalue
    for name, (handlers, propagate, level, filters) in before.items():
        one = logging.getLogger(name)
        one.handlers, one.propagate, one.filters = handlers, propagate, filters
        one.setLevel(level)


def test_a_warning_is_logged_once(logged):
    for number in range(3):
        warnings.warn(f"{SECRET} {number}", UserWarning, stacklevel=1)
    assert logged().count("UserWarning at ") == 1


@pytest.mark.parametrize(
    ("path", "route"),
    [
        (f"/v1/events/{SECRET}", "/v1/events/{id}"),
        (f"/v1/events/%73%33cret-card-4711?x={SECRET}", "/v1/events/{id}"),
        ("/v1/summary?by=day", "/v1/summary"),
        (f"/{SECRET}", "other"),
    ],
)
def test_requests_are_logged_by_their_routes(client, logged, path, route):
    client.app.state.guard.access_log = True
    client.get(path)
    assert f'"GET {route} HTTP/1.1"' in logged()
    assert SECRET not in logged()


def test_refused_requests_are_not_logged(client, logged):
    client.post("/v1/score", json={"id": SECRET, "features": SECRET})
    client.post("/v1/labels", json={"id": SECRET, "label": SECRET})
    assert logged() == ""
