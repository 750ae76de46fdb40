"""The report of the lab as one HTML page that needs nothing else: no network, no scripts, no fonts.

The page is well-formed XML too. Figures are on the page, and in files of their own.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from ..errors import CostreamError
from ..evaluate.bounds import Regret
from ..modelfile import write_atomically
from ..streams import catalogue
from . import markdown as words
from .complexity import Sweep, panels, sweeps_in
from .differences import VERDICTS, Difference, Match, is_compared, read_differences, rows_with
from .experiment import Experiment, paper_experiments
from .figures import draw
from .graphs import make_panels, regret_panels
from .lab import Lab
from .markdown import DASH, MINUS, counted, label_of, listed, metric_text, number, percent, short_name
from .plan import Plan
from .regret import Problem, problems, rates, regrets
from .tables import Block, Row, Table, make_table

DOWN, RAISED = "\N{DOWNWARDS ARROW}", "⁰¹²³⁴⁵⁶⁷⁸⁹"


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
        tables = words.render_markdown(found.tables, found.known, command, edition)
        write_atomically(markdown, tables.encode("utf-8", "replace"))
    return page


def run_command(experiments: Iterable[Experiment]) -> str:
    """The command that runs experiments."""
    experiments, known = list(experiments), paper_experiments()
    names = [one.name if one.name in known else f"{one.home / one.name}.toml" for one in experiments]
    names = ["all"] if set(names) == known.keys() else names
    quick = ["--quick"] if any(one.quick for one in experiments) else []
    return shlex.join(["costream", "lab", "run", *names, *quick])


# --- what there is to show --------------------------------------------------------------------------


@dataclass(frozen=True)
class Figure:
    """An experiment that is drawn; one with ``regrets`` or ``sweeps`` has a table, too."""

    experiment: Experiment
    svg: str
    runs: dict[str, int] = field(default_factory=dict)  # by data set
    regrets: list[tuple[Problem, list[Regret]]] = field(default_factory=list)
    sweeps: list[Sweep] = field(default_factory=list)


@dataclass
class Findings:
    """What the page shows of the experiments that are complete, and what it lacks."""

    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    known: list[Difference] = field(default_factory=list)
    left_out: list[tuple[Experiment, str]] = field(default_factory=list)  # and why
    missing: dict[str, list[Experiment]] = field(default_factory=dict)  # data sets, and where
    stand_ins: dict[str, list[str]] = field(default_factory=dict)  # for data sets that are missing

    @property
    def experiments(self) -> list[Experiment]:
        return [one.experiment for one in self.tables] + [one.experiment for one in self.figures]

    @property
    def quick(self) -> bool:
        return any(one.quick for one in self.experiments)

    @property
    def compared(self) -> list[Table]:
        return [table for table in self.tables if is_compared(table)]


def gather(lab: Lab) -> Findings:
    """All that is complete."""
    found = Findings()
    for experiment in lab.experiments:
        at_hand = [facts.name for facts in lab.bench.datasets(experiment)]
        for name in experiment.datasets:
            if name in lab.bench.missing:
                found.missing.setdefault(name, []).append(experiment)
                others = [one for one in experiment.substitutes.get(name, ()) if one in at_hand]
                found.stand_ins.setdefault(name, []).extend(others)
        if experiment.kind != "complexity" and not at_hand:
            found.left_out.append((experiment, "not one of its data sets is at hand"))
        elif not is_complete(lab, experiment):
            found.left_out.append((experiment, "its results are not all there"))
        elif experiment.kind == "table":
            found.tables.append(make_table(lab.plans[experiment.name]))
        else:
            found.figures.append(_figure(lab, experiment))
    if {one.name for one in found.experiments} & paper_experiments().keys():
        found.known = read_differences()
    return found


def is_complete(lab: Lab, experiment: Experiment) -> bool:
    """Whether all results of an experiment are in the store."""
    if experiment.kind == "complexity":
        return all(len(one.points) > 1 for one in sweeps_in(experiment, lab.store))
    if experiment.kind == "regret":
        wanted = problems(experiment, lab.bench)
        return all(one.key(eta) in lab.store for one in wanted for eta in rates(experiment))
    return _has_run(lab.plans[experiment.name])


def _has_run(plan: Plan) -> bool:
    """Whether all trials have been run; a stage is asked for only if the one before it is complete."""
    if plan.tuned is not None and not _has_run(plan.tuned):
        return False
    return all(trial.key in plan.store for trials in plan.stages() for trial in trials)


def _figure(lab: Lab, experiment: Experiment) -> Figure:
    if experiment.kind == "complexity":
        sweeps = sweeps_in(experiment, lab.store)
        return Figure(experiment, draw(panels(sweeps)), sweeps=sweeps)
    if experiment.kind == "regret":
        svg = draw(regret_panels(experiment, lab.bench, lab.store))
        found = regrets(experiment, lab.bench, lab.store)
        return Figure(experiment, svg, regrets=list(found.items()))
    data = lab.bench.datasets(experiment)
    runs = {facts.title: experiment.runs_on(facts.name) for facts in data}
    return Figure(experiment, draw(make_panels(lab.plans[experiment.name])), runs)


# --- parts of a page --------------------------------------------------------------------------------


@dataclass
class Ids:
    """Names for the places of a page, no two alike."""

    taken: set[str] = field(default_factory=set)

    def new(self, text: str) -> str:
        word = _slug(text) or "x"
        found, n = word, 1
        while found in self.taken:
            n += 1
            found = f"{word}-{n}"
        self.taken.add(found)
        return found


@dataclass(frozen=True)
class Section:
    """A part of the page; ``links`` are names and places in it."""

    id: str
    title: str
    body: str
    links: Sequence[tuple[str, str]] = ()

    def html(self) -> str:
        return f'<section id="{self.id}"><h2>{escape(self.title)}</h2>\n{self.body}\n</section>'


@dataclass(frozen=True)
class Column:
    """A column of a table; those of one group stand under a common head."""

    title: str
    group: str = ""
    left: bool = False


Line = tuple[str, list[str]]  # its class, and its cells as HTML


def _table(
    label: str, columns: Sequence[Column], lines: Iterable[Line], kind: str = "small", std: int = 0
) -> str:
    """A table that scrolls in its box; ``std`` is how many letters a standard deviation has."""
    rows = [_row(columns, *line) for line in lines]
    label, style = escape(label), f' style="--std:{std}ch"' if std else ""
    return (
        f'<div class="scroll {kind}" tabindex="0" role="region" aria-label="{label}"><table{style}>'
        f"<thead>{_head(columns)}</thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _head(columns: Sequence[Column]) -> str:
    heads = [_class("who" if n == 0 else _kind(columns, n)) for n in range(len(columns))]
    cells = [
        f'<th scope="col"{kind}>{escape(one.title)}</th>'
        for one, kind in zip(columns, heads, strict=True)
    ]
    if not any(one.group for one in columns):
        return f"<tr>{''.join(cells)}</tr>"
    groups: dict[str, int] = {}
    for one in columns:
        groups[one.group] = groups.get(one.group, 0) + 1
    top = "".join(
        f'<th scope="colgroup"{_class("group" if name else "who")} colspan="{n}">{escape(name)}</th>'
        for name, n in groups.items()
    )
    return f"<tr>{top}</tr><tr>{''.join(cells)}</tr>"


def _row(columns: Sequence[Column], kind: str, cells: Sequence[str]) -> str:
    first, *others = cells
    texts = [f"<td{_class(_kind(columns, n))}>{text}</td>" for n, text in enumerate(others, 1)]
    return f'<tr{_class(kind)}><th class="who" scope="row">{first}</th>{"".join(texts)}</tr>'


def _kind(columns: Sequence[Column], n: int) -> str:
    """Whether a column is of words, and whether it begins a group."""
    begins = n > 0 and columns[n].group != columns[n - 1].group
    return " ".join(["word"] * columns[n].left + ["begin"] * begins)


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _p(kind: str, text: str) -> str:
    return f'<p class="{kind}">{escape(text)}</p>' if text else ""


def _box(title: str, body: str) -> str:
    return f'<aside class="box"><strong>{escape(title)}</strong>{body}</aside>'


def _spread(text: str) -> str:
    """A mean and its standard deviation, the latter in small letters."""
    mean, _, std = text.partition(" ± ")
    return f"{mean} <small>{'± ' if std else ''}{std}</small>" if mean else ""


# --- the page ---------------------------------------------------------------------------------------


def render(found: Findings, command: str, edition: str) -> str:
    """The page; ``command`` is what made it."""
    ids = Ids({"summary"})
    parts = [
        _differences(found, ids),
        _tables(found, ids),
        *(_figures(found, kind, ids) for kind in ("figures", "theorems", "complexity")),
        _about(found, ids),
    ]
    sections = [part for part in parts if part is not None]
    titles = list(dict.fromkeys(one.title for one in found.experiments))
    title = titles[0] if len(titles) == 1 else "Experiments"
    title = "Adaptive Cost-Sensitive Online Classification, run again" if found.known else title
    sheets = (files(package) / "report.css" for package in ("costream", __package__))
    style = "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            '<head><meta charset="utf-8"/>',
            '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
            f"<title>{escape(title)}</title>",
            f"<style>\n{style}</style></head>",
            "<body>",
            f'<header id="summary"><p class="eyebrow">costream {escape(edition)}, the lab</p>',
            f"<h1>{escape(title)}</h1>",
            f"<pre><code>{escape(command)}</code></pre>",
            *_warnings(found),
            *_summary(found),
            _contents(sections),
            "</header>",
            *(section.html() for section in sections),
            "</body></html>\n",
        ]
    )


def _contents(sections: Sequence[Section]) -> str:
    lines = []
    for one in sections:
        inner = "".join(f'<a href="#{to}">{escape(name)}</a>' for name, to in one.links)
        lines.append(f'<li><a href="#{one.id}">{escape(one.title)}</a><span>{inner}</span></li>')
    return f'<nav class="contents" aria-label="Contents"><ol>{"".join(lines)}</ol></nav>'


def _warnings(found: Findings) -> Iterator[str]:
    """What a reader must not overlook."""
    if found.quick:
        yield _box("A sample, not a result", f"<p>{escape(words.SAMPLE)}</p>")
    if found.missing:
        items = "".join(f"<li>{_missing(found, name)}</li>" for name in found.missing)
        yield _box(f"MISSING: {counted(len(found.missing), 'data set')}", f"<ul>{items}</ul>")
    if found.left_out:
        names = ", ".join(f"{one.name} ({why})" for one, why in found.left_out)
        command = escape(run_command(one for one, _ in found.left_out))
        yield _box("Left out", f"<p>Not run yet: {escape(names)}.</p><pre><code>{command}</code></pre>")


def _missing(found: Findings, name: str) -> str:
    """What is missing, where, why, and what stands in for it."""
    entry = catalogue.entry(name)
    places = listed([label_of(one) or one.name for one in found.missing[name]])
    why = "it was not downloaded" if entry.sources else entry.note
    others = [words.title_of(one) for one in dict.fromkeys(found.stand_ins[name])]
    rest = f"{listed(others)} stands in under its own name" if others else "nothing stands in for it"
    text = f"({places}): {entry.files[0]} is not at hand; {why}; {rest}."
    return f"<b>{escape(entry.title)}</b> {escape(text)}"


def _summary(found: Findings) -> Iterator[str]:
    told = words.sentences(found.tables, found.known) or words.best_sentences(found.tables)
    first, *others = [*told, *_bounds_kept(found)] or [""]
    yield _p("verdict", first) + _p("note", " ".join(others))
    yield _facts(found)
    if found.compared:
        yield _scores(found.compared)


def _bounds_kept(found: Findings) -> Iterator[str]:
    points = [one for figure in found.figures for _, some in figure.regrets for one in some]
    if points:
        broken = sum(not one.holds for one in points)
        yield f"{broken or 'None'} of {counted(len(points), 'run')} broke a bound of the theorems."


def _facts(found: Findings) -> str:
    tables = [(table.experiment, block.facts) for table in found.tables for block in table.blocks]
    runs = {experiment.runs_on(facts.name) for experiment, facts in tables}
    runs |= {n for figure in found.figures for n in figure.runs.values()}
    names = {facts.title for _, facts in tables} | {name for one in found.figures for name in one.runs}
    some = f"{min(runs)} to {max(runs)}" if len(runs) > 1 else f"{max(runs, default=0)}"
    facts = {"experiments": len(found.experiments), "data sets": len(names), "permutations": some}
    shown = {name: value for name, value in facts.items() if names or name == "experiments"}
    items = (f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in shown.items())
    return f'<dl class="facts">{"".join(items)}</dl>'


def _scores(tables: Sequence[Table]) -> str:
    """How each table of the paper came out, with a bar of the verdicts."""
    signs = [Column(f"{sign} {verdict}") for verdict, sign in words.SIGNS.items()]
    columns = [Column("table"), Column("printed"), Column("compared"), *signs, Column("")]
    lines: list[Line] = []
    for name, printed, compared, *counts in words.scores(tables):
        parts = [*zip(VERDICTS, counts, strict=True), ("", printed - compared)]
        bars = (f'<i class="{_slug(kind)}" style="flex:{n}"></i>' for kind, n in parts)
        bar = f'<span class="share" aria-hidden="true">{"".join(bars)}</span>'
        lines.append(("", [escape(name), *(f"{n:,}" for n in (printed, compared, *counts)), bar]))
    return _table("Rows of the paper", columns, lines)


# --- differences ------------------------------------------------------------------------------------


def _differences(found: Findings, ids: Ids) -> Section | None:
    if not found.known:
        return None
    own, links = ids.new("differences"), {one: ids.new(f"why {one.title}") for one in found.known}
    entries = (
        f'<dt id="{place}">{escape(one.title)}</dt><dd>{escape(one.text)}</dd>'
        for one, place in links.items()
    )
    body = f'<dl class="entries">{"".join(entries)}</dl>'
    for verdict, (title, caption, note) in DIFFERING.items():
        rows = rows_with(verdict, found.tables, found.known)
        if rows:
            body += f"<h3>{counted(len(rows), 'row')} {title}</h3>" + _p("note", note)
            body += _table(caption, APART, [("", _apart_cells(one, links)) for one in rows])
    if found.compared and not rows_with("apart", found.tables, found.known):
        body += _p("verdict", "Not one row is apart.")
    return Section(own, "Where we differ from the paper, and why", body)


DIFFERING = {
    "apart": (
        "apart",
        "Rows that are apart",
        "More than three standard errors from what is printed, whatever setting was tried.",
    ),
    "off grid": (
        "off the stated grid",
        "Rows off the stated grid",
        "Within three standard errors, but only with a setting that the paper says was not tried.",
    ),
}
APART = [
    *(Column(title, left=True) for title in ("table", "data set", "metric", "algorithm")),
    *(Column(title) for title in ("printed", "nearest of ours")),
    Column("its setting", left=True),
    Column("difference"),
    *(Column(title, left=True) for title in ("settings tried", "why")),
]


def _apart_cells(one: Match, links: dict[Difference, str]) -> list[str]:
    row, metric = one.row, one.block.aim.metric
    near = row.nearest or row.best
    names = [short_name(one.table.experiment), one.block.facts.title, metric, row.candidate.name]
    grid, reason = words.grid_text(row.candidate, one.block.facts.name), "not explained"
    if one.reason is not None:
        reason = f'<a href="#{links[one.reason]}">{escape(one.reason.title)}</a>'
    return [
        *map(escape, names),
        _spread(words.printed_text(row.printed)),
        _spread(words.summary_text(metric, near.summary)),
        escape(words.setting_text(near.setting)),
        f'<span class="{_slug(row.verdict)}">{words.apart_text(row)}</span>',
        f"{row.tried:,}" + (f" <small>({escape(grid)})</small>" if grid else ""),
        f'<span class="why">{reason}</span>',
    ]


# --- tables -----------------------------------------------------------------------------------------

NEAR, TUNED = "ours, nearest to the paper", "ours, tuned"
LEARNERS = [
    Column("algorithm", left=True),
    Column("value", "paper"),
    Column("value", NEAR),
    Column("setting", NEAR, left=True),
    Column("difference", NEAR),
    Column("value", TUNED),
    Column("setting", TUNED, left=True),
    *(Column(title, TUNED) for title in ("sens., %", "spec., %", "savings, %")),
    Column("ours", "seconds"),
    Column("paper", "seconds"),
]
ALONE = {5: "tuned", 6: "setting", 7: "sens., %", 8: "spec., %", 9: "savings, %", 10: "seconds"}


def _tables(found: Findings, ids: Ids) -> Section | None:
    if not found.tables:
        return None
    own, links, parts = ids.new("tables"), [], [_key(found)]
    for table in found.tables:
        place = ids.new(table.experiment.name)
        links.append((short_name(table.experiment), place))
        title = escape(words.heading_of(table.experiment))
        note = _p("note", table.experiment.note)
        parts.append(f'<h3 class="part" id="{place}">{title}</h3>{note}')
        parts += _data_sets(table, place, ids)
    return Section(own, "Tables", "\n".join(parts), links)


def _key(found: Findings) -> str:
    """How to read the tables."""
    text = f"Bold: the best tuned value. {DOWN} worse than the better constant policy."
    if found.compared:
        signs = ", ".join(f"{sign} {verdict}" for verdict, sign in words.SIGNS.items())
        text += f" Beside the paper: {signs}. Costs are plain; Table 2 of the paper prints hundreds."
    return (_p("loud", words.SAMPLE) if found.quick else "") + _p("key", text)


def _data_sets(table: Table, place: str, ids: Ids) -> Iterator[str]:
    """Each data set under its heading, one that is missing, too, and what stands in after it."""
    for name in table.experiment.datasets:
        if name in table.missing:
            yield f'<h4 id="{ids.new(f"{place} {name}")}">{escape(words.title_of(name))}</h4>'
            yield _p("loud", "MISSING: this data set is not at hand.")
        for one in (name, *table.experiment.substitutes.get(name, ())):
            blocks = [block for block in table.blocks if block.facts.name == one]
            if blocks:
                yield from _data_set(table, blocks, ids.new(f"{place} {one}"))


def _data_set(table: Table, blocks: Sequence[Block], place: str) -> Iterator[str]:
    facts, stands_for = blocks[0].facts, blocks[0].stands_for
    note = f" {facts.note[:1].upper()}{facts.note[1:]}." if facts.note else ""
    text = f"{words.size_text(table.experiment, blocks[0])}.{note}"
    yield f'<h4 id="{place}">{escape(facts.title)}</h4>' + _p("key", text)
    if stands_for:
        name = words.title_of(stands_for)
        text = f"Stands in for {name}; its numbers are not comparable with the paper's."
        yield _p("loud", text)
    for block in blocks:
        yield f"<h5>{escape(words.aim_text(block.aim))}</h5>{_block(table, block)}"


def _block(table: Table, block: Block) -> str:
    """A learner a line, then the constant policies; the paper beside them where it has numbers."""
    lines = [_learner(table, block, row) for row in block.rows]
    for name, tally in block.policies().items():
        found = tally.metrics(block.aim.prices)
        rates = (percent(found[key]) for key in ("sensitivity", "specificity", "savings"))
        value = _spread(metric_text(block.aim.metric, found[block.aim.metric]))
        cells = [words.POLICY_NAMES[name], "", "", "", "", value, "", *rates, "", ""]
        lines.append(("constant", cells))
    label = f"{short_name(table.experiment)}, {block.facts.title}, {block.aim.metric}"
    if is_compared(table) and words.best_printed(block) is not None:
        kept = [n for n in range(len(LEARNERS)) if any(cells[n] for _, cells in lines)]
        columns, kind = [LEARNERS[n] for n in kept], "learners"
    else:
        kept, kind = [0, *ALONE], "learners small"
        columns = [replace(LEARNERS[n], title=ALONE.get(n, "algorithm"), group="") for n in kept]
    shown: Iterable[Line] = ((style, [cells[n] for n in kept]) for style, cells in lines)
    spreads = (words.summary_text(block.aim.metric, row.best.summary) for row in block.rows)
    std = max(len(text.partition(" ± ")[2]) for text in spreads) + 2
    return _table(label, columns, shown, kind, std) + _remark(table, block)


def _learner(table: Table, block: Block, row: Row) -> Line:
    metric, mean, near, printed = block.aim.metric, row.best.summary.mean, row.nearest, row.printed
    tag = ' <small class="tag">ours</small>' if words.is_ours(table, row) else ""
    far = f'<span class="{_slug(row.verdict)}" title="{row.verdict}">{words.apart_text(row)}</span>'
    value = _spread(words.summary_text(metric, row.best.summary))
    text = words.mean_text(metric, row.best)
    if text == words.best_text(block):
        value = value.replace(text, f"<b>{text}</b>", 1)
    worse = words.is_worse(block, row)
    if worse:
        down = f'<abbr title="worse than the better constant policy">{DOWN}</abbr>'
        value = f'<span class="dim">{down} {value}</span>'
    cells = [
        escape(row.candidate.name) + tag,
        _spread(words.printed_text(printed)),
        _spread(words.summary_text(metric, near.summary)) if near else "",
        escape(words.setting_text(near.setting)) if near else "",
        far if row.verdict else "",
        value,
        escape(words.setting_text(row.best.setting)),
        *(percent(mean[key]) for key in ("sensitivity", "specificity", "savings")),
        words.seconds_text(row.best.seconds),
        number(printed.seconds, 3) if printed and math.isfinite(printed.seconds) else "",
    ]
    return "worse" if worse else "", cells


def _remark(table: Table, block: Block) -> str:
    """That the paper's best cost is above that of a constant policy, where it is."""
    printed = words.best_printed(block)
    if printed is None or not is_compared(table) or not words.paper_loses(block):
        return ""
    name, value = words.best_constant(block)
    theirs, constant = (metric_text("cost", one) for one in (printed, value))
    return _p("key", f"The paper's best cost here is {theirs}; {name} costs {constant}.")


