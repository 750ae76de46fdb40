"""What stands before every request: hosts, origins, tokens, the size of bodies, and safe headers."""

from __future__ import annotations

import ipaddress
import itertools
import logging
import math
import re
import secrets
import time
from bisect import bisect_left
from collections.abc import Iterable, Sequence, Sized
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...errors import CostreamError, place_of
from ..endpoints import PAGE, SIGN_IN
from ..messages import Refusal, encode
from .logs import Audit, Became, about
from .routing import EndpointRoute, Place, place_in
from .sessions import Sessions
from .tokens import ADMIN, Tokens

KNOWN_HOSTS = 256
MOST_HEADERS = 100
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
METHODS = frozenset({"GET", "HEAD", "POST"})
LOOPBACK = ("localhost", "127.0.0.1", "::1")
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:"
    "; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
NO_STORE = (b"cache-control", b"no-store")
HEADERS_AND_NO_STORE = [*HEADERS, NO_STORE]
SEE = "see /openapi.json"  # what to do where there is no better advice
CHALLENGE = {"www-authenticate": 'Bearer realm="costream"'}
INVALID = {"www-authenticate": 'Bearer realm="costream", error="invalid_token"'}

TOKEN, REQUEST = "costream.token", "costream.request"  # who asks, and the id of what: in the scope
AUDITED = "costream.audited"  # whether audit lines have been written for the labels of a request
LENGTH = "costream.length"  # whether a header gives the length of the body
REFUSED: Became = ("refused", None)
NOT_TAKEN: Became = ("not-taken", None)
GIVEN_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
RUN, NUMBERS = secrets.token_hex(4), itertools.count(1)  # ids of requests that come without one

logger = logging.getLogger("costream.serve")
access_logger = logging.getLogger("costream.access")


