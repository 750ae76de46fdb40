"""The parts of the page that change; the stream sends them again when they do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from ...report.numbers import DASH, cost_text, counted, percent
from ...report.page import box, facts, paragraph, slug
from ..http.live import Moment
from ..messages import Period
from .words import (
    basis,
    chart_title,
    leader_sentence,
    moment_of,
    open_text,
    outcome_of,
    reason_texts,
    saved_text,
    verdict,
)

WHOLE = 1000.0  # costs of which the largest is at least so high are shown without a fraction
MOST_DIGITS = 1e9
FLAGS = 15  # that the page shows
METER = 48  # width of the bar of a probability


def render_parts(moment: Moment) -> dict[str, str]:
    """The parts of the page that change, by their ids."""
    by, other = ("day", "hour") if moment.summary.by == "day" else ("hour", "day")
    return {
        "notices": _notices(moment),
        "costs": _costs(moment.summary.total) if moment.state.events else "",
        "facts": _facts(moment) if moment.state.events else "",
        "leader": _leader(moment),
        "title": escape(chart_title(moment.summary)),
        "by": f'by {by} of the event, UTC · <a href="?by={other}">by {other}</a>',
        "flags-title": f"Flags by {by}",
        "flags": flags_table(moment.flags) if moment.state.events else "",
    }


def _notices(moment: Moment) -> str:
    """What must not be overlooked."""
    found = []
    if moment.failure:
        found.append(f"The log failed and nothing is taken any more: {moment.failure}")
    if moment.state.rejected:
        many = counted(moment.state.rejected, "label")
        found.append(f"{many} rejected: learning failed, and the service's log has the reason.")
    if moment.state.unmatched:
        found.append(
            f"{counted(moment.state.unmatched, 'label')} came before their events and wait for them."
        )
    if moment.state.unfit:
        many = counted(moment.state.unfit, "event")
        found.append(
            f"{many} did not fit what the model has learnt since the start: see their warnings."
        )
    if not found:
        return ""
    return box("Needs looking at", f"<ul>{''.join(f'<li>{escape(one)}</li>' for one in found)}</ul>")


def _costs(total: Period) -> str:
    """What decisions cost, with the two constant policies, and the verdict."""
    sentence, bad = verdict(total)
    known = bool(total.labelled)
    figures = [
        ("own", "Total cost so far", total.cost),
        ("", "had nothing been flagged", total.flag_nothing),
        ("", "had everything been flagged", total.flag_all),
    ]
    whole = max(abs(cost) for *_, cost in figures) >= WHOLE
    items = "".join(
        f'<div class="{kind}"><dt>{name}</dt><dd>{_figure(cost, whole) if known else DASH}</dd></div>'
        for kind, name, cost in figures
    )
    mood = " loud" if bad else ""
    note = paragraph("note", basis(total)) if known else ""
    return f'<dl class="costs">{items}</dl><h1 class="verdict{mood}">{escape(sentence)}</h1>{note}'


def _figure(cost: float, whole: bool) -> str:
    """One of the three costs; all are shown with a fraction, or none."""
    return f"{cost:,.0f}" if whole and abs(cost) < MOST_DIGITS else cost_text(cost)


def _facts(moment: Moment) -> str:
    total, state = moment.summary.total, moment.state
    share = percent(total.flags / total.events, 1, " %") if total.events else ""
    caught, of = total.sensitivity, counted(total.positives, "positive")
    return facts(
        [
            ("events", f"{total.events:,}", ""),
            ("flags", f"{total.flags:,}", share),
            ("saved so far", saved_text(total), ""),
            ("positives caught", DASH if caught is None else percent(caught, 1, " %"), f"of {of}"),
            ("false alarms", f"{total.false_alarms:,}", ""),
            ("labels learnt", f"{state.learnt:,}", ""),
            ("waiting for a label", f"{state.pending:,}", ""),
        ]
    )


def _leader(moment: Moment) -> str:
    state = moment.state
    if not state.events:
        return ""
    if state.leader is None:
        return paragraph("note", f"The learner is {state.learner}.")
    name = escape(state.leader)
    return f'<p class="note">{escape(leader_sentence(state.leader))} <small>({name})</small></p>'


# --- the latest flags; all that comes from events is escaped ---------------------------------------


def flags_table(flags: Sequence[Mapping[str, Any]]) -> str:
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
    when = moment_of(flag)
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
