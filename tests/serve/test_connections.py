"""Slow, endless and unfinished requests: they end, are counted and logged, and others still get in."""

import contextlib
import json
import logging
import socket
import time

import httpx
import pytest

from helpers.asked import event
from helpers.commands import compiled_only
from helpers.raw import connected, eventually, limited, rest_of

pytestmark = compiled_only
HEAD = b"POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
KINDS = ("httptools", "h11")


@pytest.fixture(scope="module", params=KINDS)
def served(request, tmp_path_factory):
    """A service that is in a hurry."""
    folder = tmp_path_factory.mktemp(request.param) / "fraud"
    limits = {"head_seconds": 0.3, "request_seconds": 0.6, "look_seconds": 0.05, "most": 50}
    with limited(folder, http=request.param, **limits) as (port, application):
        yield port, application.state.guard.requests


def refused(requests, why):
    return requests.refused.get(why, 0)


def is_live(port):
    return httpx.get(f"http://127.0.0.1:{port}/health/live").status_code == 200


def unread(port):
    """A connection that takes few bytes and reads none."""
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    one.connect(("127.0.0.1", port))
    return one


def status_of(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    assert json.loads(body).keys() == {"error", "hint"}
    return int(head.split()[1])


def test_an_endless_header_is_cut_off(served):
    port, requests = served
    before = refused(requests, "head-too-large")
    with connected(port) as one:
        one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ")
        sent = 0
        with contextlib.suppress(ConnectionError):
            while sent < 50_000_000:
                one.sendall(b"x" * 65536)
                sent += 65536
    assert sent < 20_000_000  # what buffers of the system can hold
    assert refused(requests, "head-too-large") == before + 1
    assert is_live(port)


def test_a_head_that_is_too_large_is_reported(served):
    with connected(served[0]) as one:
        one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 70_000)
        assert status_of(rest_of(one)) == 431


def test_too_many_headers_are_reported(served):
    with connected(served[0]) as one:
        one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"a: b\r\n" * 5000 + b"\r\n")
        assert int(one.recv(4096).split()[1]) == 431


def test_large_headers_that_fit_are_taken(served):
    headers = {f"x-{number}": "v" * 500 for number in range(80)}
    answer = httpx.get(f"http://127.0.0.1:{served[0]}/health/live", headers=headers)
    assert answer.status_code == 200


def test_a_head_that_does_not_end_is_closed(served):
    port, requests = served
    before = refused(requests, "head-too-slow")
    with connected(port) as one:
        one.sendall(HEAD)
        assert status_of(rest_of(one)) == 408
    assert refused(requests, "head-too-slow") == before + 1


def test_a_connection_that_says_nothing_is_closed(served):
    with connected(served[0]) as one:
        assert rest_of(one) == b""


def test_blank_lines_without_end_are_closed(served):
    with connected(served[0]) as one, contextlib.suppress(ConnectionError):
        one.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert one.recv(4096).startswith(b"HTTP/1.1 200")
        one.settimeout(0.1)
        for _ in range(100):
            one.sendall(b"\r\n")
            with contextlib.suppress(TimeoutError):
                if not one.recv(4096):
                    return
        raise AssertionError("it is still open")


def test_a_body_that_does_not_end_is_closed(served):
    port, requests = served
    before = refused(requests, "body-too-slow")
    with connected(port) as one:
        one.sendall(HEAD + b'Content-Length: 100\r\n\r\n{"id":')
        assert status_of(rest_of(one)) == 408
    assert refused(requests, "body-too-slow") == before + 1


def test_a_body_that_comes_byte_by_byte_is_closed(served):
    with connected(served[0]) as one:
        one.sendall(HEAD + b"Content-Length: 100000\r\n\r\n")
        one.settimeout(0.05)
        with contextlib.suppress(ConnectionError):
            for _ in range(400):
                one.sendall(b" ")
                with contextlib.suppress(TimeoutError):
                    if not one.recv(4096):
                        return
            raise AssertionError("it is still open")


def test_trailers_without_end_are_cut_off(served):
    with connected(served[0]) as one:
        one.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n \r\n0\r\nX: ")
        sent = 0
        with contextlib.suppress(ConnectionError):
            while sent < 50_000_000:
                one.sendall(b"x" * 65536)
                sent += 65536
    assert sent < 20_000_000


def test_a_slow_but_steady_request_is_answered(served):
    body = json.dumps(event("slow")).encode()
    with connected(served[0]) as one:
        one.sendall(HEAD[:30])
        one.sendall(HEAD[30:] + b"Content-Length: %d\r\n\r\n" % len(body))
        one.sendall(body[:5])
        one.sendall(body[5:])
        assert b"200 OK" in one.recv(4096)


def test_what_is_not_http_is_counted(served):
    port, requests = served
    before = refused(requests, "malformed")
    with connected(port) as one:
        one.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        assert status_of(rest_of(one)) == 400
    assert refused(requests, "malformed") == before + 1


