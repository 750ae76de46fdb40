"""The client: what it sends, when it sends it again, and what it makes of answers."""

import json
import subprocess
import sys
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from costream import CostreamError
from costream.serve import Answer, Client, Problem, ServiceError

ANSWER = {"id": "a", "flag": True, "score": 0.5, "probability": 0.25, "learnt": 3, "model": "auto-1"}
DROP = "drop the connection"
LEARNT = {"id": "a", "status": "learnt", "learnt": 4}


def busy(status=503, retry_after=None):
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return status, {"error": "the queue is full", "hint": "later"}, headers


class Scripted(ThreadingHTTPServer):
    """A server that gives the answers of a list, one after the other, and keeps what it was sent."""

    daemon_threads = True

    def __init__(self, script):
        super().__init__(("127.0.0.1", 0), Handler)
        self.script, self.requests, self.connections = list(script), [], 0

    def process_request(self, request, address):
        self.connections += 1
        super().process_request(request, address)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_one_request(self):
        self.raw_requestline = self.rfile.readline(65537)
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.requests.append((self.command, self.path, dict(self.headers), body))
        reply = self.server.script.pop(0)
        if callable(reply):
            reply = reply(json.loads(body))
        if reply == DROP:
            self.close_connection = True
            return
        status, answer, headers = reply if isinstance(reply, tuple) else (200, reply, {})
        text = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(text)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)
        if headers.get("Connection") == "close-unsaid":
            self.close_connection = True

    def log_message(self, *_):
        pass


@pytest.fixture
def scripted():
    """Make a server with a script and a client of it, whose waits are kept and not waited for."""
    made = []

    def make(*script, path="", **options):
        server = Scripted(script)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        client = Client(f"http://127.0.0.1:{server.server_port}{path}", **options)
        client.waits = []
        client._connection.pause = client.waits.append
        made.append((server, client))
        return server, client

    yield make
    for server, client in made:
        client.close()
        server.shutdown()
        server.server_close()


def echo(kind):
    """An answer for every row of a batch."""
    other = {"events": ANSWER, "labels": LEARNT}[kind]
    return lambda body: {"results": [{**other, "id": row["id"]} for row in body[kind]]}


# --- what is sent -----------------------------------------------------------------------------------


def test_an_event_is_sent_as_the_service_reads_it(scripted):
    server, client = scripted(ANSWER)
    client.score("a", {"b": 1.5, "a": "x"}, time="2026-01-02T03:04:05Z", fn_cost=9, reasons=2)
    method, path, headers, body = server.requests[0]
    assert (method, path, headers["Content-Type"]) == (
        "POST",
        "/v1/score?reasons=2",
        "application/json",
    )
    wanted = '{"id":"a","features":{"b":1.5,"a":"x"},"time":"2026-01-02T03:04:05Z","fn_cost":9}'
    assert body.decode() == wanted


def test_numbers_of_numpy_and_times_are_sent(scripted):
    server, client = scripted(ANSWER)
    features = {"f": np.float64(0.5), "i": np.int64(3), "b": np.bool_(True), "z": np.array(2.0)}
    client.score("a", features, time=datetime(2026, 1, 2, tzinfo=UTC))
    sent = json.loads(server.requests[0][3])
    assert sent["features"] == {"f": 0.5, "i": 3, "b": True, "z": 2.0}
    assert sent["time"] == "2026-01-02T00:00:00Z"


@pytest.mark.parametrize("cost", [float("nan"), float("inf")])
def test_a_cost_that_is_not_finite_is_not_sent_as_none(scripted, cost):
    server, client = scripted()
    with pytest.raises(CostreamError, match="fn_cost is not finite"):
        client.score("a", {}, fn_cost=cost)
    assert server.requests == []


# --- what is sent again -----------------------------------------------------------------------------


@pytest.mark.parametrize("trouble", [DROP, busy(503), busy(429)], ids=["dropped", "503", "429"])
def test_what_may_go_well_later_is_sent_again_with_the_same_bytes(scripted, trouble):
    server, client = scripted(trouble, trouble, ANSWER)
    assert client.score("a", {"x": 1.0}).learnt == 3
    assert len({body for *_, body in server.requests}) == 1
    assert client.waits == [0.1, 0.2]


