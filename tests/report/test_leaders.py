"""Who led a portfolio: the strip below the chart, its legend and its caption."""

import re

import pytest

from helpers.comparisons import led, lines_of, page
from helpers.pages import tree, words


def segments_of(text, kind="wide"):
    """The titles, boxes and labels of the strip."""
    found = tree(text).findall(f".//svg[@class='{kind}']/g[@class='led']/g")
    return [(one.find("title").text, one.find("rect"), one.findtext("text")) for one in found]


def caption(text):
    return words(tree(text).findall(".//figcaption/p")[-1])


@pytest.mark.parametrize("kind", ["wide", "narrow"])
def test_each_stretch_of_rows_with_one_leader_is_a_segment(kind):
    titles = [title for title, _, _ in segments_of(page(led()), kind)]
    assert titles == [
        "diagonal, raw, gamma 1: rows 1 to 25",
        "always negative: rows 26 to 50",
        "full, scaled, gamma 1: rows 51 to 100",
    ]


@pytest.mark.parametrize("kind", ["wide", "narrow"])
def test_segments_stand_over_the_rows_of_the_chart(kind):
    text = page(led())
    ends = re.findall(r"[\d.]+(?= )", lines_of(text, kind)["auto"].get("d"))
    boxes = [box for _, box, _ in segments_of(text, kind)]
    assert [box.get("x") for box in boxes] == [ends[0], ends[1], ends[2]]
    last = float(boxes[-1].get("x")) + float(boxes[-1].get("width"))
    assert last == pytest.approx(float(ends[-1]) - 1, abs=0.15)


def test_names_of_leaders_are_escaped():
    odd = "<i>&\"'"
    text = page(led([odd] * 4, {odd: 1.0, "<s>": 2.0}))
    assert odd not in text
    assert "<s>" not in text
    assert [label for *_, label in segments_of(text)] == [odd]


@pytest.mark.parametrize(("runs", "message"), [(1, False), (2, True)])
def test_leaders_of_several_runs_are_those_of_the_first(runs, message):
    assert ("Who led auto (first run):" in caption(page(led(runs=runs)))) == message
