"""The page of the lab: well-formed, self-contained, and complete about what is missing."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from costream.errors import CostreamError
from costream.lab.experiment import Candidate, Experiment, Metric
from costream.lab.lab import Lab
from costream.lab.loader import Loader
from costream.lab.pages.findings import Findings, gather
from costream.lab.pages.report import render, write_report
from costream.lab.paper.differences import read_differences
from costream.lab.reading import parse_experiment
from costream.lab.results import EXACT, STATED
from costream.lab.store import TIMES, Store
from helpers.commands import write_libsvm
from helpers.pages import VERDICTS, Reader, heads, lines, page, row, table, tree, words

SVG = "http://www.w3.org/2000/svg"

# --- experiments on made-up rows --------------------------------------------------------------------

LEARNERS = """
[[learners]]
learner = "perceptron"

[[learners]]
learner = "cog-ii"
label = "COG"
grid.eta = [0.1, 10.0]
"""
MINE = """
title = "Mine"
note = "A note."
datasets = ["rows"]
files.rows = {path = "rows.libsvm"}
metrics = ["sum", "cost"]
runs = 2
"""
CURVES = """
title = "My curves"
kind = "curves"
datasets = ["rows"]
files.rows = {path = "rows.libsvm"}
runs = 2
"""
LACKING = """
title = "Lacking"
datasets = ["rows", "kddcup08"]
files.rows = {path = "rows.libsvm"}
files.others = {path = "rows.libsvm"}
substitutes.kddcup08 = ["others"]
runs = 1
"""
PAPER = """
title = "As the paper"
printed = "table2"
datasets = ["german"]
files.german = {path = "rows.libsvm"}
runs = 2

[[learners]]
learner = "perceptron"
label = "Perceptron"

[[learners]]
learner = "carow-diag"
label = "CAROW_diag"
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    write_libsvm(folder / "rows.libsvm", rows=30, width=4)
    return folder


def experiment(home: Path, text: str, name: str = "mine") -> Experiment:
    text = text if "[[learners]]" in text else text + LEARNERS
    return parse_experiment(text, name, home, name)


def lab_of(output: Path, *experiments: Experiment) -> Lab:
    return Lab(experiments, Loader(output.parent, download=False), Store(output))


def ran(output: Path, *experiments: Experiment) -> Lab:
    lab = lab_of(output, *experiments)
    lab.run(lambda *_: None)
    return lab


