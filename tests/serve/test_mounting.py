"""The application below a path of another one."""

import asyncio

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from costream import Cost
from costream.serve import app
from helpers.asked import Asked, event
from helpers.commands import compiled_only

pytestmark = compiled_only


async def home(_request):
    return PlainTextResponse("home")


def mounted(directory):
    """A client of an application that has the service at /fraud and does not tell it of its start."""
    inner = app(directory, learner="carow-diag", objective=Cost(200, 5))
    outer = Starlette(routes=[Route("/", home), Mount("/fraud", inner)])
    return Asked(outer), inner


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    client, inner = mounted(tmp_path_factory.mktemp("mounted") / "fraud")
    yield client
    client.run(inner.stop())
    client.close()


def test_the_service_answers_below_its_path(client):
    answer = client.post("/fraud/v1/score", json=event("a"))
    assert (answer.status_code, answer.json()["id"]) == (200, "a")
    assert client.post("/fraud/v1/labels", json={"id": "a", "label": 1}).json()["status"] == "learnt"
    assert client.get("/fraud/v1/events/a").json()["state"] == "labelled"


def test_the_rest_is_left_to_the_other_application(client):
    assert client.get("/").text == "home"
    assert "content-security-policy" not in client.get("/").headers


def test_the_page_and_its_files_are_below_the_path(client):
    assert 'href="static/page.css"' in client.get("/fraud/").text
    assert client.get("/fraud/static/page.css").status_code == 200


def test_a_mounted_application_can_be_used_again(tmp_path):
    """As by two servers, one after the other, that tell it neither of the start nor of the end."""
    inner = app(tmp_path / "fraud", learner="carow-diag", objective=Cost(200, 5))
    outer = Starlette(routes=[Mount("/fraud", inner)])
    for learnt in range(3):
        client = Asked(outer)
        assert client.post("/fraud/v1/score", json=event(f"e{learnt}")).json()["learnt"] == learnt
        answer = client.post("/fraud/v1/labels", json={"id": f"e{learnt}", "label": 1})
        assert answer.json()["status"] == "learnt"
        client.close()
    last = Asked(outer)
    assert last.get("/fraud/v1/summary").json()["learnt"] == 3
    last.run(inner.stop())
    last.close()


def test_an_application_can_be_stopped_and_started_again(tmp_path):
    inner = app(tmp_path / "fraud", learner="carow-diag", objective=Cost(200, 5))
    for learnt in range(2):
        client = Asked(inner)
        client.run(inner.start())
        assert client.post("/v1/score", json=event(f"e{learnt}")).json()["learnt"] == learnt
        client.post("/v1/labels", json={"id": f"e{learnt}", "label": 1})
        client.run(inner.stop())
        client.close()


def test_a_mounted_application_can_be_stopped_after_its_loop_has_ended(tmp_path):
    inner = app(tmp_path / "fraud", learner="carow-diag", objective=Cost(200, 5))
    client = Asked(Starlette(routes=[Mount("/fraud", inner)]))
    client.post("/fraud/v1/score", json=event("a"))
    client.close()
    asyncio.run(inner.stop())
    again, other = mounted(tmp_path / "fraud")
    assert again.get("/fraud/v1/events/a").status_code == 200
    again.run(other.stop())
    again.close()


def test_a_request_of_another_loop_is_refused_while_the_first_one_runs(tmp_path):
    inner = app(tmp_path / "fraud", learner="carow-diag", objective=Cost(200, 5))
    first, second = Asked(inner), Asked(inner)
    first.post("/v1/score", json=event("a"))
    with pytest.raises(RuntimeError, match="another event loop"):
        second.get("/v1/summary")
    second.close()
    assert first.get("/v1/events/a").status_code == 200
    first.run(inner.stop())
    first.close()
