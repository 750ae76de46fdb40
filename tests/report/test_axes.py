"""The ends of an axis: neither a wild beginning nor a line that diverges flattens the others."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from costream.report.panel import limits_of
from helpers.panels import curve, line, panel


def spans(*lines, **options):
    return limits_of(panel(*lines, **options))


def test_a_wild_beginning_does_not_flatten_the_curves():
    low, high = spans(*(line(f"m{n}", curve(60 + n, wild=-60.0)) for n in range(4)))
    assert 55 < low < 60 < 63 < high < 66


def test_a_line_that_diverges_does_not_flatten_the_others():
    lines = [line(f"m{n}", curve(10 + n)) for n in range(3)]
    wild = line("wild", [t**3 for t in range(100)])
    assert spans(*lines, wild, label="cost")[1] < 20


@pytest.mark.parametrize(("label", "better"), [("sum, %", ""), ("cost", "more")])
def test_the_best_line_is_not_taken_for_wild(label, better):
    lines = [line(f"m{n}", curve(50 + n / 10)) for n in range(9)]
    assert spans(*lines, line("best", curve(99)), label=label, better=better)[1] > 99


@given(
    st.lists(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=30), min_size=1, max_size=9),
    st.sampled_from(["more", "less"]),
)
def test_the_better_half_is_never_cut_off(values, better):
    lines = [line(f"m{n}", ys) for n, ys in enumerate(values)]
    low, high = spans(*lines, better=better)
    settled = [ys if len(ys) < 20 else ys[math.ceil(0.1 * (len(ys) - 1)) :] for ys in values]
    settled.sort(key=np.median, reverse=better == "more")
    for ys in settled[: (len(settled) + 1) // 2]:
        assert low < min(ys) <= max(ys) < high


# --- by hand ------------------------------------------------------------------------------------------
