"""The ends of an axis: neither a wild beginning nor a line that diverges flattens the others."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from costream.report.axes import limits_of, measured_ticks, x_span
from costream.report.panel import Line, Panel
from helpers.panels import curve, line, panel


def spans(*lines, **options):
    return limits_of(panel(*lines, **options))


def test_a_wild_beginning_does_not_flatten_the_curves():
    low, high = spans(*(line(f"m{n}", curve(60 + n, wild=-60.0)) for n in range(4)))
    assert 55 < low < 60 < 63 < high < 66


def test_a_beginning_that_is_not_wild_is_seen():
    low, _ = spans(line(values=[float(t) for t in range(100)]), label="cost")
    assert low <= 0.0


def test_a_line_that_diverges_does_not_flatten_the_others():
    lines = [line(f"m{n}", curve(10 + n)) for n in range(3)]
    wild = line("wild", [t**3 for t in range(100)])
    assert spans(*lines, wild, label="cost")[1] < 20


@pytest.mark.parametrize(("label", "better"), [("sum, %", ""), ("cost", "more")])
def test_the_best_line_is_not_taken_for_wild(label, better):
    lines = [line(f"m{n}", curve(50 + n / 10)) for n in range(9)]
    assert spans(*lines, line("best", curve(99)), label=label, better=better)[1] > 99


@pytest.mark.parametrize(("label", "better"), [("cost", ""), ("mistakes", ""), ("sum, %", "less")])
def test_the_least_line_is_kept_where_less_is_better(label, better):
    lines = [line(f"m{n}", curve(50 + n / 10)) for n in range(9)]
    assert spans(*lines, line("best", curve(5)), label=label, better=better)[0] < 5


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


@pytest.mark.parametrize("value", [0.0, 1e-12, -7.0, 1e9])
def test_a_constant_line_has_room(value):
    low, high = spans(line(values=[value] * 5))
    assert low < value < high


# --- by hand ------------------------------------------------------------------------------------------


def approx(*numbers):
    return pytest.approx(numbers, rel=1e-12)


def test_an_axis_is_a_tenth_longer_than_its_line():
    assert spans(line(values=[0.0, 10.0])) == approx(-0.5, 10.5)


@pytest.mark.parametrize(
    ("value", "log", "expected"),
    [(7.0, False, (6.65, 7.35)), (0.0, False, (-1.0, 1.0)), (10.0, True, (0.85, 1.15))],
)
def test_the_axis_of_a_constant_line(value, log, expected):
    assert spans(line(values=[value] * 3), log_y=log) == approx(*expected)


@pytest.mark.parametrize(
    ("levels", "expected"),
    [({}, (-0.05, 1.05)), ({"a": 2.0, "b": 4.0}, (1.9, 4.1)), ({"a": 2.0}, (1.9, 2.1))],
)
def test_without_lines_the_levels_decide(levels, expected):
    assert limits_of(Panel("t", "x", "y", [], levels=levels)) == approx(*expected)


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (13.0, (-0.65, 13.65)),
        (13.1, (-0.5, 10.5)),
        (-3.0, (-3.65, 10.65)),
        (-3.1, (-0.5, 10.5)),
        (5.0, (-0.5, 10.5)),
    ],
)
def test_a_level_is_seen_if_the_axis_gets_no_more_than_a_third_longer(level, expected):
    assert spans(line(values=[0.0, 10.0]), levels={"level": level}) == approx(*expected)


@pytest.mark.parametrize(
    ("better", "worst", "expected"),
    [
        ("more", -30.15, (-32.1575, 12.0075)),
        ("more", -30.25, (-0.5, 10.5)),
        ("less", 40.15, (-2.0075, 42.1575)),
        ("less", 40.25, (-0.5, 10.5)),
    ],
)
def test_a_worse_line_is_seen_if_the_axis_gets_no_more_than_four_times_as_long(better, worst, expected):
    """Where 2 % of its values do not count."""
    step = 5.0 if better == "more" else -5.0
    worse = line("worse", [worst, worst + step, worst + 2 * step])
    assert spans(line(values=[0.0, 5.0, 10.0]), worse, better=better) == approx(*expected)


def test_a_level_may_be_farther_where_a_worse_line_has_made_the_axis_longer():
    lines = [line(values=[0.0, 5.0, 10.0]), line("worse", [-30.0, -25.0, -20.0])]
    assert spans(*lines, better="more", levels={"level": 20.0}) == approx(-32.5, 22.5)


def test_the_better_half_of_three_lines_is_two():
    lines = [line(f"m{n}", [level, level + 1.0]) for n, level in enumerate((100.0, 50.0, -900.0))]
    assert spans(*lines, better="more") == approx(50.0 - 2.55, 101.0 + 2.55)


def test_guides_do_not_count():
    assert spans(line(values=[0.0, 10.0]), line("O(d^2)", [5.0, 500.0])) == approx(-0.5, 10.5)


@pytest.mark.parametrize(("points", "expected"), [(19, 1050.0), (20, 2.05)])
def test_the_first_tenth_of_a_curve_of_20_points_may_be_cut_off(points, expected):
    values = [1001.0, 1001.0, *([1.0, 2.0] * points)[: points - 2]]
    assert spans(line(values=values), better="less")[1] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(("wild", "seen"), [(1, False), (2, True), (3, True)])
def test_the_first_tenth_ends_before_the_point_at_a_tenth_of_the_axis(wild, seen):
    values = [1.0, 2.0] * 10 + [1.0]
    values[wild] = 1001.0
    found = limits_of(panel(Line("a", range(100, 121), values), better="less"))
    assert (found[1] > 1000) == seen


@pytest.mark.parametrize(("late", "seen"), [(False, False), (True, True)])
def test_a_curve_on_a_log_axis_has_no_beginning_to_cut_off(late, seen):
    values = [1001.0, *[1.0, 2.0] * 12]
    assert (spans(line(values=values), better="less", log_x=late)[1] > 1000) == seen


@pytest.mark.parametrize(
    ("x", "log", "expected"),
    [
        ([1, 3], False, (0.96, 3.04)),
        ([1, 100], False, (0.0, 101.98)),
        ([10, 100], False, (8.2, 101.8)),
        ([-1, 100], False, (-3.02, 102.02)),
        ([0, 100], False, (0.0, 102.0)),
        ([1, 100], True, (-0.04, 2.04)),
    ],
)
def test_the_x_axis_begins_at_0_where_that_is_near(x, log, expected):
    assert x_span(Panel("t", "x", "y", [Line("a", x, [1.0, 2.0])], log_x=log)) == approx(*expected)


def test_the_x_axis_of_nothing():
    assert x_span(Panel("t", "x", "y", [])) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([1, 10, 100], [1, 10, 100]),
        ([1, 10, 10**2.49], [1, 10, 10**2.49]),
        ([1, 10, 10**2.6], []),
        ([1, 10], []),
        ([2**n for n in range(8)], [2**n for n in range(8)]),
        ([2**n for n in range(9)], [2**n for n in range(0, 9, 2)]),
        ([2**n for n in range(12)], [2**n for n in range(0, 12, 2)]),
        ([2**n for n in range(13)], []),
    ],
)
def test_measured_numbers_are_ticks_where_they_are_few_and_even(x, expected):
    panel = Panel("t", "x", "y", [Line("a", x, x)], log_x=True)
    assert list(measured_ticks(panel)) == pytest.approx(expected)
    assert measured_ticks(replace(panel, log_x=False)) == {}


def test_a_dip_of_a_worse_curve_is_seen_although_its_beginning_is_not():
    """The dip is beyond 98 % of its values, but makes the axis only a little longer."""
    good = line("good", [0.0, 10.0] * 10)
    worse = line("worse", [-1000.0, -1000.0, -25.0, *[-20.0] * 17])
    assert spans(good, worse, better="more") == approx(-25.0 - 1.75, 10.0 + 1.75)
