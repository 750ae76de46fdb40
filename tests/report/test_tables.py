"""Tables: aligned as text, in a box that scrolls as HTML, nothing but text as Markdown."""

import math

import pytest

from costream.report.tables import (
    Column,
    html_table,
    markdown_code,
    markdown_table,
    markdown_text,
    metrics_table,
    small_std,
    text_table,
)
from helpers.pages import tree

METRICS = {
    "missed": 107.5,
    "false_alarms": 3544.0,
    "sensitivity": 0.5191,
    "specificity": 0.8208,
    "sum": 0.67,
    "cost": 40767.3,
    "saved": -23977.3,
    "savings": -1.428,
    "seconds": 0.0021,
}


def test_columns_of_text_are_aligned():
    assert text_table(("name", "n"), [["a", "1,000"], ["long name", "5"]]) == (
        "name           n\na          1,000\nlong name      5"
    )


def test_metrics_on_a_terminal():
    line = metrics_table([("arow", METRICS)], "learner").splitlines()[1]
    assert line.split() == [
        "arow",
        "107.5",
        "3,544",
        "51.9%",
        "82.1%",
        "0.6700",
        "40,767",
        "-23,977",
        "-142.8%",
        "0.002",
    ]


def test_what_is_saved_stands_beside_the_savings_where_there_is_money():
    heads = [metrics_table([("arow", METRICS)], money=money).split()[:10] for money in (True, False)]
    assert heads[0][6:9] == ["cost", "saved", "savings"]
    assert heads[1][6:8] == ["cost", "savings"]


@pytest.mark.parametrize("value", [math.nan, -0.25])
def test_a_terminal_gets_nothing_but_ascii(value):
    line = metrics_table([("arow", dict.fromkeys(METRICS, value))]).splitlines()[1]
    assert line.isascii()
    assert line.count("-") == len(METRICS)


COLUMNS = [Column("<name>", left=True), Column("value", "ours"), Column("setting", "ours", left=True)]


def test_a_table_is_in_a_box_that_scrolls_and_can_be_reached_by_keys():
    box = tree(html_table('the "label"', COLUMNS, [("", ["a", "1", "x"])]))
    assert box.get("class").split()[0] == "scroll"
    assert (box.get("tabindex"), box.get("role"), box.get("aria-label")) == (
        "0",
        "region",
        'the "label"',
    )
    assert box.find("table") is not None


def test_columns_of_a_group_stand_under_a_common_head():
    rows = tree(html_table("x", COLUMNS, [])).findall("table/thead/tr")
    assert [(cell.text, cell.get("colspan")) for cell in rows[0]] == [(None, "1"), ("ours", "2")]
    assert [cell.text for cell in rows[1]] == ["<name>", "value", "setting"]


def test_the_first_column_is_that_of_the_names():
    heads = tree(html_table("x", COLUMNS, [])).findall("table/thead/tr")[1]
    assert [head.get("class") for head in heads] == ["who", "begin", "word"]


@pytest.mark.parametrize(("options", "style"), [({}, None), ({"std": 5}, "--std:5ch")])
def test_deviations_may_have_a_width_of_their_own(options, style):
    table = tree(html_table("x", COLUMNS, [], **options)).find("table")
    assert table.get("style") == style


def test_the_first_cell_of_a_row_is_its_head():
    (row,) = tree(html_table("x", COLUMNS, [("worse", ["a", "1", "y"])])).findall("table/tbody/tr")
    assert (row.get("class"), row[0].tag, row[0].get("scope")) == ("worse", "th", "row")
    assert [cell.get("class") for cell in row[1:]] == ["begin", "word"]


@pytest.mark.parametrize(
    ("text", "html"),
    [("1.5 ± 0.2", "1.5 <small>± 0.2</small>"), ("1.5", "1.5 <small></small>"), ("", "")],
)
def test_a_standard_deviation_is_small(text, html):
    assert small_std(text) == html


def test_markdown_has_as_many_bars_in_each_line():
    lines = markdown_table(["a", "b", "c"], [["1", "2", "3"]], left=2).splitlines()
    assert lines == ["| a | b | c |", "| :-- | :-- | --: |", "| 1 | 2 | 3 |"]


def test_one_column_of_markdown_is_on_the_left_unless_told_otherwise():
    assert markdown_table(["a", "b"], []).splitlines()[1] == "| :-- | --: |"


def test_text_of_markdown_is_nothing_but_text():
    assert markdown_text("a|b_c  *d*\n<e>") == r"a\|b\_c \*d\* &lt;e>"


@pytest.mark.parametrize(("text", "code"), [("a b", "`a b`"), ("a `b`", "`` a `b` ``")])
def test_code_of_markdown_has_a_fence_of_its_own(text, code):
    assert markdown_code(text) == code
