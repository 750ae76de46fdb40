"""The ticks of an axis: round numbers, written shortly."""

import pytest

from costream.report.numbers import MINUS, TIMES
from costream.report.ticks import ticks_of


@pytest.mark.parametrize(
    ("span", "log", "expected"),
    [
        ((0.0, 581012.0), False, "0 100,000 200,000 300,000 400,000 500,000"),
        ((-2.2, 1.1), False, f"{MINUS}2 {MINUS}1 0 1"),
        ((61.2, 61.9), False, "61.2 61.4 61.6 61.8"),
        ((0.0, 2.3e7), False, f"0 5{TIMES}10⁶ 10⁷ 1.5{TIMES}10⁷ 2{TIMES}10⁷"),
        ((1.3, 3.4), True, "20 50 100 200 500 1,000 2,000"),
        ((-3.2, 2.2), True, "0.001 0.01 0.1 1 10 100"),
        ((-8.0, -6.0), True, "10⁻⁸ 10⁻⁷ 10⁻⁶"),
        ((0.1, 1.1), True, "2 5 10"),
        ((1.49, 1.54), True, "31 32 33 34"),
        ((0.95, 1.05), True, "9.0 9.5 10.0 10.5 11.0"),
    ],
)
def test_ticks(span, log, expected):
    assert " ".join(ticks_of(span, log).values()) == expected
