"""Comparisons as one HTML page that needs nothing else: no network, no scripts, no fonts.

The page is well-formed XML too, and the numbers of a column have the same decimals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import TYPE_CHECKING

from ..costs.metrics import METRICS, Metric
from ..costs.objectives import OBJECTIVES
from ..costs.policies import best_of, is_better
from .chart import coloured, figure, kind_of
from .numbers import DASH, NO_BREAK, PLUS_MINUS, decimals_of, number, percent, settings_text
from .page import facts, meanings, paragraph, render_page
from .shapes import shapes_figure
from .tables import scroll_box

if TYPE_CHECKING:
    from ..evaluation.results import Comparison, Entry

UNIT = f"{NO_BREAK}%"


SECONDS = Metric(  # no metric of decisions, but a column like theirs
    "seconds",
    "time",
    "What one run took: to score every row, and then to learn from it.",
    lambda _tally, _alpha_p: math.nan,
    "count",
)
COLUMNS = (*METRICS.values(), SECONDS)


def render(comparisons: Sequence[Comparison], command: str, version: str) -> str:
    """The page; ``command`` is what made it."""
    titles = [comparison.title for comparison in comparisons]
    links = [f'<a href="#c{n}">{escape(title)}</a>' for n, title in enumerate(titles)]
    sections = [_section(comparison, n) for n, comparison in enumerate(comparisons)]
    return render_page(
        "Online learners compared",
        f"costream {version}",
        command,
        [f"<nav>{''.join(links)}</nav>" if len(links) > 1 else ""],
        [*sections, _about()],
        "comparison.css",
        f"{', '.join(titles) or 'Nothing'}: online learners compared",
    )


def _section(comparison: Comparison, n: int) -> str:
    return "\n".join(
        [
            f'<section id="c{n}"><h2>{escape(comparison.title)}</h2>',
            paragraph(
                "note",
                " ".join(filter(None, (comparison.note, comparison.decisions, comparison.undefined))),
            ),
            _facts(comparison),
            _verdict(comparison),
            figure(comparison, n),
            _table(comparison),
            shapes_figure(comparison),
            "</section>",
        ]
    )


def _about() -> str:
    """What the words mean."""
    words = {column.title: column.meaning for column in COLUMNS} | {
        "always-positive": "The constant policy that flags every row.",
        "always-negative": "The constant policy that flags none.",
        "±": "The standard deviation over the runs.",
    }
    how = "Every row is scored before it is learnt: all numbers are of rows the learner had not seen."
    return (
        f'<section class="about"><h3>How to read this</h3>{paragraph("note", how)}'
        f"{meanings(words)}</section>"
    )


# Words around the numbers.


def _learners(comparison: Comparison) -> list[Entry]:
    return [entry for entry in comparison.entries if entry.learns]


def _facts(comparison: Comparison) -> str:
    rows, positives = comparison.rows, comparison.positives
    share = percent(positives / rows, 2, " %") if rows else ""
    items = [
        ("rows", f"{rows:,}", ""),
        ("positives", f"{positives:,}", share),
        ("objective", comparison.objective, comparison.metric.better),
    ]
    names = {
        "fn_cost": "cost of a missed positive",
        "fp_cost": "cost of a false alarm",
        "tp_cost": "cost of a flagged positive",
        "tn_cost": "cost of a passed negative",
        "alpha_p": "weight of sensitivity",
    }
    for key, name in names.items():
        cost = comparison.costs.get(key)
        if cost is not None and (cost != 0.0 or key not in ("tp_cost", "tn_cost")):
            items.append((name, cost if isinstance(cost, str) else number(cost, ",.6g"), ""))
    items.append(("runs", f"{comparison.runs:,}", ""))
    return facts(items)


def _verdict(comparison: Comparison) -> str:
    """The result in a few sentences."""
    key, policy = comparison.metric.name, comparison.better_policy
    learners = {entry.name: entry for entry in _learners(comparison)}
    first = best_of(key, {name: entry.value(key) for name, entry in learners.items()})
    if first is None:
        return ""
    best = learners[first]
    show = _shown_objective(comparison)
    if not comparison.is_useful(best):
        constant = f"<em>{escape(policy.name if policy else '')}</em>"
        text = f"No learner beats the constant policy {constant}"
    else:
        what = "lowest total cost" if comparison.is_total_cost else _superlative(comparison.metric)
        rules = any(entry.baseline for entry in comparison.entries)
        of_them = " of the learners" if rules else ""
        name = f"<strong>{escape(best.name)}</strong>"
        text = f"{name} has the {what}{of_them}, {show(best.mean[key])}"
        if policy is not None:
            constant = f"<em>{escape(policy.name)}</em>"
            text += f"; the better constant policy, {constant}, has {show(policy.mean[key])}"
        text += _savings(best, show, comparison)
    sentences = [text, *_of_rules(comparison, best, show)]
    return f'<p class="verdict">{". ".join(sentences)}.</p>'


def _superlative(metric: Metric) -> str:
    return f"{'highest' if metric.more_is_better else 'lowest'} {metric.title}"


def _shown_objective(comparison: Comparison) -> Callable[[float], str]:
    """How values of the objective are written."""
    metric = comparison.metric
    decimals = decimals_of(entry.value(metric.name) for entry in comparison.entries)
    return partial(percent, unit=UNIT) if metric.is_percent else partial(number, form=decimals)


def _savings(entry: Entry, show: Callable[[float], str], comparison: Comparison) -> str:
    """What an entry saves, in money and as savings; empty where that is not known."""
    saved, savings = entry.value("saved"), entry.value("savings")
    if not comparison.is_total_cost or not math.isfinite(savings):
        return ""
    if saved < 0.0:
        policy = comparison.better_policy
        than = f"<em>{escape(policy.name)}</em>" if policy else "the better constant policy"
        return f". It costs {show(-saved)} more than {than}"
    return (
        f". It saves {show(saved)}, {percent(savings, unit=UNIT)} of what perfect decisions would save"
    )


def _of_rules(comparison: Comparison, best: Entry, show: Callable[[float], str]) -> list[str]:
    """How the user's own rules stand beside the best learner, each in a sentence."""
    key, found = comparison.metric.name, []
    for entry in comparison.entries:
        if entry.baseline:
            value, other = entry.value(key), best.value(key)
            than = "worse" if is_better(key, other, value) else "better"
            than = "as good" if value == other else than
            how = f"{than} {'as' if value == other else 'than'} <strong>{escape(best.name)}</strong>"
            text = f"Your rule <em>{escape(entry.name)}</em> has {show(value)}, {how}"
            found.append(text + _savings(entry, show, comparison))
    return found


