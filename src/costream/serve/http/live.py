"""What happens now, as server-sent events: at most once a second, and only what has changed."""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal, NamedTuple, cast, get_args

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ..endpoints import STREAM
from ..engine.service import Service
from ..messages import State, Summary
from .guard import DeniedError
from .handlers import parameters_of, service_of
from .routing import handles

TICK = 1.0  # seconds between two looks
QUIET = 15.0  # seconds after which a comment says that the stream is alive
LIFE = 900.0  # seconds of a stream: a client comes back by itself, and its token is checked again
RETRY = 2000  # milliseconds after which it does
STREAMS = 100  # at a time
FLAGS = 50  # that a client can have missed
ENOUGH_DAYS = 4  # for a summary by day

By = Literal["day", "hour"]
KIND = "text/event-stream"


@dataclass(frozen=True)
class Moment:
    """How the service stood at one moment; versions grow whenever something has changed."""

    version: int
    summary: Summary
    state: State
    flags: Sequence[Mapping[str, Any]]
    failure: str | None
    changed: Mapping[str, int]  # the version of the last change, by the start of each period

    @property
    def last_flag(self) -> int:
        return int(self.flags[0]["seq"]) if self.flags else 0

    def since(self, version: int) -> list[str]:
        """The starts of the periods that have changed since a version."""
        return [start for start, own in self.changed.items() if own > version]


class Seen(NamedTuple):
    """What a client has been sent up to now; `moment` is there if this stream has sent it."""

    by: str = ""
    version: int = 0
    flag: int = 0
    moment: Moment | None = None


Encode = Callable[[Moment, Seen], list[tuple[str, Any]]]


class Live:
    """The moments of a service, shared by all streams: however many there are, it is read once."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.run = secrets.token_hex(4)  # versions are those of this process
        self.streams = 0
        self._version = 0
        self._moments: dict[By, Moment] = {}
        self._looked: dict[By, float] = {}
        self._lock = asyncio.Lock()

    async def now(self, by: By | None) -> Moment:
        """How the service stands, or stood less than a tick ago; None is by hour in the first days."""
        if by is None:
            days = await self.now("day")
            return days if len(days.summary.rows) >= ENOUGH_DAYS else await self.now("hour")
        async with self._lock:
            old = self._moments.get(by)
            if old is None or time.monotonic() - self._looked[by] >= TICK:
                self._moments[by] = await self._look(by, old)
                self._looked[by] = time.monotonic()
            return self._moments[by]

    async def _look(self, by: By, old: Moment | None) -> Moment:
        state = await asyncio.to_thread(self.service.engine.status)
        failure = self.service.failure
        if old is not None and _counts(state) == _counts(old.state) and failure == old.failure:
            return old
        summary = await asyncio.to_thread(self.service.engine.summary, by)
        flags = await asyncio.to_thread(self.service.engine.flags, FLAGS)
        self._version += 1
        before = {row.start: row for row in old.summary.rows} if old else {}
        versions = old.changed if old else {}
        changed = {
            str(row.start): versions[str(row.start)] if before.get(row.start) == row else self._version
            for row in summary.rows
        }
        return Moment(self._version, summary, state, flags, failure, changed)

    def event_id(self, moment: Moment) -> str:
        """What a client sends back as `Last-Event-ID`, to be sent what it has missed."""
        return f"{self.run}-{moment.summary.by}-{moment.version}-{moment.last_flag}"

    def seen(self, event_id: str) -> Seen:
        """What a client has seen that sends this id; nothing if it is not of this process."""
        found = re.fullmatch(rf"{self.run}-(day|hour)-([0-9]{{1,18}})-([0-9]{{1,18}})", event_id)
        return Seen(found[1], int(found[2]), int(found[3])) if found else Seen()


# What changes with every record.
_counts = attrgetter("events", "labels", "learnt", "pending", "unmatched", "rejected", "flags")


def live_of(request: Request) -> Live:
    state, service = request.app.state, service_of(request)
    live: Live | None = getattr(state, "live", None)
    if live is None or live.service is not service:
        live = state.live = Live(service)
    return live


def requested_by(request: Request, default: By | None) -> By | None:
    by = request.query_params.get("by")
    if by in (None, ""):
        return default
    for known in get_args(By):
        if by == known:
            return cast(By, known)
    raise DeniedError(422, "by must be day or hour", "leave it out for days")


@handles(STREAM)
async def stream(request: Request) -> Response:
    """`GET /v1/stream`: the summary whenever it changes, and new flags.

    The first `summary` has all periods, the next ones those that have changed since; `flags` has the
    new ones, newest first. With the `Last-Event-ID` of an earlier event it goes on from there.
    """
    if parameters_of(request.scope, STREAM.query).get("by") == "":
        raise DeniedError(422, "by must be day or hour", "leave it out for days")
    return respond(request, _as_json, "day")


def _as_json(moment: Moment, seen: Seen) -> list[tuple[str, Any]]:
    """The summary, and the flags that are new; a client that begins has missed none."""
    wanted = set(moment.since(seen.version))
    rows = [row for row in moment.summary.rows if row.start in wanted]
    found: list[tuple[str, Any]] = [("summary", msgspec.structs.replace(moment.summary, rows=rows))]
    new = [one for one in moment.flags if one["seq"] > seen.flag] if seen.version else []
    return [*found, ("flags", new)] if new else found


def respond(request: Request, encode: Encode, default: By | None) -> Response:
    """A stream of what `encode` makes of each moment that is new to the client."""
    by, live = requested_by(request, default), live_of(request)
    if live.streams >= STREAMS:
        hint = "close some, or try again later"
        raise DeniedError(503, "too many streams are open", hint, {"Retry-After": "5"})
    if request.method == "HEAD":
        return Response(media_type=KIND)
    last = request.headers.get("last-event-id") or request.query_params.get("last", "")
    return StreamingResponse(
        _messages(live, by, last, encode),
        media_type=KIND,
        headers={"X-Accel-Buffering": "no"},  # a proxy passes it on at once
    )


async def _messages(live: Live, by: By | None, last: str, encode: Encode) -> AsyncIterator[bytes]:
    """What one client is sent, until it goes, the service stops, or its time is over."""
    stopping = live.service.stopping
    end = time.monotonic() + LIFE
    quiet = time.monotonic()
    seen = live.seen(last)
    live.streams += 1
    try:
        yield b"retry: %d\n\n" % RETRY
        while not stopping.is_set() and time.monotonic() < end:
            moment = await live.now(by)
            if (moment.summary.by, moment.version) != (seen.by, seen.version):
                if moment.summary.by != seen.by:
                    seen = Seen()
                for event, data in encode(moment, seen):
                    name = live.event_id(moment)  # JSON of msgspec has no line breaks of its own
                    yield b"event: %b\nid: %b\ndata: %b\n\n" % (
                        event.encode(),
                        name.encode(),
                        msgspec.json.encode(data),
                    )
                seen = Seen(moment.summary.by, moment.version, moment.last_flag, moment)
                quiet = time.monotonic()
            elif time.monotonic() - quiet >= QUIET:
                quiet = time.monotonic()
                yield b": alive\n\n"
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), TICK)
    finally:
        live.streams -= 1
