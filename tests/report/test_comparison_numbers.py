"""The numbers on the page of a comparison: their decimals and units, the bars, the best in bold."""

import math

import pytest

from costream.costs.policies import POLICIES
from costream.evaluation.results import Comparison
from costream.report.comparison import columns_for
from costream.report.numbers import DASH
from helpers.comparisons import all_learners, comparison, entry, lines_of, page, rows_of
from helpers.pages import tree, words

KINDS = ("good", "worse", "constant")


def keys_for(objective):
    return [column.key for column in columns_for(objective)]


def cells(text, name):
    """The cells of a learner by the key of their column."""
    (row,) = [rows_of(text, kind)[name] for kind in KINDS if name in rows_of(text, kind)]
    found = row.findall("td")[1:]
    (keys,) = [keys for one in ("sum", "cost") if len(keys := keys_for(one)) == len(found)]
    return dict(zip(keys, found, strict=True))


def texts(text, name):
    return {key: words(cell) for key, cell in cells(text, name).items()}


def with_mean(name, value, **mean):
    one = entry(name, value)
    one.mean.update(mean)
    return one


@pytest.mark.parametrize(
    ("seconds", "title", "text"),
    [
        (0.0001234, "time, ms", "0.12"),
        (0.001234, "time, ms", "1.23"),
        (0.1234, "time, ms", "123"),
        (9.99, "time, ms", "9,990"),
        (10.0, "time, s", "10"),
        (12.34, "time, s", "12.3"),
    ],
)
def test_times_are_in_milliseconds_below_ten_seconds(seconds, title, text):
    made = page(comparison([with_mean("a", 0.1, seconds=seconds)]))
    assert words(tree(made).findall(".//thead/tr/th")[-1]) == title
    assert texts(made, "a")["seconds"] == text


def test_the_longest_time_decides_on_the_unit():
    short, long = with_mean("a", 0.1, seconds=0.5), with_mean("b", 0.2, seconds=20.25)
    endless = with_mean("c", 0.3, seconds=math.inf)
    made = page(comparison([short, long, endless]))
    assert [texts(made, name)["seconds"] for name in "abc"] == ["0.5", "20.2", DASH]


@pytest.mark.parametrize(("runs", "text"), [(1, "87.7"), (2, "87.66 ± 25.00")])
def test_percentages_have_another_decimal_where_there_are_several_runs(runs, text):
    made = page(comparison([with_mean("a", 0.1, sensitivity=0.87659)], runs=runs))
    assert texts(made, "a")["sensitivity"] == text


def test_a_column_has_the_same_decimals():
    made = page(comparison([with_mean("a", 0.1, missed=3), with_mean("b", 0.2, missed=10.5)]))
    assert [texts(made, name)["missed"] for name in "ab"] == ["3.00", "10.50"]


def test_deviations_count_among_the_decimals_of_several_runs():
    entries = [with_mean("a", 0.1, missed=3), with_mean("b", 0.2, missed=10)]
    assert texts(page(comparison(entries)), "a")["missed"] == "3"
    assert texts(page(comparison(entries, runs=2)), "a")["missed"] == "3.00 ± 0.25"


def test_a_deviation_that_is_no_number_is_not_shown():
    one = entry("a", 0.1)
    one.std["cost"] = math.nan
    assert texts(page(comparison([one], runs=2)), "a")["cost"] == "100"


def test_policies_have_no_deviation():
    made = page(comparison([entry("a", 0.1), entry(POLICIES[0], 0.5)], runs=2))
    assert "±" not in texts(made, POLICIES[0])["cost"]


def bar(text, name, objective):
    return cells(text, name)[objective].find("i").get("style")


@pytest.mark.parametrize(
    ("objective", "value", "part"),
    [
        ("cost", 0.1, "20.0%"),
        ("cost", 0.12345, "24.7%"),
        ("cost", 0.7, "100.0%"),
        ("sum", 0.1, "80.0%"),
        ("sum", 0.7, "0.0%"),
        ("cost", math.nan, "0.0%"),
    ],
)
def test_a_bar_is_measured_with_the_better_policy(objective, value, part):
    policies = [entry(POLICIES[0], 0.5), entry(POLICIES[1], 0.9)]
    text = page(comparison([entry("a", value), *policies], objective))
    assert bar(text, "a", objective) == f"--part:{part}"


def test_a_policy_without_mistakes_leaves_no_bar():
    text = page(comparison([entry("a", 0.1), entry(POLICIES[0], 0.0)], "sum"))
    assert bar(text, "a", "sum") == "--part:0.0%"


