"""The page of comparisons: well-formed, self-contained, complete, and calm about odd numbers."""

import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from costream import LEARNERS
from costream.evaluate.comparison import Comparison, Entry
from costream.evaluate.policies import POLICIES
from costream.report.comparison import COLUMNS, render
from costream.report.numbers import DASH, MINUS, decimals_of, number

NAN = math.nan
PLACES = [25, 50, 75, 100]


def entry(name, value, curve=None, settings=None):
    """An entry whose numbers are all made of one value from 0 (good) to 1 (bad)."""
    mean = {
        "missed": float(f"{100 * value:.9g}"),
        "false_alarms": float(f"{900 * value:.9g}"),
        "sensitivity": 1 - value,
        "specificity": 1 - value,
        "sum": 1 - value,
        "cost": float(f"{1000 * value:.9g}"),
        "savings": 1 - 2 * value,
        "seconds": 0.01 + value,
    }
    curve = [10 * value * place for place in PLACES] if curve is None else curve
    return Entry(name, settings or {}, mean, dict.fromkeys(mean, 0.25), curve)


def comparison(entries, objective="cost", runs=1, places=PLACES, title="Payments"):
    costs = {"fn_cost": "per row", "fp_cost": 5.0, "alpha_p": 0.5}
    return Comparison(title, "From nowhere.", objective, costs, 100, 10, runs, places, entries)


def all_learners(objective="cost", runs=1):
    """All learners, the policies between them: two learners are worse than a policy."""
    names = list(LEARNERS)
    entries = [entry(name, 0.1 + 0.02 * n) for n, name in enumerate(names[:-2])]
    entries += [entry(POLICIES[1], 0.5), entry(names[-2], 0.6), entry(names[-1], 0.7)]
    entries += [entry(POLICIES[0], 0.9)]
    return comparison(entries, objective, runs)


def page(*comparisons):
    return render(comparisons, "costream compare", "1.2.3")


def tree(text):
    return ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>"))


def words(element):
    return " ".join(" ".join(element.itertext()).split())


def rows_of(text, kind):
    """The rows of a kind (good, worse, constant) by the names in them."""
    found = tree(text).findall(f".//tr[@class='{kind}']")
    return {"".join(row.find("th/div").itertext()): row for row in found}


def lines_of(text, kind="wide"):
    """The curves of the chart by their names."""
    paths = tree(text).findall(f".//svg[@class='{kind}']/g/path")
    return {path.find("title").text: path for path in paths}


