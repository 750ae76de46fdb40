"""Known differences from the paper: which rows they explain, and how the page lists them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from costream.errors import CostreamError
from costream.lab.experiment import Candidate
from costream.lab.paper.differences import (
    Difference,
    parse_differences,
    read_differences,
    rows_with,
    score_of,
)
from helpers.pages import VERDICTS, lines, page, table, tree, words

WHY = Difference("Why", "Because.", ("table2",), ("german", "a9a"), ("sum",), ("PA*",))


@pytest.mark.parametrize(
    ("names", "explained"),
    [
        (("table2", "german", "sum", "PAUM"), True),
        (("table2", "a9a", "sum", "PA-I"), True),
        (("table3", "german", "sum", "PAUM"), False),
        (("table2", "covtype", "sum", "PAUM"), False),
        (("table2", "german", "cost", "PAUM"), False),
        (("table2", "german", "sum", "AROW"), False),
    ],
)
def test_a_difference_explains_the_rows_that_all_its_patterns_match(
    names: tuple[str, ...], explained: bool
) -> None:
    assert WHY.explains(*names) is explained


def test_a_remark_explains_no_row() -> None:
    assert not Difference("Remark", "By the way.").explains("table2", "german", "sum", "PAUM")


def test_a_row_that_is_apart_is_listed_with_its_reason() -> None:
    text = page(table(*VERDICTS.values()), known=[WHY])
    cells = lines(text, "Rows that are apart")["Table 2"]
    assert cells == [
        "german",
        "sum",
        "PAUM",
        "60.000 ± 1.000",
        "70.000 ± 1.000",
        "η 1",
        "≠ +31.6",
        "11",
        "Why",
    ]


def test_a_row_without_a_reason_says_so() -> None:
    text = page(table(VERDICTS["apart"]), known=[replace(WHY, algorithms=("AROW",))])
    assert lines(text, "Rows that are apart")["Table 2"][-1] == "not explained"


def test_the_grid_that_was_tried_is_told() -> None:
    tried = Candidate("cog-ii", "PAUM", grid={"eta": "1e-5..1e5"}, also={"german": {"eta": [7.0]}})
    text = page(table(replace(VERDICTS["apart"], candidate=tried)), known=[WHY])
    assert lines(text, "Rows that are apart")["Table 2"][-2] == "11 (η 1e-5 to 1e5; also η 7)"


def test_only_rows_apart_are_listed() -> None:
    found = rows_with("apart", [table(*VERDICTS.values())], [WHY])
    assert [one.row.candidate.name for one in found] == ["PAUM"]


def test_rows_of_a_sample_are_not_scored() -> None:
    assert score_of([table(*VERDICTS.values(), is_quick=True)]).compared == 0


def test_known_differences_are_on_the_page() -> None:
    known = read_differences()
    text = tree(page(table(VERDICTS["exact"]), known=known))
    assert [words(one) for one in text.iterfind(".//dl[@class='entries']/dt")] == [
        one.title for one in known
    ]


@pytest.mark.parametrize(
    "text",
    [
        "[[difference]]\ntitle = 'a'",
        "[[difference]]\ntitle = 'a'\ntext = 'b'\ntable = ['c']",
        "[[difference]]\ntitle = 'a'\ntext = 'b'\ntables = 'c'",
        "[[difference]]\ntitle = 'a'\ntext = 'b'\ntables = 2",
        "[[difference]]\ntitle = 'a'\ntext = 'b'\n" * 2,
        "[[difference",
    ],
)
def test_a_bad_entry_is_an_error(text: str) -> None:
    with pytest.raises(CostreamError, match="difference"):
        parse_differences(text)


@pytest.mark.parametrize(
    ("patterns", "explains"),
    [
        ({"algorithms": ("ACOG-*",)}, True),
        ({"tables": ("table3", "table2")}, True),
        ({"tables": ("table2",), "metrics": ("cost",)}, False),
        ({}, False),
    ],
)
def test_a_difference_explains_rows_that_all_of_its_patterns_match(
    patterns: dict, explains: bool
) -> None:
    found = Difference("title", "text", **patterns).explains("table2", "german", "sum", "ACOG-II")
    assert found == explains
