"""What a connection may ask for before its request is whole: size, time, and how many there are.

All of this comes before any token is looked at, so it must cost little. A whole request is not touched;
once a second one look goes over all connections, which ends those that are too slow.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import MutableSet
from typing import TYPE_CHECKING, Any, Literal

from ..messages import Refusal, encode
from .guard import MOST_HEADERS, Requests

if TYPE_CHECKING:
    from uvicorn.protocols.http.flow_control import FlowControl

HEAD_BYTES = 65536  # of a request line and its headers, while they are not complete
PIECE = 65536  # bytes that are parsed at once
MOST_AHEAD = 16  # requests that a client may send before it has the answer to the first of them
LOG_EVERY = 60.0  # seconds between two lines about the same kind of refusal
MOST_CONNECTIONS = 1000
RESERVED_FILES = 128  # of those that the process may open: log, snapshots, modules
ANSWERS = {400: "Bad Request", 408: "Request Timeout", 413: "Content Too Large", 431: "Too Large"}

Stage = Literal["head", "body", "busy", "idle"]
Why = Literal[
    "head-too-large",
    "head-too-slow",
    "body-too-large",
    "body-too-slow",
    "answer-not-read",
    "too-many-ahead",
    "malformed",
    "too-many",
    "full",
]
WORDS: dict[Why, tuple[str, str, str]] = {  # what is logged, what is answered, and its hint
    "head-too-large": (
        "their heads are too large",
        "the head of the request is too large",
        "send less",
    ),
    "head-too-slow": (
        "their heads did not come",
        "the head of the request did not come",
        "send it whole",
    ),
    "body-too-large": ("their bodies are too large", "the body is too large", "send smaller batches"),
    "body-too-slow": ("their bodies did not come", "the body did not come in time", "send it whole"),
    "answer-not-read": ("they do not read their answers", "", ""),
    "too-many-ahead": ("they did not wait for their answers", "", ""),
    "malformed": ("they are not HTTP", "this is not HTTP", "call http://, and see /openapi.json"),
    "too-many": ("there were too many, and these had waited longest", "", ""),
    "full": ("there were too many, and all were busy", "", ""),
}

logger = logging.getLogger("costream.serve")


class Connection:
    """A connection that is ended where it takes too long or too much; a protocol of uvicorn follows."""

    limits: Limits
    transport: asyncio.Transport
    flow: FlowControl
    cycle: Any
    connections: Any
    loop: asyncio.AbstractEventLoop
    since = unread_since = 0.0  # since when a request is not whole, or an answer not read
    size = 0  # bytes of the request that is not whole

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[misc]
        self.limits.joined(self)

    def stage(self) -> Stage:
        raise NotImplementedError

    def send_400_response(self, msg: str) -> None:
        del msg
        self.limits.refuse(self, "malformed", 400)


class Limits:
    """The limits of all connections of a server, and the count of those that were refused.

    One connection more than ``most`` takes the place of those that have sent an unfinished request for
    longest, then of idle ones, then of those that do not read their answers: those who attack a service
    do not shut it for others. Twice ``max_body`` bytes may come, with the marks of their chunks.
    """

    def __init__(
        self,
        requests: Requests,
        most: int = MOST_CONNECTIONS,
        head_seconds: float = 10.0,
        request_seconds: float = 30.0,
        unread_seconds: float = 60.0,
        max_body: int = 1_000_000,
        look_seconds: float = 1.0,
    ) -> None:
        self.most, self._unread_seconds = most, unread_seconds
        self._seconds = {"head": head_seconds, "body": request_seconds, "idle": head_seconds}
        self._largest = HEAD_BYTES + 2 * max_body
        self._requests = requests
        self._logged: dict[Why, tuple[float, int]] = {}  # when a kind was logged, and its count then
        self._look_seconds, self._looks = look_seconds, False

    def joined(self, one: Connection) -> None:
        one.since = one.loop.time()
        self._requests.connections = one.connections
        if not self._looks:
            self._looks = True
            one.loop.call_later(self._look_seconds, self._look, one.loop, one.connections)
        if len(one.connections) > self.most:
            self._make_room(one)

    def unfinished(self, one: Connection, came: int, headers: int) -> None:
        """Bytes have come, and the request is not whole after them."""
        if not one.since:
            one.since = one.loop.time()
        one.size += came
        stage = one.stage()
        if headers > MOST_HEADERS or (stage == "head" and one.size > HEAD_BYTES):
            self.refuse(one, "head-too-large", 431)
        elif one.size > self._largest:
            self.refuse(one, "body-too-large", 413)

    def refuse(self, one: Connection, why: Why, status: int | None = None) -> None:
        """End a connection: with an answer, where none has begun and somebody may read it."""
        if one.transport.is_closing():
            return
        self._requests.refuse(why)
        cycle = one.cycle
        answering = cycle is not None and cycle.response_started and not cycle.response_complete
        if answering:
            one.transport.abort()
            return
        if status is not None:
            one.transport.write(answer(why, status))
        one.transport.close()

    def _make_room(self, new: Connection) -> None:
        """End those that have waited longest; some at a time, since all have to be looked at."""
        others = [one for one in new.connections if one is not new and not one.transport.is_closing()]
        if len(others) < self.most:
            return
        waiting = sorted((one for one in others if one.since), key=lambda one: one.since)
        waiting = [one for one in waiting if one.stage() != "busy"]
        found = waiting or [one for one in others if one.stage() == "idle"]
        found = found or sorted(
            (one for one in others if one.unread_since), key=lambda one: one.unread_since
        )
        for one in found[: max(1, self.most // 20)]:
            self.refuse(one, "too-many")
        if not found:
            self.refuse(new, "full")

    def _look(self, loop: asyncio.AbstractEventLoop, connections: MutableSet[Connection]) -> None:
        """End what is too slow, and log what was refused."""
        loop.call_later(self._look_seconds, self._look, loop, connections)
        now = loop.time()
        for one in list(connections):
            stage = one.stage()
            if one.flow.write_paused:
                one.unread_since = one.unread_since or now
                if now - one.unread_since > self._unread_seconds:
                    self.refuse(one, "answer-not-read")
                continue
            one.unread_since = 0.0
            if one.since and stage != "busy" and now - one.since > self._seconds[stage]:
                why: Why = "body-too-slow" if stage == "body" else "head-too-slow"
                self.refuse(one, why, 408 if one.size else None)
        self._log(now)

    def _log(self, now: float) -> None:
        """A line for each kind that is new, once a minute at most."""
        for why, (words, _, _) in WORDS.items():
            count = self._requests.refused.get(why, 0)
            when, before = self._logged.get(why, (-LOG_EVERY, 0))
            if count > before and now - when >= LOG_EVERY:
                self._logged[why] = (now, count)
                new = count - before
                logger.warning(
                    "%d %s closed: %s (%s)", new, "connections" if new > 1 else "connection", words, why
                )


def answer(why: Why, status: int) -> bytes:
    _, error, hint = WORDS[why]
    body = encode(Refusal(error, hint))
    head = (
        f"HTTP/1.1 {status} {ANSWERS[status]}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + body


def room_for(most: int) -> int:
    """As many connections as the process may have files open for; it asks for more where it can."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return most
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = most + RESERVED_FILES
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return most
    wanted = needed if hard == resource.RLIM_INFINITY else min(hard, needed)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    except (OSError, ValueError):
        pass
    room = max(1, min(most, soft - RESERVED_FILES))
    if room < most:
        logger.warning(
            "the process may open %d files, so there can be %d connections: raise LimitNOFILE",
            soft,
            room,
        )
    return room
