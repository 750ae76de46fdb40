"""Metrics, settings, data sets and experiments as text."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from costream.lab.paper.printed import Printed
from costream.lab.results import STATED, Row
from costream.lab.texts import (
    printed_text,
    z_score_text,
)
from costream.report.numbers import MINUS
from helpers.pages import VERDICTS, outcome


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        (None, ""),
        (Printed("sum", 0.6, None, {}, 1.0, 1e-5), "60.000"),
        (Printed("cost", 194.5, 12.25, {}, 1.0, 0.1), "194.5 ± 12.2"),
    ],
)
def test_a_printed_number_and_its_deviation_if_there_is_one(printed: Printed, text: str) -> None:
    assert printed_text(printed) == text


def scored(mean: float, std: float | None = 0.01) -> Row:
    row = VERDICTS[STATED]
    return replace(
        row, printed=Printed("sum", 0.6, std, {}, 1.0, 1e-5), nearest=outcome(mean, std=std or 0.0)
    )


ERROR = 0.01 * math.sqrt(2 / 20)


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (scored(0.6), "= 0.0"),
        (scored(0.6 + 1.24 * ERROR), "\N{ALMOST EQUAL TO} +1.2"),
        (scored(0.6 - 1.24 * ERROR), f"\N{ALMOST EQUAL TO} {MINUS}1.2"),
        (scored(0.6 + 0.04 * ERROR), "\N{ALMOST EQUAL TO} 0.0"),
        (scored(0.6 + 0.07 * ERROR), "\N{ALMOST EQUAL TO} +0.1"),
        (scored(0.6 + 4 * ERROR), "\N{NOT EQUAL TO} +4.0"),
        (scored(0.7, None), "\N{NOT EQUAL TO} no error known"),
        (replace(VERDICTS[STATED], printed=None), ""),
    ],
)
def test_a_difference_has_a_sign_and_stands_behind_its_verdict(row: Row, text: str) -> None:
    assert z_score_text(row) == text
