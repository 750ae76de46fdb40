"""What the service does for each request: decode, ask the engine, answer."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any, Literal, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope

from .guard import SEE, TOKEN, DeniedError, encode, request_id
from .jobs import LabelJob, Scored
from .logs import Became
from .messages import (
    ID_BYTES,
    REASONS,
    Answer,
    BatchAnswer,
    Event,
    Events,
    Label,
    LabelAnswer,
    Labels,
    Problem,
)
from .metrics import CONTENT_TYPE, page_of
from .openapi import document
from .routing import OPEN, Endpoint
from .service import Refused, Service
from .unique import colons_in_features, colons_of_event, colons_of_label, repeated_key

JSON = b"application/json"
GZIP = b"\x1f\x8b"
RETRY_SECONDS = {429: 60, 503: 5}
STARTING = {"retry-after": "2"}
REPLAYED = [(b"idempotent-replayed", b"true")]
TWICE = "{} is given twice"
REFUSED: Became = ("refused", None)
LONGEST_KEY = 60  # characters of a key that an error names
NOT_READ = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class ManyEvents(msgspec.Struct, forbid_unknown_fields=True):
    """A batch of events that are all as they should be."""

    events: list[Event]


class ManyLabels(msgspec.Struct, forbid_unknown_fields=True):
    """A batch of labels that are all as they should be."""

    labels: list[Label]


class Batches(NamedTuple):
    """How batches of a kind are read: all rows at once, or one by one where some are wrong."""

    name: str
    one: Callable[[Any], Any]
    many: Callable[[Any], Any]
    raw: Callable[[Any], Any]
    colons_of: Callable[[Any], int]

    def read(self, body: bytes, most: int) -> list[Any]:
        """The rows of a batch, each of them or what is wrong with it."""
        try:
            rows: list[Any] = getattr(self.many(body), self.name)
        except NOT_READ:
            return self._singly(body, most)
        check_rows(rows, most, self.name)
        more = body.count(b":") - 1 - sum(map(self.colons_of, rows))
        if more and self.name == "events":  # those within features
            more -= sum(map(colons_in_features, rows))
        return self._singly(body, most) if more or b"\\" in body else rows

    def _singly(self, body: bytes, most: int) -> list[Any]:
        """The rows one by one; more than one colon beside them is that of a key given twice."""
        raw = getattr(decoded(self.raw, body), self.name)
        check_rows(raw, most, self.name)
        texts = [bytes(one) for one in raw]
        if body.count(b":") != 1 + sum(text.count(b":") for text in texts):
            raise DeniedError(422, TWICE.format(self.name), SEE)
        return [row_of(self.one, text, self.colons_of) for text in texts]


decode_event = msgspec.json.Decoder(Event).decode
decode_label = msgspec.json.Decoder(Label).decode
EVENTS = Batches(
    "events",
    decode_event,
    msgspec.json.Decoder(ManyEvents).decode,
    msgspec.json.Decoder(Events).decode,
    colons_of_event,
)
LABELS = Batches(
    "labels",
    decode_label,
    msgspec.json.Decoder(ManyLabels).decode,
    msgspec.json.Decoder(Labels).decode,
    colons_of_label,
)


async def score(request: Request) -> Response:
    """Decide on one event."""
    body = await body_of(request.scope, request.receive)
    event: Event = decoded(decode_event, body)
    check_id(event.id)
    check_keys(body, event, colons_of_event)
    results = await taken(service_of(request).score([event], reasons_of(request.scope)))
    result = results[0]
    if isinstance(result, Problem):
        raise denied(result)
    return json(result.answer, headers=REPLAYED if result.replayed else None)


async def label(request: Request) -> Response:
    """Take one label."""
    body = await body_of(request.scope, request.receive)
    with audited(request):
        given: Label = decoded(decode_label, body)
        check_id(given.id)
        check_keys(body, given, colons_of_label)
        no_parameters(request.scope)
    result = (await recorded(request, [given])).results[0]
    if isinstance(result, Problem):
        raise denied(result)
    return json(result, 202 if result.status == "parked" else 200)


async def score_batch(request: Request) -> Response:
    """Decide on many events; each has its own answer or its own error."""
    service, body = service_of(request), await body_of(request.scope, request.receive)
    reasons = reasons_of(request.scope)
    rows = EVENTS.read(body, service.settings.max_rows)
    events, places = good(rows)
    results = await taken(service.score(events, reasons)) if events else []
    return batch(rows, places, [of_batch(one) for one in results])


async def label_batch(request: Request) -> Response:
    """Take many labels; each has its own answer or its own error."""
    service, body = service_of(request), await body_of(request.scope, request.receive)
    with audited(request):
        no_parameters(request.scope)
        rows = LABELS.read(body, service.settings.max_rows)
    labels, places = good(rows)
    if len(labels) < len(rows):
        audit(request, [REFUSED] * (len(rows) - len(labels)))
    if not labels:
        return batch(rows, places, [])
    return batch(rows, places, (await recorded(request, labels)).results)


async def event(request: Request) -> Response:
    """An event as it is stored."""
    no_parameters(request.scope)
    found = await asyncio.to_thread(service_of(request).engine.find, request.path_params["id"])
    if found is None:
        raise DeniedError(404, "there is no event with this id", "ids are case-sensitive")
    return json(found)


async def summary(request: Request) -> Response:
    """The bill by day or hour."""
    given = parameters_of(request.scope, {"by"})
    by = given.get("by", "day")
    if by not in ("day", "hour"):
        raise DeniedError(422, "the summary is by day or by hour", "?by=day or ?by=hour")
    kind: Literal["day", "hour"] = "hour" if by == "hour" else "day"
    return json(await asyncio.to_thread(service_of(request).engine.summary, kind))


async def live(_request: Request) -> Response:
    """The process answers."""
    return json({"status": "live"})


async def ready(request: Request) -> Response:
    """Requests are taken."""
    why = service_of(request).not_ready
    if why is not None:
        raise DeniedError(503, why, "try again", {"retry-after": "5"})
    return json({"status": "ready"})


async def metrics(request: Request) -> Response:
    """Figures for Prometheus."""
    requests = request.app.state.guard.requests
    body = await asyncio.to_thread(page_of, service_of(request), requests)
    return Response(body, headers={"content-type": CONTENT_TYPE})


async def openapi(request: Request) -> Response:
    """What the interface is, for programs."""
    return json(document(str(request.scope.get("root_path", ""))))


ROUTES = [
    Endpoint("/v1/score", score, "score", ["POST"]),
    Endpoint("/v1/labels", label, "label", ["POST"]),
    Endpoint("/v1/score/batch", score_batch, "score", ["POST"]),
    Endpoint("/v1/labels/batch", label_batch, "label", ["POST"]),
    Endpoint("/v1/events/{id:path}", event, "read"),
    Endpoint("/v1/summary", summary, "read"),
    Endpoint("/health/live", live, OPEN),
    Endpoint("/health/ready", ready, OPEN),
    Endpoint("/metrics", metrics, "read"),
    Endpoint("/openapi.json", openapi, "read"),
]


def audit(request: Request, became: Sequence[Became]) -> None:
    """Have lines say who sent labels, and what became of each."""
    scope = request.scope
    scope["app"].audit.labels(scope[TOKEN], request_id(scope), became)


@contextmanager
def audited(request: Request) -> Iterator[None]:
    """A line for a request of labels that is refused before there are any."""
    try:
        yield
    except DeniedError:
        audit(request, [REFUSED])
        raise


async def recorded(request: Request, labels: list[Label]) -> LabelJob:
    """Have labels recorded and learnt, with a line for each, also where none is taken now."""
    try:
        job = await service_of(request).record(labels)
    except Refused as refused:
        audit(request, [("not-taken", None)] * len(labels))
        raise denied(refused.problem, refused.retry_after) from None
    became = [
        REFUSED if isinstance(one, Problem) else (one.status, record)
        for one, record in zip_longest(job.results, job.records)
    ]
    audit(request, became)
    return job


def service_of(request: Request) -> Service:
    """The service behind the application."""
    service: Service | None = request.app.state.service
    if service is None:
        raise DeniedError(
            503, "the service is starting: its model learns what is in the log", "try again", STARTING
        )
    return service


class Json(Response):
    """An answer as JSON; its few headers are written as they are sent."""

    def __init__(self, content: Any, status: int, more: list[tuple[bytes, bytes]]) -> None:
        self.status_code, self.body, self.background = status, encode(content), None
        length = (b"content-length", b"%d" % len(self.body))
        self.raw_headers = [length, (b"content-type", JSON), *more]


def json(content: Any, status: int = 200, headers: list[tuple[bytes, bytes]] | None = None) -> Response:
    """An answer as JSON."""
    return Json(content, status, headers or [])


async def body_of(scope: Scope, receive: Receive) -> bytes:
    """The body of a request, which has to be JSON by its header."""
    for name, value in scope["headers"]:
        if name == b"content-type":
            if value != JSON and value.partition(b";")[0].strip().lower() != JSON:
                break
            return await whole(receive)
    raise DeniedError(415, "the body must be JSON", "send the header Content-Type: application/json")


async def whole(receive: Receive, most: float = math.inf) -> bytes:
    """All parts of a body; the guard counts its bytes, and so may an endpoint that takes fewer."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise DeniedError(400, "the request ended early")
        parts.append(message.get("body", b""))
        if sum(map(len, parts)) > most:
            raise DeniedError(413, f"the body has more than {most:,} bytes", "send less")
        if not message.get("more_body", False):
            return parts[0] if len(parts) == 1 else b"".join(parts)


