"""Metrics, settings, data sets and experiments as text."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from costream.lab.experiment import Candidate, Experiment, Metric
from costream.lab.paper.printed import Printed
from costream.lab.plan import Summary
from costream.lab.results import ANOTHER, APART, EXACT, STATED, Block, Row
from costream.lab.texts import (
    compared_text,
    grid_text,
    heading_of,
    label_of,
    mean_text,
    metric_text,
    metric_title,
    names_of,
    printed_text,
    runs_text,
    setting_text,
    short_name,
    size_text,
    summary_text,
    title_of,
    z_score_text,
)
from costream.report.numbers import DASH, MINUS
from helpers.pages import INFO, VERDICTS, outcome


def test_a_sum_is_shown_in_percent_with_three_decimals_and_a_cost_with_one() -> None:
    assert (metric_text("sum", 0.6123449), metric_text("cost", 194.46)) == ("61.234", "194.5")


def test_a_mean_is_that_of_the_metric() -> None:
    assert mean_text("cost", outcome(17.25, "cost")) == "17.2"


@pytest.mark.parametrize(("runs", "text"), [(1, "60.000"), (2, "60.000 ± 1.500")])
def test_one_run_has_no_deviation(runs: int, text: str) -> None:
    assert summary_text("sum", Summary(runs, {"sum": 0.6}, {"sum": 0.015})) == text


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        (None, ""),
        (Printed("sum", 0.6, None, {}, 1.0, 1e-5), "60.000"),
        (Printed("cost", 194.5, 12.25, {}, 1.0, 0.1), "194.5 ± 12.2"),
    ],
)
def test_a_printed_number_and_its_deviation_if_there_is_one(printed: Printed, text: str) -> None:
    assert printed_text(printed) == text


def scored(mean: float, std: float | None = 0.01) -> Row:
    row = VERDICTS[STATED]
    return replace(
        row, printed=Printed("sum", 0.6, std, {}, 1.0, 1e-5), nearest=outcome(mean, std=std or 0.0)
    )


ERROR = 0.01 * math.sqrt(2 / 20)


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (scored(0.6), "= 0.0"),
        (scored(0.6 + 1.24 * ERROR), "\N{ALMOST EQUAL TO} +1.2"),
        (scored(0.6 - 1.24 * ERROR), f"\N{ALMOST EQUAL TO} {MINUS}1.2"),
        (scored(0.6 + 0.04 * ERROR), "\N{ALMOST EQUAL TO} 0.0"),
        (scored(0.6 + 0.07 * ERROR), "\N{ALMOST EQUAL TO} +0.1"),
        (scored(0.6 + 4 * ERROR), "\N{NOT EQUAL TO} +4.0"),
        (scored(0.7, None), "\N{NOT EQUAL TO} no error known"),
        (replace(VERDICTS[STATED], printed=None), ""),
    ],
)
def test_a_difference_has_a_sign_and_stands_behind_its_verdict(row: Row, text: str) -> None:
    assert z_score_text(row) == text


def test_every_verdict_has_its_sign() -> None:
    signs = {verdict: z_score_text(row).split()[0] for verdict, row in VERDICTS.items()}
    almost = "\N{ALMOST EQUAL TO}"
    assert signs == {EXACT: "=", STATED: almost, ANOTHER: f"({almost})", APART: "\N{NOT EQUAL TO}"}


@pytest.mark.parametrize(("table", "whole"), [("table2", True), ("table3", False)])
def test_what_is_compared_and_by_whose_spread(table: str, whole: bool) -> None:
    text = compared_text(table)
    assert ("the value, sensitivity and specificity" in text) == whole
    assert ("by the printed spread" in text) == whole
    assert ("the value alone" in text) == (not whole)
    assert ("by the spread of our own runs" in text) == (not whole)


def test_a_setting_without_values_is_a_dash_and_a_seed_of_the_run_is_not_shown() -> None:
    assert setting_text({}) == setting_text({"seed": "run"}) == DASH
    assert setting_text({"seed": "run", "eta": 0.5}) == "η 0.5"


def test_the_axes_of_a_grid_and_what_was_tried_beside_it() -> None:
    candidate = Candidate(
        "acog-i", grid={"eta": "1e-5..1e5", "gamma": [1.0, 10.0]}, also={"a9a": {"eta": [7.0]}}
    )
    gamma = "\N{GREEK SMALL LETTER GAMMA}"
    assert grid_text(candidate, "german") == f"η 1e-5 to 1e5; {gamma} 1, 10"
    assert grid_text(candidate, "a9a") == f"η 1e-5 to 1e5; {gamma} 1, 10; also η 7"


def test_titles_of_data_sets() -> None:
    assert [title_of(name) for name in ("german", "GERMAN", "mine")] == ["german", "german", "mine"]


TABLE2, FIGURE10 = Experiment("table2", "Printed"), Experiment("figure10", "Curves")
OWN = Experiment("table2b", "My table")


def test_names_of_experiments() -> None:
    assert [label_of(one) for one in (TABLE2, FIGURE10, OWN)] == ["Table 2", "Figure 10", ""]
    assert [short_name(one) for one in (TABLE2, OWN)] == ["Table 2", "My table"]
    assert [heading_of(one) for one in (TABLE2, OWN)] == ["Table 2. Printed", "My table"]


@pytest.mark.parametrize(
    ("experiments", "text"),
    [
        ([TABLE2], "Table 2"),
        ([TABLE2, TABLE2], "Table 2"),
        ([TABLE2, Experiment("table3", "Other")], "Tables 2 and 3"),
        ([TABLE2, OWN], "Table 2 and My table"),
    ],
)
def test_several_tables_are_named_together(experiments: list[Experiment], text: str) -> None:
    assert names_of(experiments) == text


def test_a_metric_with_its_costs() -> None:
    assert metric_title(Metric("sum", alpha_p=0.25)) == (
        "Sum in % (sensitivity weighs 0.25, specificity 0.75; higher is better)"
    )
    assert metric_title(Metric("cost", fn_cost=0.9, fp_cost=0.1)) == (
        "Cost (0.9 a missed positive, 0.1 a false alarm; lower is better)"
    )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"runs": {"default": 20}}, "20 permutations"),
        ({"runs": {"default": 1}}, "1 permutation"),
        ({"runs": {"default": 5}, "folds": 10}, "5 runs of 10-fold cross-validation"),
        (
            {"runs": {"default": 20}, "tuning": {"default": 3}},
            "20 permutations, settings chosen on 3 of them",
        ),
        ({"runs": {"default": 3}, "tuning": {"default": 3}}, "3 permutations"),
    ],
)
def test_the_size_of_a_data_set_and_its_runs(options: dict, text: str) -> None:
    block = Block(INFO, Metric(), [])
    found = size_text(Experiment("mine", "Mine", **options), block)
    assert found == f"1,000 rows, 300 positive (30.0 %), {text}"


def test_runs_of_nothing_and_of_several_data_sets() -> None:
    assert runs_text({}) == ""
    assert runs_text({"a": 1, "b": 2, "c": 1}) == "1 run on a and c, 2 runs on b"
