"""The OpenAPI document of the service, made from the table of endpoints and their messages.

What these do not say is in ``openapi.json``.
"""

from __future__ import annotations

from importlib.metadata import version
from importlib.resources import files
from typing import Any

import msgspec

from .. import endpoints
from ..endpoints import Endpoint, Json, Many, Parameter
from ..messages import ROWS, Problem, Refusal

REF = "#/components/schemas/{name}"
TEXTS: Json = msgspec.json.decode((files(__package__) / "openapi.json").read_bytes())
ALWAYS = (401, 403, 421, 500)  # what every endpoint may refuse with


def document(root: str = "") -> Json:
    """The document of an application that is mounted at a path."""
    found: Json = {
        "openapi": "3.1.0",
        "info": {**TEXTS["info"], "version": version("costream")},
        "paths": _paths(),
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }
    return {**found, "servers": [{"url": root}]} if root else found


def _schemas() -> Json:
    bodies = [one.body for one in endpoints.ENDPOINTS]
    bodies += [result.body for one in endpoints.ENDPOINTS for result in one.results.values()]
    kinds = [one.of if isinstance(one, Many) else one for one in bodies]
    messages = {*(one for one in kinds if isinstance(one, type)), Problem, Refusal}
    found: Json = dict(msgspec.json.schema_components(messages, ref_template=REF)[1])
    found["Event"]["properties"]["features"] = TEXTS["features"]
    for name in ("Event", "Label"):
        found[name]["properties"]["time"] = TEXTS["time"]
    found["Problem"]["required"] = ["error", "status"]
    return {**found, **TEXTS["schemas"]}


def _paths() -> Json:
    found: dict[str, Json] = {}
    for one in endpoints.ENDPOINTS:
        if one.summary:
            for method in one.methods:
                found.setdefault(one.template, {})[method.lower()] = _operation(one)
    return found


def _operation(one: Endpoint) -> Json:
    responses = {
        str(status): {
            "description": result.about,
            "headers": {name: TEXTS["headers"][name] for name in result.headers},
            "content": _content(
                _results(result.body) if isinstance(result.body, Many) else result.body
            ),
        }
        for status, result in one.results.items()
    }
    for status in sorted({*one.refusals, *ALWAYS}):
        named = {401: "WWW-Authenticate", 429: "Retry-After", 503: "Retry-After"}.get(status)
        responses[str(status)] = {
            "description": TEXTS["refusals"][str(status)],
            "headers": {named: TEXTS["headers"][named]} if named else {},
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
    rows = {"type": "array", "items": {"anyOf": [_ref(many.of), {}]}, "minItems": 1, "maxItems": ROWS}
    return {
        "type": "object",
        "properties": {many.key: rows},
        "required": [many.key],
        "additionalProperties": False,
    }


def _results(many: Many) -> Json:
    each = {"anyOf": [_ref(many.of), _ref(Problem)]}
    return {
        "type": "object",
        "properties": {many.key: {"type": "array", "items": each}},
        "required": [many.key],
    }
