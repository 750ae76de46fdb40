"""The tables of the lab as Markdown."""

from __future__ import annotations

import re
from dataclasses import replace

from costream.lab.experiment import Metric
from costream.lab.pages.markdown import render_markdown
from costream.lab.results import ANOTHER, STATED, Table
from helpers.pages import VERDICTS, row, table


def markdown(*tables: Table) -> str:
    return render_markdown(
        tables, [], ["costream lab run all", "costream lab report"], "costream 1.2.3"
    )


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_markdown_begins_with_the_commands() -> None:
    first = markdown(table(row("a", 0.6))).splitlines()[0]
    assert first == "Made by `costream lab run all` and `costream lab report` (costream 1.2.3)."


def test_markdown_tables_have_lines_of_one_length() -> None:
    odd = row("a|b`<i>_c\nd", 0.6)
    text = markdown(table(*VERDICTS.values(), odd), table(odd, printed=""))
    blocks = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert len(blocks) == 5
    for block in blocks:
        assert len({len(cells_of(line)) for line in block.splitlines()}) == 1


def test_markdown_names_are_text_and_nothing_else() -> None:
    assert r"a\|b\`&lt;i>\_c d" in markdown(table(row("a|b`<i>_c\nd", 0.6)))


def test_markdown_has_a_line_for_each_learner_and_policy() -> None:
    text = markdown(table(VERDICTS[STATED], row("b", 0.6)))
    names = [cells_of(line)[2] for line in text.splitlines() if line.startswith("| german")]
    assert names == ["ROMMA", "b (ours)", "*flag every row*", "*flag none*"]
    assert (
        "| 60.000 ± 1.000 | 60.500 ± 1.000 | η 1 | ≈ +1.6 | **65.000 ± 1.000** | η 10 | 50.0 |" in text
    )


def test_markdown_counts_the_verdicts() -> None:
    assert "| Table 2 | 96 | 4 | 1 | 1 | 1 | 1 |" in markdown(table(*VERDICTS.values()))


def test_markdown_names_the_setting_of_a_row_that_needs_another() -> None:
    text = markdown(table(*VERDICTS.values()))
    assert f"### 1 row {ANOTHER}" in text
    assert "| Table 2 | german | sum | PA-I | C 7 off the grid | (≈) +1.6 | not explained |" in text


def test_markdown_says_whose_spread_is_used() -> None:
    text = markdown(table(*VERDICTS.values()), table(VERDICTS[STATED], printed="table3"))
    assert "Compared: the value, sensitivity and specificity, measured by the printed spread." in text
    assert "(no sensitivity and specificity are printed), measured by the spread of our own" in text


def test_markdown_explains_its_signs() -> None:
    text = markdown(table(*VERDICTS.values()))
    assert f"In the tables: = exact, ≈ {STATED}, (≈) {ANOTHER}, ≠ apart." in text


def test_markdown_names_what_is_missing() -> None:
    assert "**MISSING: KDDCUP08.**" in markdown(replace(table(row("a", 0.6)), missing=["kddcup08"]))


def test_markdown_of_a_quick_run_says_that_it_is_a_sample() -> None:
    assert "**A quick run:" in markdown(table(row("a", 0.6), is_quick=True))


def test_markdown_says_what_a_data_set_stands_in_for() -> None:
    made = table(row("a", 0.6))
    (block,) = made.blocks
    text = markdown(replace(made, blocks=[replace(block, stands_for="kddcup08")]))
    assert (
        "- german: 1,000 rows, 300 positive (30.0 %), 20 permutations; stands in for KDDCUP08, " in text
    )
    assert "stands in for" not in markdown(made)


def test_markdown_of_a_sum_and_of_the_policies_by_hand() -> None:
    """300 of 1,000 rows are positive: flagging all costs 70, flagging none 270."""
    text = markdown(table(row("a", 0.4), metric=Metric("sum", alpha_p=0.5), printed=""))
    lines = [cells_of(line)[2:] for line in text.splitlines() if line.startswith("| german")]
    assert [line[0] for line in lines] == ["a", "*flag every row*", "*flag none*"]
    assert [line[1] for line in lines] == ["**40.000 ± 1.000**", "50.000", "50.000"]
    assert [line[-1] for line in lines[1:]] == ["0.0", "\N{MINUS SIGN}285.7"]
