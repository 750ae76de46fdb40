"""Signing in to the page, and out."""

from __future__ import annotations

import secrets
import time

from starlette.requests import Request, cookie_parser
from starlette.responses import RedirectResponse, Response

from ..endpoints import SIGN_IN
from .tokens import Token, Tokens

COOKIE = "costream_session"
SESSION_SECONDS = 12 * 3600
SESSIONS = 1000


class Sessions:
    """Who has signed in to the page; kept in memory, for twelve hours, and to read only."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self._open: dict[str, tuple[str, float]] = {}  # the digest of the token, and the end

    def open(self, token: Token) -> str:
        """Begin a session; it ends with its token."""
        self._open = {key: one for key, one in self._open.items() if one[1] > time.monotonic()}
        while len(self._open) >= SESSIONS:
            del self._open[next(iter(self._open))]
        key = secrets.token_urlsafe(32)
        self._open[key] = (token.sha256, time.monotonic() + SESSION_SECONDS)
        return key

    def close(self, key: str) -> None:
        self._open.pop(key, None)

    def reader_of(self, cookie: bytes) -> Token | None:
        """The token of a session that goes on: its time is not over, and its token is still there."""
        key = cookie_parser(cookie.decode("latin-1")).get(COOKIE, "")
        found = self._open.get(key)
        if found is None or found[1] <= time.monotonic():
            return None
        return self.tokens.by_digest(found[0])

    def sign_in(self, request: Request, token: str) -> Response | None:
        """Begin a session: on to the page, with a cookie; None if the token may not read."""
        found = self.tokens.find(token)
        if found is None or not found.allows("read"):
            return None
        home = f"{request.scope.get('root_path', '')}/"
        response = RedirectResponse(home, 303)
        response.set_cookie(
            COOKIE,
            self.open(found),
            max_age=SESSION_SECONDS,
            path=home,
            secure="https" in (request.url.scheme, request.headers.get("x-forwarded-proto")),
            httponly=True,
            samesite="strict",
        )
        return response

    def sign_out(self, request: Request) -> Response:
        """End the session of a request: back to the form."""
        self.close(request.cookies.get(COOKIE, ""))
        root = request.scope.get("root_path", "")
        response = RedirectResponse(f"{root}{SIGN_IN.path}", 303)
        response.delete_cookie(COOKIE, path=f"{root}/", httponly=True, samesite="strict")
        return response
