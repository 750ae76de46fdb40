"""What answers at the addresses of the page: itself, its files, its stream, and signing in and out."""

from __future__ import annotations

from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ..endpoints import PAGE, SIGN_IN, SIGN_OUT, STATIC, UPDATES
from ..http.guard import DeniedError
from ..http.handlers import whole
from ..http.live import Moment, Seen, live_of, requested_by, respond
from ..http.routing import handles
from ..http.sessions import COOKIE
from .parts import render_parts
from .render import render_page, render_sign_in
from .words import chart_data

LARGEST_FORM = 4096  # bytes, since anybody may send one

# What the page loads: names, files by package, kinds. The style is that of all pages of costream.
FILES = {
    "style.css": ("costream.report", "style.css", "text/css"),
    "page.css": (__package__, "page.css", "text/css"),
    "page.js": (__package__, "page.js", "text/javascript"),
    "icon.svg": (__package__, "icon.svg", "image/svg+xml"),
    "uPlot.css": (__package__, "vendor/uPlot/uPlot.min.css", "text/css"),
    "uPlot.js": (__package__, "vendor/uPlot/uPlot.iife.min.js", "text/javascript"),
    "uPlot-LICENSE": (__package__, "vendor/uPlot/LICENSE", "text/plain"),
}


@handles(PAGE)
async def page(request: Request) -> Response:
    live = live_of(request)
    moment = await live.now(requested_by(request, None))
    return HTMLResponse(
        render_page(
            moment,
            last=live.event_id(moment),
            by=request.query_params.get("by", ""),
            base_url=str(request.base_url),
            signed_in=COOKIE in request.cookies,
        )
    )


@handles(UPDATES)
async def updates(request: Request) -> Response:
    return respond(request, _as_parts, None)


def _as_parts(moment: Moment, seen: Seen) -> list[tuple[str, Any]]:
    """What is new since the last moment that was sent; all parts if that is not known."""
    parts, before = render_parts(moment), render_parts(seen.moment) if seen.moment else {}
    new = {name: html for name, html in parts.items() if html != before.get(name)}
    chart = chart_data(moment.summary, moment.since(seen.version))
    return [("page", {"parts": new, "chart": chart})]


@handles(STATIC)
async def static(request: Request) -> Response:
    found = FILES.get(request.path_params["file"])
    if found is None:
        raise DeniedError(404, "there is no such file")
    package, name, kind = found
    return Response(files(package).joinpath(*name.split("/")).read_bytes(), media_type=kind)


@handles(SIGN_IN)
async def sign_in(request: Request) -> Response:
    """`GET /login` asks for a token, `POST /login` begins a session with one of scope read."""
    if request.method != "POST":
        return HTMLResponse(render_sign_in())
    body = await whole(request.receive, LARGEST_FORM)
    fields = parse_qs(body.decode("latin-1"))
    token = fields.get("token", [""])[0].strip()
    found: Response | None = request.app.state.sessions.sign_in(request, token)
    return found or HTMLResponse(render_sign_in("This token is not known, or may not read."), 401)


@handles(SIGN_OUT)
async def sign_out(request: Request) -> Response:
    response: Response = request.app.state.sessions.sign_out(request)
    return response
