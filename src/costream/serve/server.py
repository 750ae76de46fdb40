"""The process that serves: a socket, signals, and an orderly end."""

from __future__ import annotations

import asyncio
import gc
import importlib.util
import logging
import socket
import sys
import time
from collections.abc import Iterable
from types import FrameType
from typing import Any

import uvicorn

from ..errors import CostreamError
from .application import TOKENS_DELAY, Application
from .engine.recovery import Opening, StartCancelledError
from .engine.service import Service
from .http.guard import is_loopback
from .http.limits import HEAD_BYTES, MOST_CONNECTIONS, Limits, room_for
from .http.logs import Format, log_to_stderr
from .http.tokens import Tokens

BACKLOG = 2048
GRACE_SECONDS = 30  # for requests that were accepted, when the process is asked to end
FAILED = 1
COLLECT_AFTER = (20_000, 20, 20)  # objects; by default it is done every ten requests

logger = logging.getLogger("costream.serve")


class Server(uvicorn.Server):
    """uvicorn, which ends well on SIGTERM and SIGINT, and at once where the log has failed."""

    def __init__(
        self,
        config: uvicorn.Config,
        application: Application,
        opening: Opening | Service,
        address: str,
    ) -> None:
        super().__init__(config)
        self.application, self.opening, self.address = application, opening, address

    @property
    def service(self) -> Service | None:
        """The service, once it is open."""
        found: Service | None = self.application.state.service
        return found

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Log the address of the service once it can be reached there."""
        await super().startup(sockets)
        if self.started:
            logger.info("serving %s at %s", self.opening.directory, self.address)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal ends the service in order, the second one without waiting."""
        self.force_exit = self.should_exit
        self.should_exit = True

    async def on_tick(self, counter: int) -> bool:
        failed = self.application.failure or (self.service and self.service.failure)
        return await super().on_tick(counter) or failed is not None

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept nothing more, end the streams, answer the rest."""
        if self.service is not None:
            self.service.stopping.set()
        elif isinstance(self.opening, Opening):
            self.opening.cancel()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """A socket that is bound, so that a port in use is found out before anything is opened."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
    except OSError as error:
        raise CostreamError(
            f"{host} is not an address to listen at: {error.strerror}", "see --host"
        ) from None
    if sys.platform != "win32":
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind(address)
    except OSError as error:
        bound.close()
        raise CostreamError(
            f"port {port} of {host} cannot be used: {error.strerror}",
            "stop what uses it, or choose another one with --port; --port 0 takes a free one",
        ) from None
    return bound


def check_token(host: str, tokens: Tokens) -> None:
    """Refuse to listen beyond this machine where nobody has a token."""
    if not is_loopback(host) and not tokens.might_open():
        raise CostreamError(
            f"{host} can be reached from other machines, and there is no token",
            "make one first: costream serve token add NAME --scope admin --dir DIR",
        )


def run(
    opening: Opening | Service,
    bound: socket.socket,
    hosts: Iterable[str] = (),
    access_log: bool = False,
    *,
    require_token: bool = False,
    log_format: Format = "text",
    max_connections: int = MOST_CONNECTIONS,
) -> int:
    """Serve until a signal comes; returns the exit code.

    `/health/live` is answered from the first moment on, all else when the directory is open.
    """
    host, port = bound.getsockname()[:2]
    used: list[Service] = []

    def opened() -> Service:
        began = time.monotonic()
        used.append(opening if isinstance(opening, Service) else Service(opening.engine()))
        gc.collect()
        gc.freeze()  # modules and model stay: no pause of ours looks through them again
        gc.set_threshold(*COLLECT_AFTER)
        learnt = used[0].engine.served.learnt
        logger.info("ready after %.1f s: %d labels learnt", time.monotonic() - began, learnt)
        return used[0]

    max_body = opening.settings.max_body
    application = Application(
        opened,
        Tokens.of(opening.directory, TOKENS_DELAY),
        max_body,
        hosts,
        require_token or not is_loopback(host),
        waits=False,
    )
    application.state.guard.access_log = access_log
    config = configured(application, most=room_for(max_connections), max_body=max_body)
    log_to_stderr(log_format, application.audit)
    try:
        Server(config, application, opening, address_of(host, port)).run([bound])
    finally:
        if not used and isinstance(opening, Opening):
            opening.close()
    if isinstance(application.failure, StartCancelledError):
        logger.info("stopped before it was ready")
        return 0
    if application.failure is not None:
        raise application.failure
    if used and used[0].failure is not None:
        logger.error("stopped: %s", used[0].failure)
        return FAILED
    logger.info("stopped; all that was accepted is answered")
    return 0


def configured(application: Application, http: str | None = None, **limits: Any) -> uvicorn.Config:
    """uvicorn as a service needs it; ``limits`` are those of `Limits`."""
    fast = importlib.util.find_spec("httptools") is not None
    return uvicorn.Config(
        application,
        http=protocol(http or ("httptools" if fast else "h11"), application, **limits),
        loop="uvloop" if importlib.util.find_spec("uvloop") else "asyncio",
        ws="none",
        lifespan="on",
        backlog=BACKLOG,
        log_config=None,
        access_log=False,  # the guard logs requests, by their routes
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=4 * HEAD_BYTES,  # the limits are stricter
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def protocol(http: str, application: Application, **limits: Any) -> type[asyncio.Protocol]:
    """How connections of an application are handled."""
    known = {"limits": Limits(application.state.guard.requests, **limits)}
    if http == "httptools":
        from .http.protocol_httptools import LimitedHttpTools

        return type("Connection", (LimitedHttpTools,), known)
    from .http.protocol_h11 import LimitedH11

    return type("Connection", (LimitedH11,), known)


def address_of(host: str, port: int) -> str:
    """The address that a person can open."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}"