# The table.


def columns_for(objective: str) -> list[Metric]:
    """The columns of the table: there is money to be saved where the objective is about costs."""
    money = OBJECTIVES[objective].has_costs
    return [column for column in COLUMNS if money or not column.needs_costs]


@dataclass(frozen=True)
class _Shown:
    """A column as it is shown for one comparison: in which unit, with how many decimals."""

    column: Metric
    scale: float
    unit: str
    decimals: int
    best: str

    @classmethod
    def of(cls, column: Metric, comparison: Comparison) -> _Shown:
        means = [entry.value(column.name) for entry in comparison.entries]
        scale, unit = 1.0, ""
        if column.is_percent:
            scale, unit, decimals = 100.0, "%", 1 if comparison.runs == 1 else 2
        elif column.name == "seconds":
            longest = max((mean for mean in means if math.isfinite(mean)), default=0.0)
            scale, unit = (1.0, "s") if longest >= 10 else (1000.0, "ms")
            decimals = min(2, decimals_of([longest * scale], 3))
        else:
            stds = [entry.std.get(column.name, math.nan) for entry in comparison.entries]
            decimals = decimals_of([*means, *(stds if comparison.runs > 1 else ())])
        shown = cls(column, scale, unit, decimals, "")
        learners = _learners(comparison)
        good = [e for e in learners if comparison.is_useful(e)] or learners
        values = [e.value(column.name) for e in good]
        pick: Callable[..., float] = max if column.more_is_better else min
        best = pick((value for value in values if math.isfinite(value)), default=math.nan)
        return cls(column, scale, unit, decimals, shown.text(best))

    def text(self, value: float) -> str:
        return number(value * self.scale, self.decimals)

    def cell(self, entry: Entry, bold: bool, spread: bool) -> str:
        mean, std = (part.get(self.column.name, math.nan) for part in (entry.mean, entry.std))
        if not entry.learns and self.column.name == "seconds":
            return DASH  # there is nothing to run
        text = self.text(mean)
        if bold and text == self.best != DASH:
            text = f"<b>{text}</b>"
        if math.isfinite(mean) and math.isfinite(std) and entry.learns:
            text += f" <small>{PLUS_MINUS} {self.text(std)}</small>" if spread else ""
        return text


