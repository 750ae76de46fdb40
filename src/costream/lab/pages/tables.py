"""The sections of the page with tables of learners: where we differ from the paper, and all results."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape

from ...report.numbers import counted, number, percent, seconds_text
from ...report.page import Ids, Section, paragraph, slug
from ...report.tables import Column, Line, html_table, small_std
from .. import texts
from ..paper.differences import Difference, Match, is_compared, rows_with
from ..results import NOT_REPRODUCED, UNSTATED, Block, Row, Table
from ..texts import metric_text, short_name
from ..times import HEAD, cells, time_ratios, time_sentences
from . import sentences
from .findings import Findings

DOWN = "\N{DOWNWARDS ARROW}"


# --- differences ------------------------------------------------------------------------------------


def differences_section(found: Findings, ids: Ids) -> Section | None:
    """The known differences, and the rows that are not reproduced, or only off the stated grid."""
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
            body += f"<h3>{counted(len(rows), 'row')} {title}</h3>" + paragraph("note", note)
            body += html_table(caption, MATCHES, [("", _match_cells(one, links)) for one in rows])
    if found.compared and not rows_with(NOT_REPRODUCED, found.tables, found.known):
        body += paragraph("verdict", "Every row is reproduced.")
    return Section(own, "Where we differ from the paper, and why", body)


DIFFERING = {
    NOT_REPRODUCED: (
        NOT_REPRODUCED,
        "Rows that are not reproduced",
        "A number more than three standard errors from what is printed, whatever setting was tried.",
    ),
    UNSTATED: (
        UNSTATED,
        "Rows reproduced with settings the paper does not state",
        "All numbers within three standard errors, but only with a setting that the paper does "
        "not state.",
    ),
}
MATCHES = [
    *(Column(title, left=True) for title in ("table", "data set", "metric", "algorithm")),
    *(Column(title) for title in ("printed", "nearest of ours")),
    Column("its setting", left=True),
    Column("difference"),
    *(Column(title, left=True) for title in ("settings tried", "why")),
]


def _match_cells(one: Match, links: dict[Difference, str]) -> list[str]:
    row, metric = one.row, one.block.metric
    near = row.nearest or row.best
    names = [short_name(one.table.experiment), one.block.dataset.title, metric.name, row.candidate.name]
    grid, reason = texts.grid_text(row.candidate, one.block.dataset.name), "not explained"
    if one.reason is not None:
        reason = f'<a href="#{links[one.reason]}">{escape(one.reason.title)}</a>'
    return [
        *map(escape, names),
        small_std(texts.printed_text(row.printed)),
        small_std(texts.summary_text(metric.key, near.summary)),
        escape(row.unstated or texts.setting_text(near.setting)),
        f'<span class="{slug(row.verdict)}">{texts.z_score_text(row)}</span>',
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


def tables_section(found: Findings, ids: Ids) -> Section | None:
    """All tables, each data set under its heading."""
    if not found.tables:
        return None
    own, links, parts = ids.new("tables"), [], [_key(found)]
    for table in found.tables:
        place = ids.new(table.experiment.name)
        links.append((short_name(table.experiment), place))
        title = escape(texts.heading_of(table.experiment))
        notes = [table.experiment.note, sentences.about_rows(table)]
        if is_compared(table):
            notes.append(f"Compared: {texts.compared_text(table.experiment.printed)}.")
        note = "".join(paragraph("note", text) for text in notes if text)
        parts.append(f'<h3 class="part" id="{place}">{title}</h3>{note}')
        parts += _data_sets(table, place, ids)
    return Section(own, "Tables", "\n".join(parts), links)


def _key(found: Findings) -> str:
    """How to read the tables."""
    text = f"Bold: the best tuned value. {DOWN} worse than the better constant policy."
    if found.compared:
        signs = ", ".join(f"{sign} {verdict}" for verdict, sign in texts.SIGNS.items())
        text += f" Beside the paper: {signs}. {texts.HOW_COMPARED}"
    return (paragraph("loud", texts.SAMPLE) if found.is_quick else "") + paragraph("key", text)


def _data_sets(table: Table, place: str, ids: Ids) -> Iterator[str]:
    """Each data set under its heading, one that is missing, too, and what stands in after it."""
    for name in table.experiment.datasets:
        if name in table.missing:
            yield f'<h4 id="{ids.new(f"{place} {name}")}">{escape(texts.title_of(name))}</h4>'
            yield paragraph("loud", "MISSING: this data set is not at hand.")
        for one in (name, *table.experiment.substitutes.get(name, ())):
            blocks = [block for block in table.blocks if block.dataset.name == one]
            if blocks:
                yield from _data_set(table, blocks, ids.new(f"{place} {one}"))


def _data_set(table: Table, blocks: Sequence[Block], place: str) -> Iterator[str]:
    dataset, stands_for = blocks[0].dataset, blocks[0].stands_for
    note = f" {dataset.note[:1].upper()}{dataset.note[1:]}." if dataset.note else ""
    text = f"{texts.size_text(table.experiment, blocks[0])}.{note}"
    yield f'<h4 id="{place}">{escape(dataset.title)}</h4>' + paragraph("key", text)
    if stands_for:
        name = texts.title_of(stands_for)
        text = f"Stands in for {name}; its numbers are not comparable with the paper's."
        yield paragraph("loud", text)
    for block in blocks:
        yield f"<h5>{escape(texts.metric_title(block.metric))}</h5>{_block(table, block)}"


def _block(table: Table, block: Block) -> str:
    """A learner a line, then the constant policies; the paper beside them where it has numbers."""
    lines = [_learner(table, block, row) for row in block.rows]
    for name, tally in block.policies().items():
        found = tally.metrics(block.metric.costs)
        rates = (percent(found[key]) for key in ("sensitivity", "specificity", "savings"))
        value = small_std(metric_text(block.metric.key, found[block.metric.key]))
        cells = [texts.POLICY_NAMES[name], "", "", "", "", value, "", *rates, "", ""]
        lines.append(("constant", cells))
    label = f"{short_name(table.experiment)}, {block.dataset.title}, {block.metric.name}"
    if is_compared(table) and sentences.best_printed(block) is not None:
        kept = [n for n in range(len(LEARNERS)) if any(cells[n] for _, cells in lines)]
        columns, kind = [LEARNERS[n] for n in kept], "learners"
    else:
        kept, kind = [0, *ALONE], "learners small"
        columns = [replace(LEARNERS[n], title=ALONE.get(n, "algorithm"), group="") for n in kept]
    shown: Iterable[Line] = ((style, [cells[n] for n in kept]) for style, cells in lines)
    spreads = (texts.summary_text(block.metric.key, row.best.summary) for row in block.rows)
    std = max(len(text.partition(" ± ")[2]) for text in spreads) + 2
    return html_table(label, columns, shown, kind, std) + _remark(table, block)


def _learner(table: Table, block: Block, row: Row) -> Line:
    metric, mean, near, printed = block.metric.key, row.best.summary.mean, row.nearest, row.printed
    tag = ' <small class="tag">ours</small>' if sentences.is_ours(table, row) else ""
    far = f'<span class="{slug(row.verdict)}" title="{row.verdict}">{texts.z_score_text(row)}</span>'
    value = small_std(texts.summary_text(metric, row.best.summary))
    text = texts.mean_text(metric, row.best)
    if text == sentences.best_text(block):
        value = value.replace(text, f"<b>{text}</b>", 1)
    worse = sentences.is_worse(block, row)
    if worse:
        down = f'<abbr title="worse than the better constant policy">{DOWN}</abbr>'
        value = f'<span class="dim">{down} {value}</span>'
    cells = [
        escape(row.candidate.name) + tag,
        small_std(texts.printed_text(printed)),
        small_std(texts.summary_text(metric, near.summary)) if near else "",
        escape(texts.setting_text(near.setting)) if near else "",
        far if row.verdict else "",
        value,
        escape(texts.setting_text(row.best.setting)),
        *(percent(mean[key]) for key in ("sensitivity", "specificity", "savings")),
        seconds_text(row.best.seconds),
        number(printed.seconds, 3) if printed and math.isfinite(printed.seconds) else "",
    ]
    return "worse" if worse else "", cells


def _remark(table: Table, block: Block) -> str:
    """That the paper's best cost is above that of a constant policy, where it is."""
    printed = sentences.best_printed(block)
    if printed is None or not is_compared(table) or not sentences.paper_loses(block):
        return ""
    name, value = sentences.best_constant(block)
    theirs, constant = (metric_text("cost", one) for one in (printed, value))
    return paragraph("key", f"The paper's best cost here is {theirs}; {name} costs {constant}.")


# --- running times beside the printed ones ----------------------------------------------------------

LEFT = 4  # columns of words


def times_section(found: Findings, ids: Ids) -> Section | None:
    """Every ratio with its verdict; nothing where none can be compared."""
    ratios = time_ratios(found.compared)
    if not ratios:
        return None
    columns = [Column(title, left=n < LEFT or n == len(HEAD) - 1) for n, title in enumerate(HEAD)]
    lines = [("", [*map(escape, cells(one))]) for one in ratios]
    text = paragraph("note", " ".join(time_sentences(ratios)))
    return Section(
        ids.new("times"), "Running times", text + html_table("Running times", columns, lines)
    )
