"""The sections of the page with figures, and with the tables of the theorems and of complexity."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from ..evaluate.bounds import Regret
from ..report.numbers import listed, number, short_number, superscripts
from ..report.page import Ids, Section, paragraph
from ..report.tables import Column, Line, html_table, small_std
from . import markdown as words
from .calibration import Calibrations
from .findings import Figure, Findings
from .markdown import metric_text, short_name
from .regret import Problem


def figures_section(found: Findings, kind: str, ids: Ids) -> Section | None:
    """The experiments of a kind that are drawn, with their tables."""
    kinds = {"regret": "theorems", "complexity": "complexity", "calibration": "calibration"}
    mine = [one for one in found.figures if kinds.get(one.experiment.kind, "figures") == kind]
    if not mine:
        return None
    own, links, parts = ids.new(kind), [], [paragraph("loud", words.SAMPLE if found.is_quick else "")]
    for figure in mine:
        place = ids.new(figure.experiment.name)
        links.append((short_name(figure.experiment), place))
        parts.append(_drawn(found, figure, place))
        parts += [_regret_table(figure)] if figure.regrets else []
        parts += [_slope_table(figure)] if figure.sweeps else []
        parts += [_calibration_table(figure.calibrations)] if figure.calibrations else []
    return Section(own, kind.capitalize(), "\n".join(parts), links if kind == "figures" else [])


def _drawn(found: Findings, figure: Figure, place: str) -> str:
    experiment = figure.experiment
    svg = re.sub(r'(\bid="|href="#|url\(#|labelledby=")', rf"\g<1>svg-{place}-", figure.svg)
    lacking = [words.title_of(name) for name, where in found.missing.items() if experiment in where]
    loud = paragraph("loud", f"MISSING: {listed(lacking)}.") if lacking else ""
    caption = " ".join(filter(None, (experiment.note, _runs_text(figure))))
    label = escape(experiment.title)
    return (
        f'<figure id="{place}"><h3>{escape(words.heading_of(experiment))}</h3>{loud}'
        f'<div class="plate" tabindex="0" role="region" aria-label="{label}">{svg}</div>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _runs_text(figure: Figure) -> str:
    """How many runs each line is the mean of."""
    text = words.runs_text(figure.runs)
    return f"Means of {text}; bars and bands are one standard error." if text else ""


FIRST, SECOND = "Theorem 1, where its bound is tightest", "Theorem 2 or 3, where it says most"
REGRET = [
    Column("stream", left=True),
    *(Column(title, left=True) for title in ("learner", "metric")),
    *(Column(title, FIRST) for title in ("\N{GREEK SMALL LETTER ETA}", "regret", "bound", "ratio")),
    *(Column(title, SECOND) for title in ("\N{GREEK SMALL LETTER ETA}", "reached", "bound")),
    *(Column(title, "at all rates") for title in ("broken", "solver's gap")),
]

READ_REGRET = (
    "Regret is against the best fixed vector in hindsight; the gap is how much less any vector could "
    "lose. Theorem 2 bounds the sum from below, Theorem 3 the cost from above; a bound in brackets "
    "says nothing, because no run could break it."
)


def _regret_table(figure: Figure) -> str:
    lines = [("", _regret_cells(problem, points)) for problem, points in figure.regrets]
    return html_table(figure.experiment.title, REGRET, lines) + paragraph("key", READ_REGRET)


def _regret_cells(problem: Problem, points: Sequence[Regret]) -> list[str]:
    dataset, metric = problem.dataset, problem.metric
    tight = min(points, key=lambda one: one.tightness)
    least = min(points, key=lambda one: one.bound)
    dearest = dataset.positives * metric.fn_cost + dataset.negatives * metric.fp_cost
    empty = least.metric_bound < 0.0 if metric.name == "sum" else least.metric_bound >= dearest
    bound = metric_text(metric.name, least.metric_bound)
    if empty:
        bound = f"({short_number(least.metric_bound * (100.0 if metric.name == 'sum' else 1.0))})"
    return [
        *map(escape, (dataset.title, problem.candidate.name, metric.name)),
        *(short_number(value) for value in (tight.eta, tight.regret, tight.bound, tight.tightness)),
        *(short_number(least.eta), metric_text(metric.name, least.metric), bound),
        f"{sum(not one.holds for one in points)} of {len(points)}",
        short_number(max(one.gap for one in points)),
    ]


def _calibration_table(made: Calibrations) -> str:
    left = len(words.CALIBRATED_NAMES)
    heads = [Column(title, left=True) for title in words.CALIBRATED_NAMES]
    heads += [Column(title, group) for title, group in words.CALIBRATED]
    lines: list[Line] = []
    for one in made.rows:
        cells = words.calibrated_cells(one)
        lines.append(("", [*map(escape, cells[:left]), *map(small_std, cells[left:])]))
    return html_table(made.experiment.title, heads, lines) + paragraph("key", words.READ_CALIBRATION)


SLOPES = [
    *(Column(title, left=True) for title in ("learner", "what grows", "what does not")),
    *(Column(title, "time a row", left=True) for title in ("the paper claims", "our code")),
    *(Column(title, "exponent") for title in ("expected", "seen")),
]


def _slope_table(figure: Figure) -> str:
    lines: list[Line] = []
    for one in figure.sweeps:
        others = ", ".join(f"{key} = {value:,}" for key, value in one.fixed.items())
        grows = f"{one.vary} from {one.points[0][0]:,} to {one.points[-1][0]:,}"
        expected = number(one.expected, "g")
        orders = (superscripts(text) for text in (one.claim, one.ours))
        texts = (one.name, grows, others, *orders, expected, number(one.slope, 2))
        lines.append(("", [escape(text) for text in texts]))
    return html_table(figure.experiment.title, SLOPES, lines)
