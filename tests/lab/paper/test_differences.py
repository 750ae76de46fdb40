"""Known differences from the paper: which rows they explain, and how the page lists them."""

from __future__ import annotations

import pytest

from costream.errors import CostreamError
from costream.lab.paper.differences import (
    Difference,
    parse_differences,
)
from helpers.pages import VERDICTS, lines, page, table

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


def test_a_row_that_is_not_reproduced_is_listed_with_its_reason() -> None:
    text = page(table(*VERDICTS.values()), known=[WHY])
    cells = lines(text, "Rows that are not reproduced")["Table 2"]
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
