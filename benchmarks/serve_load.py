"""The load of `serve.py`: requests over connections that are kept alive, and how long each answer took.

The client is ours: blocking sockets would need threads, so one thread of this process waits for all of
them (`selectors`, which is epoll on Linux). Each connection sends its next request when the answer to
the last one has come whole, so as many requests are on their way as there are connections.
"""

from __future__ import annotations

import gc
import selectors
import socket
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

import msgspec
import numpy as np

CONNECTIONS = 32
BATCH = 100  # rows of a request
SNAPSHOT_LABELS = 1000  # labels between snapshots: ten times as often as by default
SLOWER = 0.003  # seconds that a commit takes longer: a disk of some 300 commits a second
FEATURES = 14
POSITIVES = 0.011  # as in the payments stream
DISTINCT = 20_000  # rows that differ; later events have their features again
LONGEST_WAIT = 120.0  # seconds without any answer
RECEIVED = 1 << 18


@dataclass(frozen=True)
class Load:
    """What was answered: requests, rows, seconds, and the time of an answer in ms."""

    requests: int
    rows: int
    seconds: float
    p50: float
    p99: float
    longest: float

    @property
    def rate(self) -> float:
        """Rows a second."""
        return self.rows / self.seconds

    @property
    def record(self) -> dict[str, float]:
        return {"rate": self.rate, **asdict(self)}


# --- the stream -------------------------------------------------------------------------------------


class Rows:
    """Events of 14 numbers, one in ninety positive, by a rule that is linear but for two products."""

    def __init__(self, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(DISTINCT, FEATURES))
        signal = values @ rng.normal(size=FEATURES) + 2 * values[:, 0] * values[:, 1]
        signal += 2 * np.abs(values[:, 2]) + rng.normal(size=DISTINCT)
        self.positive = signal > np.quantile(signal, 1 - POSITIVES)
        rounded = np.round(values, 4).tolist()
        self.features = [{f"feature{j:02d}": value for j, value in enumerate(row)} for row in rounded]
        self._json = [msgspec.json.encode(row) for row in self.features]

    def event(self, number: int) -> bytes:
        """An event as JSON; its id is its number."""
        return b'{"id":"event-%09d","features":%b}' % (number, self._json[number % DISTINCT])

    def label(self, number: int) -> bytes:
        """The label of an event, as JSON."""
        return b'{"id":"event-%09d","label":%d}' % (number, self.positive[number % DISTINCT])

    # --- requests ---

    def scores(self, first: int = 0) -> Iterator[bytes]:
        """Events, one a request, without end."""
        while True:
            yield post("/v1/score", self.event(first))
            first += 1

    def labels(self, numbers: Iterable[int]) -> Iterator[bytes]:
        """Labels, one a request."""
        for number in numbers:
            yield post("/v1/labels", self.label(number))

    def score_batches(self, size: int, first: int = 0) -> Iterator[bytes]:
        """Batches of events, without end."""
        while True:
            rows = b",".join(map(self.event, range(first, first + size)))
            yield post("/v1/score/batch", b'{"events":[%b]}' % rows)
            first += size

    def label_batches(self, size: int, numbers: range) -> Iterator[bytes]:
        """Batches of labels."""
        for first in range(numbers.start, numbers.stop, size):
            rows = b",".join(map(self.label, range(first, min(first + size, numbers.stop))))
            yield post("/v1/labels/batch", b'{"labels":[%b]}' % rows)

    def mixed(self, first: int, behind: int) -> Iterator[bytes]:
        """In turns an event, and the label of the event so many before it, without end."""
        while True:
            yield post("/v1/score", self.event(first))
            yield post("/v1/labels", self.label(first - behind))
            first += 1