def _table(comparison: Comparison) -> str:
    if not comparison.entries:
        return '<p class="verdict">There is nothing to compare.</p>'
    shown = [_Shown.of(column, comparison) for column in columns_for(comparison.objective)]
    colours = coloured(comparison)
    rows, rank = [], 0
    for n, entry in enumerate(comparison.entries):
        rank += entry.learns
        kind = "good" if comparison.is_useful(entry) else "worse"
        if not entry.learns:
            kind = "constant" if entry.policy else "baseline"
        place = str(rank) if entry.learns else ""
        who = _who(entry, colours.get(n, kind_of(entry)))
        cells = "".join(_cell(column, entry, comparison) for column in shown)
        rows.append(f'<tr class="{kind}"><td>{place}</td>{who}{cells}</tr>')
    head = f'<tr><th></th><th class="who" scope="col">learner</th>{_heads(comparison, shown)}</tr>'
    return scroll_box(f"{comparison.title}: table", head, rows) + _key(comparison)


def _key(comparison: Comparison) -> str:
    """How to read the table."""
    text = "Bold: the best of the learners."
    if comparison.better_policy is not None:
        text = (
            "Bold: the best of the learners that beat the constant policies. Grey: those that do not."
        )
        if comparison.is_total_cost:
            text += " Bar: the cost, as a part of that of the better constant policy."
        else:
            text += " Bar: the way from the better constant policy (empty) to no mistake (full)."
    if any(entry.baseline for entry in comparison.entries):
        text += " Bold and slanted: your own rules."
    return paragraph("key", text)


def _heads(comparison: Comparison, shown: Sequence[_Shown]) -> str:
    heads = []
    for one in shown:
        column = one.column
        ranked = ' class="ranked"' if column.name == comparison.metric.name else ""
        unit = f", {one.unit}" if one.unit else ""
        heads.append(
            f'<th scope="col"{ranked}><abbr title="{escape(column.meaning)}">'
            f"{escape(column.title + unit)}</abbr></th>"
        )
    return "".join(heads)


def _cell(shown: _Shown, entry: Entry, comparison: Comparison) -> str:
    good = entry.learns and comparison.is_useful(entry)
    text = shown.cell(entry, good, comparison.runs > 1)
    if shown.column.name != comparison.metric.name:
        return f"<td>{text}</td>"
    return f'<td class="ranked">{text}{_bar(entry, comparison)}</td>'


def _bar(entry: Entry, comparison: Comparison) -> str:
    """The value of the objective as a bar, measured with the better constant policy."""
    policy = comparison.better_policy
    if policy is None:
        return ""
    value, constant = (one.value(comparison.metric.name) for one in (entry, policy))
    if comparison.metric.more_is_better:
        value, constant = value - constant, 1.0 - constant
    part = value / constant if constant > 0 and math.isfinite(value) else 0.0
    return f'<i style="--part:{100 * min(max(part, 0.0), 1.0):.1f}%"></i>'


def _who(entry: Entry, kind: str) -> str:
    """The name with its line of the chart, and the settings below."""
    settings = settings_text(entry.settings, space=NO_BREAK)
    small = f"<small>{escape(settings)}</small>" if settings else ""
    return (
        '<th class="who" scope="row"><div><svg class="swatch" viewBox="0 0 34 12" aria-hidden="true">'
        f'<path class="line {kind}" d="M2 6H32"/></svg>{escape(entry.name)}</div>{small}</th>'
    )
