"""The chart of a comparison, read as a person would: by the numbers at its axes."""

import re

import numpy as np
import pytest

from costream.costs.policies import POLICIES
from costream.report.drawing import Frame, shortened, spread_out
from costream.report.numbers import MINUS
from helpers.comparisons import comparison, entry, lines_of, page
from helpers.pages import tree, words

kinds = pytest.mark.parametrize("kind", ["wide", "narrow"])
COST = {"a": [5.0, 30.0, 60.0, 80.0], "b": [10.0, 40.0, 90.0, 130.0], POLICIES[0]: [40.0, 80, 120, 160]}
SUM = {"a": [0.2, 0.7, 0.8, 0.85], "b": [0.5, 0.6, 0.65, 0.7], POLICIES[0]: [0.5] * 4}


def made(curves, objective, places=(25, 50, 75, 100)):
    entries = [entry(name, 0.1 * n, curve) for n, (name, curve) in enumerate(curves.items(), 1)]
    return page(comparison(entries, objective, places=list(places)))


def axes_of(text, kind):
    """Two functions from the coordinates of a drawing to what the numbers beside the axes say."""
    svg = tree(text).find(f".//svg[@class='{kind}']")
    labels = [one for one in svg.findall("text") if not one.get("class")]
    numbers = {id(one): float(one.text.replace(",", "").replace(MINUS, "-")) for one in labels}
    across = [(float(one.get("x")), numbers[id(one)]) for one in labels if one.get("dy") is None]
    up = [(float(one.get("y")), numbers[id(one)]) for one in labels if one.get("dy") is not None]
    return [np.polynomial.Polynomial.fit(*zip(*pairs, strict=True), 1) for pairs in (across, up)]


def read_off(text, kind, name):
    """The points of a line, in rows and in the unit of the chart."""
    x, y = axes_of(text, kind)
    path = lines_of(text, kind)[name].get("d")
    points = [tuple(map(float, pair)) for pair in re.findall(r"([-\d.]+) ([-\d.]+)", path)]
    return [(x(across), y(up)) for across, up in points]


@kinds
@pytest.mark.parametrize("name", COST)
def test_a_bill_can_be_read_off(kind, name):
    found = read_off(made(COST, "cost"), kind, name)
    expected = [(0.0, 0.0), *zip((25, 50, 75, 100), COST[name], strict=True)]
    np.testing.assert_allclose(found, expected, atol=0.5)


@kinds
def test_a_sum_can_be_read_off_in_percent(kind):
    found = read_off(made(SUM, "sum"), kind, "a")[1:]
    expected = zip((50, 75, 100), (70.0, 80.0, 85.0), strict=True)
    np.testing.assert_allclose(found, list(expected), atol=0.3)


@kinds
def test_the_last_value_stands_beside_the_name_in_the_wide_chart_alone(kind):
    texts = tree(made(SUM, "sum")).findall(f".//svg[@class='{kind}']/text")
    names = [words(one) for one in texts if "name" in one.get("class", "")]
    values = {"a": " 85.0", "b": " 70.0", POLICIES[0]: " 50.0"}
    assert sorted(names) == sorted(name + (values[name] if kind == "wide" else "") for name in SUM)


def dots(text, kind="wide"):
    found = tree(text).findall(f".//svg[@class='{kind}']/circle")
    return [(float(one.get("cx")), float(one.get("cy"))) for one in found]


@kinds
def test_a_dot_is_at_the_end_of_each_line_that_is_named(kind):
    text = made(COST, "cost")
    x, y = axes_of(text, kind)
    found = sorted((x(across), y(up)) for across, up in dots(text, kind))
    np.testing.assert_allclose(found, [(100, 80.0), (100, 130.0), (100, 160.0)], atol=0.6)


def edges(text):
    """The lowest and the highest value that the frame of the wide chart has room for."""
    _, y = axes_of(text, "wide")
    return y(430 - 30), y(36)


TWO_POLICIES = {POLICIES[0]: [1.0, 1, 1, 400], POLICIES[1]: [1.0, 1, 1, 300]}


@pytest.mark.parametrize(
    ("curves", "expected"),
    [
        ({"a": [1.0, 2, 3, 100], "b": [1.0, 2, 3, 50]}, (0.0, 106.0)),
        ({"a": [1.0, 2, 3, 100], POLICIES[0]: [50.0, 100, 150, 200]}, (0.0, 212.0)),
        (
            {"a": [1.0, 2, 3, 100], POLICIES[0]: [1.0, 1, 1, 400], POLICIES[1]: [1.0, 1, 1, 300]},
            (0, 318),
        ),
        ({POLICIES[0]: [1.0, 1, 1, 400], POLICIES[1]: [1.0, 1, 1, 300]}, (0.0, 318.0)),
    ],
    ids=["learners", "policy", "the better policy", "policies alone"],
)
def test_a_chart_of_bills_has_room_for_the_learners_and_the_better_policy(curves, expected):
    np.testing.assert_allclose(edges(made(curves, "cost")), expected, atol=0.7)