def post(path: str, body: bytes) -> bytes:
    """A request as it goes over the wire."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return b"%bContent-Length: %d\r\n\r\n%b" % (head.encode(), len(body), body)


# --- the client -------------------------------------------------------------------------------------


class Connection:
    """One connection: what is still to be sent, what has come, and since when it waits."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.to_send = b""
        self.received = b""
        self.needed = 0  # bytes of the answer, when its head has come
        self.since = 0.0

    def begin(self, request: bytes) -> bool:
        """Send a request; returns whether all of it went."""
        self.received, self.needed = b"", 0
        self.since = time.perf_counter()
        self.to_send = request
        return self.go_on()

    def go_on(self) -> bool:
        """Send what is left; returns whether that was all."""
        try:
            sent = self.socket.send(self.to_send)
        except BlockingIOError:
            return False
        self.to_send = self.to_send[sent:]
        return not self.to_send

    def has_answer(self) -> bool:
        """Take what has come; returns whether the answer is whole."""
        part = self.socket.recv(RECEIVED)
        if not part:
            raise ConnectionError("the server has closed a connection")
        self.received = self.received + part if self.received else part
        if not self.needed:
            self.needed = length_of(self.received)
        return 0 < self.needed <= len(self.received)


def length_of(received: bytes) -> int:
    """The bytes of an answer, 0 while its head is not whole; an error unless it is a good one."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return 0
    head = received[:end].lower()
    if head[9:12] not in (b"200", b"201"):
        raise ConnectionError(received[:300].decode(errors="replace"))
    at = head.find(b"\r\ncontent-length:")
    if at < 0:
        raise ConnectionError("an answer without its length")
    return end + 4 + int(head[at + 17 :].split(b"\r\n", 1)[0])


def load(
    port: int,
    requests: Iterable[bytes],
    seconds: float = float("inf"),
    count: int | None = None,
    rows: int = 1,
    connections: int = CONNECTIONS,
) -> Load:
    """Send requests until there are no more, or for some seconds; all that were sent are answered.

    ``rows`` is the number of rows of each request.
    """
    source = iter(requests)
    if count is not None:
        source = (request for request, _ in zip(source, range(count), strict=False))
    waiting = selectors.DefaultSelector()
    members = [Connection(port) for _ in range(connections)]
    times: list[float] = []
    gc.collect()
    gc.disable()
    try:
        begin = time.perf_counter()
        end = begin + seconds
        open_ones = 0
        for one in members:
            request = next(source, None)
            if request is not None:
                waiting.register(one.socket, wanted(one.begin(request)), one)
                open_ones += 1
        while open_ones:
            ready = waiting.select(LONGEST_WAIT)
            if not ready:
                raise TimeoutError(f"no answer for {LONGEST_WAIT:g} s")
            for key, _ in ready:
                open_ones -= not step(waiting, key.data, source, end, times)
        elapsed = time.perf_counter() - begin
    finally:
        gc.enable()
        waiting.close()
        for one in members:
            one.socket.close()
    return summed_up(times, elapsed, rows)


def wanted(is_sent: bool) -> int:
    return selectors.EVENT_READ if is_sent else selectors.EVENT_WRITE


def step(
    waiting: selectors.BaseSelector,
    one: Connection,
    source: Iterator[bytes],
    end: float,
    times: list[float],
) -> bool:
    """Go on with a connection that is ready; returns whether it has more to do."""
    if one.to_send:
        if one.go_on():
            waiting.modify(one.socket, selectors.EVENT_READ, one)
        return True
    if not one.has_answer():
        return True
    now = time.perf_counter()
    times.append(now - one.since)
    request = next(source, None) if now < end else None
    if request is None:
        waiting.unregister(one.socket)
        return False
    if not one.begin(request):
        waiting.modify(one.socket, selectors.EVENT_WRITE, one)
    return True


def summed_up(times: Sequence[float], seconds: float, rows: int) -> Load:
    """The rate, and the median, the 99th percentile and the longest of the times of answers."""
    if not times:
        raise ValueError("nothing was sent")
    p50, p99, longest = 1e3 * np.quantile(times, [0.5, 0.99, 1.0])
    return Load(len(times), rows * len(times), seconds, float(p50), float(p99), float(longest))
