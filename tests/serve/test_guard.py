"""The guard: hosts, origins, kinds of bodies, tokens and their scopes, sessions, and safe headers."""

import json

import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from costream.serve.http import sessions
from costream.serve.http.tokens import SCOPES, Tokens
from helpers.asked import Asked, asked, event
from helpers.commands import compiled_only

pytestmark = compiled_only
FORM = {"content-type": "application/x-www-form-urlencoded"}
# What each address needs, by a request that is in order but for its token.
NEEDS = {
    ("POST", "/v1/score"): "score",
    ("POST", "/v1/score/batch"): "score",
    ("POST", "/v1/labels"): "label",
    ("POST", "/v1/labels/batch"): "label",
    ("GET", "/v1/events/a"): "read",
    ("GET", "/v1/summary"): "read",
    ("GET", "/v1/stream?by=x"): "read",
    ("GET", "/updates?by=x"): "read",
    ("GET", "/metrics"): "read",
    ("GET", "/openapi.json"): "read",
    ("GET", "/"): "read",
    ("GET", "/nothing"): "read",
}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """A service without tokens that may be asked by one name."""
    with asked(tmp_path_factory.mktemp("open") / "fraud", allowed_hosts=["Fraud.example"]) as client:
        yield client


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("closed") / "fraud"


@pytest.fixture(scope="module")
def tokens(folder):
    """A token of each scope."""
    kept = Tokens.of(folder)
    return {scope: kept.add(scope, [scope]) for scope in SCOPES}


@pytest.fixture(scope="module")
def closed(folder, tokens):
    """A service with tokens."""
    assert tokens
    with asked(folder) as client:
        yield client


def bearer(token):
    return {"authorization": f"Bearer {token}"}


# --- hosts, origins, kinds of bodies ----------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:8321",
        "localhost.",
        "127.0.0.1:80",
        "[::1]:8321",
        "10.1.2.3",
        "fraud.example:443",
        "FRAUD.EXAMPLE",
    ],
)
def test_addresses_and_allowed_names_are_served(client, host):
    assert client.get("/health/live", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "fraud.example.evil", "", "127.0.0.1.evil", "[evil]:80"],
)
def test_other_hosts_are_refused(client, host):
    answer = client.get("/health/live", headers={"host": host})
    assert (answer.status_code, answer.json().keys()) == (421, {"error", "hint"})


def test_every_host_can_be_allowed(tmp_path):
    with asked(tmp_path / "fraud", allowed_hosts=["*"]) as client:
        assert client.get("/health/live", headers={"host": "any.example"}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:9", "http://[", ""]
)
def test_what_another_site_sends_is_refused(client, origin):
    answer = client.post("/v1/score", json=event("other"), headers={"origin": origin})
    assert answer.status_code == (403 if origin else 200)


def test_what_the_page_itself_sends_is_taken(client):
    answer = client.post("/v1/score", json=event("own"), headers={"origin": "http://localhost"})
    assert answer.status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "text/json", ""])
@pytest.mark.parametrize("path", ["/v1/score", "/v1/score/batch", "/v1/labels", "/v1/labels/batch"])
def test_a_body_that_is_not_declared_as_json_is_refused(client, path, kind):
    answer = client.post(path, content=b"{}", headers={"content-type": kind})
    assert (answer.status_code, answer.json().keys()) == (415, {"error", "hint"})


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
def test_json_may_be_declared_in_other_words(client, kind):
    answer = client.post("/v1/score", content=b"{}", headers={"content-type": kind})
    assert answer.status_code == 422


@pytest.mark.parametrize("path", ["/", "/v1/summary", "/nothing", "/login", "/static/page.js"])
def test_every_answer_has_safe_headers(client, path):
    headers = client.get(path).headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers


def test_a_web_socket_is_closed(client):
    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message["type"])

    scope = {"type": "websocket", "path": "/v1/stream", "headers": []}
    client.run(client.app(scope, receive, send))
    assert sent == ["websocket.close"]


