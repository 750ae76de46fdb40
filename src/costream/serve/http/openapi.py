"""The OpenAPI document of the service, made from the table of endpoints and their messages."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import msgspec

from .. import endpoints
from ..endpoints import Endpoint, Json, Many, Parameter
from ..messages import ROWS, Problem, Refusal

REF = "#/components/schemas/{name}"
ABOUT = """Score an event now, send its label when it is known, and have every decision explained.

An answer is sent after what it answers is on disk. An event that is sent again gets the same answer, so
whoever got none sends the same event again."""
WHY = {
    400: "The body is not JSON.",
    401: "A token is needed, or the one that was sent is not known.",
    403: "The token does not allow this, or another site has sent the request.",
    404: "There is no event with this id.",
    409: "There is another event with this id.",
    413: "The body is too large.",
    415: "The Content-Type of the body is not application/json.",
    421: "The service is not served under this Host.",
    422: "The message or a parameter does not fit its schema.",
    429: "Too many events wait for their labels, or labels for their events.",
    500: "Something went wrong in the service.",
    503: "The service takes nothing now: send the request again later.",
}
ALWAYS = (401, 403, 421, 500)  # what every endpoint may refuse with
HEADERS: Json = {
    "Idempotent-Replayed": {
        "description": "true where this event was answered before, and the answer is the same",
        "schema": {"type": "string", "enum": ["true"]},
    },
    "Retry-After": {
        "description": "seconds to wait before the next attempt",
        "schema": {"type": "string", "pattern": "^[0-9]+$"},
    },
    "WWW-Authenticate": {
        "description": "the scheme of the token that is needed: Bearer",
        "schema": {"type": "string"},
    },
}
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
    "state": {"enum": ["pending", "labelled", "expired", "deferred"]},
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
    found: Json = {
        "openapi": "3.1.0",
        "info": {"title": "costream", "version": version("costream"), "description": ABOUT},
        "paths": _paths(),
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }
    return {**found, "servers": [{"url": root}]} if root else found


def _schemas() -> Json:
    """The schemas of all messages; with the schema of features, which msgspec does not know."""
    bodies = [one.body for one in endpoints.ENDPOINTS]
    bodies += [result.body for one in endpoints.ENDPOINTS for result in one.results.values()]
    kinds = [one.of if isinstance(one, Many) else one for one in bodies]
    messages = {*(one for one in kinds if isinstance(one, type)), Problem, Refusal}
    found: Json = dict(msgspec.json.schema_components(messages, ref_template=REF)[1])
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
    found: dict[str, Json] = {}
    for one in endpoints.ENDPOINTS:
        if one.summary:
            for method in one.methods:
                found.setdefault(one.template, {})[method.lower()] = _operation(one)
    return found


def _operation(one: Endpoint) -> Json:
    """An operation: what it takes, and all that it may answer."""
    responses = {
        str(status): {
            "description": result.about,
            "headers": {name: HEADERS[name] for name in result.headers},
            "content": _content(
                _results(result.body) if isinstance(result.body, Many) else result.body
            ),
        }
        for status, result in one.results.items()
    }
    for status in sorted({*one.refusals, *ALWAYS}):
        named = {401: "WWW-Authenticate", 429: "Retry-After", 503: "Retry-After"}.get(status)
        responses[str(status)] = {
            "description": WHY[status],
            "headers": {named: HEADERS[named]} if named else {},
            "content": _content(Refusal),
        }
    found: Json = {
        "summary": one.summary,
        "parameters": [*map(_parameter, one.parameters)],
        "responses": responses,
    }
    if one.body is not None:
        body = _batch(one.body) if isinstance(one.body, Many) else one.body
        found["requestBody"] = {"required": True, "content": _content(body)}
    return {**found, "security": []} if one.scope == "open" else found


def _parameter(one: Parameter) -> Json:
    found: Json = {"name": one.name, "in": one.place, "schema": one.schema}
    if one.about:
        found["description"] = one.about
    return {**found, "required": True} if one.place == "path" else found


def _content(kind: Any) -> Json:
    """A body: a message, a schema or the name of one, or text."""
    if isinstance(kind, str) and "/" in kind:
        return {kind: {"schema": {"type": "string"}}}
    return {"application/json": {"schema": kind if isinstance(kind, dict) else _ref(kind)}}


def _ref(kind: type | str) -> Json:
    return {"$ref": REF.format(name=kind if isinstance(kind, str) else kind.__name__)}


def _batch(many: Many) -> Json:
    """A batch: a row that is not such a message gets an error of its own, the others are taken."""
    rows = {
        "type": "array",
        "items": {"anyOf": [_ref(many.of), {}]},
        "minItems": 1,
        "maxItems": ROWS,
    }
    return {
        "type": "object",
        "properties": {many.key: rows},
        "required": [many.key],
        "additionalProperties": False,
    }


def _results(many: Many) -> Json:
    """The results of a batch, in the order of its rows."""
    each = {"anyOf": [_ref(many.of), _ref(Problem)]}
    return {
        "type": "object",
        "properties": {many.key: {"type": "array", "items": each}},
        "required": [many.key],
    }
