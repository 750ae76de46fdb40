"""The load of the service's benchmark, and what is made of its results."""

import socketserver
import sys
import threading
from itertools import takewhile
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

import serve_load

from costream.serve.http.batches import EVENTS, LABELS
from costream.serve.messages import Event

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


class Answering(socketserver.StreamRequestHandler):
    """A server that answers every request, in two parts."""

    wbufsize = 0
    answer = ANSWER

    def handle(self):
        while True:
            head = list(takewhile(lambda line: line not in (b"\r\n", b""), self.rfile))
            length = [int(line.split()[1]) for line in head if line.startswith(b"Content-Length")]
            if not length:
                return
            self.server.bodies.append(self.rfile.read(length[0]))
            self.wfile.write(self.server.answer[:20])
            self.wfile.write(self.server.answer[20:])


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    answer = ANSWER


@pytest.fixture
def server():
    with Server(("127.0.0.1", 0), Answering) as found:
        found.bodies = []
        thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield found
        found.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def rows():
    return serve_load.Rows()


def body_of(request):
    return request.partition(b"\r\n\r\n")[2]


def test_every_request_is_sent_once_and_answered(server):
    requests = [serve_load.post("/", b"%d" % number) for number in range(50)]
    found = serve_load.load(server.server_address[1], requests, rows=3, connections=4)
    assert sorted(map(int, server.bodies)) == list(range(50))
    assert (found.requests, found.rows) == (50, 150)
    assert 0.0 < found.p50 <= found.p99 <= found.longest


def test_requests_are_what_the_service_takes(rows):
    event = body_of(next(rows.scores(7)))
    assert serve_load.msgspec.json.decode(event, type=Event).features == rows.features[7]
    batch = EVENTS.many(body_of(next(rows.score_batches(5, 10)))).events
    assert [one.id for one in batch] == [f"event-{number:09d}" for number in range(10, 15)]
    labels = list(rows.label_batches(4, range(10)))
    assert [len(LABELS.many(body_of(one)).labels) for one in labels] == [4, 4, 2]
