"""The OpenAPI document of the service, made from its messages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from typing import Any

import msgspec

from ..messages import (
    REASONS,
    ROWS,
    Answer,
    BatchAnswer,
    Event,
    Label,
    LabelAnswer,
    Problem,
    Refusal,
    Summary,
)

Json = dict[str, Any]
REF = "#/components/schemas/{name}"
ABOUT = """Score an event now, send its label when it is known, and have every decision explained.

An answer is sent after what it answers is on disk. An event that is sent again gets the same answer, so
whoever got none sends the same event again."""
WHY = {
    400: "The body is not JSON.",
    401: "A token is needed, or the one that was sent is not known.",
    403: "The token does not allow this, or another site has sent the request.",
    404: "There is no such thing.",
    409: "There is another event with this id.",
    413: "The body is too large.",
    415: "The body is not said to be JSON.",
    421: "The Host is not served here.",
    422: "The message is not as it should be.",
    429: "Too many events wait for labels, or labels for events.",
    500: "Something went wrong in the service.",
    503: "Nothing can be taken now: try again.",
}
PLAIN, EVENT_STREAM = "text/plain", "text/event-stream"
ALWAYS = (401, 403, 421, 500)
OF_BODIES = (400, 413, 415, 422, 503)
HEADERS: Json = {
    "Idempotent-Replayed": {
        "description": "true where the answer was made before",
        "schema": {"type": "string", "enum": ["true"]},
    },
    "Retry-After": {"description": "seconds", "schema": {"type": "string", "pattern": "^[0-9]+$"}},
    "WWW-Authenticate": {"schema": {"type": "string"}},
}
REASONS_PARAMETER: Json = {
    "name": "reasons",
    "in": "query",
    "description": "How many reasons every event gets; without it, flags alone get some.",
    "schema": {"type": "integer", "minimum": 0, "maximum": REASONS},
}
BY_PARAMETER: Json = {
    "name": "by",
    "in": "query",
    "schema": {"type": "string", "enum": ["day", "hour"], "default": "day"},
}
ID_PARAMETER: Json = {
    "name": "id",
    "in": "path",
    "required": True,
    "description": "The id of the event, percent-encoded.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200},
}
LAST_PARAMETERS: list[Json] = [
    {
        "name": name,
        "in": place,
        "description": "The id of the last event that was received: the stream goes on after it.",
        "schema": {"type": "string"},
    }
    for name, place in (("Last-Event-ID", "header"), ("last", "query"))
]
MOMENT: Json = {"type": ["string", "number", "null"]}
TIME: Json = {
    "description": "ISO 8601, in UTC where no offset says otherwise, or seconds since 1970; at most a "
    "year ahead of the clock of the service",
    "anyOf": [
        {"type": "string", "pattern": "^[0-9]{4}"},
        {"type": "number", "minimum": 0},
        {"type": "null"},
    ],
    "default": None,
}
STORED_FIELDS: Json = {
    "id": {"type": "string"},
    "features": {"type": "object"},
    "time": MOMENT,
    "received": {"type": "number", "description": "seconds since 1970"},
    "costs": {"type": "object", "additionalProperties": {"type": "number"}},
    "flag": {"type": "boolean"},
    "score": {"type": "number"},
    "probability": {"type": "number"},
    "learnt": {"type": "integer"},
    "model": {"type": "string"},
    "positive": {"type": ["boolean", "null"]},
    "state": {"enum": ["pending", "labelled", "expired", "held"]},
    "labels": {"type": "array", "items": {"type": "object"}},
}
STORED: Json = {
    "title": "StoredEvent",
    "description": "An event, the answer to it, and its labels.",
    "type": "object",
    "properties": {
        **STORED_FIELDS,
        "reasons": {"type": "array", "items": {"$ref": REF.format(name="Reason")}},
        "warnings": {"type": "array", "items": {"type": "string"}},
    },
    "required": list(STORED_FIELDS),
}
STATUS: Json = {
    "title": "Health",
    "type": "object",
    "properties": {"status": {"enum": ["live", "ready"]}},
    "required": ["status"],
}


def document(root: str = "") -> Json:
    """The document of an application that is mounted at a path."""
    return {**_document(), "servers": [{"url": root}]} if root else _document()


@cache
def _document() -> Json:
    return {
        "openapi": "3.1.0",
        "info": {"title": "costream", "version": version("costream"), "description": ABOUT},
        "paths": _paths(),
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def _schemas() -> Json:
    """The schemas of all messages; what JSON Schema can say about features is added."""
    kinds = (Event, Label, Answer, BatchAnswer, LabelAnswer, Problem, Refusal, Summary)
    found: Json = dict(msgspec.json.schema_components(kinds, ref_template=REF)[1])
    found["Event"]["properties"]["features"] = {
        "type": "object",
        "description": "numbers, texts, times and truth values by name; null where one is not known; "
        "lists are tags, and the features of an object have its name and a point before their own",
        "additionalProperties": {"type": ["number", "string", "boolean", "null", "array", "object"]},
    }
    for name in ("Event", "Label"):
        found[name]["properties"]["time"] = TIME
    found["Problem"]["required"] = ["error", "status"]
    found["StoredEvent"], found["Health"] = STORED, STATUS
    return found


def _paths() -> Json:
    answers = {200: ("The decision.", "Answer", ("Idempotent-Replayed",))}
    taken = {
        200: ("What became of the label.", "LabelAnswer", ()),
        202: ("The event has not come yet: the label waits for it.", "LabelAnswer", ()),
    }
    return {
        "/v1/score": {
            "post": _operation(
                "Decide on an event",
                answers,
                (*OF_BODIES, 409, 429),
                body="Event",
                more=[REASONS_PARAMETER],
            )
        },
        "/v1/score/batch": {
            "post": _operation(
                "Decide on many events",
                {200: ("A result for each.", _results("BatchAnswer"), ())},
                OF_BODIES,
                body=_batch("events", "Event"),
                more=[REASONS_PARAMETER],
            )
        },
        "/v1/labels": {
            "post": _operation("Say what an event was", taken, (*OF_BODIES, 429), body="Label")
        },
        "/v1/labels/batch": {
            "post": _operation(
                "Say what many events were",
                {200: ("A result for each.", _results("LabelAnswer"), ())},
                OF_BODIES,
                body=_batch("labels", "Label"),
            )
        },
        **_reading(),
    }


def _reading() -> Json:
    """The paths that only read."""
    event = {200: ("The event as it is stored.", "StoredEvent", ())}
    summary = {200: ("The bill.", "Summary", ())}
    stream = {200: ("Server-sent events: summary and flags.", EVENT_STREAM, ())}
    live, ready = {200: ("It is.", "Health", ())}, {200: ("They are.", "Health", ())}
    return {
        "/v1/events/{id}": {"get": _operation("An event", event, (404, 422), more=[ID_PARAMETER])},
        "/v1/summary": {
            "get": _operation("The bill by day or hour", summary, (422,), more=[BY_PARAMETER])
        },
        "/v1/stream": {
            "get": _operation(
                "The bill whenever it changes, and new flags",
                stream,
                (422, 503),
                more=[BY_PARAMETER, *LAST_PARAMETERS],
            )
        },
        "/health/live": {"get": _operation("Whether the process answers", live, (), is_open=True)},
        "/health/ready": {"get": _operation("Whether requests are taken", ready, (503,), is_open=True)},
        "/metrics": {"get": _operation("Figures for Prometheus", {200: ("Text.", PLAIN, ())}, ())},
        "/openapi.json": {
            "get": _operation("This document", {200: ("It.", {"type": "object"}, ())}, ())
        },
    }


def _operation(
    summary: str,
    results: Mapping[int, tuple[str, Any, tuple[str, ...]]],
    refusals: tuple[int, ...],
    body: Any = None,
    more: list[Json] | None = None,
    is_open: bool = False,
) -> Json:
    """An operation: what it takes, and all that it may answer."""
    responses = {
        str(status): {
            "description": about,
            "headers": {name: HEADERS[name] for name in headers},
            "content": _content(kind),
        }
        for status, (about, kind, headers) in results.items()
    }
    for status in sorted({*refusals, *ALWAYS}):
        named = {401: "WWW-Authenticate", 429: "Retry-After", 503: "Retry-After"}.get(status)
        responses[str(status)] = {
            "description": WHY[status],
            "headers": {named: HEADERS[named]} if named else {},
            "content": _content("Refusal"),
        }
    found: Json = {"summary": summary, "parameters": more or [], "responses": responses}
    if body is not None:
        found["requestBody"] = {"required": True, "content": _content(body)}
    return {**found, "security": []} if is_open else found


def _content(kind: Any) -> Json:
    """A body: a message by its name, a schema, or text."""
    if kind in (PLAIN, EVENT_STREAM):
        return {kind: {"schema": {"type": "string"}}}
    schema = {"$ref": REF.format(name=kind)} if isinstance(kind, str) else kind
    return {"application/json": {"schema": schema}}


def _batch(key: str, kind: str) -> Json:
    """A batch: a row that is no message of its kind gets an error of its own, the others are taken."""
    rows = {
        "type": "array",
        "items": {"anyOf": [{"$ref": REF.format(name=kind)}, {}]},
        "minItems": 1,
        "maxItems": ROWS,
    }
    return {
        "type": "object",
        "properties": {key: rows},
        "required": [key],
        "additionalProperties": False,
    }


def _results(kind: str) -> Json:
    """The results of a batch, in the order of its rows."""
    each = {"anyOf": [{"$ref": REF.format(name=kind)}, {"$ref": REF.format(name="Problem")}]}
    return {
        "type": "object",
        "properties": {"results": {"type": "array", "items": each}},
        "required": ["results"],
    }
