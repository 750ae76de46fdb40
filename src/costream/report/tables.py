"""Tables: as text for a terminal, as HTML that scrolls in its box, and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from ..costs.metrics import METRICS, Metric
from .numbers import PLUS_MINUS, cost_text, number, percent

# --- text -------------------------------------------------------------------------------------------


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Aligned columns; the first ``left`` to the left, others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = []
    for row in (header, *rows):
        cells = [
            cell.ljust(width) if at < left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


KINDS: dict[str, Callable[[float], str]] = {  # of metrics, and how their values are written
    "count": lambda value: number(value, 1, plain=True).removesuffix(".0"),
    "rate": lambda value: percent(value, unit="%", plain=True),
    "fraction": lambda value: number(value, ".4f", plain=True),
    "money": lambda value: cost_text(value, plain=True),
}


def metrics_table(
    rows: Iterable[tuple[str, Mapping[str, float]]], first: str = "", *, money: bool = True
) -> str:
    """Metrics of named learners or runs as text, one line each; ``money``: and what each has saved."""
    lines = [[name, *metric_cells(found, money)] for name, found in rows]
    return text_table((first, *metric_titles(money)), lines)


def metric_titles(money: bool) -> list[str]:
    """The heads of columns of metrics; ``money``: and of what was saved."""
    return [*(one.title for one in METRICS.values() if money or not one.needs_costs), "seconds"]


def metric_cells(found: Mapping[str, float], money: bool) -> list[str]:
    """The metrics of a learner or a run under these heads."""
    shown = [one for one in METRICS.values() if money or not one.needs_costs]
    cells = [metric_text(one, found[one.name]) for one in shown]
    return [*cells, number(found["seconds"], ".3f", plain=True)]


def metric_text(metric: Metric, value: float) -> str:
    return KINDS[metric.kind](value)


# --- HTML -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Column:
    """A column of a table; those of one group stand under a common head."""

    title: str
    group: str = ""
    left: bool = False


Line = tuple[str, list[str]]  # its class, and its cells as HTML


def html_table(
    label: str, columns: Sequence[Column], lines: Iterable[Line], kind: str = "small", std: int = 0
) -> str:
    """A table that scrolls in its box; ``std`` is how many letters a standard deviation has."""
    rows = [_row(columns, *line) for line in lines]
    return scroll_box(label, _head(columns), rows, kind, f"--std:{std}ch" if std else "")


def scroll_box(label: str, head: str, rows: Iterable[str], kind: str = "", style: str = "") -> str:
    """A table in a box in which it scrolls, for the page must not: of rows that are HTML already."""
    classes = f"scroll {kind}".strip()
    style = f' style="{style}"' if style else ""
    return (
        f'<div class="{classes}" tabindex="0" role="region" aria-label="{escape(label)}"><table{style}>'
        f"<thead>{head}</thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def small_std(text: str) -> str:
    """A mean and its standard deviation, the latter in small letters."""
    mean, _, std = text.partition(f" {PLUS_MINUS} ")
    return f"{mean} <small>{f'{PLUS_MINUS} ' if std else ''}{std}</small>" if mean else ""


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


# --- Markdown ---------------------------------------------------------------------------------------


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    rule = [":--" if n < left else "--:" for n in range(len(head))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def markdown_text(text: str) -> str:
    """Text in which Markdown sees nothing but text, in a cell of a table, too."""
    text = " ".join(text.replace("&", "&amp;").replace("<", "&lt;").split())
    return re.sub(r"([\\`*_|\[\]#~])", r"\\\1", text)


def markdown_code(text: str) -> str:
    """Text as code, with a fence that is longer than any in it."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{' '.join(text.split())}{pad}{fence}"
