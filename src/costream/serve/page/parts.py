"""The parts of the page that change; the stream sends them again when they do."""

from __future__ import annotations

from html import escape

from ...report.numbers import DASH, cost_text, counted, percent
from ...report.page import box, facts, paragraph
from ..http.live import Moment
from ..messages import Period
from .flags import flags_table
from .words import basis, chart_title, leader_sentence, saved_text, verdict

WHOLE = 1000.0  # costs of which the largest is at least so high are shown without a fraction
MOST_DIGITS = 1e9


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
