"""The page as HTML: what it is when it is loaded, and the page that asks for a token."""

from __future__ import annotations

from html import escape
from importlib.metadata import version
from importlib.resources import files
from string import Template

from ...report.page import paragraph
from ..http.live import Moment
from ..messages import encode
from .parts import render_parts
from .words import chart_data

PAGE, SIGN_IN = (
    Template(files(__package__).joinpath(name).read_text(encoding="utf-8"))
    for name in ("page.html", "sign-in.html")
)
SIGN_OUT = '<form method="post" action="logout"><button class="quiet">Sign out</button></form>'


def render_page(moment: Moment, last: str, by: str, base_url: str, signed_in: bool) -> str:
    """The page as it is when it is loaded; its stream goes on after the event ``last``."""
    parts = {name.replace("-", "_"): html for name, html in render_parts(moment).items()}
    return PAGE.substitute(
        parts,
        version=version("costream"),
        model=escape(moment.summary.model),
        sign_out=SIGN_OUT if signed_in else "",
        started=" hidden" if moment.state.events else "",
        address=escape(base_url),
        token=escape(' -H "Authorization: Bearer $TOKEN"') if signed_in else "",
        chosen=escape(by),
        last=last,
        data=escape(encode(chart_data(moment.summary)).decode()),
        hidden="" if moment.summary.rows else " hidden",
    )


def render_sign_in(problem: str = "") -> str:
    return SIGN_IN.substitute(problem=paragraph("loud", problem))
