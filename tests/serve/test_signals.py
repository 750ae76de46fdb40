"""The command as it is installed: how it starts, what it refuses, and how it ends."""

import signal
import socket
import sys
import threading

import httpx
import pytest

from costream.serve import Client
from costream.serve.engine.recovery import open_engine
from helpers.commands import compiled_only, fail, succeed
from helpers.started import SMALL, started

pytestmark = [
    compiled_only,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
]
SECRET = "s3cret-4711"


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """A process that was asked to end while many sent it events, and what each of them was answers."""
    folder = tmp_path_factory.mktemp("signals") / "fraud"
    answers, halfway = [], threading.Event()

    def send(name):
        with httpx.Client(base_url=process.url) as client:
            for at in range(10_000):
                try:
                    event = {"id": f"{name}-{at}", "features": {"a": at}}
                    answer = client.post("/v1/score", json=event)
                    if answer.status_code == 200:
                        label = client.post("/v1/labels", json={"id": event["id"], "label": at % 2})
                        answers.append((event["id"], answer.status_code, label.status_code))
                    else:
                        answers.append((event["id"], answer.status_code, None))
                except httpx.ConnectError:
                    return  # nothing was accepted
                except httpx.TransportError as error:
                    answers.append((f"{name}-{at}", None, type(error).__name__))
                    return
                if len(answers) > 200:
                    halfway.set()

    with started(folder, *SMALL) as process:
        threads = [threading.Thread(target=send, args=(f"c{n}",)) for n in range(8)]
        for thread in threads:
            thread.start()
        assert halfway.wait(60.0)
        process.code = process.end()
        for thread in threads:
            thread.join(60.0)
    return folder, process, answers


def test_it_exits_with_0(ended):
    assert ended[1].code == 0


def test_it_says_that_it_has_stopped(ended):
    assert ended[1].output.endswith("stopped; all that was accepted is answered\n")


def test_it_leaves_a_snapshot(ended):
    folder, *_ = ended
    assert list((folder / "snapshots").iterdir())


def test_what_it_has_answered_is_kept(ended):
    folder, _, answers = ended
    engine = open_engine(folder, None)
    try:
        found = [name for name, status, _ in answers if status == 200 and engine.find(name) is None]
        labels = [one for one in answers if one[2] == 200]
        assert (found, engine.served.learnt >= len(labels) > 0) == ([], True)
        assert int(engine.snapshots.files()[0].stem) == engine.last_label
    finally:
        engine.close()


def test_a_request_that_has_begun_is_answered(tmp_path):
    with started(tmp_path / "fraud", *SMALL) as process:
        host, port = process.url.removeprefix("http://").split(":")
        body = b'{"id":"begun","features":{"a":1}}'
        head = f"POST /v1/score HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        with socket.create_connection((host, int(port)), 30.0) as connection:
            connection.sendall(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body[:5])
            while httpx.get(f"{process.url}/metrics").status_code != 200:
                pass
            process.process.send_signal(signal.SIGTERM)
            connection.sendall(body[5:])
            answer = connection.recv(65536)
        assert answer.startswith(b"HTTP/1.1 200")
        assert process.end() == 0


def test_an_open_stream_does_not_hold_it_up(tmp_path):
    with (
        started(tmp_path / "fraud", *SMALL) as process,
        httpx.stream("GET", f"{process.url}/v1/stream", timeout=60.0) as stream,
    ):
        lines = stream.iter_lines()
        assert next(lines).startswith("retry")
        process.process.send_signal(signal.SIGINT)
        assert not [line for line in lines if line.startswith("event: flags")]
        assert process.end() == 0


def test_a_port_in_use_is_reported(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        error = fail(1, "serve", "--dir", tmp_path / "fraud", *SMALL, "--port", port)
    assert f"port {port} of 127.0.0.1 cannot be used" in error
    assert not (tmp_path / "fraud").exists()


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_without_a_token_it_does_not_listen_to_others(tmp_path, host):
    error = fail(1, "serve", "--dir", tmp_path / "fraud", *SMALL, "--host", host)
    assert "there is no token\nhint: make one first: costream serve token add" in error


def test_with_a_token_it_listens_to_others_and_asks_for_it(tmp_path):
    token = succeed("serve", "token", "add", "till", "--scope", "score", "--dir", tmp_path / "fraud")
    with started(tmp_path / "fraud", *SMALL, "--host", "0.0.0.0") as process:
        assert httpx.post(f"{process.url}/v1/score", json={}).status_code == 401
        with Client(process.url, token=token.strip()) as client:
            assert client.score("a", {"amount": 1.0}).id == "a"
        process.end()


def test_nothing_that_it_says_holds_data_of_events(tmp_path):
    with started(tmp_path / "fraud", *SMALL, "--access-log") as process:
        with Client(process.url) as client:
            for t in range(4):
                client.score(f"{SECRET}-{t}", {"amount": 1.0 * t, SECRET: SECRET})
                client.label(f"{SECRET}-{t}", t % 2)
            client.score("odd", {"amount": SECRET})
            client.event(f"{SECRET}-1")
        httpx.get(f"{process.url}/{SECRET}?{SECRET}")
        httpx.post(f"{process.url}/v1/score", json={"id": SECRET, "features": SECRET})
        assert process.end() == 0
    assert '"GET /v1/events/{id} HTTP/1.1" 200' in process.output
    assert SECRET not in process.output