class DeniedError(Exception):
    """A request that is not carried out: its status, why, what to do, and more headers."""

    def __init__(
        self, status: int, error: str, hint: str | None = None, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(error)
        self.status, self.error, self.hint, self.headers = status, error, hint or SEE, headers

    def response(self) -> Response:
        body = encode(Refusal(self.error, self.hint))
        return Response(body, self.status, self.headers, media_type="application/json")


class Requests:
    """How many requests there were, by route and status, and how long they took."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, str, int], int] = {}
        self.buckets: dict[str, list[int]] = {}
        self.seconds: dict[str, float] = {}
        self.refused: dict[str, int] = {}  # connections, by why
        self.connections: Sized = ()

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        """One more; its route is a template, so that no id becomes a label."""
        key = (route, method if method in METHODS else "other", status)
        self.counts[key] = self.counts.get(key, 0) + 1
        counts = self.buckets.get(route)
        if counts is None:
            counts = self.buckets[route] = [0] * (len(BUCKETS) + 1)
            self.seconds[route] = 0.0
        counts[bisect_left(BUCKETS, seconds)] += 1
        self.seconds[route] += seconds

    def refuse(self, why: str) -> None:
        self.refused[why] = self.refused.get(why, 0) + 1


class Guard:
    """The outermost layer of the application.

    Hosts are loopback names, addresses (which no other site can point at us) and the names that were
    allowed. A token is needed where ``required`` says so, and from the moment on when there is one.
    """

    def __init__(
        self,
        app: ASGIApp,
        routes: Sequence[BaseRoute],
        tokens: Tokens,
        required: bool,
        hosts: Iterable[str],
        max_body: int,
        audit: Audit,
    ) -> None:
        self.app, self.tokens, self.sessions = app, tokens, Sessions(tokens)
        self.requests, self.access_log, self._audit = Requests(), False, audit
        self._routes, self._max_body = routes, max_body
        known = [one for one in routes if isinstance(one, EndpointRoute)]
        self._direct = {one.path: one for one in known if one.is_direct}
        self._required = required
        self._look_again = -math.inf  # for the first token, by the monotonic clock
        self._hosts = {name.lower().rstrip(".") for name in (*LOOPBACK, *hosts)}
        self._known: set[bytes] = set()

    def demand(self) -> None:
        self._required = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            else:
                await receive()
                await send({"type": "websocket.close", "code": 1008})
            return
        scope[TOKEN] = scope[REQUEST] = None
        scope[LENGTH] = scope[AUDITED] = False
        direct = self._direct_route(scope)
        place = place_in(self._routes, scope) if direct is None else direct.place
        began, started = time.perf_counter(), 0

        async def answer(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = message["status"]
                more = HEADERS_AND_NO_STORE
                for name, _ in message["headers"]:
                    if name == b"cache-control":
                        more = HEADERS
                message["headers"] = [*message["headers"], *more]
                if started >= 400 or scope[REQUEST] is not None:
                    message["headers"].append((b"x-request-id", request_id(scope).encode()))
            await send(message)

        try:
            allowed = self.check(scope, place)
            if allowed is None:
                if not scope[LENGTH]:  # which was looked at, and ends the body
                    receive = self._limited(receive)
                if direct is None:
                    await self.app(scope, receive, answer)
                else:
                    response = await direct.handler(Request(scope, receive))
                    await response(scope, receive, answer)
            else:
                await allowed(scope, receive, answer)
        except DeniedError as denied:
            if not started:
                await denied.response()(scope, receive, answer)
        except Exception as error:
            log_failure(error, scope)
            if started:
                raise ConnectionError("the answer had begun") from None
            await FAILED.response()(scope, receive, answer)
        finally:
            seconds = time.perf_counter() - began
            if started >= 400 and place.needs == "label" and not scope[AUDITED]:
                self._audit_refused(scope, started)
            self.requests.count(place.template, scope["method"], started, seconds)
            if self.access_log:
                log_access(scope, place, started, seconds)

    def audit(self, scope: Scope, became: Sequence[Became]) -> None:
        scope[AUDITED] = True
        self._audit.labels(scope[TOKEN], request_id(scope), became)

    def _audit_refused(self, scope: Scope, status: int) -> None:
        """One line for labels that nobody looked at; strangers must not fill the log."""
        if scope["method"] == "POST" and (scope[TOKEN] is not None or not self._required):
            self.audit(scope, [NOT_TAKEN if status >= 500 else REFUSED])

    def _direct_route(self, scope: Scope) -> EndpointRoute | None:
        """The route of what is asked for most, which is found without the router."""
        is_direct = scope["method"] == "POST" and not scope.get("root_path")
        return self._direct.get(scope["path"]) if is_direct else None

    def check(self, scope: Scope, place: Place) -> Response | None:
        """Refuse what must not go on; the answer for a reader who has to sign in first."""
        given: dict[bytes, bytes] = dict(scope["headers"])
        host, origin = given.get(b"host", b""), given.get(b"origin", b"")
        length = given.get(b"content-length", b"")
        if GIVEN_ID.fullmatch(known := given.get(b"x-request-id", b"")):
            scope[REQUEST] = known.decode()
        if len(scope["headers"]) > MOST_HEADERS:
            raise DeniedError(431, f"the request has more than {MOST_HEADERS} headers", "send fewer")
        if host not in self._known:
            self._check_host(host)
        if origin and scope["method"] not in SAFE_METHODS:
            check_origin(origin, host)
        if length and (not length.isdigit() or len(length) > 20 or int(length) > self._max_body):
            raise self._too_large()
        scope[LENGTH] = bool(length) and not given.get(b"transfer-encoding")
        if not self._required and (now := time.monotonic()) >= self._look_again:
            self._look_again = now + self.tokens.delay
            if self.tokens.are_demanded():
                self._found_tokens()
        if self._required:
            return self._check_token(scope, place, given)
        if place.needs is None:
            raise DeniedError(403, NO_SCOPE)
        return None

    def _found_tokens(self) -> None:
        """The first tokens of a service that runs: they are demanded from now on, and remembered."""
        self._required = True
        try:
            self.tokens.remember()
        except CostreamError as error:
            logger.error("that tokens are needed could not be remembered: %s", error)

    def _check_host(self, header: bytes) -> None:
        name = host_of(header)
        if "*" not in self._hosts and name not in self._hosts and not is_address(name):
            raise DeniedError(
                421,
                "this host is not served here" if name else "the Host header is missing",
                "ask for the address of the server, or start it with --allow-host NAME",
            )
        if len(self._known) < KNOWN_HOSTS:
            self._known.add(header)

    def _check_token(self, scope: Scope, place: Place, headers: dict[bytes, bytes]) -> Response | None:
        """Let those in whose token allows it."""
        needed = place.needs
        if needed == "open":
            return None
        if authorization := headers.get(b"authorization"):
            kind, _, token = authorization.decode("latin-1").partition(" ")
            found = self.tokens.find(token.strip()) if kind.lower() == "bearer" else None
            if found is None:
                raise DeniedError(
                    401, "this token is not known", HOW_TO_ADD.format(needed or ADMIN), INVALID
                )
            scope[TOKEN] = found.name
            if needed is None:
                raise DeniedError(403, NO_SCOPE)
            if not found.allows(needed):
                raise DeniedError(
                    403,
                    f"this token does not have the scope {needed}",
                    HOW_TO_ADD.format(needed),
                    CHALLENGE,
                )
            return None
        if needed == "read":
            reader = self.sessions.reader_of(headers.get(b"cookie", b""))
            if reader is not None:
                scope[TOKEN] = reader.name
                return None
        if place.template == PAGE.path and scope["method"] in SAFE_METHODS:
            return RedirectResponse(f"{scope.get('root_path', '')}{SIGN_IN.path}", 303)
        raise DeniedError(401, "a token is needed", HOW_TO_SEND, CHALLENGE)

    def _limited(self, receive: Receive) -> Receive:
        """The body of a request, as far as it may go, whatever its header says."""
        left = self._max_body

        async def limited() -> Message:
            nonlocal left
            message = await receive()
            if message["type"] == "http.request":
                left -= len(message.get("body", b""))
                if left < 0:
                    raise self._too_large()
            return message

        return limited

    def _too_large(self) -> DeniedError:
        return DeniedError(
            413, f"the body has more than {self._max_body:,} bytes", "send smaller batches"
        )


HOW_TO_ADD = "make one with: costream serve token add NAME --scope {} --dir DIR"
HOW_TO_SEND = (
    "send the header Authorization: Bearer TOKEN; "
    "costream serve token add NAME --scope SCOPE --dir DIR makes one"
)
NO_SCOPE = "no scope is declared for this address, so nobody may ask it"
FAILED = DeniedError(500, "something went wrong in the service", "its log says where")


def host_of(header: bytes) -> str:
    text = header.decode("latin-1").strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.rpartition(":")[0].rstrip(".") if text.count(":") == 1 else text.rstrip(".")


def is_address(name: str) -> bool:
    """Whether a host is an address, and not a name, which other sites could point at us."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    return host == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)


def check_origin(origin: bytes, host: bytes) -> None:
    """Refuse what the page of another site sends."""
    try:
        found = urlsplit(origin.decode("latin-1")).netloc
    except ValueError:
        found = ""
    if not found or found.lower() != host.decode("latin-1").strip().lower():
        raise DeniedError(
            403, "this request comes from the page of another site", "call the service itself"
        )


def request_id(scope: Scope) -> str:
    """The id of a request: the one that it came with, or one of our own."""
    found: str | None = scope[REQUEST]
    if found is None:
        found = scope[REQUEST] = f"{RUN}-{next(NUMBERS):x}"
    return found


def log_failure(error: BaseException, scope: Scope) -> None:
    """Log what failed and where, without its message: that may hold the data of an event."""
    extra = about(request_id(scope), scope[TOKEN])
    logger.error("a request failed: %s", place_of(error), extra=extra)


def log_access(scope: Scope, place: Place, status: int, seconds: float) -> None:
    """Log a request by its route: its path may hold the id of an event."""
    method = scope["method"] if scope["method"] in METHODS else "other"
    client = scope.get("client")
    access_logger.info(
        '%s "%s %s HTTP/%s" %d %.1f ms',
        f"{client[0]}:{client[1]}" if client else "-",
        method,
        place.template,
        scope.get("http_version", ""),
        status,
        seconds * 1000,
        extra=about(request_id(scope), scope[TOKEN]),
    )
