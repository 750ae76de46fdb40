"""What all pages share: a head of text, and tags that are closed."""

import pytest

from costream.report.page import render_page
from helpers import comparisons, pages
from helpers.pages import Reader, tree

COMPARED = comparisons.page(comparisons.all_learners(), comparisons.all_learners("sum", 5))
LAB = pages.page(pages.table(*pages.VERDICTS.values()))
PAGES = pytest.mark.parametrize("text", [COMPARED, LAB], ids=["compare", "lab"])


def made(title="A <title>", command="costream 'a&b'", **options):
    return render_page(
        title, "costream 1.2.3", command, ["<nav/>"], ["<p/>"], "comparison.css", **options
    )


def test_title_command_and_eyebrow_are_escaped():
    page = tree(made())
    assert page.findtext("head/title") == page.findtext("body/header/h1") == "A <title>"
    assert page.findtext("body/header/pre/code") == "costream 'a&b'"
    assert page.findtext("body/header/p") == "costream 1.2.3"


# --- every page -------------------------------------------------------------------------------------


@PAGES
def test_tags_are_closed(text):
    reader = Reader(text)
    assert (reader.open, reader.wrong) == ([], [])
