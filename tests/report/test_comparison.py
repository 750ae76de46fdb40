"""The page of comparisons: well-formed, self-contained, complete, and right for odd numbers too."""

import re

import pytest

from costream.learners import LEARNERS
from helpers.comparisons import ODD, all_learners, comparison, entry, lines_of, page, rows_of
from helpers.pages import tree, words


def test_the_page_is_well_formed_xml():
    assert tree(page(all_learners(), all_learners("sum", 5))).tag == "html"


def test_nothing_comes_from_outside():
    outside = r"https?:|//[a-z]|src=|@import|url\((?!#)|<link|<script"
    assert re.findall(outside, page(all_learners(), all_learners("sum", 5))) == []


@pytest.mark.parametrize("objective", ["cost", "sum"])
def test_learners_no_better_than_a_policy_are_marked(objective):
    assert list(rows_of(page(all_learners(objective)), "worse")) == list(LEARNERS)[-2:]


BEST = ["10", "90", "90.0", "90.0", "90.0", "100", "400", "80.0", "110"]


def test_the_best_value_of_a_column_is_bold():
    rows = rows_of(page(all_learners()), "good")
    bold = {name: [b.text for b in row.iter("b")] for name, row in rows.items()}
    assert bold.pop(next(iter(LEARNERS))) == BEST
    assert not any(bold.values())


def test_all_text_is_escaped():
    odd = "<b>&\"'"
    texts = page(comparison([entry(odd, 0.1, settings={odd: odd}), entry("b", 0.2)], title=odd))
    assert odd not in texts
    assert odd in lines_of(texts)


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_odd_comparisons_make_a_page(odd):
    body = words(tree(page(*odd)).find("body"))
    assert not re.search(r"\b(nan|inf|None)\b", body)