def decoded(decode: Any, body: bytes) -> Any:
    """The body as a message; the errors say where in it something is wrong."""
    try:
        return decode(body)
    except msgspec.ValidationError as error:
        raise DeniedError(422, str(error), SEE) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        hint = "send it uncompressed" if body[:2] == GZIP else SEE
        raise DeniedError(400, f"the body is not JSON: {error}", hint) from None
    except RecursionError:
        raise DeniedError(422, "the body is nested too deeply", SEE) from None


def check_keys(body: bytes, message: Any, colons_of: Callable[[Any], int]) -> None:
    """Refuse a message with a key that is there twice."""
    try:
        twice = repeated_key(body, message, colons_of)
    except RecursionError:
        raise DeniedError(422, "the body is nested too deeply", SEE) from None
    if twice is not None:
        raise DeniedError(422, TWICE.format(shown(twice)), SEE)


def shown(key: str) -> str:
    """A key as an error names it."""
    return repr(key[:LONGEST_KEY])


def check_id(text: str) -> None:
    """Refuse an id that is too long in bytes or has a NUL in it."""
    why = wrong_id(text)
    if why is not None:
        raise DeniedError(422, why, f"ids have 1 to {ID_BYTES} bytes of UTF-8")


def wrong_id(text: str) -> str | None:
    """Why an id cannot be taken."""
    if len(text) * 4 > ID_BYTES and len(text.encode()) > ID_BYTES:
        return f"the id has more than {ID_BYTES} bytes"
    return "the id has a NUL character" if "\0" in text else None


