"""The numbers of the charts, and the sentences: the verdict on the costs, who leads, times, reasons."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ...report.numbers import NO_BREAK, cell_text, cost_text, counted, percent, short_number
from ..messages import Period, Summary
from ..times import seconds_since_1970

ROWS = {"day": 366, "hour": 168}  # the latest, which the charts show
STEPS = {"day": 86400, "hour": 3600}  # seconds
LONGEST_VALUE = 60  # characters of a value that the page shows
POLICIES = {"flag_all": "flagging everything", "flag_nothing": "flagging nothing"}
BETTER = "the better constant policy"

# The members of auto by the beginning of their names, the longest first.
LEADERS = {
    "leaves of boosted trees": "A linear model on the leaves of boosted trees leads.",
    "leaves of random trees": "A linear model on the leaves of random trees leads.",
    "boosted trees": "Boosted trees lead.",
    "always positive": "Flagging everything has been cheapest so far; no model has beaten it yet.",
    "always negative": "Flagging nothing has been cheapest so far; no model has beaten it yet.",
    "diagonal": "A linear model leads, one that learns each feature at its own pace.",
    "full": "A linear model leads, one that knows which features go together.",
    "ACOG-II": "A linear model leads, one that takes larger steps after dear mistakes.",
    "splines": "A model with a curve for each feature leads.",
    "fourier": "A model of smooth curves through all features together leads.",
}


def leader_sentence(leader: str) -> str:
    """Who leads, for somebody who does not know the members of auto.

    >>> leader_sentence("boosted trees"), leader_sentence("something else")
    ('Boosted trees lead.', 'Something else leads.')
    """
    known = (text for name, text in LEADERS.items() if leader.startswith(name))
    return next(known, f"{leader[:1].upper()}{leader[1:]} leads.")


def cheaper_policy(total: Period) -> tuple[str, float]:
    """The better constant policy, the first of equals, and its cost."""
    costs = {name: float(getattr(total, name)) for name in POLICIES}
    best = min(costs, key=lambda name: costs[name])
    return POLICIES[best], costs[best]


def saved_text(total: Period) -> str:
    if not total.labelled:
        return cost_text(math.nan)
    return cost_text(cheaper_policy(total)[1] - total.cost)


def verdict(total: Period) -> tuple[str, bool]:
    """One sentence on the total cost, and whether it is bad news."""
    if not total.labelled:
        return "No event has its label yet: costs are known as soon as labels come.", False
    policy, cost = cheaper_policy(total)
    if total.cost == cost:
        return f"So far the model costs just as much as {policy}.", False
    gap = cost_text(abs(cost - total.cost))
    if total.cost > cost:
        return f"So far the model costs {gap} more than {policy}, {BETTER}.", True
    text = f"The model saves {gap} against {policy}, {BETTER}"
    if total.savings is None:
        return f"{text}.", False
    share = percent(total.savings, 1, NO_BREAK + "%")
    return f"{text}: {share} of what perfect decisions would save.", False


def basis(total: Period) -> str:
    text = f"These are the costs of {counted(total.labelled, 'event')} with a label"
    if total.expired:
        text += f" ({total.expired:,} of them never got one and have expired)"
    waiting = total.events - total.labelled
    return f"{text}; {waiting:,} wait for theirs." if waiting else f"{text}: all of them."


def moment_of(flag: Mapping[str, Any]) -> datetime:
    """When an event happened, or was received if it has no time, in UTC."""
    time = flag["received"] if flag["time"] is None else flag["time"]
    return datetime.fromtimestamp(seconds_since_1970(time), UTC)


def outcome_of(flag: Mapping[str, Any]) -> str:
    """What a flagged event turned out to be."""
    if flag["state"] in ("pending", "expired"):
        return {"pending": "open", "expired": "expired"}[flag["state"]]
    return "positive" if flag["positive"] else "false alarm"


def open_text(flags: Sequence[Mapping[str, Any]]) -> str:
    """How many of some flags wait for their label, and what they cost if they are missed."""
    waiting = [float(one["fn_cost"]) for one in flags if outcome_of(one) == "open"]
    if not waiting:
        return f"None of the latest {len(flags)} is open: each has its label."
    many = "All" if len(waiting) == len(flags) else str(len(waiting))
    are = f"{many} of the latest {len(flags)} {'are' if len(waiting) > 1 else 'is'} open"
    if len(flags) == 1:
        are = "It is open"
    return f"{are}, with {cost_text(sum(waiting))} at stake."


def chart_title(summary: Summary) -> str:
    """The title of the chart of costs, with its beginning where it does not show all."""
    if not is_cut(summary):
        return "Total cost over time"
    return f"Total cost since {datetime.fromisoformat(str(shown_rows(summary)[0].start)):%d %b %Y}"


def reason_texts(reason: Mapping[str, Any]) -> tuple[str, str, str]:
    """A reason: the feature, its value and what is usual, if anything is.

    >>> reason_texts({"feature": "amount", "value": 912.5, "usual": 31.5})
    ('amount', '912.5', 'usually 31.5')
    >>> reason_texts({"feature": "merchant", "value": "games", "usual": None})
    ('merchant', 'games', '')
    >>> reason_texts({"feature": "age", "value": None, "usual": 0.0123456})
    ('age', 'missing', 'usually 0.0123')
    >>> len(reason_texts({"feature": "message", "value": "word " * 99, "usual": None})[1])
    60
    """
    usual = reason["usual"]
    text = short_number(usual) if type(usual) in (int, float) else _short(cell_text(usual))
    after = "" if usual is None else f"usually {text}"
    return str(reason["feature"]), _short(cell_text(reason["value"])), after


def _short(text: str) -> str:
    """Text that leaves room for others."""
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}\N{HORIZONTAL ELLIPSIS}"


# --- what the charts show --------------------------------------------------------------------------


def shown_rows(summary: Summary) -> list[Period]:
    return summary.rows[-ROWS[summary.by] :]


def is_cut(summary: Summary) -> bool:
    """Whether the charts begin later than the summary does."""
    return summary.truncated or len(summary.rows) > ROWS[summary.by]


def chart_data(summary: Summary, starts: Iterable[str] | None = None) -> dict[str, Any]:
    """The periods that the charts show, or those of them that start so, each by steps since 1970."""
    shown, step = shown_rows(summary), STEPS[summary.by]
    wanted = None if starts is None else set(starts)
    rows = [_numbers(row, step) for row in shown if wanted is None or row.start in wanted]
    return {"step": step, "first": _steps(shown[0], step) if shown else 0, "rows": rows}


def _numbers(row: Period, step: int) -> list[float]:
    """When, the three total costs, flags, and the share without a label; in few characters."""
    costs = (_rounded(one, 6) for one in (row.cost, row.flag_nothing, row.flag_all))
    return [_steps(row, step), *costs, row.flags, _rounded(row.unlabelled, 3)]


def _rounded(value: float, digits: int) -> float:
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded


def _steps(row: Period, step: int) -> int:
    assert row.start is not None
    return int(datetime.fromisoformat(row.start).timestamp()) // step
