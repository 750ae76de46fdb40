"""Figures in texts are looked up in what was run and in what is printed, never typed."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from costream.errors import CostreamError
from costream.lab.experiment import Candidate
from costream.lab.pages.facts import MissingFactError, fill, with_figures
from costream.lab.paper.differences import read_differences
from costream.lab.results import NOT_REPRODUCED, STATED
from helpers.pages import VERDICTS, table

ROW = "table2 | german | sum | ROMMA"


@pytest.mark.parametrize(
    ("fact", "text"),
    {
        f"ours | {ROW}": "60.500",
        f"our setting | {ROW}": "η 1",
        f"our rates | {ROW}": "50.000 and 50.000",
        f"our spread | {ROW}": "1.000",
        f"tuned | {ROW}": "65.000",
        f"tuned setting | {ROW}": "η 10",
        f"tried | {ROW}": "1",
        "printed | table2 | german | cost | ACOG-II": "87.5",
        "printed rates | table2 | german | cost | ROMMA": "43.650 and 71.536",
        "best printed | table2 | german | cost": "87.5",
        "best printed | table2 | german | sum": "63.150",
        "flagging all | german": "70.0",
        "class ratio | protein": "1:1.17",
        "rows | ijcnn1": "49,990",
        "regret of one row": "1.000",
        "printed bound of one row": "0.589",
    }.items(),
)
def test_a_fact_is_looked_up(fact: str, text: str) -> None:
    assert fill(f"so {{{fact}}}.", [table(VERDICTS[STATED])]) == f"so {text}."


def test_the_implied_cost_is_that_of_the_printed_rates() -> None:
    """german, COG-I under the cost: printed rates that come to the printed cost."""
    printed = fill("{printed | table2 | german | cost | COG-I}", [])
    assert fill("{implied cost | table2 | german | COG-I}", []) == printed


@pytest.mark.parametrize(
    "about",
    ["table3 | german | sum | ROMMA", "table2 | a9a | sum | ROMMA", "table2 | german | cost | ROMMA",
     "table2 | german | sum | AROW"],
)  # fmt: skip
def test_a_fact_about_something_not_run_is_missing(about: str) -> None:
    with pytest.raises(MissingFactError):
        fill(f"{{tuned | {about}}}", [table(VERDICTS[STATED])])


def test_an_unknown_fact_is_an_error() -> None:
    with pytest.raises(CostreamError, match="there is no fact 'colour'"):
        fill("{colour | german}", [])


def test_every_difference_can_be_filled() -> None:
    """With rows of all names that the texts ask for."""
    asked = {
        tuple(word.strip() for word in field.split("|")[1:])
        for one in read_differences()
        for field in re.findall(r"\{([^}]*)\}", one.text)
        if field.count("|") == 4
    }
    tables = []
    for name, dataset, metric, algorithm in asked:
        made = table(replace(VERDICTS[NOT_REPRODUCED], candidate=Candidate("cog-ii", algorithm)))
        block = made.blocks[0]
        info = replace(block.dataset, name=dataset)
        block = replace(block, dataset=info, metric=replace(block.metric, name=metric))
        tables.append(replace(made, experiment=replace(made.experiment, name=name), blocks=[block]))
    filled = with_figures(read_differences(), tables)
    assert [one.title for one in filled] == [one.title for one in read_differences()]
    assert not any("{" in one.text for one in filled)
