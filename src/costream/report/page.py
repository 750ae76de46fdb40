"""An HTML page that needs nothing else (no network, no scripts, no fonts), and its parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files

DOCTYPE = "<!DOCTYPE html>"
STYLE = "style.css"  # what all pages share


def render_page(
    title: str,
    eyebrow: str,
    command: str,
    header: Iterable[str],
    body: Iterable[str],
    stylesheet: str,
    window_title: str = "",
) -> str:
    """A page, which is well-formed XML too.

    ``eyebrow`` is the line above the heading, ``command`` what made the page. ``header`` and ``body``
    are HTML. The style sheet of this kind of page follows the one of all pages. ``window_title`` is
    what the browser shows, if not the heading.
    """
    style = "\n".join(
        (files(__package__) / name).read_text(encoding="utf-8") for name in (STYLE, stylesheet)
    )
    return "\n".join(
        [
            DOCTYPE,
            '<html lang="en">',
            '<head><meta charset="utf-8"/>',
            '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
            f"<title>{escape(window_title or title)}</title>",
            f"<style>\n{style}</style></head>",
            "<body>",
            f'<header><p class="eyebrow">{escape(eyebrow)}</p>',
            f"<h1>{escape(title)}</h1>",
            code(command),
            *header,
            "</header>",
            *body,
            "</body></html>\n",
        ]
    )


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


def slug(text: str) -> str:
    """A text as it may stand in an id or a class."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def paragraph(kind: str, text: str) -> str:
    """A paragraph, or nothing where there is no text."""
    return f'<p class="{kind}">{escape(text)}</p>' if text else ""


def code(command: str) -> str:
    return f"<pre><code>{escape(command)}</code></pre>"


def box(title: str, body: str) -> str:
    """A box for what must not be overlooked."""
    return f'<aside class="box"><strong>{escape(title)}</strong>{body}</aside>'


def facts(items: Iterable[tuple[str, str, str]]) -> str:
    """Names, their values, and a small remark on each or nothing."""
    parts = []
    for name, value, remark in items:
        small = f" <small>{escape(remark)}</small>" if remark else ""
        parts.append(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}{small}</dd></div>")
    return f'<dl class="facts">{"".join(parts)}</dl>'


def meanings(words: Mapping[str, str]) -> str:
    items = (f"<dt>{escape(word)}</dt><dd>{escape(text)}</dd>" for word, text in words.items())
    return f'<dl class="metrics">{"".join(items)}</dl>'
