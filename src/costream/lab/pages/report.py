"""The report of the lab as one HTML page that needs nothing else: no network, no scripts, no fonts.

The page is well-formed XML too. Figures are on the page, and in files of their own.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.metadata import version
from pathlib import Path

from ..._files import write_atomically
from ...datasets import catalogue
from ...errors import CostreamError
from ...report.numbers import counted, listed
from ...report.page import Ids, Section, box, code, facts, meanings, paragraph, render_page, slug
from ...report.tables import Column, Line, html_table
from .. import texts
from ..experiment import Experiment
from ..kinds import KINDS
from ..lab import Lab
from ..reading import paper_experiments
from ..results import Figure, Table
from .findings import Findings, gather
from .markdown import render_markdown
from .provenance import provenance
from .reproduction import scores, sentences
from .sentences import about_learners, best_sentences
from .tables import differences_section, tables_section, times_section

SECTIONS = list(dict.fromkeys(kind.section for kind in KINDS.values()))


def write_report(lab: Lab, folder: Path, command: str, markdown: Path | None) -> Path:
    """Write the page, its figures as files, and the tables as Markdown if asked; returns the page."""
    found = gather(lab)
    if not found.experiments:
        what = "; ".join(f"{one.name}: {why}" for one, why in found.left_out)
        raise CostreamError(f"there is nothing to report ({what})", run_command(lab.experiments))
    edition = version("costream")
    text = render(found, command, edition)
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    for figure in found.figures:
        write_atomically(folder / "figures" / f"{figure.experiment.name}.svg", figure.svg.encode())
    page = folder / "report.html"
    write_atomically(page, text.encode("utf-8", "replace"))
    if markdown is not None:
        commands = (run_command(found.experiments), command)
        tables = render_markdown(
            found.tables, found.known, commands, provenance(edition), found.figures
        )
        write_atomically(markdown, tables.encode("utf-8", "replace"))
    return page


def run_command(experiments: Iterable[Experiment]) -> str:
    """The command that runs experiments."""
    experiments, known = list(experiments), paper_experiments()
    names = [one.name if one.name in known else f"{one.home / one.name}.toml" for one in experiments]
    names = ["all"] if set(names) == known.keys() else names
    quick = ["--quick"] if any(one.is_quick for one in experiments) else []
    return shlex.join(["costream", "lab", "run", *names, *quick])


# --- the page ---------------------------------------------------------------------------------------


def render(found: Findings, command: str, edition: str) -> str:
    """The page; ``command`` is what made it."""
    ids = Ids()
    parts = [
        differences_section(found, ids),
        tables_section(found, ids),
        times_section(found, ids),
        *(figures_section(found, section, ids) for section in SECTIONS),
        _about(found, ids),
    ]
    sections = [part for part in parts if part is not None]
    titles = list(dict.fromkeys(one.title for one in found.experiments))
    title = titles[0] if len(titles) == 1 else "Experiments"
    title = "Adaptive Cost-Sensitive Online Classification, run again" if found.known else title
    return render_page(
        title,
        f"costream {edition}, the lab",
        command,
        [*_warnings(found), *_summary(found), _contents(sections)],
        [section.html() for section in sections],
        "experiments.css",
    )


def _contents(sections: Sequence[Section]) -> str:
    lines = []
    for one in sections:
        inner = "".join(f'<a href="#{to}">{escape(name)}</a>' for name, to in one.links)
        lines.append(f'<li><a href="#{one.id}">{escape(one.title)}</a><span>{inner}</span></li>')
    return f'<nav class="contents" aria-label="Contents"><ol>{"".join(lines)}</ol></nav>'


def _warnings(found: Findings) -> Iterator[str]:
    """What a reader must not overlook."""
    if found.is_quick:
        yield box("A sample, not a result", f"<p>{escape(texts.SAMPLE)}</p>")
    if found.missing:
        items = "".join(f"<li>{_missing(found, name)}</li>" for name in found.missing)
        yield box(f"MISSING: {counted(len(found.missing), 'data set')}", f"<ul>{items}</ul>")
    if found.left_out:
        names = ", ".join(f"{one.name} ({why})" for one, why in found.left_out)
        command = run_command(one for one, _ in found.left_out)
        yield box("Left out", f"<p>Not run yet: {escape(names)}.</p>{code(command)}")


def _missing(found: Findings, name: str) -> str:
    """What is missing, where, why, and what stands in for it."""
    entry = catalogue.entry(name)
    places = listed([texts.label_of(one) or one.name for one in found.missing[name]])
    why = "it was not downloaded" if entry.sources else entry.note
    others = [texts.title_of(one) for one in dict.fromkeys(found.stand_ins[name])]
    rest = f"{listed(others)} stands in under its own name" if others else "nothing stands in for it"
    text = f"({places}): {entry.files[0]} is not at hand; {why}; {rest}."
    return f"<b>{escape(entry.title)}</b> {escape(text)}"


def _summary(found: Findings) -> Iterator[str]:
    tables = sentences(found.tables, found.known) or best_sentences(found.tables)
    figures = sorted(found.figures, key=lambda one: SECTIONS.index(one.section))
    first, *others = [*tables, *(text for one in figures for text in one.sentences)] or [""]
    yield paragraph("verdict", first)
    yield _facts(found)
    if found.compared:
        yield _scores(found.compared)
    if others:
        yield f'<ul class="notes">{"".join(f"<li>{escape(text)}</li>" for text in others)}</ul>'


def _facts(found: Findings) -> str:
    tables = [(table.experiment, block.dataset) for table in found.tables for block in table.blocks]
    runs = {experiment.runs_on(data.name) for experiment, data in tables}
    runs |= {n for figure in found.figures for n in figure.runs.values()}
    names = {data.title for _, data in tables} | {name for one in found.figures for name in one.runs}
    some = f"{min(runs)} to {max(runs)}" if len(runs) > 1 else f"{max(runs, default=0)}"
    items = [("experiments", f"{len(found.experiments):,}", "")]
    items += [("data sets", f"{len(names):,}", ""), ("permutations", some, "")] if names else []
    return facts(items)


def _scores(tables: Sequence[Table]) -> str:
    """How each table of the paper came out, with a bar of the verdicts."""
    signs = [Column(f"{sign} {verdict}") for verdict, sign in texts.SIGNS.items()]
    columns = [Column("table"), Column("printed"), Column("compared"), *signs, Column("")]
    lines: list[Line] = []
    for name, score in scores(tables):
        numbers = (score.printed, score.compared, *score.counts.values())
        parts = [*score.counts.items(), ("", score.printed - score.compared)]
        bars = (f'<i class="{slug(kind)}" style="flex:{n}"></i>' for kind, n in parts)
        bar = f'<span class="share" aria-hidden="true">{"".join(bars)}</span>'
        lines.append(("", [escape(name), *(f"{n:,}" for n in numbers), bar]))
    return html_table("Rows of the paper", columns, lines)


# --- the end ----------------------------------------------------------------------------------------


def _about(found: Findings, ids: Ids) -> Section:
    words, columns = texts.WORDS, {}
    if found.compared:
        verdicts = {f"{sign} {one}": words["verdicts"][one] for one, sign in texts.SIGNS.items()}
        columns = {**words["beside_paper"], **verdicts, **words["rivals"]}
    columns |= words["always"]
    for figure in found.figures:
        columns |= figure.meanings
    return Section(
        ids.new("again"),
        "How to run it again, and what the columns mean",
        paragraph(
            "note", "Every row is scored before it is learnt. What is there is not computed again."
        )
        + code(run_command(found.experiments))
        + meanings(columns),
    )


# --- figures ----------------------------------------------------------------------------------------


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
