"""Endpoints that only read: an event, the summary, health, metrics, the OpenAPI document."""

from __future__ import annotations

import asyncio
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response

from ..endpoints import EVENT, LIVE, METRICS, OPENAPI, READY, SUMMARY
from .guard import DeniedError
from .handlers import Json, no_parameters, parameters_of, service_of
from .metrics import CONTENT_TYPE, page_of
from .openapi import document
from .routing import handles


@handles(EVENT)
async def event(request: Request) -> Response:
    no_parameters(request.scope)
    found = await asyncio.to_thread(service_of(request).engine.find, request.path_params["id"])
    if found is None:
        raise DeniedError(404, "there is no event with this id", "ids are case-sensitive")
    return Json(found)


@handles(SUMMARY)
async def summary(request: Request) -> Response:
    given = parameters_of(request.scope, SUMMARY.query)
    by = given.get("by", "day")
    if by not in ("day", "hour"):
        raise DeniedError(422, "the summary is by day or by hour", "?by=day or ?by=hour")
    kind: Literal["day", "hour"] = "hour" if by == "hour" else "day"
    return Json(await asyncio.to_thread(service_of(request).engine.summary, kind))


@handles(LIVE)
async def live(_request: Request) -> Response:
    return Json({"status": "live"})


@handles(READY)
async def ready(request: Request) -> Response:
    """Whether events are taken; 503 with the reason where they are not."""
    why = service_of(request).not_ready
    if why is not None:
        raise DeniedError(503, why, "try again", {"retry-after": "5"})
    return Json({"status": "ready"})


@handles(METRICS)
async def metrics(request: Request) -> Response:
    requests = request.app.state.guard.requests
    body = await asyncio.to_thread(page_of, service_of(request), requests)
    return Response(body, headers={"content-type": CONTENT_TYPE})


@handles(OPENAPI)
async def openapi(request: Request) -> Response:
    return Json(document(str(request.scope.get("root_path", ""))))