def test_the_service_says_how_long_to_wait(scripted):
    _, client = scripted(busy(503, 7), ANSWER)
    client.score("a", {})
    assert client.waits == [7.0]


def test_after_some_attempts_the_reason_is_reported(scripted):
    server, client = scripted(*[busy()] * 3, retries=2)
    with pytest.raises(ServiceError, match="the queue is full\nhint: later") as caught:
        client.score("a", {})
    assert (caught.value.status, len(server.requests)) == (503, 3)


@pytest.mark.parametrize("status", [400, 401, 404, 409, 413, 422, 500])
def test_what_will_not_go_well_is_not_sent_again(scripted, status):
    server, client = scripted((status, {"error": "no", "hint": "never"}, {}))
    with pytest.raises(ServiceError, match="no\nhint: never") as caught:
        client.label("a", 1)
    assert (caught.value.status, len(server.requests), client.waits) == (status, 1, [])


def test_a_connection_is_kept(scripted):
    server, client = scripted(LEARNT, LEARNT, LEARNT)
    for _ in range(3):
        client.label("a", 1)
    assert server.connections == 1


def test_a_kept_connection_that_was_closed_is_opened_again_at_once(scripted):
    server, client = scripted((200, LEARNT, {"Connection": "close-unsaid"}), LEARNT)
    client.label("a", 1)
    client.label("a", 1)
    assert (server.connections, client.waits) == (2, [])


# --- batches ----------------------------------------------------------------------------------------


def test_many_rows_go_in_batches_and_their_answers_are_in_order(scripted):
    server, client = scripted(*[echo("events")] * 3)
    found = client.score_many({"id": str(at), "features": {}} for at in range(2500))
    assert [one.id for one in found] == [str(at) for at in range(2500)]
    assert [len(json.loads(body)["events"]) for *_, body in server.requests] == [1000, 1000, 500]


def test_batches_stay_below_the_largest_body(scripted):
    server, client = scripted(*[echo("events")] * 3)
    found = client.score_many({"id": str(at), "features": {"x": "y" * 400_000}} for at in range(6))
    assert [one.id for one in found] == ["0", "1", "2", "3", "4", "5"]
    assert all(len(body) < 1_000_000 for *_, body in server.requests)


def test_a_bad_row_is_a_problem_in_its_place(scripted):
    bad = {"error": "id 'b' has come with another event", "id": "b", "status": 409}
    _, client = scripted({"results": [ANSWER, bad, ANSWER]})
    found = client.score_many({"id": name, "features": {}} for name in "abc")
    assert [type(one) for one in found] == [Answer, Problem, Answer]
    assert (found[1].id, found[1].status) == ("b", 409)


def test_rows_that_were_refused_for_a_while_are_sent_again_alone(scripted):
    full = {"error": "too many pending", "id": "b", "status": 429}
    server, client = scripted({"results": [LEARNT, full]}, echo("labels"))
    found = client.label_many([{"id": "a", "label": 1}, {"id": "b", "label": 0}])
    assert [one.id for one in found] == ["a", "b"]
    assert [row["id"] for row in json.loads(server.requests[1][3])["labels"]] == ["b"]


# --- addresses and answers --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8321", "ftp://host", "http://", "", "http://[::1", "http://a:b"]
)
def test_an_address_must_be_one(url):
    with pytest.raises(CostreamError, match=r"is not the address of a service\nhint: write it like"):
        Client(url)


@pytest.mark.parametrize("token", ["two words", "a\r\nX: y", "é"])
def test_a_token_must_be_one(token):
    with pytest.raises(CostreamError, match="characters that no token has"):
        Client("http://127.0.0.1:1", token=token)


@pytest.mark.parametrize("reply", [b"<html>", {"hello": "world"}], ids=["page", "other JSON"])
def test_another_program_at_the_address_is_reported(scripted, reply):
    _, client = scripted((200, reply, {}))
    with pytest.raises(CostreamError, match="is not a service of costream"):
        client.label("a", 1)


def test_a_client_needs_no_server_and_no_compiler():
    code = (
        "import sys; from costream.serve import Client; print({'numba', 'starlette'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