def page_of(output: Path, *experiments: Experiment) -> str:
    lab = ran(output, *experiments)
    return write_report(lab, output, "costream lab run", None).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def whole(home: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page with nearly everything on it."""
    tables = [experiment(home, text, f"e{n}") for n, text in enumerate([MINE, LACKING, PAPER])]
    curves = [experiment(home, CURVES, name) for name in ("figure3", "again")]
    return page_of(tmp_path_factory.mktemp("data") / "out", *tables, *curves)


# --- the page as a document -------------------------------------------------------------------------


def test_the_page_is_well_formed_xml(whole: str) -> None:
    assert tree(whole).tag == "html"


def test_ids_are_unique_even_of_the_same_figure_twice(whole: str) -> None:
    ids = Reader(whole).ids
    assert len(ids) > 10
    assert len(set(ids)) == len(ids)


def test_nothing_comes_from_outside(whole: str) -> None:
    reader = Reader(whole)
    assert all(one.startswith("#") for one in reader.references)
    assert not {"script", "link", "img", "iframe"} & reader.tags.keys()
    assert not re.search(r"@import|url\((?!#)", whole)


def test_every_link_leads_somewhere(whole: str) -> None:
    reader = Reader(whole)
    assert {one.removeprefix("#") for one in reader.references} <= set(reader.ids)


HOSTILE = "<script>alert('&\"')</script>"


def test_names_are_text_and_nothing_else(home: Path, tmp_path: Path) -> None:
    text = MINE.replace('"Mine"', f'"""{HOSTILE}"""').replace("A note.", "<b>&amp;")
    text = text.replace('"rows"', '"<i>rows"').replace("files.rows", "files.'<i>rows'")
    made = experiment(home, text + LEARNERS.replace('"COG"', '"<u>|`COG"'), "<s> mine")
    found = page_of(tmp_path / "out", made)
    assert tree(found).find(".//h1").text == HOSTILE
    assert not {"script", "i", "u", "s"} & Reader(found).tags.keys()


def test_a_command_that_is_no_text_does_not_stop_the_page() -> None:
    text = render(Findings([table(row("a", 0.6))]), "costream \udcff", "1")
    assert b"costream ?" in text.encode("utf-8", "replace")


def test_the_same_results_give_the_same_bytes(home: Path, tmp_path: Path) -> None:
    pages = []
    for name in ("one", "two"):
        mine = [experiment(home, MINE), experiment(home, CURVES, "curves")]
        ran(tmp_path / name, *mine)
        for times in (tmp_path / name).glob("*" + TIMES):
            times.unlink()
        lab = lab_of(tmp_path / name, *mine)
        pages.append(write_report(lab, tmp_path / name, "costream", tmp_path / f"{name}.md"))
    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert (tmp_path / "one.md").read_bytes() == (tmp_path / "two.md").read_bytes()


# --- what it says -----------------------------------------------------------------------------------


def test_wins_on_equal_terms_and_others_are_counted_apart() -> None:
    """auto is best, and of those that know no scaling the learner that is not in the paper."""
    auto = replace(row("auto", 0.8), candidate=Candidate("auto", ratio="estimated"))
    text = page(table(row("AROW", 0.6), row("X", 0.7), auto))
    assert (
        "Of 1 comparison (data set, metric and table) X, which the paper does not have, win 1" in text
    )
    assert (
        "; auto, which needs no tuning but has an intercept and scales its features, has the best"
        in text
    )
    assert "value in 1." in text


def test_the_scores_of_tables_add_up() -> None:
    one, two = table(*VERDICTS.values()), table(VERDICTS[EXACT], printed="table3")
    found = lines(page(one, two), "Rows of the paper")
    assert found["all"][:6] == ["144", "5", "2", "1", "1", "1"]


def test_the_paper_stands_beside_ours() -> None:
    cells = lines(page(table(VERDICTS[STATED])), "Table 2, german")["ROMMA"]
    assert cells[:3] == ["60.000 ± 1.000", "60.500 ± 1.000", "η 1"]
    assert cells[4:6] == ["65.000 ± 1.000", "η 10"]
    assert cells[-2:] == ["0.50", "0.250"]


def test_constant_policies_stand_in_every_table() -> None:
    found = lines(page(table(row("a", 70.0), metric=Metric("cost"))), "Table 2, german")
    assert found["flag every row"] == ["70.0", "", "100.0", "0.0", "0.0", ""]
    assert found["flag none"][0] == "270.0"


# --- what is missing --------------------------------------------------------------------------------


def test_missing_data_are_named_on_top(whole: str) -> None:
    boxes = [words(box) for box in tree(whole).iterfind(".//aside")]
    assert boxes[0].startswith("MISSING: 1 data set KDDCUP08 (e1): kddcup08.libsvm is not at hand;")
    assert boxes[0].endswith("others stands in under its own name.")


def test_an_experiment_without_results_is_left_out_and_named(home: Path, tmp_path: Path) -> None:
    run, not_run = experiment(home, MINE), experiment(home, CURVES, "later")
    ran(tmp_path / "out", run)
    lab = lab_of(tmp_path / "out", run, not_run)
    text = write_report(lab, tmp_path / "out", "costream", None).read_text(encoding="utf-8")
    assert "Not run yet: later (its results are not all there)." in text
    assert "My curves" not in text


def test_an_experiment_that_was_cut_short_is_left_out(home: Path, tmp_path: Path) -> None:
    mine = experiment(home, MINE)
    ran(tmp_path / "out", mine)
    results = tmp_path / "out" / "mine.results.jsonl"
    results.write_bytes(b"".join(results.read_bytes().splitlines(True)[1:]))
    assert [one.name for one, _ in gather(lab_of(tmp_path / "out", mine)).left_out] == ["mine"]


def test_an_experiment_whose_settings_are_not_chosen_yet_is_left_out(
    home: Path, tmp_path: Path
) -> None:
    mine = experiment(home, MINE)
    later = replace(mine, name="later", tuned_in="mine")
    left_out = gather(lab_of(tmp_path / "out", mine, later)).left_out
    assert [one.name for one, _ in left_out] == ["mine", "later"]


def test_no_results_at_all_are_an_error_that_says_what_to_run(home: Path, tmp_path: Path) -> None:
    lab = lab_of(tmp_path / "out", replace(experiment(home, MINE), home=Path("here"), files={}))
    lab.loader.missing["rows"] = "why not"
    with pytest.raises(CostreamError, match=r"(?s)nothing to report.*hint: costream lab run here/mine"):
        write_report(lab, tmp_path / "out", "costream", None)


# --- quick runs -------------------------------------------------------------------------------------


def test_a_quick_run_is_not_compared_with_the_paper() -> None:
    text = page(table(*VERDICTS.values(), is_quick=True), known=read_differences())
    assert heads(text)[0][1] == "tuned"
    assert "printed rows" not in text
    assert "not explained" not in text


# --- figures, theorems, complexity ------------------------------------------------------------------


def test_figures_are_files_too(home: Path, tmp_path: Path) -> None:
    page_of(tmp_path / "out", experiment(home, CURVES, "figure3"))
    svg = (tmp_path / "out" / "figures" / "figure3.svg").read_text(encoding="utf-8")
    assert ElementTree.fromstring(svg).tag == f"{{{SVG}}}svg"
