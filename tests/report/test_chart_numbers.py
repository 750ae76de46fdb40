"""The chart of a comparison, read as a person would: by the numbers at its axes."""

import re

import numpy as np
import pytest

from costream.costs.policies import POLICIES
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


def dots(text, kind="wide"):
    found = tree(text).findall(f".//svg[@class='{kind}']/circle")
    return [(float(one.get("cx")), float(one.get("cy"))) for one in found]


@kinds
def test_a_dot_is_at_the_end_of_each_line_that_is_named(kind):
    text = made(COST, "cost")
    x, y = axes_of(text, kind)
    found = sorted((x(across), y(up)) for across, up in dots(text, kind))
    np.testing.assert_allclose(found, [(100, 80.0), (100, 130.0), (100, 160.0)], atol=0.6)


def test_a_line_that_leaves_at_the_top_is_named_there_with_its_last_value():
    curves = {"a": [1.0, 2, 3, 100], POLICIES[0]: [1.0, 90, 200, 900], POLICIES[1]: [1.0, 2, 3, 150]}
    texts = tree(made(curves, "cost")).findall(".//svg[@class='wide']/text")
    names = [words(one) for one in texts if "name" in one.get("class", "")]
    assert sorted(names) == sorted([f"{POLICIES[0]} 900 ↑", f"{POLICIES[1]} 150", "a 100"])
