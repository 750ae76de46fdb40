"""Running times beside the printed ones, as ratios."""

from __future__ import annotations

from dataclasses import replace

import pytest

from costream.lab.experiment import Candidate
from costream.lab.paper.printed import Printed
from costream.lab.results import Block, Row, Table
from costream.lab.times import TimeRatio, cells, is_heavy, time_ratios, time_sentences
from helpers.pages import outcome, page, table, tree


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


def test_a_quick_run_has_no_times_beside_the_paper() -> None:
    rows = timed("COG-I", 1.0, 1.0), timed("ACOG-I", 1.0, 1.0)
    assert time_ratios([table(*rows, is_quick=True)]) == []


def test_the_line_of_a_ratio() -> None:
    (one,) = ratios(timed("COG-I", 0.2, 0.01), timed("ACOG-I", 1.0, 0.08))
    words = ["Table 2", "german", "ACOG-I", "COG-I", "1.000", "0.080", "5.0", "8.0", "alike"]
    assert cells(one) == words


def test_the_sentences_count_verdicts_and_claims() -> None:
    rows = [
        timed("COG-I", 1.0, 1.0),
        timed("ACOG-I", 2.0, 10.0),
        timed("ACOG-I_diag", 3.0, 3.0),
        timed("PAUM", 4.0, 1.0),
    ]
    counts, claim = time_sentences(ratios(*rows))
    assert counts == (
        "Within a factor of two of the printed ratio of running times are 0 of 1 for learners "
        "with a full "
        "or sketched covariance (1 relatively slower here, 0 faster) and 1 of 2 for first-order and "
        "diagonal learners (0 relatively slower here, 1 faster)."
    )
    assert claim == (
        "In 0 of 1 comparisons of the paper, and in 1 of ours, the diagonal ACOG takes less "
        "time than the "
        "full one."
    )


@pytest.mark.parametrize(
    ("algorithm", "heavy"),
    [("AROW", True), ("ACOG-II", True), ("SSACOG-I", True), ("ACOG-I_diag", False), ("COG-I", False)],
)
def test_a_full_or_sketched_covariance_is_heavy(algorithm: str, heavy: bool) -> None:
    assert is_heavy(algorithm) is heavy


def test_the_sparse_sketch_is_compared_with_the_full_covariance_too() -> None:
    rows = timed("COG-I", 1.0, 1.0), timed("ACOG-I", 2.0, 1.0), timed("SSACOG-I", 1.0, 3.0)
    *_, claim = time_sentences(ratios(*rows))
    assert claim == (
        "In 1 of 1 comparisons of the paper, and in 0 of ours, SSACOG takes less time than the "
        "full ACOG."
    )


def test_the_sparse_sketch_is_compared_with_the_explicit_one() -> None:
    _, claim = time_sentences(ratios(timed("SACOG-I", 2.0, 0.2), timed("SSACOG-I", 1.0, 0.3)))
    assert claim == (
        "In 1 of 1 comparisons of the paper, and in 0 of ours, SSACOG takes less time than SACOG."
    )


def test_the_page_has_the_times() -> None:
    text = page(table(timed("COG-I", 1.0, 1.0), timed("ACOG-I", 1.0, 1.0)))
    titles = [one.text for one in tree(text).iter("h2")]
    assert "Running times" in titles


def test_without_ratios_there_is_nothing_to_say() -> None:
    assert time_sentences([]) == []
