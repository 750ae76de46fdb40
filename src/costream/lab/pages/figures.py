"""The sections of the page with figures, and the tables that belong to them."""

from __future__ import annotations

from html import escape

from ...report.numbers import listed
from ...report.page import Ids, Section, paragraph
from .. import texts
from ..results import Figure
from .findings import Findings
from .sentences import about_learners


def figures_section(found: Findings, section: str, ids: Ids) -> Section | None:
    """The figures of one section, with their tables."""
    mine = [one for one in found.figures if one.section == section]
    if not mine:
        return None
    own, links = ids.new(section), []
    parts = [paragraph("loud", texts.SAMPLE if found.is_quick else "")]
    for figure in mine:
        place = ids.new(figure.experiment.name)
        links.append((texts.short_name(figure.experiment), place))
        parts.append(_drawn(found, figure, place))
        parts += [figure.table] if figure.table else []
    return Section(own, section.capitalize(), "\n".join(parts), links if section == "figures" else [])


def _drawn(found: Findings, figure: Figure, place: str) -> str:
    experiment = figure.experiment
    lacking = [texts.title_of(name) for name, where in found.missing.items() if experiment in where]
    loud = paragraph("loud", f"MISSING: {listed(lacking)}.") if lacking else ""
    about = about_learners(experiment.candidates)
    caption = " ".join(filter(None, (experiment.note, _runs_text(figure), about)))
    label = escape(experiment.title)
    return (
        f'<figure id="{place}"><h3>{escape(texts.heading_of(experiment))}</h3>{loud}'
        f'<div class="plate" tabindex="0" role="region" aria-label="{label}">{figure.svg}</div>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _runs_text(figure: Figure) -> str:
    """How many runs each line is the mean of."""
    text = texts.runs_text(figure.runs)
    return f"Means of {text}; bars and bands are one standard error." if text else ""
