"""Printed numbers: how far ours are from them, in standard errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from costream.lab.plan import Summary
from costream.lab.printed import Printed, printed_rows
from helpers.pages import VERDICTS, outcome

PRINTED = Printed("sum", 0.60, None, {}, 1.0, digit=1e-5)


def summary(mean: float, std: float, runs: int = 20) -> Summary:
    return Summary(runs, {"sum": mean}, {"sum": std})


def test_a_number_without_a_spread_is_one_run_that_varies_as_ours_do() -> None:
    found = PRINTED.z_scores(summary(0.61, 0.04))
    assert found["value"] == pytest.approx(0.01 / np.hypot(0.04, 0.04 / np.sqrt(20)))


def test_a_spread_that_is_not_printed_is_not_a_spread_of_zero() -> None:
    spreads = {one.value_std for one in printed_rows("table3").values()}
    assert None in spreads
    assert 0.0 not in spreads


@pytest.mark.parametrize(("distance", "verdict"), [(2.9, "close"), (3.1, "apart"), (-3.1, "apart")])
def test_close_is_within_three_standard_errors(distance: float, verdict: str) -> None:
    row = VERDICTS["close"]
    error = np.hypot(0.01, 0.01) / np.sqrt(20)
    near = replace(row, nearest=outcome(0.6 + distance * error, eta=1.0))
    assert near.z_scores["value"] == pytest.approx(distance)
    assert near.verdict == verdict