# --- figures, theorems, complexity ------------------------------------------------------------------


def _figures(found: Findings, kind: str, ids: Ids) -> Section | None:
    """The experiments of a kind that are drawn, with their tables."""
    kinds = {"regret": "theorems", "complexity": "complexity"}
    mine = [one for one in found.figures if kinds.get(one.experiment.kind, "figures") == kind]
    if not mine:
        return None
    own, links, parts = ids.new(kind), [], [_p("loud", words.SAMPLE if found.quick else "")]
    for figure in mine:
        place = ids.new(figure.experiment.name)
        links.append((short_name(figure.experiment), place))
        parts.append(_drawn(found, figure, place))
        parts += [_regret_table(figure)] if figure.regrets else []
        parts += [_slope_table(figure)] if figure.sweeps else []
    return Section(own, kind.capitalize(), "\n".join(parts), links if kind == "figures" else [])


def _drawn(found: Findings, figure: Figure, place: str) -> str:
    experiment = figure.experiment
    svg = re.sub(r'(\bid="|href="#|url\(#|labelledby=")', rf"\g<1>svg-{place}-", figure.svg)
    lacking = [words.title_of(name) for name, where in found.missing.items() if experiment in where]
    loud = _p("loud", f"MISSING: {listed(lacking)}.") if lacking else ""
    caption = " ".join(filter(None, (experiment.note, _runs_text(figure))))
    label = escape(experiment.title)
    return (
        f'<figure id="{place}"><h3>{escape(words.heading_of(experiment))}</h3>{loud}'
        f'<div class="plate" tabindex="0" role="region" aria-label="{label}">{svg}</div>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _runs_text(figure: Figure) -> str:
    """How many runs each line is the mean of."""
    groups: dict[int, list[str]] = {}
    for title, runs in figure.runs.items():
        groups.setdefault(runs, []).append(title)
    if not groups:
        return ""
    texts = [f"{counted(n, 'run')} on {listed(titles)}" for n, titles in groups.items()]
    text = ", ".join(texts) if len(groups) > 1 else counted(next(iter(groups)), "run")
    return f"Means of {text}; bars and bands are one standard error."


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
    return _table(figure.experiment.title, REGRET, lines) + _p("key", READ_REGRET)


def _regret_cells(problem: Problem, points: Sequence[Regret]) -> list[str]:
    facts, aim = problem.facts, problem.aim
    tight = min(points, key=lambda one: one.tightness)
    least = min(points, key=lambda one: one.bound)
    dearest = facts.positives * aim.fn_cost + facts.negatives * aim.fp_cost
    empty = least.metric_bound < 0.0 if aim.metric == "sum" else least.metric_bound >= dearest
    bound = metric_text(aim.metric, least.metric_bound)
    if empty:
        bound = f"({_brief(least.metric_bound * (100.0 if aim.metric == 'sum' else 1.0))})"
    return [
        *map(escape, (facts.title, problem.candidate.name, aim.metric)),
        *(_brief(value) for value in (tight.eta, tight.regret, tight.bound, tight.tightness)),
        *(_brief(least.eta), metric_text(aim.metric, least.metric), bound),
        f"{sum(not one.holds for one in points)} of {len(points)}",
        _brief(max(one.gap for one in points)),
    ]


def _brief(value: float) -> str:
    """Three digits that count."""
    text = f"{value:,.0f}" if 100.0 <= abs(value) < 1e6 else f"{value:.3g}"
    text = re.sub(r"e([+-])0?(\d)", lambda found: f"e{found[1].strip('+')}{found[2]}", text)
    return text.replace("-", MINUS) if math.isfinite(value) else DASH


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
        expected = DASH if one.expected is None else f"{one.expected:g}"
        orders = (_raised(text) for text in (one.claim, one.ours))
        texts = (one.name, grows, others, *orders, expected, number(one.slope, 2))
        lines.append(("", [escape(text) for text in texts]))
    return _table(figure.experiment.title, SLOPES, lines)


def _raised(text: str) -> str:
    """O(d^2) as it is written by hand."""
    return re.sub(r"\^(\d)", lambda found: RAISED[int(found[1])], text)


# --- the end ----------------------------------------------------------------------------------------

BESIDE_PAPER = {
    "paper": "The mean and the standard deviation that are printed.",
    "nearest to the paper": "The setting with results nearest to the printed, of all that were tried.",
    "difference": "Ours less the paper's, in standard errors of the difference: sqrt(s_ours^2/n + "
    "s_paper^2/20), with standard deviations s, n runs of ours and 20 of the paper's. A number that is "
    "printed without its standard deviation is taken for one run, as unsteady as ours.",
    "= exact": "All printed digits are the same, those of the standard deviation, too.",
    f"{words.SIGNS['close']} close": "Within three standard errors.",
    f"{words.SIGNS['off grid']} off grid": "Close, with a setting that is not on our grid.",
    f"{words.SIGNS['apart']} apart": "More than three standard errors from what is printed.",
    "ours": "Beside a name: a learner that is not in the paper.",
}
ALWAYS = {
    "tuned": "The setting with the best mean, chosen in hindsight for each data set and metric.",
    "±": f"The standard deviation over the runs (n {MINUS} 1).",
    "sum": "Sensitivity and specificity, weighted and added up, in %.",
    "cost": "The prices of all missed positives and of all false alarms, added up.",
    "sens., spec.": "The part of the positives that was flagged, and of the negatives that was not.",
    "savings": "The part of the cheaper constant policy's bill that was saved, at the prices of the "
    "experiment (0.9 and 0.1 unless it says so); below zero, the learner cost more.",
    "flag every row, flag none": "The constant policies: what is reached without learning anything.",
    "seconds": "What one run took, on one core: to score every row, and then to learn from it.",
}


def _about(found: Findings, ids: Ids) -> Section:
    meanings = {**(BESIDE_PAPER if found.compared else {}), **ALWAYS}
    items = "".join(
        f"<dt>{escape(word)}</dt><dd>{escape(text)}</dd>" for word, text in meanings.items()
    )
    return Section(
        ids.new("again"),
        "How to run it again, and what the columns mean",
        _p("note", "Every row is scored before it is learnt. What is there is not computed again.")
        + f"<pre><code>{escape(run_command(found.experiments))}</code></pre>"
        f'<dl class="metrics">{items}</dl>',
    )
