"""The small charts of what a portfolio has learnt."""

import re
from dataclasses import replace

import pytest

from costream.evaluation.shapes import Shape
from helpers.comparisons import led, page
from helpers.pages import Reader, tree

AMOUNT = Shape("amount", 1.2345, [2.0, 3.0, 3.0, 6.0, 7.0, 8.0], [-2.0, -1.0, -1.0, 0.5, 1.0, 2.0])
NIGHT = Shape("night <0/1>", 0.25, [0.0, 0.0, 1.0], [-0.5, -0.5, 0.0])


def with_shapes(*shapes, **options):
    found = led(**options)
    first = replace(found.entries[0], shapes=list(shapes))
    return page(replace(found, entries=[first, *found.entries[1:]]))


def charts(text):
    return tree(text).findall(".//svg[@class='shape']")


def points_of(chart):
    path = chart.find("path[@class='line k1']").get("d")
    return [tuple(map(float, pair)) for pair in re.findall(r"([\d.]+) ([\d.]+)", path)]


def test_a_curve_goes_from_its_lowest_to_its_highest_value():
    (first, second) = (points_of(one) for one in charts(with_shapes(AMOUNT, NIGHT)))
    assert [x for x, _ in first] == pytest.approx([44.0, 85.3, 209.3, 250.7, 292.0])
    assert [x for x, _ in second] == [44.0, 292.0]


def test_curves_stay_inside_the_chart():
    heights = [y for one in charts(with_shapes(AMOUNT, NIGHT)) for _, y in points_of(one)]
    space = (164.0 - 30.0) * 0.06 / 1.12
    assert min(heights) == pytest.approx(30.0 + space, abs=0.06)
    assert max(heights) == pytest.approx(164.0 - space, abs=0.06)


def test_a_flat_shape_can_be_drawn():
    (chart,) = charts(with_shapes(Shape("x", 0.0, [1.0, 1.0], [3.0, 3.0])))
    assert points_of(chart) == [(44.0, 97.0)]


def test_the_page_is_whole():
    reader = Reader(with_shapes(AMOUNT, NIGHT))
    assert not reader.wrong
    assert not reader.open
