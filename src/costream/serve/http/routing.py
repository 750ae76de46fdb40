"""Addresses and the scopes they need, declared together: one without a scope is refused."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope

from .tokens import TokenScope

OPEN = "open"  # the scope of what needs no token


class Place(NamedTuple):
    """Where a request goes: a template, which holds no id, and the scope it needs; None is refused."""

    template: str
    needs: str | None


NOWHERE = Place("other", "read")  # no such address, as those learn who may read
UNDECLARED = Place("other", None)


class Endpoint(Route):
    """A route that says which scope a token must have for it."""

    def __init__(
        self,
        path: str,
        endpoint: Callable[[Request], Awaitable[Response]],
        needs: TokenScope | str,
        methods: Sequence[str] = ("GET",),
    ) -> None:
        super().__init__(path, endpoint, methods=list(methods))
        self.place = Place(re.sub(r":\w+}", "}", path), needs)


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
    return route.place if isinstance(route, Endpoint) else UNDECLARED
