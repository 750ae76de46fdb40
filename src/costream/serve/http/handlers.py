"""What the service does for an event and a label: decode, ask the engine, answer.

A key of JSON that is given twice is refused, of which a decoder keeps the last in silence. Each key is
followed by a colon. Without escapes, the colons of a body are those after its keys and those within its
strings; the decoder has dropped what was given twice, with its colon. So if the body has as many colons
as what was decoded, no key was dropped. Where it has not, or where there are escapes, the body is read
once more.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope

from ..endpoints import LABEL, SCORE
from ..engine.jobs import LabelJob
from ..engine.service import Refused, Service
from ..messages import ID_BYTES, REASONS, Event, Label, Problem, encode
from .guard import NOT_TAKEN, REFUSED, SEE, DeniedError
from .logs import Became
from .routing import handles

JSON = b"application/json"
GZIP = b"\x1f\x8b"
RETRY_SECONDS = {429: 60, 503: 5}
STARTING = {"retry-after": "2"}
REPLAYED = [(b"idempotent-replayed", b"true")]
TWICE = "{} is given twice"
LONGEST_KEY = 60  # characters of a key that an error names
decode_event = msgspec.json.Decoder(Event).decode
decode_label = msgspec.json.Decoder(Label).decode


@handles(SCORE)
async def score(request: Request) -> Response:
    body = await body_of(request.scope, request.receive)
    event: Event = decoded(decode_event, body)
    check_id(event.id)
    check_keys(body, event, colons_of_event)
    results = await taken(service_of(request).score([event], reasons_of(request.scope)))
    result = results[0]
    if isinstance(result, Problem):
        raise denied(result)
    return Json(result.answer, 200, *(REPLAYED if result.replayed else ()))


@handles(LABEL)
async def label(request: Request) -> Response:
    body = await body_of(request.scope, request.receive)
    given: Label = decoded(decode_label, body)
    check_id(given.id)
    check_keys(body, given, colons_of_label)
    no_parameters(request.scope)
    result = (await recorded(request, [given])).results[0]
    if isinstance(result, Problem):
        raise denied(result)
    return Json(result, 202 if result.status == "unmatched" else 200)


def audit(request: Request, became: Sequence[Became]) -> None:
    request.app.state.guard.audit(request.scope, became)


async def recorded(request: Request, labels: list[Label]) -> LabelJob:
    """Have labels recorded and learnt, with a line for each, also where none is taken now."""
    try:
        job = await service_of(request).record(labels)
    except Refused as refused:
        audit(request, [NOT_TAKEN] * len(labels))
        raise denied(refused.problem, refused.retry_after) from None
    became = [
        REFUSED if isinstance(one, Problem) else (one.status, record)
        for one, record in zip_longest(job.results, job.records)
    ]
    audit(request, became)
    return job


def service_of(request: Request) -> Service:
    service: Service | None = request.app.state.service
    if service is None:
        raise DeniedError(
            503, "the service is starting: its model learns what is in the log", "try again", STARTING
        )
    return service


class Json(Response):
    """An answer as JSON; its few headers are written as they are sent."""

    def __init__(self, content: Any, status: int = 200, *more: tuple[bytes, bytes]) -> None:
        self.status_code, self.body, self.background = status, encode(content), None
        length = (b"content-length", b"%d" % len(self.body))
        self.raw_headers = [length, (b"content-type", JSON), *more]


async def body_of(scope: Scope, receive: Receive) -> bytes:
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
    return repr(key[:LONGEST_KEY])


def check_id(text: str) -> None:
    why = wrong_id(text)
    if why is not None:
        raise DeniedError(422, why, f"ids have 1 to {ID_BYTES} bytes of UTF-8")


def wrong_id(text: str) -> str | None:
    if len(text) * 4 > ID_BYTES and len(text.encode()) > ID_BYTES:
        return f"the id has more than {ID_BYTES} bytes"
    return "the id has a NUL character" if "\0" in text else None


async def taken(results: Any) -> Any:
    """The results of the engine, unless it takes nothing now."""
    try:
        return await results
    except Refused as refused:
        raise denied(refused.problem, refused.retry_after) from None


def denied(problem: Problem, retry_after: float | None = None) -> DeniedError:
    wait = retry_after or RETRY_SECONDS.get(problem.status)
    headers = None if wait is None else {"retry-after": str(max(1, round(wait)))}
    return DeniedError(problem.status, problem.error, problem.hint, headers)


def reasons_of(scope: Scope) -> int | None:
    """How many reasons are asked for; None where the address has no number."""
    if not scope["query_string"]:
        return None
    text = parameters_of(scope, SCORE.query).get("reasons")
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 2 and int(text) <= REASONS):
        raise DeniedError(422, "reasons is not a number of reasons", f"?reasons=0 to {REASONS}")
    return int(text)


def no_parameters(scope: Scope) -> None:
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


# --- keys that are given twice -----------------------------------------------------------------------


class _RepeatedError(Exception):
    """A key that an object has twice."""


def colons_of_event(event: Event) -> int:
    """The colons of an event as it is usually written, without objects among its features."""
    features, time = event.features, event.time
    count = 2 + len(features) + event.id.count(":")
    if time is not None:
        count += 1 + (time.count(":") if type(time) is str else 0)
    return count + 4 - (event.fn_cost, event.fp_cost, event.tp_cost, event.tn_cost).count(None)


def colons_of_label(label: Label) -> int:
    given, time = label.label, label.time
    count = 2 + label.id.count(":") + (given.count(":") if type(given) is str else 0)
    if time is not None:
        count += 1 + (time.count(":") if type(time) is str else 0)
    return count


def colons_in_features(event: Event) -> int:
    found = "".join(event.features).count(":")
    for value in event.features.values():
        if type(value) is str:
            found += value.count(":")
    return found


def repeated_key(body: bytes, decoded: Any, colons_of: Callable[[Any], int]) -> str | None:
    """A key that an event or a label has twice, at any depth; None where there is none."""
    if b"\\" not in body:
        more = body.count(b":") - colons_of(decoded)
        if more == 0 or (type(decoded) is Event and more == colons_in_features(decoded)):
            return None
    return _read_again(body)


def _read_again(body: bytes) -> str | None:
    try:
        json.loads(body.decode(), object_pairs_hook=_pairs, parse_int=str, parse_float=str)
    except _RepeatedError as found:
        return str(found.args[0])
    return None


def _pairs(pairs: list[tuple[str, Any]]) -> None:
    """Refuse an object with a key that is there twice."""
    if len(dict(pairs)) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedError(key)
            seen.add(key)
