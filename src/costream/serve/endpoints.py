"""The endpoints of the service: path, scope, body and answers of each, in one table.

Routes, scopes, the OpenAPI document, the routes in metrics and logs, and the addresses of the client
all come from here. `http.routing.handles` binds a function to each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from .messages import REASONS, Answer, BatchAnswer, Event, Label, LabelAnswer, Summary

Json = dict[str, Any]
TokenScope = Literal["score", "label", "read", "admin"]
Scope = TokenScope | Literal["open"]  # open: no token is needed
PLAIN, EVENT_STREAM = "text/plain", "text/event-stream"
OF_BODIES = (400, 413, 415, 422, 503)  # what a request with a body may be refused with


class Many(NamedTuple):
    """A batch: messages of a kind in a list below a key."""

    key: str
    of: type


class Result(NamedTuple):
    """A good answer: its description and body (a message, `Many`, a schema or its name, text)."""

    about: str
    body: Any
    headers: tuple[str, ...] = ()


class Parameter(NamedTuple):
    """A parameter of an address or a header."""

    name: str
    place: Literal["path", "query", "header"]
    schema: Json
    about: str = ""


@dataclass(frozen=True)
class Endpoint:
    """An endpoint as data.

    Without a scope nobody may ask it; without a summary it is for people, and not in the document.
    """

    path: str
    scope: Scope | None = None
    methods: tuple[str, ...] = ("GET",)
    is_direct: bool = False  # found without the router, which takes as long as a decision
    summary: str = ""
    body: type | Many | None = None
    results: Mapping[int, Result] = field(default_factory=dict)
    refusals: tuple[int, ...] = ()  # besides those that every endpoint has
    parameters: tuple[Parameter, ...] = ()

    @property
    def template(self) -> str:
        """The path with the names of its parameters alone."""
        return re.sub(r":\w+}", "}", self.path)

    @property
    def query(self) -> list[str]:
        return [one.name for one in self.parameters if one.place == "query"]

    def at(self, **parameters: str) -> str:
        return self.template.format(**{key: quote(one, safe="") for key, one in parameters.items()})


GIVE_REASONS = Parameter(
    "reasons",
    "query",
    {"type": "integer", "minimum": 0, "maximum": REASONS},
    "How many reasons every event gets; without it, flags alone get some.",
)
BY = Parameter(
    "by",
    "query",
    {"type": "string", "enum": ["day", "hour"], "default": "day"},
    "The periods of the summary, by the time of the events.",
)
ID = Parameter(
    "id",
    "path",
    {"type": "string", "minLength": 1, "maxLength": 200},
    "The id of the event, percent-encoded.",
)
LAST_RECEIVED = "The id of the last event that was received: the stream goes on after it."
LAST_EVENT_ID = Parameter("Last-Event-ID", "header", {"type": "string"}, LAST_RECEIVED)
LAST = Parameter("last", "query", {"type": "string"}, LAST_RECEIVED)

# In the order in which they are looked for: those that are asked for most come first.
SCORE = Endpoint(
    "/v1/score",
    "score",
    ("POST",),
    is_direct=True,
    summary="Decide on an event",
    body=Event,
    results={
        200: Result("The decision on the event, which is on disk.", Answer, ("Idempotent-Replayed",))
    },
    refusals=(*OF_BODIES, 409, 429),
    parameters=(GIVE_REASONS,),
)
LABEL = Endpoint(
    "/v1/labels",
    "label",
    ("POST",),
    is_direct=True,
    summary="Record the label of an event",
    body=Label,
    results={
        200: Result("What became of the label, which is on disk.", LabelAnswer),
        202: Result("The event has not come yet: the label waits for it.", LabelAnswer),
    },
    refusals=(*OF_BODIES, 429),
)
SCORE_BATCH = Endpoint(
    "/v1/score/batch",
    "score",
    ("POST",),
    summary="Decide on many events",
    body=Many("events", Event),
    results={
        200: Result(
            "A decision or an error for each event, in their order.", Many("results", BatchAnswer)
        )
    },
    refusals=OF_BODIES,
    parameters=(GIVE_REASONS,),
)
LABEL_BATCH = Endpoint(
    "/v1/labels/batch",
    "label",
    ("POST",),
    summary="Record the labels of many events",
    body=Many("labels", Label),
    results={200: Result("What became of each label, in their order.", Many("results", LabelAnswer))},
    refusals=OF_BODIES,
)
EVENT = Endpoint(
    "/v1/events/{id:path}",
    "read",
    summary="An event, its decision and its labels",
    results={200: Result("The event as it is stored.", "StoredEvent")},
    refusals=(404, 422),
    parameters=(ID,),
)
SUMMARY = Endpoint(
    "/v1/summary",
    "read",
    summary="Counts and costs by day or hour",
    results={200: Result("The counts and costs of each period, and of all.", Summary)},
    refusals=(422,),
    parameters=(BY,),
)
LIVE = Endpoint(
    "/health/live",
    "open",
    summary="Whether the process runs",
    results={200: Result("The process runs.", "Health")},
)
READY = Endpoint(
    "/health/ready",
    "open",
    summary="Whether events are taken",
    results={200: Result("Events are taken.", "Health")},
    refusals=(503,),
)
METRICS = Endpoint(
    "/metrics",
    "read",
    summary="Metrics for Prometheus",
    results={200: Result("The metrics as text.", PLAIN)},
)
OPENAPI = Endpoint(
    "/openapi.json",
    "read",
    summary="This document",
    results={200: Result("The OpenAPI document.", {"type": "object"})},
)
PAGE = Endpoint("/", "read")
UPDATES = Endpoint("/updates", "read")
STATIC = Endpoint("/static/{file}", "open")
SIGN_IN = Endpoint("/login", "open", ("GET", "POST"))
SIGN_OUT = Endpoint("/logout", "open", ("POST",))
STREAM = Endpoint(
    "/v1/stream",
    "read",
    summary="The summary whenever it changes, and new flags",
    results={
        200: Result(
            "Server-sent events: `summary` has changed periods, `flags` new flags.", EVENT_STREAM
        )
    },
    refusals=(422, 503),
    parameters=(BY, LAST_EVENT_ID, LAST),
)

ENDPOINTS = tuple(one for one in [*vars().values()] if isinstance(one, Endpoint))
