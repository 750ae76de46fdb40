"""An endpoint is a row of the table and a function: all else comes from there."""

import pytest
from starlette.responses import PlainTextResponse

from costream import Cost
from costream.serve import app, endpoints
from costream.serve.endpoints import ENDPOINTS, PLAIN, Endpoint, Parameter, Result
from costream.serve.http.metrics import FIGURES
from costream.serve.http.routing import handles
from costream.serve.http.tokens import Tokens
from helpers.asked import Asked
from helpers.commands import compiled_only
from helpers.commands_of_pages import DOCS

pytestmark = compiled_only
COUNT = Endpoint(
    "/v1/count/{id:path}",
    "read",
    summary="How long an id is",
    results={200: Result("A number.", PLAIN)},
    parameters=(Parameter("id", "path", {"type": "string"}),),
)
UNSCOPED = Endpoint("/v1/unscoped", summary="Nobody may ask this")


@pytest.fixture(scope="module")
def added(tmp_path_factory):
    """A service with two more endpoints, and a token for each scope."""

    @handles(COUNT)
    @handles(UNSCOPED)
    async def count(request):
        return PlainTextResponse(str(len(request.path_params.get("id", ""))))

    directory = tmp_path_factory.mktemp("table") / "fraud"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(endpoints, "ENDPOINTS", (*ENDPOINTS, COUNT, UNSCOPED))
        client = Asked(app(directory, learner="carow-diag", objective=Cost(200, 5)))
        client.run(client.app.start())
        client.tokens = {
            scope: Tokens.of(directory).add(scope, [scope]) for scope in ("read", "score", "admin")
        }
        client.app.state.guard.tokens.delay = 0.0
        yield client
        client.run(client.app.stop())
        client.close()


def ask(client, path, scope):
    return client.get(path, headers={"authorization": f"Bearer {client.tokens[scope]}"})


def test_a_new_endpoint_is_routed(added):
    assert ask(added, "/v1/count/abc", "read").text == "3"


def test_a_new_endpoint_needs_its_scope(added):
    assert ask(added, "/v1/count/abc", "score").status_code == 403
    assert added.get("/v1/count/abc").status_code == 401


def test_a_new_endpoint_without_a_scope_is_refused(added):
    assert ask(added, "/v1/unscoped", "admin").status_code == 403


def test_a_new_endpoint_is_in_the_document(added):
    found = ask(added, "/openapi.json", "read").json()["paths"]["/v1/count/{id}"]["get"]
    assert found["summary"] == "How long an id is"
    assert [one["name"] for one in found["parameters"]] == ["id"]


def test_a_new_endpoint_is_counted_by_its_template(added):
    ask(added, "/v1/count/s3cret", "read")
    text = ask(added, "/metrics", "read").text
    assert 'route="/v1/count/{id}"' in text
    assert "s3cret" not in text


def test_every_endpoint_has_a_scope():
    assert all(one.scope for one in ENDPOINTS)


def test_the_page_about_the_service_names_every_endpoint_for_programs():
    text = (DOCS / "service.md").read_text(encoding="utf-8")
    paths = [one.template for one in ENDPOINTS if one.summary]
    assert [path for path in paths if path not in text] == []


def test_every_metric_is_explained_to_operators():
    text = (DOCS / "operations.md").read_text(encoding="utf-8")
    internal = {"groups", "group_rows", "snapshot_learnt", "start_time_seconds"}
    names = {one.name for one in FIGURES} - internal
    assert {name for name in names if f"costream_{name}" not in text} == set()
