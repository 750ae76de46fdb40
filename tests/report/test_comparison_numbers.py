"""The numbers on the page of a comparison: their decimals and units, the bars, the best in bold."""

import math

import pytest

from costream.costs.policies import POLICIES
from costream.evaluation.results import Comparison
from costream.report.comparison import columns_for
from helpers.comparisons import comparison, entry, page, rows_of
from helpers.pages import tree, words

KINDS = ("good", "worse", "constant")


def keys_for(objective):
    return [column.name for column in columns_for(objective)]


def cells(text, name):
    """The cells of a learner by the key of their column."""
    (row,) = [rows_of(text, kind)[name] for kind in KINDS if name in rows_of(text, kind)]
    found = row.findall("td")[1:]
    (keys,) = [keys for one in ("sum", "cost") if len(keys := keys_for(one)) == len(found)]
    return dict(zip(keys, found, strict=True))


def texts(text, name):
    return {key: words(cell) for key, cell in cells(text, name).items()}


def test_a_deviation_that_is_no_number_is_not_shown():
    one = entry("a", 0.1)
    one.std["cost"] = math.nan
    assert texts(page(comparison([one], runs=2)), "a")["cost"] == "100"


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


def facts(made):
    return words(tree(page(made)).find(".//dl[@class='facts']"))


def test_a_share_of_no_rows_is_not_stated():
    assert facts(Comparison("t", "", "sum", {}, 0, 0, 1, [], [])).startswith(
        "rows 0 positives 0 objective"
    )
