"""What all pages share: the head, one style, places with names, and tables that scroll in their box."""

from importlib.resources import files

import pytest

from costream.report.page import Ids, box, facts, meanings, paragraph, render_page
from helpers import comparisons, pages
from helpers.pages import Reader, tree, words

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


def test_a_window_may_have_another_title():
    page = tree(made(window_title="Other"))
    assert (page.findtext("head/title"), page.findtext("body/header/h1")) == ("Other", "A <title>")


def test_the_header_ends_before_the_body_begins():
    body = tree(made()).find("body")
    assert [element.tag for element in body] == ["header", "p"]
    assert body[0][-1].tag == "nav"


def test_ids_are_never_given_twice():
    ids = Ids()
    assert [ids.new(text) for text in ("Table 2", "table-2", "?!", "")] == [
        "table-2",
        "table-2-2",
        "x",
        "x-2",
    ]


def test_parts_are_escaped():
    parts = [
        facts([("<a>", "<b>", "<c>")]),
        meanings({"<a>": "<b>"}),
        box("<a>", ""),
        paragraph("note", "<a>"),
    ]
    for part in parts:
        assert "<a>" in words(tree(part))


def test_an_empty_paragraph_is_nothing():
    assert paragraph("note", "") == ""


# --- every page -------------------------------------------------------------------------------------


@PAGES
def test_every_table_sits_in_a_box_that_scrolls(text):
    """Otherwise the whole page would scroll sideways on a phone."""
    boxed = [
        box.find("table") for box in tree(text).iter("div") if "scroll" in box.get("class", "").split()
    ]
    assert len(boxed) == len(list(tree(text).iter("table"))) > 0
    assert None not in boxed


@PAGES
def test_a_phone_shows_the_page_at_its_own_width(text):
    (meta,) = tree(text).findall("head/meta[@name='viewport']")
    assert meta.get("content") == "width=device-width, initial-scale=1"


@PAGES
def test_every_page_has_the_one_base_style_and_a_sheet_of_its_own(text):
    base = (files("costream.report") / "style.css").read_text(encoding="utf-8")
    style = tree(text).findtext("head/style").strip()
    assert style.startswith(base.strip())
    assert len(style) > len(base)


def test_a_box_that_scrolls_does_so_inside_the_page():
    base = (files("costream.report") / "style.css").read_text(encoding="utf-8")
    rule = base.split(".scroll {", 1)[1].split("}", 1)[0]
    assert "overflow-x: auto" in rule


@PAGES
def test_tags_are_closed(text):
    reader = Reader(text)
    assert (reader.open, reader.wrong) == ([], [])