class Balance(HTMLParser):
    """Counts the tags that are open."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong = [], []

    def handle_starttag(self, tag, attrs):
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            self.wrong.append(tag)


def test_tags_are_balanced_for_a_browser():
    parser = Balance()
    parser.feed(page(all_learners(), all_learners("sum", 5)))
    assert (parser.open, parser.wrong) == ([], [])


def test_the_page_is_well_formed_xml():
    assert tree(page(all_learners(), all_learners("sum", 5))).tag == "html"


def test_nothing_comes_from_outside():
    outside = r"https?:|//[a-z]|src=|@import|url\((?!#)|<link|<script"
    assert re.findall(outside, page(all_learners(), all_learners("sum", 5))) == []


def test_ids_are_unique():
    ids = [e.get("id") for e in tree(page(all_learners(), all_learners())).iter() if e.get("id")]
    assert len(ids) == len(set(ids)) == 6


def test_every_learner_is_in_the_table():
    text = page(all_learners())
    assert set(LEARNERS) == rows_of(text, "good").keys() | rows_of(text, "worse").keys()


def test_constant_policies_have_rows_of_their_own_kind():
    assert rows_of(page(all_learners()), "constant").keys() == set(POLICIES)


@pytest.mark.parametrize("objective", ["cost", "sum"])
def test_learners_no_better_than_a_policy_are_marked(objective):
    assert list(rows_of(page(all_learners(objective)), "worse")) == list(LEARNERS)[-2:]


def test_the_order_of_the_entries_is_kept_and_policies_have_no_rank():
    rows = tree(page(all_learners())).findall(".//tbody/tr")
    ranks = [row.find("td").text for row in rows]
    assert ranks[-4:] == [None, str(len(LEARNERS) - 1), str(len(LEARNERS)), None]


BEST = ["10", "90", "90.0", "90.0", "90.0", "100", "80.0", "110"]


def test_the_best_value_of_a_column_is_bold():
    rows = rows_of(page(all_learners()), "good")
    bold = {name: [b.text for b in row.iter("b")] for name, row in rows.items()}
    assert bold.pop(next(iter(LEARNERS))) == BEST
    assert not any(bold.values())


def test_a_learner_that_does_nothing_is_not_best_at_false_alarms():
    idle = entry("idle", 0.6)
    idle.mean["false_alarms"] = 0
    text = page(comparison([entry("good", 0.1), entry(POLICIES[1], 0.5), idle]))
    assert rows_of(text, "worse")["idle"].find(".//b") is None


def test_policies_take_no_time():
    rows = rows_of(page(all_learners()), "constant")
    assert [row.findall("td")[-1].text for row in rows.values()] == [DASH, DASH]


def test_spread_is_shown_for_several_runs():
    assert "± 0.25" in words(rows_of(page(all_learners("cost", 5)), "good")["arow"])


def test_spread_is_not_shown_for_one_run():
    assert "±" not in words(rows_of(page(all_learners()), "good")["arow"])


def test_settings_stand_by_the_name():
    text = page(comparison([entry("acog-ii", 0.1, settings={"eta": 10.0, "new_sigma": True})]))
    assert "eta\xa010, new_sigma\xa0True" in text


def test_facts_are_stated():
    facts = words(tree(page(all_learners())).find(".//dl[@class='facts']"))
    assert facts.startswith("rows 100 positives 10 10.00 % objective cost less is better")
    assert "cost of a missed positive per row cost of a false alarm 5" in facts


def test_the_verdict_names_the_best_learner_and_the_better_policy():
    verdict = words(tree(page(all_learners())).find(".//p[@class='verdict']"))
    assert verdict.startswith("perceptron has the lowest bill, 100; the better constant policy,")
    assert verdict.endswith("always-negative , has 500. It saves 80.0 %.")


def test_the_verdict_admits_that_no_learner_helps():
    text = page(comparison([entry(POLICIES[0], 0.2), entry("arow", 0.4)]))
    assert "No learner beats the constant policy" in text


def test_every_metric_is_explained():
    terms = [term.text for term in tree(page()).findall(".//dl[@class='metrics']/dt")]
    assert terms[: len(COLUMNS)] == [column.title for column in COLUMNS]


def test_command_and_version_are_printed():
    text = render([], "costream compare --runs 3 'a&b'", "9.8.7")
    assert tree(text).find(".//pre/code").text == "costream compare --runs 3 'a&b'"
    assert "costream 9.8.7" in text


def test_all_text_is_escaped():
    odd = "<b>&\"'"
    texts = page(comparison([entry(odd, 0.1, settings={odd: odd}), entry("b", 0.2)], title=odd))
    assert odd not in texts
    assert odd in lines_of(texts)


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


# --- who led ----------------------------------------------------------------------------------------

LEADERS = ["diagonal, raw, gamma 1", "always negative", "full, sized, gamma 1", "full, sized, gamma 1"]
BILLS = {"full, sized, gamma 1": 20.0, "diagonal, raw, gamma 1": 24.5, "x": 30.0, "y": 31.0}
BILLS |= {"always negative": 50.0, "always positive": 90.0}


def led(leaders=LEADERS, member_costs=BILLS, settings=None, curve=None, **options):
    """A comparison of a portfolio and a policy."""
    first = replace(entry("auto", 0.1, curve, settings), leaders=leaders, member_costs=member_costs)
    return comparison([first, entry(POLICIES[1], 0.5)], **options)


def segments_of(text, kind="wide"):
    """The titles, boxes and labels of the strip."""
    found = tree(text).findall(f".//svg[@class='{kind}']/g[@class='led']/g")
    return [(one.find("title").text, one.find("rect"), one.findtext("text")) for one in found]


def told(text):
    return words(tree(text).findall(".//figcaption/p")[-1])


@pytest.mark.parametrize("kind", ["wide", "narrow"])
def test_each_stretch_of_rows_with_one_leader_is_a_segment(kind):
    titles = [title for title, _, _ in segments_of(page(led()), kind)]
    assert titles == [
        "diagonal, raw, gamma 1: rows 1 to 25",
        "always negative: rows 26 to 50",
        "full, sized, gamma 1: rows 51 to 100",
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
    assert [label for *_, label in wide] == ["1", "always negative", "full, sized, gamma 1"]
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
    assert items == [*expected, "3 full, sized, gamma 1 (50 %)"]


def test_the_caption_tells_who_led_and_how_far_behind_others_were():
    assert told(page(led(runs=5))) == (
        "Who led auto (first run): full, sized, gamma 1 at the end, after 2 others. The mistakes of "
        "that one have cost 20.00; those of the next, diagonal, raw, gamma 1 , 4.50 more; those of "
        "always negative 30.00 more; those of always positive 70.00 more."
    )


def test_one_leader_leads_all_the_way():
    text = told(page(led(LEADERS[-1:] * 4)))
    assert text.startswith("Who led auto: full, sized, gamma 1 all the way.")


def test_the_unit_of_a_sum_is_said():
    assert "have cost 20.00 (a false alarm costs 1);" in told(page(led(objective="sum")))


def test_a_half_life_is_said():
    assert "that one, which count half after 1,000 rows, have" in told(
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


ODD = {
    "nothing": [],
    "no entries": [comparison([])],
    "one entry": [comparison([entry("a", 0.1)])],
    "one policy": [comparison([entry(POLICIES[0], 0.1)])],
    "one place": [comparison([entry("a", 0.1, [5.0])], "sum", places=[100])],
    "place 0": [comparison([entry("a", 0.1, [0.0])], places=[0])],
    "no places": [comparison([entry("a", 0.1, [])], places=[])],
    "all nan": [comparison([entry("a", NAN, [NAN] * 4), entry(POLICIES[0], NAN, [NAN] * 4)])],
    "all zero": [comparison([entry("a", 0.0), entry(POLICIES[0], 0.0)])],
    "infinite": [comparison([entry("a", math.inf), entry("b", 0.1)])],
    "huge": [comparison([entry("a", 1e290), entry("b", 2e299)])],
    "too large to draw": [comparison([entry("a", 1e302), entry("b", 1e305)])],
    "tiny": [comparison([entry("a", 1e-290), entry("b", 2e-290)])],
    "no metrics": [comparison([Entry("a", {}, {}, {}, []), Entry(POLICIES[0], {}, {}, {}, [])])],
    "leaders without member_costs": [led(member_costs={})],
    "member_costs that are no numbers": [led(member_costs=dict.fromkeys(BILLS, math.inf))],
    "a single bill": [led(member_costs={LEADERS[-1]: 1.0})],
    "fewer leaders than places": [led(LEADERS[:2])],
    "leaders without places": [led(places=[])],
    "no rows": [Comparison("", "", "sum", {}, 0, 0, 0, [], [])],
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_odd_comparisons_make_a_page(odd):
    body = words(tree(page(*odd)).find("body"))
    assert not re.search(r"\b(nan|inf|None)\b", body)


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_odd_comparisons_are_drawn_with_numbers(odd):
    svg = [ElementTree.tostring(e, "unicode") for e in tree(page(*odd)).iter("svg")]
    assert not re.search(r"\b(nan|inf)\b", "".join(svg))


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (1234567.0, 0, "1,234,567"),
        (-0.04, 1, "0.0"),
        (-1.5, 1, f"{MINUS}1.5"),
        (NAN, 1, DASH),
        (3.2e15, 0, "3.2e+15"),
        (1.5e-9, 12, f"1.5e{MINUS}09"),
    ],
)
def test_numbers_are_written_plainly(value, decimals, text):
    assert number(value, decimals) == text


@pytest.mark.parametrize(("values", "decimals"), [([3, 200], 0), ([0.5, 20.0], 2), ([0.5], 4), ([], 0)])
def test_decimals_follow_the_largest_number(values, decimals):
    assert decimals_of(values) == decimals
