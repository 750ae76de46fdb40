"""Who led a portfolio: the strip below the chart, its legend and its caption."""

import re

import pytest

from helpers.comparisons import LEADERS, NAN, all_learners, led, lines_of, page
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


def test_segments_end_where_the_curves_do():
    """Two places of four have a number."""
    text = page(led(curve=[1.0, 2.0, NAN, NAN]))
    box = segments_of(text)[-1][1]
    assert float(box.get("x")) + float(box.get("width")) <= 1000 - 204 + 1


def test_a_name_is_written_where_it_fits_and_else_its_number():
    wide, narrow = (segments_of(page(led()), kind) for kind in ("wide", "narrow"))
    assert [label for *_, label in wide] == ["1", "always negative", "full, scaled, gamma 1"]
    assert [label for *_, label in narrow] == ["1", "2", "3"]


def test_a_sliver_has_a_title_alone():
    places = list(range(1, 121))
    text = page(led([str(n % 2) for n in places], curve=places, places=places))
    assert {label for *_, label in segments_of(text, "narrow")} == {None}


def test_who_led_longest_has_the_strongest_tone():
    assert [box.get("class") for _, box, _ in segments_of(page(led()))] == ["t2", "t3", "t1"]


def test_the_legend_has_the_numbers_and_shares():
    items = [words(one) for one in tree(page(led())).findall(".//ul[@class='led']/li")]
    expected = ["1 diagonal, raw, gamma 1 (25 %)", "2 always negative (25 %)"]
    assert items == [*expected, "3 full, scaled, gamma 1 (50 %)"]


def test_the_caption_tells_who_led_and_how_far_behind_others_were():
    assert caption(page(led(runs=5))) == (
        "Who led auto (first run): full, scaled, gamma 1 at the end, after 2 others. The mistakes of "
        "that one have cost 20.00; those of the next, diagonal, raw, gamma 1 , 4.50 more; those of "
        "always negative 30.00 more; those of always positive 70.00 more."
    )


def test_one_leader_leads_all_the_way():
    text = caption(page(led(LEADERS[-1:] * 4)))
    assert text.startswith("Who led auto: full, scaled, gamma 1 all the way.")


def test_the_unit_of_a_sum_is_stated():
    assert "have cost 20.00 (a false alarm costs 1);" in caption(page(led(objective="sum")))


def test_a_half_life_is_stated():
    assert "that one, which count half after 1,000 rows, have" in caption(
        page(led(settings={"half_life": 1000}))
    )


def test_names_of_leaders_are_escaped():
    odd = "<i>&\"'"
    text = page(led([odd] * 4, {odd: 1.0, "<s>": 2.0}))
    assert odd not in text
    assert "<s>" not in text
    assert [label for *_, label in segments_of(text)] == [odd]


def test_nothing_is_drawn_where_no_portfolio_was_run():
    assert not re.search(r"class=.led|Who led|who led", page(all_learners()))


def test_a_strip_makes_room_below_the_chart():
    """The other numbers of the chart are where they were."""
    sizes = [tree(page(one)).find(".//svg").get("viewBox") for one in (all_learners(), led())]
    assert sizes == ["0 0 1000 430", "0 0 1000 462"]


@pytest.mark.parametrize(("runs", "said"), [(1, False), (2, True)])
def test_leaders_of_several_runs_are_those_of_the_first(runs, said):
    assert ("Who led auto (first run):" in caption(page(led(runs=runs)))) == said