def test_a_kept_connection_is_not_taken_for_a_slow_one(served):
    with httpx.Client(base_url=f"http://127.0.0.1:{served[0]}") as client:
        ports = set()
        for _ in range(2):
            stream = client.get("/health/live").extensions["network_stream"]
            ports.add(stream.get_extra_info("client_addr")[1])
            with connected(served[0]) as one:
                rest_of(one)  # longer than a head may take
        assert len(ports) == 1


def test_unfinished_requests_make_room_for_others(served):
    port, requests = served
    before = refused(requests, "too-many")
    with contextlib.ExitStack() as stack:
        for _ in range(120):
            stack.enter_context(connected(port)).sendall(HEAD)
        assert is_live(port)
        url = f"http://127.0.0.1:{port}/v1/score"
        assert httpx.post(url, json=event("among many")).status_code == 200
    assert refused(requests, "too-many") > before


def test_requests_far_ahead_of_their_answers_are_not_kept(tmp_path):
    """Each of them takes some kilobytes until its turn has come."""
    with limited(tmp_path / "fraud", http="httptools") as (port, application):
        with connected(port) as one, contextlib.suppress(ConnectionError):
            one.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000)
            assert rest_of(one).count(b"200 OK") < 100
        assert application.state.guard.requests.refused == {"too-many-ahead": 1}


def test_some_requests_ahead_of_their_answers_are_answered(served):
    with connected(served[0]) as one:
        one.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n" * 10)
        one.settimeout(5.0)
        seen = b""
        while seen.count(b"200 OK") < 10:
            seen += one.recv(65536)


def test_those_that_do_not_read_make_room_for_others(tmp_path):
    ask = b"GET /static/uPlot.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with (
        limited(tmp_path / "fraud", most=4, look_seconds=0.05) as (port, application),
        contextlib.ExitStack() as stack,
    ):
        requests = application.state.guard.requests
        for number in range(4):
            one = stack.enter_context(unread(port))
            while sum(bool(other.unread_since) for other in list(requests.connections)) <= number:
                one.sendall(ask)
                time.sleep(0.005)
        assert is_live(port)
        assert requests.refused == {"too-many": 1}


def test_a_stream_is_not_cut(served):
    with connected(served[0]) as one:
        one.sendall(b"GET /v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        seen = b""
        with connected(served[0]) as other:
            rest_of(other)  # longer than a head may take
        with connected(served[0]) as other:
            other.sendall(HEAD + b"Content-Length: 9\r\n\r\n")
            rest_of(other)  # and longer than a whole request may
        for _ in range(120):
            with contextlib.suppress(ConnectionResetError):
                connected(served[0]).close()
        name = f"while streaming {served[0]}"
        httpx.post(f"http://127.0.0.1:{served[0]}/v1/score", json=event(name))
        while b'"events":' not in seen.rpartition(b"event: summary")[2] or seen.count(b"summary") < 2:
            part = one.recv(65536)
            assert part, "the stream has ended"
            seen += part


def test_what_is_refused_is_in_the_figures(served):
    port, _ = served
    with connected(port) as one:
        one.sendall(b"nonsense\r\n\r\n")
        rest_of(one)
    text = httpx.get(f"http://127.0.0.1:{port}/metrics").text
    assert 'costream_refused_connections_total{why="malformed"}' in text
    assert "costream_connections " in text


def test_a_kind_is_logged_once_a_minute_with_its_count(tmp_path, caplog):
    with (
        caplog.at_level(logging.WARNING, logger="costream.serve"),
        limited(tmp_path / "fraud", head_seconds=0.3, look_seconds=0.05) as (port, application),
    ):
        for _ in range(3):
            with connected(port) as one:
                one.sendall(b"nonsense\r\n\r\n")
                rest_of(one)
        eventually(lambda: "connections" in caplog.text or "connection " in caplog.text)
        for _ in range(3):
            with connected(port) as one:
                one.sendall(b"nonsense\r\n\r\n")
                rest_of(one)
        with connected(port) as one:
            rest_of(one)  # a second and more
        assert application.state.guard.requests.refused["malformed"] == 6
    lines = [one for one in caplog.messages if "not HTTP" in one]
    assert len(lines) == 1


def test_a_stream_does_not_keep_others_waiting_for_the_model(tmp_path):
    """A model that learns is locked, for seconds where it learns its first labels again."""
    with limited(tmp_path / "fraud") as (port, application), connected(port) as one:
        with application.state.service.engine.served.core.lock:
            one.sendall(b"GET /v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            time.sleep(0.2)
            assert is_live(port)
        assert one.recv(4096)


def test_when_all_are_busy_a_new_one_is_refused(tmp_path):
    with limited(tmp_path / "fraud", most=3) as (port, application), contextlib.ExitStack() as stack:
        for _ in range(3):
            one = stack.enter_context(connected(port))
            one.sendall(b"GET /v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert one.recv(4096)
        with connected(port) as one:
            assert rest_of(one) == b""
        assert application.state.guard.requests.refused == {"full": 1}
