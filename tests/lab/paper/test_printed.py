"""Printed numbers: how far ours are from them, in standard errors."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from costream.lab.kinds.table import make_table
from costream.lab.paper.printed import Printed, printed_rows
from costream.lab.plan import Summary
from costream.lab.reading import find_experiments
from costream.lab.results import NOT_REPRODUCED, STATED
from helpers.commands import compiled_only
from helpers.experiments import lab_of, nobody
from helpers.pages import VERDICTS, outcome

needs_data = pytest.mark.skipif("COSTREAM_DATA" not in os.environ, reason="COSTREAM_DATA is not set")


def summary(mean: float, std: float, runs: int = 20) -> Summary:
    return Summary(runs, {"sum": mean}, {"sum": std})


def test_a_difference_is_measured_in_standard_errors_of_the_printed_spread() -> None:
    printed = Printed("sum", 0.60, 0.03, {}, 1.0, digit=1e-5)
    z_scores = printed.z_scores(summary(0.61, 0.04, runs=5))
    assert z_scores["value"] == pytest.approx(0.01 / (0.03 * np.sqrt(1 / 20 + 1 / 5)))


RATES = {"sensitivity": (0.8, 0.02), "specificity": (0.9, 0.01)}


def three(value: float, sensitivity: float, specificity: float, std: float = 0.02) -> Summary:
    mean = {"sum": value, "sensitivity": sensitivity, "specificity": specificity}
    return Summary(20, mean, {"sum": 0.03, "sensitivity": std, "specificity": 0.01})


def test_a_row_is_as_far_as_the_farthest_of_its_numbers() -> None:
    printed = Printed("sum", 0.85, 0.03, RATES, 1.0, digit=1e-5)
    far = printed.distance(three(0.85, 0.9, 0.8))
    assert far == pytest.approx(0.1 / (0.01 * np.sqrt(2 / 20)))


@pytest.mark.parametrize(
    ("ours", "same"),
    [
        (three(0.85, 0.8, 0.9), True),
        (three(0.85, 0.80001, 0.9), False),
        (three(0.85, 0.8, 0.89999), False),
        (three(0.85, 0.8, 0.9, std=0.02001), False),
        (three(0.85001, 0.8, 0.9), False),
    ],
    ids=["all", "sensitivity", "specificity", "a spread", "the value"],
)
def test_exact_means_every_printed_number(ours: Summary, same: bool) -> None:
    assert Printed("sum", 0.85, 0.03, RATES, 1.0, digit=1e-5).equals(ours) is same


def test_a_printed_row_in_our_units() -> None:
    """german, cost, ROMMA: 1.721 ± 0.128 hundreds, 43.650 ± 4.372 %, 71.536 ± 1.932 %, 0.004 s."""
    row = printed_rows("table2")["german", "cost", "ROMMA"]
    assert (row.metric, row.seconds, row.runs) == ("cost", 0.004, 20)
    assert (row.value, row.value_std, row.digit) == pytest.approx((172.1, 12.8, 0.1))
    assert row.rates["sensitivity"] == pytest.approx((0.43650, 0.04372))
    assert row.rates["specificity"] == pytest.approx((0.71536, 0.01932))


def test_a_spread_that_is_not_printed_is_not_a_spread_of_zero() -> None:
    spreads = {one.value_std for one in printed_rows("table3").values()}
    assert None in spreads
    assert 0.0 not in spreads


@pytest.mark.parametrize(
    ("distance", "verdict"), [(2.9, STATED), (3.1, NOT_REPRODUCED), (-3.1, NOT_REPRODUCED)]
)
def test_close_is_within_three_standard_errors(distance: float, verdict: str) -> None:
    row = VERDICTS[STATED]
    error = np.hypot(0.01, 0.01) / np.sqrt(20)
    near = replace(row, nearest=outcome(0.6 + distance * error, eta=1.0))
    assert near.z_scores["value"] == pytest.approx(distance)
    assert near.verdict == verdict


@needs_data
@compiled_only
@pytest.mark.slow
def test_the_german_rows_come_out_to_the_printed_digit(tmp_path: Path) -> None:
    table2 = replace(
        find_experiments(["table2"])[0], datasets=("german",), candidates=_of_the_paper("table2")
    )
    lab = lab_of(tmp_path, table2, jobs=2)
    lab.run(nobody)
    verdicts = {
        (block.metric.name, row.candidate.name): row.verdict
        for block, row in make_table(lab.plans["table2"]).rows()
    }
    others = {key for key, verdict in verdicts.items() if verdict != "exact"}
    assert len(verdicts) == 24
    assert others == {("sum", "ROMMA")}  # off in the paper itself


def _of_the_paper(table: str) -> tuple:
    candidates = find_experiments([table])[0].candidates
    printed = {algorithm for _, _, algorithm in printed_rows(table)}
    return tuple(one for one in candidates if one.name in printed)
