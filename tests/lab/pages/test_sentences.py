"""How tables came out, in sentences."""

from __future__ import annotations

import pytest

from costream.lab.experiment import Candidate, Metric
from costream.lab.pages.reproduction import counts_of_rows
from costream.lab.pages.sentences import (
    best_constant,
    is_worse,
)
from costream.lab.paper.printed import Printed
from costream.lab.results import Row
from helpers.pages import VERDICTS, outcome, table

COST = Metric("cost")


def cost_row(name: str, best: float, printed: float | None = None) -> Row:
    known = None if printed is None else Printed("cost", printed, 1.0, {}, 1.0, 0.1)
    near = None if printed is None else outcome(printed, "cost", eta=1.0)
    return Row(Candidate("cog-ii", name), outcome(best, "cost", eta=1.0), known, near)


def test_the_counts_say_how_many_rows_of_which_verdict() -> None:
    text = " ".join(counts_of_rows([table(*VERDICTS.values())], []))
    assert text.startswith("Of the 96 printed rows of Table 2, 4 were run again.")
    assert " 1 are reproduced to all printed digits, 1 within three standard errors at a" in text
    assert "1 at one that it does not state (0 by all three numbers, 1 by the value alone)" in text
    assert "and 1 are not reproduced (none of them discussed). The other 92 were not run." in text
    assert "Exact: 1 row of Table 2 on german." in text
    assert "Of the 4 numbers compared, 1 are beyond three standard errors; about 0.0 would" in text


def test_the_better_constant_policy_of_a_cost() -> None:
    """300 of 1,000 rows are positive: flagging all costs 70, flagging none 270."""
    (block,) = table(cost_row("a", 71.0), metric=COST).blocks
    assert best_constant(block) == ("flagging every row", pytest.approx(70.0))
    assert [is_worse(block, cost_row("a", cost)) for cost in (69.9, 70.1)] == [False, True]
