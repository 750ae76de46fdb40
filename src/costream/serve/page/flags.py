"""The table of the latest flags; all that comes from events is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from ...report.numbers import cost_text, percent
from ...report.page import paragraph, slug
from .words import moment, open_text, outcome_of, reason_texts

FLAGS = 15  # that the page shows
METER = 48  # width of the bar of a probability


def flags_table(flags: Sequence[Mapping[str, Any]]) -> str:
    """The latest flags, the newest first."""
    if not flags:
        return "<h2>Latest flags</h2>" + paragraph("note", "Nothing has been flagged yet.")
    names = ("time (UTC)", "event", "probability", "at stake", "why", "turned out")
    head = "".join(f"<th>{name}</th>" for name in names)
    shown = flags[:FLAGS]
    rows = "".join(_row(one) for one in shown)
    return (
        f"<h2>Latest flags</h2>{paragraph('note', open_text(shown))}"
        f'<table class="flags"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )


def _row(flag: Mapping[str, Any]) -> str:
    when = moment(flag)
    probability = float(flag["probability"])
    outcome = outcome_of(flag)
    day, clock = f"{when:%Y-%m-%d}", f"{when:%H:%M:%S}"
    cells = {
        "when": f'<time datetime="{day}T{clock}Z">{day} <b>{clock}</b></time>',
        "id": _event_link(str(flag["id"])),
        "chance": _meter(probability) + percent(probability, 0, " %"),
        "stake": cost_text(float(flag["fn_cost"])),
        "why": _reasons(flag["reasons"] or ()),
        "outcome": f"<span>{outcome}</span>",
    }
    body = "".join(f'<td class="{kind}">{html}</td>' for kind, html in cells.items())
    return f'<tr class="{slug(outcome)}">{body}</tr>'


def _meter(probability: float) -> str:
    """A small bar, so long as the probability is high."""
    width = round(METER * min(max(probability, 0.0), 1.0))
    bars = f'<rect class="all" width="{METER}" height="6"/><rect width="{width}" height="6"/>'
    return f'<svg viewBox="0 0 {METER} 6" aria-hidden="true">{bars}</svg>'


def _event_link(event: str) -> str:
    """The id of an event, with a link to all that is known of it, where an address can hold it."""
    if event in (".", ".."):
        return escape(event)
    return f'<a href="v1/events/{quote(event, safe="")}">{escape(event)}</a>'


def _reasons(reasons: Iterable[Mapping[str, Any]]) -> str:
    items = []
    for reason in reasons:
        feature, value, usual = reason_texts(reason)
        kind = ' class="against" title="speaks against a flag"' if reason["effect"] < 0 else ""
        small = f" <small>{escape(usual)}</small>" if usual else ""
        items.append(f"<li{kind}>{escape(feature)} <b>{escape(value)}</b>{small}</li>")
    return f"<ul>{''.join(items)}</ul>"