# --- tokens -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "path"), NEEDS)
def test_without_a_token_nobody_comes_in(closed, method, path):
    answer = closed.request(method, path)
    if path == "/":
        assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    else:
        assert (answer.status_code, answer.json().keys()) == (401, {"error", "hint"})
        assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize(("method", "path"), NEEDS)
def test_a_token_opens_what_its_scope_is_for(closed, tokens, method, path, scope):
    answer = closed.request(method, path, headers=bearer(tokens[scope]))
    is_barred = scope not in (NEEDS[method, path], "admin")
    assert (answer.status_code == 403) == is_barred
    assert answer.status_code != 401


@pytest.mark.parametrize("path", ["/health/live", "/health/ready", "/login", "/static/page.css"])
def test_health_and_the_sign_in_are_open(closed, path):
    assert closed.get(path).status_code == 200


@pytest.mark.parametrize(
    "value", ["Bearer cst_wrong", "Bearer", "Basic dXNlcjpwYXNz", "cst_wrong", "Bearer \xff"]
)
def test_a_wrong_token_is_refused(closed, value):
    answer = closed.get("/v1/summary", headers={"authorization": value.encode("latin-1")})
    assert (answer.status_code, answer.json().keys()) == (401, {"error", "hint"})


def test_a_token_is_needed_even_without_any_where_that_is_asked_for(tmp_path):
    with asked(tmp_path / "fraud", require_token=True) as client:
        assert client.get("/v1/summary").status_code == 401


def test_a_token_that_was_removed_is_refused(tmp_path):
    kept = Tokens.of(tmp_path / "fraud")
    token = kept.add("till", ["read"])
    with asked(tmp_path / "fraud") as client:
        client.app.state.guard.tokens.delay = 0.0
        assert client.get("/v1/summary", headers=bearer(token)).status_code == 200
        kept.remove("till")
        assert client.get("/v1/summary", headers=bearer(token)).status_code == 401
        assert client.get("/v1/summary").status_code == 401  # and the service is not open again


# --- the page's sessions ----------------------------------------------------------------------------


def sign_in(client, token, **headers):
    return client.post("/login", content=f"token={token}", headers={**FORM, **headers})


@pytest.fixture
def browser(closed):
    """A client with cookies of its own."""
    client = Asked(closed.app)
    client._runner.close()
    client._runner = closed._runner
    return client


def test_signing_in_gives_a_cookie_that_scripts_and_other_sites_do_not_see(browser, tokens):
    answer = sign_in(browser, tokens["read"])
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    _, *rest = cookie.split("; ")
    assert {one.lower() for one in rest} >= {"httponly", "samesite=strict", "path=/"}
    assert tokens["read"] not in cookie


def test_whoever_has_signed_in_may_read(browser, tokens):
    sign_in(browser, tokens["read"])
    assert [browser.get(path).status_code for path in ("/", "/v1/summary")] == [200, 200]


def test_whoever_has_signed_in_may_not_write(browser, tokens):
    sign_in(browser, tokens["admin"])
    assert browser.post("/v1/score", json=event("cookie")).status_code == 401


@pytest.mark.parametrize("wrong", ["cst_wrong", "", "%00", "%ff"])
def test_a_wrong_token_does_not_sign_in(browser, wrong):
    answer = sign_in(browser, wrong)
    assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)
    assert "This token is not known" in answer.text


def test_a_token_that_may_not_read_does_not_sign_in(browser, tokens):
    assert sign_in(browser, tokens["score"]).status_code == 401


def test_another_site_cannot_sign_in(browser, tokens):
    assert sign_in(browser, tokens["read"], origin="http://evil.example").status_code == 403


@pytest.mark.parametrize(("proto", "secure"), [("https", True), ("http", False)])
def test_behind_a_proxy_with_tls_the_cookie_is_for_tls_alone(browser, tokens, proto, secure):
    cookie = sign_in(browser, tokens["read"], **{"x-forwarded-proto": proto}).headers["set-cookie"]
    assert ("Secure" in cookie) == secure


