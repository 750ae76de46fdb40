"""The ASGI application: routes behind a guard, and a service that lives as long as it does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ..costs.objective import Objective
from ..learners import Learner
from ..model.classifier import OnlineClassifier
from ..model.file import load
from .engine.service import Service
from .http import batches, handlers, live, reading
from .http.guard import DeniedError, Guard
from .http.logs import Audit
from .http.routing import routes
from .http.tokens import Tokens
from .page import handlers as page
from .settings import Settings

HANDLERS = (handlers, batches, reading, live, page)  # whose functions are bound to endpoints on import
TOKENS_DELAY = 0.5  # seconds until a token that was removed is refused
REFUSALS = {
    404: ("there is nothing at this address", "see /openapi.json"),
    405: ("this address does not take this method", "the header Allow names those that it takes"),
}


class Application(Starlette):
    """The routes of a service behind their guard.

    The service is opened when the application starts, or at the first request where the application
    that has mounted it does not start it. It is opened in a thread; unless the application ``waits``
    for that, all requests but those for `/health/live` are refused meanwhile.
    """

    def __init__(
        self,
        opened: Callable[[], Service],
        tokens: Tokens,
        max_body: int,
        hosts: Iterable[str] = (),
        require_token: bool = False,
        waits: bool = True,
    ) -> None:
        super().__init__(routes=routes(), lifespan=_lifespan)
        self.router.redirect_slashes = False
        self._opened, self._lock, self.audit = opened, asyncio.Lock(), Audit()
        self._loop: asyncio.AbstractEventLoop | None = None  # that of the service
        self._waits = waits
        self._opening: asyncio.Task[None] | None = None
        self.failure: BaseException | None = None  # why the service could not be opened
        self.state.service = None
        routed = ExceptionMiddleware(self.router, {HTTPException: _refuse})
        self.state.guard = Guard(
            routed, self.router.routes, tokens, require_token, hosts, max_body, self.audit
        )
        self.state.sessions = self.state.guard.sessions

    def build_middleware_stack(self) -> ASGIApp:
        """The guard is all there is, since it also answers where something fails."""
        guard: Guard = self.state.guard
        return guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (
            self._loop is not asyncio.get_running_loop() or self.state.service is None
        ):
            await self.start()
        await super().__call__(scope, receive, send)

    async def start(self) -> None:
        self._come_to(asyncio.get_running_loop())
        if self.state.service is None and self._opening is None:
            guard: Guard = self.state.guard
            if guard.tokens.are_demanded():
                guard.demand()
            self._opening = asyncio.create_task(self._open(guard))
        if self._waits and self._opening is not None:
            await asyncio.shield(self._opening)

    async def _open(self, guard: Guard) -> None:
        async with self._lock:
            try:
                service = await asyncio.to_thread(self._opened)
                await service.start()
            except BaseException as error:
                self.failure = error
                if self._waits:
                    self._opening = None  # the next request tries again
                    raise
                return
            if guard.tokens:
                guard.tokens.remember()
            self.state.service, self._opening = service, None

    def _come_to(self, loop: asyncio.AbstractEventLoop) -> None:
        """Serve on this event loop; whoever had mounted the application has ended the one before."""
        if self._loop is loop:
            return
        service: Service | None = self.state.service
        if service is not None:
            if self._loop is not None and not self._loop.is_closed():
                raise RuntimeError("this application serves on another event loop, which still runs")
            self.state.service = None
            service.abandon()
        self.audit.flush()
        self._loop, self._lock, self._opening = loop, asyncio.Lock(), None

    async def stop(self) -> None:
        self._come_to(asyncio.get_running_loop())
        if self._opening is not None:  # what is being opened is closed in order
            await asyncio.wait([self._opening])
        service, self.state.service = self.state.service, None
        if service is not None:
            await service.stop()
        self.audit.flush()


@asynccontextmanager
async def _lifespan(application: Application) -> AsyncIterator[None]:
    await application.start()
    try:
        yield
    finally:
        await application.stop()


async def _refuse(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    why, hint = REFUSALS.get(error.status_code, (str(error.detail), None))
    headers = dict(error.headers or {})
    return DeniedError(error.status_code, why, hint, headers).response()


def app(
    directory: str | Path,
    model: OnlineClassifier | str | Path | None = None,
    *,
    learner: str | Learner | None = None,
    objective: str | Objective | None = None,
    settings: Settings | None = None,
    allowed_hosts: Iterable[str] = (),
    require_token: bool = False,
) -> Application:
    """The service of a directory as an ASGI application, to be run or mounted elsewhere.

    Parameters
    ----------
    directory : path
        Where everything is kept; it is made if it is not there. One process at a time can have it.
    model : OnlineClassifier or path, default=None
        What a new directory begins with; by default an empty model of `learner` and `objective`. One
        that is not new goes on with its own, and refuses another.
    learner : str or Learner, default=None
        The learner of an empty model; None is ``"auto"``.
    objective : {"sum", "cost"} or WeightedAccuracy or Cost, default=None
        What an empty model optimises; None is ``"sum"``.
    settings : Settings, default=None
        Late labels, limits and snapshots.
    allowed_hosts : iterable of str, default=()
        Names under which the service may be asked, besides addresses and ``localhost``; ``"*"`` allows
        every name.
    require_token : bool, default=False
        Whether a token is needed even while the directory has none.

    Returns
    -------
    Application
        It opens the directory when it starts or, mounted, at the first request.

    Examples
    --------
    >>> from costream import Cost
    >>> from costream.serve import app
    >>> application = app("fraud", objective=Cost(200, 5), allowed_hosts=["fraud.example"])
    >>> application.url_path_for("score")
    '/v1/score'
    """

    def make() -> OnlineClassifier:
        if isinstance(model, OnlineClassifier):
            return model
        if model is not None:
            return load(model)
        return OnlineClassifier(learner or "auto", objective or "sum")

    place, known = Path(directory), settings or Settings()
    is_given = any(one is not None for one in (model, learner, objective))
    return Application(
        lambda: Service.open(place, make if is_given else None, known),
        Tokens.of(place, TOKENS_DELAY),
        known.max_body,
        allowed_hosts,
        require_token,
    )
