"""Known differences from the paper: which rows they explain."""

from __future__ import annotations

import pytest

from costream.errors import CostreamError
from costream.lab.paper.differences import Difference, parse_differences

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
