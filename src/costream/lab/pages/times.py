"""The section of the page with running times beside the printed ones."""

from __future__ import annotations

from html import escape

from ...report.page import Ids, Section, paragraph
from ...report.tables import Column, html_table
from ..times import HEAD, cells, time_ratios, time_sentences
from .findings import Findings

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
