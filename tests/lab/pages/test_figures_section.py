"""The sections of the page with figures: captions, links, and what must not be overlooked."""

from __future__ import annotations

import pytest

from costream.lab.experiment import Candidate, Experiment
from costream.lab.pages.findings import Findings
from costream.lab.pages.report import render
from costream.lab.results import Figure
from costream.lab.texts import SAMPLE
from helpers.pages import tree, words


def page(*figures: Figure) -> str:
    return render(Findings(figures=list(figures)), "costream lab", "1.2.3")


def made(name: str = "figure3", runs: dict[str, int] | None = None, **options: object) -> Figure:
    return Figure(Experiment(name, "Curves", "curves", **options), "<svg/>", runs=runs or {})


@pytest.mark.parametrize(("quick", "expected"), [(True, [SAMPLE]), (False, [])])
def test_a_figure_of_a_sample_says_so(quick: bool, expected: list[str]) -> None:
    loud = tree(page(made(is_quick=quick))).iterfind(".//section[@id='figures']//p[@class='loud']")
    assert [words(one) for one in loud] == expected


def test_a_caption_has_the_note_the_runs_and_what_is_special_about_a_learner() -> None:
    candidates = (Candidate("auto", ratio="estimated"), Candidate("perceptron"))
    text = page(made(runs={"german": 20, "a9a": 1}, note="A note.", candidates=candidates))
    assert words(tree(text).find(".//figcaption")) == (
        "A note. Means of 20 runs on german, 1 run on a9a; bars and bands are one standard error. "
        "auto has an intercept and scales the features itself, and estimates the class ratio on the "
        "way; the others have neither and are given the ratio."
    )


def test_a_figure_without_runs_or_a_note_has_no_caption() -> None:
    assert words(tree(page(made())).find(".//figcaption")) == ""


def test_every_figure_is_linked_under_its_short_name() -> None:
    text = page(made("figure3"), made("mine"))
    links = tree(text).findall(".//nav[@class='contents']//span/a")
    assert [link.text for link in links] == ["Figure 3", "Curves"]
    ids = {one.get("id") for one in tree(text).iter("figure")}
    assert {link.get("href")[1:] for link in links} == ids


def test_a_figure_names_the_data_sets_that_it_lacks() -> None:
    lacking, whole = made("figure3"), made("figure4")
    found = Findings(
        figures=[lacking, whole],
        missing={"kddcup08": [lacking.experiment]},
        stand_ins={"kddcup08": []},
    )
    drawn = tree(render(found, "costream lab", "1.2.3")).iter("figure")
    assert [[words(p) for p in one.findall("p")] for one in drawn] == [["MISSING: KDDCUP08."], []]
    assert tree(render(found, "costream lab", "1.2.3")).find(".//figure/p").get("class") == "loud"
