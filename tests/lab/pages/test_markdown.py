"""The tables of the lab as Markdown."""

from __future__ import annotations

from costream.lab.pages.markdown import render_markdown
from costream.lab.results import Table
from helpers.pages import row, table


def markdown(*tables: Table) -> str:
    return render_markdown(
        tables, [], ["costream lab run all", "costream lab report"], "costream 1.2.3"
    )


def test_markdown_names_are_text_and_nothing_else() -> None:
    assert r"a\|b\`&lt;i>\_c d" in markdown(table(row("a|b`<i>_c\nd", 0.6)))
