"""The page as HTML: what it is when it is loaded, and the page that asks for a token."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib.metadata import version

import msgspec

from ...report.page import DOCTYPE, code, paragraph
from ..http.live import Moment
from .parts import render_parts
from .words import chart_data

STYLES = ("style.css", "uPlot.css", "page.css")
SIGN_OUT = '<form method="post" action="logout"><button class="quiet">Sign out</button></form>'


def render_page(moment: Moment, last: str, by: str, base_url: str, signed_in: bool) -> str:
    """The page as it is when it is loaded; its stream goes on after the event ``last``."""
    parts = render_parts(moment)
    data = escape(msgspec.json.encode(chart_data(moment.summary)).decode())
    hidden = "" if moment.summary.rows else " hidden"
    started = " hidden" if moment.state.events else ""

    def part(name: str, tag: str = "div") -> str:
        return f'<{tag} id="{name}">{parts[name]}</{tag}>'

    def figure(chart: str, *heading: str) -> str:
        place = f'<div id="{chart}-chart" class="chart"></div>'
        return f'<figure class="{chart}-figure">{"".join(heading)}{place}</figure>'

    body = [
        _header(moment, signed_in),
        "<main>",
        *(part(name) for name in ("notices", "costs", "facts")),
        f'<div id="start"{started}>{_start(base_url, signed_in)}</div>',
        f'<div id="charts" data-by="{escape(by)}" data-last="{last}" data-chart="{data}"{hidden}>',
        figure("cost", part("title", "h2"), part("by", "p")),
        figure("flags", part("flags-title", "h2")),
        figure("unlabelled", "<h2>Still without a label</h2>"),
        "</div>",
        *(part(name) for name in ("leader", "flags")),
        "</main>",
        '<script src="static/uPlot.js"></script><script type="module" src="static/page.js"></script>',
    ]
    return _document("Total cost", body)


def render_sign_in(problem: str = "") -> str:
    body = [
        '<main class="sign-in"><p class="eyebrow">costream</p><h1>Sign in</h1>',
        paragraph("loud", problem),
        '<form method="post" action="login">',
        '<label for="token">Token</label>',
        '<input id="token" name="token" type="password" autocomplete="current-password"',
        ' required="required" autofocus="autofocus" spellcheck="false"/>',
        '<button type="submit">Sign in</button></form>',
        paragraph("note", "A token of scope read opens this page. Whoever runs the service makes one:"),
        code("costream serve token add NAME --scope read --dir DIR"),
        "</main>",
    ]
    return _document("Sign in", body)


def _document(title: str, body: Iterable[str]) -> str:
    return "\n".join(
        [
            DOCTYPE,
            '<html lang="en"><head><meta charset="utf-8"/>',
            '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
            f"<title>{escape(title)} · costream</title>",
            '<link rel="icon" type="image/svg+xml" href="static/icon.svg"/>',
            *(f'<link rel="stylesheet" href="static/{name}"/>' for name in STYLES),
            "</head><body>",
            *body,
            "</body></html>\n",
        ]
    )


def _header(moment: Moment, signed_in: bool) -> str:
    return (
        f'<header><p class="eyebrow">costream {version("costream")} · '
        f"{escape(moment.summary.model)}</p>"
        '<p id="state" class="eyebrow" role="status">not live; reload for newer figures</p>'
        f"{SIGN_OUT if signed_in else ''}</header>"
    )


def _start(base_url: str, signed_in: bool) -> str:
    """What to do first, with a service that has seen nothing."""
    event = '{"id": "payment-1", "features": {"amount": 912.5, "country": "FR"}}'
    label = '{"id": "payment-1", "label": 1}'
    token = ' -H "Authorization: Bearer $TOKEN"' if signed_in else ""
    kind = f" \\\n    -H 'Content-Type: application/json'{token} \\\n    -d"
    return (
        "<h1>No events yet</h1>"
        + paragraph("note", "Send the first one, and this page shows it at once:")
        + code(f"curl {base_url}v1/score{kind} '{event}'")
        + paragraph("note", "Send its label as soon as it is known:")
        + code(f"curl {base_url}v1/labels{kind} '{label}'")
    )