def test_only_the_column_of_the_objective_has_bars():
    made = cells(page(comparison([entry("a", 0.1), entry(POLICIES[0], 0.5)], "sum")), "a")
    assert [key for key, cell in made.items() if cell.find("i") is not None] == ["sum"]


def test_without_policies_there_are_no_bars():
    made = cells(page(comparison([entry("a", 0.1)])), "a")
    assert all(cell.find("i") is None for cell in made.values())


def test_all_that_look_best_are_bold():
    made = page(comparison([with_mean("a", 0.1, sum=0.9), with_mean("b", 0.2, sum=0.90001)]))
    assert [cells(made, name)["sum"].findtext("b") for name in "ab"] == ["90.0", "90.0"]


def test_a_dash_is_never_bold():
    made = page(comparison([entry("a", math.nan), entry("b", math.nan)]))
    assert cells(made, "a")["cost"].find("b") is None


def test_no_learner_is_bold_where_none_is_useful():
    made = page(comparison([entry(POLICIES[0], 0.1), entry("a", 0.5)]))
    assert all(cell.find("b") is None for cell in cells(made, "a").values())


def verdict(*entries, objective="cost"):
    return words(tree(page(comparison(entries, objective))).find(".//p[@class='verdict']"))


def test_the_verdict_of_a_sum_is_in_percent_and_saves_nothing():
    assert verdict(entry("a", 0.1), entry(POLICIES[0], 0.5), objective="sum") == (
        "a has the highest sum, 90.0 %; the better constant policy, always-positive , has 50.0 %."
    )


def test_the_verdict_without_policies():
    assert verdict(entry("a", 0.1), entry("b", 0.05)) == (
        "b has the lowest bill, 50. It saves 450, 90.0 % of what perfect decisions would save."
    )


def test_the_verdict_says_nothing_about_savings_that_are_no_number():
    assert verdict(with_mean("a", 0.1, savings=math.nan)) == "a has the lowest bill, 100."


def test_the_verdict_has_the_decimals_of_all_bills():
    assert verdict(with_mean("a", 0.1, cost=7.0), with_mean("b", 0.2, cost=12.5)).startswith(
        "a has the lowest bill, 7.00."
    )


def facts(made):
    return words(tree(page(made)).find(".//dl[@class='facts']"))


def test_facts_of_a_sum():
    made = Comparison("t", "", "sum", {"alpha_p": 0.25}, 2000, 3, 1500, [], [entry("a", 0.1)])
    assert facts(made) == (
        "rows 2,000 positives 3 0.15 % objective sum higher is better weight of sensitivity 0.25 "
        "runs 1,500"
    )


def test_a_share_of_no_rows_is_not_stated():
    assert facts(Comparison("t", "", "sum", {}, 0, 0, 1, [], [])).startswith(
        "rows 0 positives 0 objective"
    )


@pytest.mark.parametrize(
    ("entries", "objective", "key"),
    [
        (["a"], "cost", "Bold: the best of the learners."),
        (["a", POLICIES[0]], "cost", "as a part of that of the better constant policy."),
        (["a", POLICIES[0]], "sum", "(empty) to no mistake (full)."),
    ],
)
def test_the_key_says_what_a_bar_is(entries, objective, key):
    made = [entry(name, 0.1 + 0.2 * n) for n, name in enumerate(entries)]
    text = words(tree(page(comparison(made, objective))).find(".//p[@class='key']"))
    assert text.endswith(key)


def test_links_only_where_there_are_several_comparisons():
    one, two = comparison([entry("a", 0.1)]), comparison([entry("a", 0.1)], title="Other")
    assert tree(page(one)).find(".//nav") is None
    links = tree(page(one, two)).findall(".//nav/a")
    assert [(link.get("href"), link.text) for link in links] == [("#c0", "Payments"), ("#c1", "Other")]


def test_the_line_beside_a_name_is_that_of_the_chart():
    text = page(all_learners())
    lines = {name: line.get("class") for name, line in lines_of(text).items()}
    rows = {name: row for kind in KINDS for name, row in rows_of(text, kind).items()}
    assert {name: row.find("th/div/svg/path").get("class") for name, row in rows.items()} == lines


@pytest.mark.parametrize("objective", ["sum", "cost"])
def test_the_column_of_the_objective_is_marked(objective):
    heads = tree(page(comparison([entry("a", 0.1)], objective))).findall(".//thead/tr/th")[2:]
    marked = [
        key
        for key, head in zip(keys_for(objective), heads, strict=True)
        if head.get("class") == "ranked"
    ]
    assert marked == [objective]


def test_the_note_says_where_the_rows_come_from():
    note = tree(page(comparison([entry("a", 0.1)]))).find(".//section/p")
    assert (note.get("class"), note.text) == ("note", "From nowhere.")
