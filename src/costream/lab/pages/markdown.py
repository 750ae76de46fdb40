"""The tables of the lab as a Markdown document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...report.numbers import counted, listed, percent
from ...report.tables import markdown_code, markdown_table, markdown_text
from ..experiment import Experiment
from ..paper.differences import Difference, Match, is_compared, rows_with
from ..results import NOT_REPRODUCED, UNSTATED, VERDICTS, Block, Figure, Table
from ..texts import (
    HOW_COMPARED,
    POLICY_NAMES,
    SAMPLE,
    SIGNS,
    compared_text,
    heading_of,
    mean_text,
    metric_text,
    printed_text,
    setting_text,
    short_name,
    size_text,
    summary_text,
    title_of,
    z_score_text,
)
from ..times import HEAD as TIMES
from ..times import cells, time_ratios, time_sentences
from .reproduction import counts_of_rows, remarks, scores
from .sentences import about_rows, best_text, is_ours


def render_markdown(
    tables: Sequence[Table],
    known: Sequence[Difference],
    commands: Sequence[str],
    made_with: str,
    figures: Sequence[Figure] = (),
) -> str:
    """A line that says how it was made, the counts, and one table for each experiment."""
    figures = [one for one in figures if one.markdown]
    experiments = [one.experiment for one in tables] + [one.experiment for one in figures]
    parts = [
        f"Made by {listed([*map(markdown_code, commands)])} ({markdown_text(made_with)}).",
        "# Results",
        f"**{SAMPLE}**" if any(one.is_quick for one in experiments) else "",
        *_summary(tables, known),
    ]
    for table in tables:
        parts += _heading(table.experiment, table.missing)
        parts += [markdown_text(about_rows(table))]
        parts += [_facts(table), _table(table)] if table.blocks else []
    for figure in figures:
        parts += [*_heading(figure.experiment, figure.missing), *figure.markdown]
    return "\n\n".join(part for part in parts if part) + "\n"


def _heading(experiment: Experiment, missing: Sequence[str]) -> Iterator[str]:
    yield f"## {markdown_text(heading_of(experiment))}"
    yield markdown_text(experiment.note)
    if experiment.printed and not experiment.is_quick:
        yield f"Compared: {compared_text(experiment.printed)}."
    if missing:
        yield f"**MISSING: {markdown_text(listed([*map(title_of, missing)]))}.**"


def _summary(tables: Sequence[Table], known: Sequence[Difference]) -> Iterator[str]:
    compared = [table for table in tables if is_compared(table)]
    if compared:
        yield markdown_text(" ".join(counts_of_rows(tables, known)))
        yield markdown_text(" ".join(remarks(tables)))
        rows = [
            [markdown_text(name), *map(str, (score.printed, score.compared, *score.counts.values()))]
            for name, score in scores(compared)
        ]
        yield markdown_table(["", "printed rows", "compared", *VERDICTS], rows)
        yield markdown_text(HOW_COMPARED)
        signs = ", ".join(f"{sign} {verdict}" for verdict, sign in SIGNS.items())
        yield f"In the tables: {signs}."
    if compared and known:
        yield "## Where we differ from the paper, and why"
        yield "\n".join(f"- **{markdown_text(one.title)}.** {markdown_text(one.text)}" for one in known)
    for verdict in (UNSTATED, NOT_REPRODUCED) if compared else ():
        yield from _matches(verdict, rows_with(verdict, tables, known))
    if ratios := time_ratios(compared):
        yield "## Running times"
        yield markdown_text(" ".join(time_sentences(ratios)))
        lines = [[*map(markdown_text, cells(one))] for one in ratios]
        yield markdown_table(list(TIMES), lines, 4)


def _matches(verdict: str, found: Sequence[Match]) -> Iterator[str]:
    """The rows with a verdict, with their settings and reasons."""
    if found:
        yield f"### {counted(len(found), 'row')} {verdict}"
        head = ["table", "data set", "metric", "algorithm", "setting", "difference", "why"]
        yield markdown_table(head, [[*map(markdown_text, _match(one))] for one in found], 7)


def _match(one: Match) -> list[str]:
    near = one.row.nearest or one.row.best
    return [
        *(short_name(one.table.experiment), one.block.dataset.title, one.block.metric.name),
        *(one.row.candidate.name, one.row.unstated or setting_text(near.setting)),
        *(z_score_text(one.row), one.reason.title if one.reason else "not explained"),
    ]


def _facts(table: Table) -> str:
    """What the data sets are, and what those are that stand in."""
    lines = []
    for block in {block.dataset.name: block for block in table.blocks}.values():
        text = f"- {markdown_text(block.dataset.title)}: {size_text(table.experiment, block)}"
        if block.stands_for:
            name = markdown_text(title_of(block.stands_for))
            text += f"; stands in for {name}, and is not comparable with it"
        lines.append(text)
    return "\n".join(lines)


def _table(table: Table) -> str:
    compared = is_compared(table)
    head = ["data set", "metric", "algorithm"]
    head += ["paper", "ours, nearest", "setting", "difference"] if compared else []
    head += ["ours, tuned", "setting", "savings, %"]
    return markdown_table(
        head, [row for block in table.blocks for row in _rows(table, block, compared)], 3
    )


def _rows(table: Table, block: Block, compared: bool) -> Iterator[list[str]]:
    metric, best = block.metric.key, best_text(block)
    begin = [markdown_text(block.dataset.title), block.metric.name]
    for row in block.rows:
        cells = [*begin, markdown_text(row.candidate.name) + (" (ours)" if is_ours(table, row) else "")]
        if compared:
            near = row.nearest
            cells += [printed_text(row.printed), summary_text(metric, near.summary) if near else ""]
            cells += [markdown_text(setting_text(near.setting)) if near else "", z_score_text(row)]
        value = summary_text(metric, row.best.summary)
        cells.append(f"**{value}**" if mean_text(metric, row.best) == best else value)
        yield [
            *cells,
            markdown_text(setting_text(row.best.setting)),
            percent(row.best.summary.mean["savings"]),
        ]
    for name, tally in block.policies().items():
        found = tally.metrics(block.metric.costs)
        cells = [*begin, f"*{POLICY_NAMES[name]}*", *([""] * 4 if compared else ())]
        yield [*cells, metric_text(metric, found[metric]), "", percent(found["savings"])]
