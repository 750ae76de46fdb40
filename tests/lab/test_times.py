"""Running times beside the printed ones, as ratios."""

from __future__ import annotations

from dataclasses import replace

import pytest

from costream.lab.experiment import Candidate
from costream.lab.paper.printed import Printed
from costream.lab.results import Block, Row, Table
from costream.lab.times import TimeRatio, time_ratios
from helpers.pages import outcome, table


def timed(name: str, printed: float, ours: float | None, **options: str) -> Row:
    """A row with a printed time and one of ours."""
    row = Row(
        Candidate("cog-ii", name, **options), outcome(0.6), Printed("sum", 0.6, 0.01, {}, printed, 1e-5)
    )
    return replace(row, nearest=replace(outcome(0.6), seconds=ours))


def ratios(*rows: Row) -> list[TimeRatio]:
    return time_ratios([table(*rows)])


def test_a_ratio_is_taken_to_cog() -> None:
    (one,) = ratios(timed("COG-I", 0.2, 0.01), timed("ACOG-I", 1.0, 0.08))
    assert (one.algorithm, one.base) == ("ACOG-I", "COG-I")
    assert (one.printed_ratio, one.our_ratio) == (pytest.approx(5.0), pytest.approx(8.0))


def test_a_table_without_cog_is_taken_to_sacog() -> None:
    (one,) = ratios(timed("SACOG-I", 2.0, 0.2), timed("SSACOG-I", 1.0, 0.1))
    assert (one.algorithm, one.base) == ("SSACOG-I", "SACOG-I")


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        (0.49, "relatively faster here"),
        (0.51, "alike"),
        (1.99, "alike"),
        (2.01, "relatively slower here"),
    ],
)
def test_ratios_are_alike_up_to_a_factor_of_two(ours: float, verdict: str) -> None:
    (one,) = ratios(timed("COG-I", 1.0, 1.0), timed("ACOG-I", 1.0, ours))
    assert one.verdict == verdict


def test_times_under_two_metrics_are_averaged() -> None:
    made = table(timed("COG-I", 1.0, 1.0), timed("ACOG-I", 2.0, 1.0))
    other = table(timed("COG-I", 3.0, 1.0), timed("ACOG-I", 6.0, 3.0)).blocks
    cost = [replace(block, metric=replace(block.metric, name="cost")) for block in other]
    (one,) = time_ratios([Table(made.experiment, [*made.blocks, *cost], [])])
    assert (one.printed, one.ours, one.printed_base, one.our_base) == (4.0, 2.0, 2.0, 1.0)


def test_data_sets_are_not_mixed() -> None:
    made = table(timed("COG-I", 1.0, 1.0))
    (block,) = table(timed("ACOG-I", 2.0, 1.0)).blocks
    other = Block(replace(block.dataset, name="a9a", title="a9a"), block.metric, block.rows)
    assert time_ratios([Table(made.experiment, [*made.blocks, other], [])]) == []


@pytest.mark.parametrize(
    "row",
    [
        timed("ACOG-I", float("nan"), 1.0),
        timed("ACOG-I", 1.0, None),
        timed("COG-I, varied", 1.0, 1.0, beside="COG-I"),
    ],
    ids=["not printed", "not measured", "a variant"],
)
def test_what_cannot_be_compared_is_left_out(row: Row) -> None:
    assert ratios(timed("COG-I", 1.0, 1.0), row) == []
