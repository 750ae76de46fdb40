"""The chart of a comparison: who is in colour, names that do not touch, and points that are numbers."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from costream.costs.policies import POLICIES
from costream.learners import LEARNERS
from helpers.comparisons import NAN, ODD, PLACES, all_learners, comparison, entry, lines_of, page
from helpers.pages import tree, words


def test_six_learners_are_coloured_and_the_rest_are_thin():
    lines = lines_of(page(all_learners()))
    kinds = [lines[name].get("class") for name in LEARNERS]
    assert kinds == [f"line k{n}" for n in range(1, 7)] + ["line other"] * (len(LEARNERS) - 6)


def test_policies_are_dashed():
    lines = lines_of(page(all_learners()))
    assert {lines[name].get("class") for name in POLICIES} == {"line policy"}


def test_coloured_lines_are_named_beside_their_ends():
    for kind in ("wide", "narrow"):
        names = tree(page(all_learners())).findall(f".//svg[@class='{kind}']/text")
        names = [words(name).split()[0] for name in names if "name" in name.get("class", "")]
        assert set(names) == {*list(LEARNERS)[:6], *POLICIES}


def test_labels_do_not_touch():
    same = [entry(name, 0.1) for name in list(LEARNERS)[:6]]
    labels = tree(page(comparison([*same, entry(POLICIES[0], 0.1)]))).findall(
        ".//svg[@class='wide']/text"
    )
    heights = sorted(float(x.get("y")) for x in labels if "name" in x.get("class", ""))
    assert min(b - a for a, b in pairwise(heights)) > 15


def test_a_bill_starts_at_nothing():
    assert lines_of(page(all_learners()))["arow"].get("d").count("L") == len(PLACES)


def test_points_that_are_not_numbers_are_skipped():
    text = page(comparison([entry("a", 0.1, [NAN, 0.6, NAN, 0.7])], "sum"))
    assert lines_of(text)["a"].get("d").count("L") == 1


def test_there_is_no_chart_without_points():
    assert "<figure" not in page(comparison([entry("a", 0.1, [NAN] * 4)]))


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_odd_comparisons_are_drawn_with_numbers(odd):
    svg = [ElementTree.tostring(e, "unicode") for e in tree(page(*odd)).iter("svg")]
    assert not re.search(r"\b(nan|inf)\b", "".join(svg))
