"""The ends of an axis: neither a wild beginning nor a line that diverges flattens the others."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from costream.report.axes import limits_of
from helpers.panels import line, panel


def spans(*lines, **options):
    return limits_of(panel(*lines, **options))


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