@pytest.mark.parametrize(
    ("curves", "expected"),
    [
        ({"a": [0.6, 0.7, 0.8, 0.8]}, (58.8, 81.2)),
        ({"a": [0.6, 0.7, 0.8, 0.8], POLICIES[0]: [0.5] * 4}, (48.2, 81.8)),
        ({"a": [0.6, 0.7, 0.8, 0.8], POLICIES[0]: [0.3] * 4}, (58.8, 81.2)),
        ({"a": [0.6, 0.7, 0.8, 0.8], POLICIES[0]: [0.3] * 4, POLICIES[1]: [0.7] * 4}, (58.8, 81.2)),
    ],
    ids=["learner", "near", "far", "the better policy"],
)
def test_a_chart_of_sums_shows_the_better_policy_where_it_is_near(curves, expected):
    np.testing.assert_allclose(edges(made(curves, "sum")), expected, atol=0.1)


@pytest.mark.parametrize(
    ("objective", "value", "expected"),
    [("cost", 0.0, (0.0, 1.0)), ("sum", 0.0, (-100.0, 100.0)), ("sum", 0.5, (47.0, 53.0))],
)
def test_a_chart_of_one_value_has_room_around_it(objective, value, expected):
    found = edges(made({"a": [value] * 4}, objective))
    np.testing.assert_allclose(found, expected, atol=0.02 * expected[1])


def test_a_wild_beginning_does_not_count():
    """The first tenth of the rows; the line begins outside of the frame."""
    places = [9, 10, 60, 100]
    text = made({"a": [0.0, 0.6, 0.7, 0.8]}, "sum", places)
    np.testing.assert_allclose(edges(text), (58.8, 81.2), atol=0.1)


def test_a_line_that_leaves_at_the_top_is_named_there_with_its_last_value():
    curves = {"a": [1.0, 2, 3, 100], POLICIES[0]: [1.0, 90, 200, 900], POLICIES[1]: [1.0, 2, 3, 150]}
    texts = tree(made(curves, "cost")).findall(".//svg[@class='wide']/text")
    assert f"{POLICIES[0]} 900 ↑" in [words(one) for one in texts]


def test_a_line_that_ends_below_the_frame_points_down():
    curves = {"a": [0.6, 0.7, 0.8, 0.8], POLICIES[0]: [0.3] * 4}
    texts = tree(made(curves, "sum")).findall(".//svg[@class='wide']/text")
    assert f"↓ {POLICIES[0]} 30.0" in [words(one) for one in texts]
    assert len(dots(made(curves, "sum"))) == 1


@pytest.mark.parametrize(
    ("objective", "learners", "caption"),
    [
        ("cost", 1, "The bill so far; lower is better."),
        ("sum", 1, "The sum over the rows so far; higher is better."),
        ("cost", 2, "The bill so far; lower is better. The best two learners are in colour."),
        (
            "cost",
            7,
            "The bill so far; lower is better. The best six learners are in colour. The other learners "
            "are thin and grey; point at a line for its name.",
        ),
    ],
)
def test_the_caption_says_what_is_in_colour(objective, learners, caption):
    curves = {f"m{n}": [0.1, 0.2, 0.3, 0.4 + n] for n in range(learners)}
    found = tree(made(curves, objective)).find(".//figcaption/p")
    assert words(found) == caption
    with_policy = tree(made({**curves, POLICIES[0]: [0.5] * 4}, objective)).find(".//figcaption/p")
    assert " Constant policies are dashed." in words(with_policy)


@kinds
@pytest.mark.parametrize(
    ("curves", "objective", "unit"), [(COST, "cost", "cost so far"), (SUM, "sum", "sum so far, %")]
)
def test_the_axes_say_what_they_show(kind, curves, objective, unit):
    texts = tree(made(curves, objective)).findall(f".//svg[@class='{kind}']/text")
    assert sorted(one.text for one in texts if one.get("class") == "axis") == sorted([unit, "rows"])


@pytest.mark.parametrize(("kind", "room"), [("wide", 18), ("narrow", 15)])
def test_a_name_that_is_too_long_is_cut(kind, room):
    frame = Frame(kind, 100, 100, 0, 0, (1.0, 0.0, 1.0))
    assert shortened("x" * room, frame) == "x" * room
    assert shortened("x" * (room + 1), frame) == "x" * (room - 1) + "…"


@pytest.mark.parametrize(
    ("wanted", "placed"),
    [
        ([50, 51, 52], [44, 52, 60]),
        ([1, 2], [5, 13]),
        ([20, 40], [20, 40]),
        ([70], [60]),
        ([], []),
    ],
)
def test_heights_are_apart_and_inside(wanted, placed):
    assert spread_out(wanted, 8, 5, 60) == placed
