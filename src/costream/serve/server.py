"""The process that serves: a socket, signals, and an orderly end."""

from __future__ import annotations

import gc
import importlib.util
import logging
import socket
import sys
import warnings
from collections.abc import Iterable
from types import FrameType
from typing import Any
from urllib.parse import unquote

import uvicorn

from ..errors import CostreamError
from .application import TOKENS_DELAY, Application
from .failures import place_of
from .guard import is_loopback
from .metrics import route_of
from .service import Service
from .tokens import Tokens

BACKLOG = 2048
GRACE_SECONDS = 30  # for requests that were accepted, when the process is told to end
FAILED = 1

logger = logging.getLogger("costream.serve")


class Server(uvicorn.Server):
    """uvicorn, which ends well on SIGTERM and SIGINT, and at once where the log has failed."""

    def __init__(self, config: uvicorn.Config, service: Service, address: str) -> None:
        super().__init__(config)
        self.service, self.address = service, address

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Say where the service is once it can be reached there."""
        await super().startup(sockets)
        if self.started:
            logger.warning("serving %s at %s", self.service.engine.directory, self.address)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal ends the service in order, the second one without waiting."""
        self.force_exit = self.should_exit
        self.should_exit = True

    async def on_tick(self, counter: int) -> bool:
        return await super().on_tick(counter) or self.service.failure is not None

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept nothing more, end the streams, answer the rest."""
        self.service.stopping.set()
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
            f"{host} is no address to listen at: {error.strerror}", "see --host"
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
    if not is_loopback(host) and not tokens:
        raise CostreamError(
            f"{host} can be reached from other machines, and there is no token",
            "make one first: costream serve token add NAME --scope admin --dir DIR",
        )


def run(
    service: Service, bound: socket.socket, hosts: Iterable[str] = (), access_log: bool = False
) -> int:
    """Serve until a signal comes; returns the exit code."""
    host, port = bound.getsockname()[:2]
    tokens = Tokens.of(service.engine.directory, TOKENS_DELAY)
    application = Application(
        lambda: service, tokens, service.settings.max_body, hosts, not is_loopback(host)
    )
    config = uvicorn.Config(
        application,
        http="httptools" if importlib.util.find_spec("httptools") else "h11",
        loop="uvloop" if importlib.util.find_spec("uvloop") else "asyncio",
        ws="none",
        lifespan="on",
        backlog=BACKLOG,
        log_config=None,
        access_log=access_log,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    log_to_stderr()
    server = Server(config, service, address_of(host, port))
    gc.collect()
    gc.freeze()  # modules and model stay: no pause of ours looks through them again
    server.run([bound])
    if service.failure is not None:
        logger.error("stopped: %s", service.failure)
        return FAILED
    logger.warning("stopped; all that was accepted is answered")
    return 0


def address_of(host: str, port: int) -> str:
    """The address that a person can open."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}"


class _Lines(logging.Formatter):
    """A line for each message; of an error only its kind and place, since it may quote an event."""

    def formatException(self, ei: Any) -> str:  # noqa: N802
        return f"  {place_of(ei[1])}"


class _Routes(logging.Filter):
    """Requests by their routes: their paths may hold the ids of events."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple) and len(record.args) == 5:
            address, method, path, *rest = record.args
            route = route_of(unquote(str(path).partition("?")[0]))
            record.args = (address, method, route, *rest)
        return True


def log_to_stderr() -> None:
    """Log to standard error, and warnings by their places: nothing that is logged quotes an event."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Lines("costream: %(message)s"))
    for name in ("costream.serve", "uvicorn"):
        one = logging.getLogger(name)
        one.handlers, one.propagate = [handler], False
        one.setLevel(logging.WARNING)
    access = logging.getLogger("uvicorn.access")
    access.setLevel(logging.INFO)
    access.filters = [_Routes()]
    places: set[tuple[str, int]] = set()

    def told(
        message: object, category: type[Warning], filename: str, lineno: int, *_: object, **__: object
    ) -> None:
        del message  # it may quote an event
        if (filename, lineno) not in places:
            places.add((filename, lineno))
            logger.warning("%s at %s:%d", category.__name__, filename, lineno)

    warnings.showwarning = told