def test_signing_out_ends_the_session(browser, tokens):
    key = sign_in(browser, tokens["read"]).cookies[sessions.COOKIE]
    answer = browser.post("/logout")
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    browser._client.cookies.set(sessions.COOKIE, key)
    assert browser.get("/v1/summary").status_code == 401


def test_a_session_ends_with_its_time(browser, tokens, monkeypatch):
    monkeypatch.setattr(sessions, "SESSION_SECONDS", 0)
    sign_in(browser, tokens["read"])
    assert browser.get("/v1/summary").status_code == 401


def test_a_session_ends_with_its_token(browser, folder):
    kept = Tokens.of(folder)
    browser.app.state.guard.tokens.delay = 0.0
    sign_in(browser, kept.add("guest", ["read"]))
    assert browser.get("/v1/summary").status_code == 200
    kept.remove("guest")
    assert browser.get("/v1/summary").status_code == 401


def test_a_made_up_cookie_opens_nothing(browser):
    browser._client.cookies.set(sessions.COOKIE, "made-up")
    assert browser.get("/v1/summary").status_code == 401


# --- routes and addresses without a scope ----------------------------------------------------------


async def hello(_request):
    return PlainTextResponse("hello")


@pytest.mark.parametrize("route", [Route("/extra/x", hello), Mount("/extra", hello)])
def test_a_route_without_a_scope_is_refused_even_to_an_admin(closed, tokens, route):
    closed.app.router.routes.insert(0, route)
    try:
        answer = closed.get("/extra/x", headers=bearer(tokens["admin"]))
        assert closed.get("/extra/x").status_code == 401
    finally:
        closed.app.router.routes.remove(route)
    assert (answer.status_code, answer.json().keys()) == (403, {"error", "hint"})


def test_a_route_without_a_scope_is_refused_where_no_token_is_needed(tmp_path):
    with asked(tmp_path / "fraud") as client:
        client.app.router.routes.append(Route("/extra", hello))
        assert client.get("/extra").status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        "//v1/score",
        "/v1//score",
        "/v1/score/",
        "/v1/./score",
        "/v1/../v1/score",
        "/V1/score",
        "/health/../v1/score",
        "/static/../v1/score",
        "/health/",
        "/health/other",
        "/static/",
        "/login/",
        "/favicon.ico",
        "/v1/scorex",
        "/v1/labels/batch/x",
        "",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "HEAD", "PUT"])
def test_no_way_of_writing_an_address_gets_by_without_a_token(closed, method, path):
    """The address as the server hands it on, whatever a client would have made of it."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": json.dumps(event("x")).encode(), "more_body": False}

    async def send(message):
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode()}
    scope |= {"query_string": b"", "headers": headers, "root_path": "", "http_version": "1.1"}
    closed.run(closed.app({**scope, "asgi": {}}, receive, send))
    assert sent[0]["status"] in (401, 303)


@pytest.mark.parametrize("root", ["/fraud", "/v1", "/health", "/static"])
def test_a_root_path_opens_nothing(closed, root):
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message):
        sent.append(message)

    for path in (f"{root}/v1/score", f"{root}/v1/summary", f"{root}x/v1/summary", "/v1/summary"):
        scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode()}
        scope |= {"query_string": b"", "headers": [(b"host", b"localhost")], "root_path": root}
        sent.clear()
        closed.run(closed.app({**scope, "http_version": "1.1", "asgi": {}}, receive, send))
        assert sent[0]["status"] == 401, path


def test_a_method_that_an_address_does_not_take_needs_its_scope(closed, tokens):
    assert closed.request("HEAD", "/v1/score").status_code == 401
    assert closed.request("HEAD", "/v1/score", headers=bearer(tokens["read"])).status_code == 403
    assert closed.request("HEAD", "/v1/score", headers=bearer(tokens["score"])).status_code == 405
