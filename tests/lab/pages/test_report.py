"""The page of the lab: well-formed, self-contained, and complete about what is missing."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from costream.errors import CostreamError
from costream.lab.experiment import Experiment
from costream.lab.lab import Lab
from costream.lab.loader import Loader
from costream.lab.pages.report import write_report
from costream.lab.reading import parse_experiment
from costream.lab.store import TIMES, Store
from helpers.commands import write_libsvm
from helpers.pages import Reader, tree

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


def test_nothing_comes_from_outside(whole: str) -> None:
    reader = Reader(whole)
    assert all(one.startswith("#") for one in reader.references)
    assert not {"script", "link", "img", "iframe"} & reader.tags.keys()
    assert not re.search(r"@import|url\((?!#)", whole)


HOSTILE = "<script>alert('&\"')</script>"


def test_names_are_text_and_nothing_else(home: Path, tmp_path: Path) -> None:
    text = MINE.replace('"Mine"', f'"""{HOSTILE}"""').replace("A note.", "<b>&amp;")
    text = text.replace('"rows"', '"<i>rows"').replace("files.rows", "files.'<i>rows'")
    made = experiment(home, text + LEARNERS.replace('"COG"', '"<u>|`COG"'), "<s> mine")
    found = page_of(tmp_path / "out", made)
    assert tree(found).find(".//h1").text == HOSTILE
    assert not {"script", "i", "u", "s"} & Reader(found).tags.keys()


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


# --- what is missing --------------------------------------------------------------------------------


def test_an_experiment_without_results_is_left_out_and_named(home: Path, tmp_path: Path) -> None:
    run, not_run = experiment(home, MINE), experiment(home, CURVES, "later")
    ran(tmp_path / "out", run)
    lab = lab_of(tmp_path / "out", run, not_run)
    text = write_report(lab, tmp_path / "out", "costream", None).read_text(encoding="utf-8")
    assert "Not run yet: later (its results are not all there)." in text
    assert "My curves" not in text


def test_no_results_at_all_are_an_error_that_says_what_to_run(home: Path, tmp_path: Path) -> None:
    lab = lab_of(tmp_path / "out", replace(experiment(home, MINE), home=Path("here"), files={}))
    lab.loader.missing["rows"] = "why not"
    with pytest.raises(CostreamError, match=r"(?s)nothing to report.*hint: costream lab run here/mine"):
        write_report(lab, tmp_path / "out", "costream", None)
