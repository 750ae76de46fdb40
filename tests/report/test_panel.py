"""Panels: which points, errors and levels can be drawn."""

import math

import pytest

from costream.report.panel import Line, checked
from helpers.panels import panel


def line_of(*values, **options):
    return checked(panel(Line("a", *values), **options)).lines[0]


def test_errors_that_are_no_numbers_are_none():
    found = line_of([1, 2, 3], [1.0, 2.0, 3.0], [math.inf, 0.5, math.nan])
    assert found.error == [0.0, 0.5, 0.0]


def test_points_are_left_out_with_their_errors():
    found = line_of([1, 2, 3], [1.0, math.nan, 3.0], [0.1, 0.2, 0.3])
    assert (found.x, found.y, found.error) == ([1.0, 3.0], [1.0, 3.0], [0.1, 0.3])


@pytest.mark.parametrize(
    ("options", "kept"),
    [({}, [-1.0, 0.0, 1.0]), ({"log_x": True}, [1.0]), ({"log_y": True}, [-1.0, 0.0, 1.0])],
)
def test_a_log_axis_has_no_place_for_0_and_below(options, kept):
    assert line_of([-1, 0, 1], [1.0, 1.0, 1.0], **options).x == kept