class _WithId(msgspec.Struct):
    id: str


def row_of(decode: Any, raw: bytes, colons_of: Callable[[Any], int]) -> Any:
    """A row of a batch, or what is wrong with it."""
    try:
        row = decode(raw)
        twice = repeated_key(raw, row, colons_of)
        if twice is None:
            return row
        return Problem(TWICE.format(shown(twice)), SEE, row.id)
    except msgspec.ValidationError as error:
        wrong, status = str(error), 422
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        wrong, status = f"the row is not JSON: {error}", 400
    except RecursionError:
        wrong, status = "the row is nested too deeply", 422
    try:
        known: str | None = msgspec.json.decode(raw, type=_WithId).id
    except NOT_READ:
        known = None
    return Problem(wrong, SEE, known, status)


def check_rows(rows: Sequence[Any], most: int, what: str) -> None:
    """Refuse a batch of no rows, or of too many."""
    if not 1 <= len(rows) <= most:
        raise DeniedError(422, f"{len(rows):,} {what} in one request", f"send 1 to {most:,}")


def good(rows: list[Any]) -> tuple[list[Any], list[int]]:
    """The rows that the engine can be asked about, and where they stand; ids are checked here."""
    found, places = [], []
    for at, one in enumerate(rows):
        if not isinstance(one, Problem):
            why = wrong_id(one.id)
            if why is None:
                found.append(one)
                places.append(at)
            else:
                rows[at] = Problem(why, f"ids have 1 to {ID_BYTES} bytes of UTF-8", None)
    return found, places


def of_batch(result: Scored | Problem) -> Answer | Problem:
    """The answer to a row, which says whether it was made before."""
    if isinstance(result, Problem):
        return result
    if not result.replayed:
        return result.answer
    return BatchAnswer(**msgspec.structs.asdict(result.answer), replayed=True)


def batch(
    rows: list[Any], places: list[int], results: Sequence[Answer | LabelAnswer | Problem]
) -> Response:
    """The answer to a batch: the results at their places, errors as they are."""
    for at, result in zip(places, results, strict=True):
        rows[at] = result
    return json({"results": [in_row(one) if isinstance(one, Problem) else one for one in rows]})


def in_row(problem: Problem) -> dict[str, Any]:
    """An error of a row, with its status."""
    given = {**msgspec.structs.asdict(problem), "hint": problem.hint or SEE}
    return {key: value for key, value in given.items() if value is not None}


async def taken(results: Any) -> Any:
    """The results of the engine, unless it takes nothing now."""
    try:
        return await results
    except Refused as refused:
        raise denied(refused.problem, refused.retry_after) from None


def denied(problem: Problem, retry_after: float | None = None) -> DeniedError:
    """A problem as an answer to the whole request."""
    wait = retry_after or RETRY_SECONDS.get(problem.status)
    headers = None if wait is None else {"retry-after": str(max(1, round(wait)))}
    return DeniedError(problem.status, problem.error, problem.hint, headers)


def reasons_of(scope: Scope) -> int | None:
    """How many reasons are asked for; None where nothing is said."""
    if not scope["query_string"]:
        return None
    text = parameters_of(scope, {"reasons"}).get("reasons")
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 2 and int(text) <= REASONS):
        raise DeniedError(422, "reasons is not a number of reasons", f"?reasons=0 to {REASONS}")
    return int(text)


def no_parameters(scope: Scope) -> None:
    """Refuse parameters where none are known."""
    if scope["query_string"]:
        parameters_of(scope, ())


def parameters_of(scope: Scope, known: Iterable[str]) -> dict[str, str]:
    """The parameters of a request; unknown ones are refused, since they would do nothing."""
    given: dict[str, str] = {}
    for name, value in Request(scope).query_params.multi_items():
        if name not in known:
            names = ", ".join(known) or "none"
            raise DeniedError(422, "unknown parameter in the address", f"known here: {names}")
        if name in given:
            raise DeniedError(422, f"{name} is given twice", "give it once")
        given[name] = value
    return given
