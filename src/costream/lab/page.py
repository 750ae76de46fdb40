"""Parts of an HTML page: places, sections, tables, paragraphs and boxes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape


@dataclass
class Ids:
    """Names for the places of a page, no two alike."""

    taken: set[str] = field(default_factory=set)

    def new(self, text: str) -> str:
        word = slug(text) or "x"
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


def tabulate(
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


def slug(text: str) -> str:
    """A text as it may stand in an id or a class."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def paragraph(kind: str, text: str) -> str:
    """A paragraph, or nothing where there is no text."""
    return f'<p class="{kind}">{escape(text)}</p>' if text else ""


def box(title: str, body: str) -> str:
    """A box for what must not be overlooked."""
    return f'<aside class="box"><strong>{escape(title)}</strong>{body}</aside>'


def spread(text: str) -> str:
    """A mean and its standard deviation, the latter in small letters."""
    mean, _, std = text.partition(" ± ")
    return f"{mean} <small>{'± ' if std else ''}{std}</small>" if mean else ""
