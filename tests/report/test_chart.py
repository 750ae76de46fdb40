"""The chart of a comparison: who is in colour, names that do not touch, and points that are numbers."""

import re
from xml.etree import ElementTree

import pytest

from helpers.comparisons import NAN, ODD, comparison, entry, lines_of, page
from helpers.pages import tree


def test_points_that_are_not_numbers_are_skipped():
    text = page(comparison([entry("a", 0.1, [NAN, 0.6, NAN, 0.7])], "sum"))
    assert lines_of(text)["a"].get("d").count("L") == 1


def test_there_is_no_chart_without_points():
    assert "<figure" not in page(comparison([entry("a", 0.1, [NAN] * 4)]))


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_odd_comparisons_are_drawn_with_numbers(odd):
    svg = [ElementTree.tostring(e, "unicode") for e in tree(page(*odd)).iter("svg")]
    assert not re.search(r"\b(nan|inf)\b", "".join(svg))
