"""The small charts of what a portfolio has learnt."""

import re
from dataclasses import replace

import pytest

from costream.evaluation.shapes import Shape
from costream.report.numbers import MINUS
from helpers.comparisons import comparison, entry, led, page
from helpers.pages import Reader, tree, words

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


def test_each_shape_is_a_chart_with_its_feature():
    found = charts(with_shapes(AMOUNT, NIGHT))
    assert [one.findtext("text[@class='axis']") for one in found] == ["amount", "night <0/1>"]
    titles = [one.findtext("title") for one in found]
    assert titles == ["amount: importance 1.23", "night <0/1>: importance 0.25"]
    assert [one.get("aria-label") for one in found] == titles


def test_a_page_without_shapes_has_no_charts_of_them():
    text = page(led(), comparison([entry("a", 0.1)]))
    assert charts(text) == []
    assert "has learnt" not in text


def test_a_curve_goes_from_its_lowest_to_its_highest_value():
    (first, second) = (points_of(one) for one in charts(with_shapes(AMOUNT, NIGHT)))
    assert [x for x, _ in first] == pytest.approx([44.0, 88.0, 220.0, 264.0, 308.0])
    assert [x for x, _ in second] == [44.0, 308.0]


def test_all_charts_have_the_same_scale():
    (first, second) = (points_of(one) for one in charts(with_shapes(AMOUNT, NIGHT)))
    a_unit = first[0][1] - first[1][1]
    assert a_unit > 0
    assert second[0][1] - second[1][1] == pytest.approx(a_unit / 2, abs=0.11)
    assert second[1][1] == pytest.approx(first[0][1] - 2 * a_unit, abs=0.25)


def test_curves_stay_inside_the_chart():
    heights = [y for one in charts(with_shapes(AMOUNT, NIGHT)) for _, y in points_of(one)]
    space = (164.0 - 30.0) * 0.06 / 1.12
    assert min(heights) == pytest.approx(30.0 + space, abs=0.06)
    assert max(heights) == pytest.approx(164.0 - space, abs=0.06)


def test_lines_of_the_grid_have_their_numbers():
    (chart,) = charts(with_shapes(AMOUNT))
    labels = [one for one in chart.findall("text") if one.get("text-anchor") == "end"][:-1]
    assert [one.text for one in labels] == [f"{MINUS}2", "0", "2"]
    heights = [float(one.get("y")) for one in labels]
    points = [y for _, y in points_of(chart)]
    assert (heights[0], heights[2]) == (points[0], points[-1])
    assert all(float(one.get("x")) < 44.0 for one in labels)
    lines = [one.get("d") for one in chart.findall("path[@class='grid']")]
    assert lines == [f"M44 {height}H308" for height in heights]
    assert chart.find("path[@class='grid base']").get("d") == "M44 164H308"


def test_the_ends_of_the_axis_are_values_of_the_feature():
    (chart,) = charts(with_shapes(replace(AMOUNT, values=[-12345.6, 1, 1, 2, 3, 0.25])))
    below = [one.text for one in chart.findall("text") if one.get("y") == "183"]
    assert below == [f"{MINUS}12,346", "3"]


def test_values_have_dots_where_there_are_few():
    found = charts(with_shapes(AMOUNT, NIGHT))
    assert [len(one.findall("circle")) for one in found] == [0, 2]
    (four,) = charts(
        with_shapes(replace(AMOUNT, values=[1, 2, 2, 3, 3, 4], log_odds=[0, 1, 1, 2, 2, 1]))
    )
    places = [(float(one.get("cx")), float(one.get("cy"))) for one in four.findall("circle")]
    assert places == points_of(four)
    assert len(places) == 4


def test_a_flat_shape_can_be_drawn():
    (chart,) = charts(with_shapes(Shape("x", 0.0, [1.0, 1.0], [3.0, 3.0])))
    assert points_of(chart) == [(44.0, 97.0)]


def test_a_long_name_is_cut_and_whole_in_the_title():
    name = "the number of payments within the last hour"
    (chart,) = charts(with_shapes(replace(AMOUNT, feature=name)))
    assert chart.findtext("text[@class='axis']") == name[:33] + "…"
    assert chart.findtext("title").startswith(name)
    (chart,) = charts(with_shapes(replace(AMOUNT, feature=name[:34])))
    assert chart.findtext("text[@class='axis']") == name[:34]


@pytest.mark.parametrize(("runs", "which"), [(1, "(mean)"), (2, "(mean, first run)")])
def test_the_caption_says_what_is_shown(runs, which):
    text = with_shapes(AMOUNT, runs=runs)
    caption = words(tree(text).find(".//figure[@class='shapes']/figcaption"))
    assert caption.startswith("The log-odds that auto gives a row")
    assert which in caption


def test_the_page_is_whole():
    reader = Reader(with_shapes(AMOUNT, NIGHT))
    assert not reader.wrong
    assert not reader.open
