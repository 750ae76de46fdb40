"""The tables of the lab as Markdown."""

from __future__ import annotations

import re

from costream.lab.experiment import Metric
from costream.lab.pages.markdown import render_markdown
from costream.lab.results import Table
from helpers.pages import row, table


def markdown(*tables: Table) -> str:
    return render_markdown(
        tables, [], ["costream lab run all", "costream lab report"], "costream 1.2.3"
    )


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_markdown_names_are_text_and_nothing_else() -> None:
    assert r"a\|b\`&lt;i>\_c d" in markdown(table(row("a|b`<i>_c\nd", 0.6)))


def test_markdown_of_a_sum_and_of_the_policies_by_hand() -> None:
    """300 of 1,000 rows are positive: flagging all costs 70, flagging none 270."""
    text = markdown(table(row("a", 0.4), metric=Metric("sum", alpha_p=0.5), printed=""))
    lines = [cells_of(line)[2:] for line in text.splitlines() if line.startswith("| german")]
    assert [line[0] for line in lines] == ["a", "*flag every row*", "*flag none*"]
    assert [line[1] for line in lines] == ["**40.000 ± 1.000**", "50.000", "50.000"]
    assert [line[-1] for line in lines[1:]] == ["0.0", "\N{MINUS SIGN}285.7"]
