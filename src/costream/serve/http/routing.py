"""Routes of the table of endpoints, each with the scope that it needs: one without is refused."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope

from .. import endpoints
from ..endpoints import Endpoint

Handler = Callable[[Request], Awaitable[Response]]
_HANDLERS: dict[str, Handler] = {}  # by path


def handles(endpoint: Endpoint) -> Callable[[Handler], Handler]:
    """Have a function answer the requests of an endpoint."""

    def bound(handler: Handler) -> Handler:
        _HANDLERS[endpoint.path] = handler
        return handler

    return bound


class Place(NamedTuple):
    """Where a request goes: a template, which holds no id, and the scope it needs; None is refused."""

    template: str
    needs: str | None


NOWHERE = Place("other", "read")  # no such address, as those learn who may read
UNDECLARED = Place("other", None)


class EndpointRoute(Route):
    """The route of an endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.handler = _HANDLERS[endpoint.path]
        super().__init__(endpoint.path, self.handler, methods=list(endpoint.methods))
        self.place = Place(endpoint.template, endpoint.scope)
        self.is_direct = endpoint.is_direct


def routes() -> list[EndpointRoute]:
    return [EndpointRoute(one) for one in endpoints.ENDPOINTS]


def place_in(routes: Iterable[BaseRoute], scope: Scope) -> Place:
    """Where the router sends a request, found as the router finds it."""
    partial: BaseRoute | None = None
    for route in routes:
        match, _ = route.matches(scope)
        if match is Match.FULL:
            return _place_of(route)
        if match is Match.PARTIAL and partial is None:
            partial = route
    return NOWHERE if partial is None else _place_of(partial)


def _place_of(route: BaseRoute) -> Place:
    return route.place if isinstance(route, EndpointRoute) else UNDECLARED
