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
from costream.lab.paper.printed import Printed
from costream.lab.reading import parse_experiment
from costream.lab.results import ANOTHER, APART, EXACT, STATED, Row
from costream.lab.store import TIMES, Store
from helpers.commands import write_libsvm
from helpers.pages import VERDICTS, Reader, heads, lines, outcome, page, row, table, tree, words

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


def test_tags_are_closed(whole: str) -> None:
    reader = Reader(whole.replace("<meta", "<meta-"))
    assert (reader.open, reader.wrong) == ([], [])


def test_the_page_is_well_formed_xml(whole: str) -> None:
    assert tree(whole).tag == "html"


def test_nothing_comes_from_outside(whole: str) -> None:
    reader = Reader(whole)
    assert all(one.startswith("#") for one in reader.references)
    assert not {"script", "link", "img", "iframe"} & reader.tags.keys()
    assert not re.search(r"@import|url\((?!#)", whole)


def test_every_link_leads_somewhere(whole: str) -> None:
    reader = Reader(whole)
    assert {one.removeprefix("#") for one in reader.references} <= set(reader.ids)


def test_the_contents_name_every_section(whole: str) -> None:
    titles = [words(section.find("h2")) for section in tree(whole).iter("section")]
    links = [words(item.find("a")) for item in tree(whole).iterfind(".//nav/ol/li")]
    assert titles == links


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


def test_command_and_version_are_on_the_page() -> None:
    found = tree(page(table(row("a", 0.6))))
    assert found.find(".//pre/code").text == "costream lab"
    assert words(found.find(".//p[@class='eyebrow']")).startswith("costream 1.2.3")


def test_counts_of_the_comparison_are_told() -> None:
    text = words(tree(page(table(*VERDICTS.values()))).find(".//p[@class='verdict']"))
    assert "Of the 96 printed rows of Table 2, 4 were run again. A row is reproduced if" in text
    assert "1 are reproduced to all printed digits, 1 within three standard errors at a setting" in text
    assert "the paper states (0 by all three numbers, 1 by the value alone), 1 at another" in text
    assert "which is named (0 by all three numbers, 1 by the value alone), and 1 are apart" in text


def test_rows_that_are_compared_by_three_numbers_are_told_apart() -> None:
    rates = {"sensitivity": (0.5, 0.01), "specificity": (0.5, 0.01)}
    whole = replace(VERDICTS[STATED], printed=Printed("sum", 0.6, 0.01, rates, 0.25, 1e-5))
    text = words(tree(page(table(whole, VERDICTS[STATED]))).find(".//p[@class='verdict']"))
    assert "the paper states (1 by all three numbers, 1 by the value alone)" in text


def test_the_width_of_three_errors_is_told_where_no_spread_is_printed() -> None:
    without = replace(VERDICTS[STATED], printed=Printed("sum", 0.6, None, {}, 0.25, 1e-5))
    text = page(table(without, VERDICTS[STATED]))
    assert "Table 2 prints no spread, so 1 row of it are measured by the spread of our own" in text
    assert "three standard errors are 3.1 points in the median and up to 3.1." in text


def test_rows_that_are_exact_at_another_setting_are_counted_apart() -> None:
    moved = replace(VERDICTS[EXACT], unstated="eta 7 off the grid")
    text = words(tree(page(table(VERDICTS[EXACT], moved))).find(".//p[@class='verdict']"))
    assert "2 are reproduced to all printed digits (1 of them at another setting than the" in text


def test_the_places_of_exact_rows_are_told() -> None:
    text = page(table(VERDICTS[EXACT], VERDICTS[STATED]), table(VERDICTS[EXACT], printed="table3"))
    assert "Exact: 2 rows of Table 2 on german." in text


def test_what_is_beyond_three_errors_is_told_and_what_chance_would_do() -> None:
    """With 19 degrees of freedom 0.74 % are beyond three, of 270 numbers two."""
    text = page(table(*[VERDICTS[STATED]] * 269, VERDICTS[APART]))
    assert "Of the 270 numbers compared, 1 are beyond three standard errors; about 2.0 would" in text


def test_a_variant_beside_a_printed_row_is_not_counted() -> None:
    variant = replace(VERDICTS[APART], candidate=Candidate("cog-ii", "PAUM, varied", beside="PAUM"))
    text = page(table(*VERDICTS.values(), variant))
    assert lines(text, "Rows of the paper")["Table 2"][:6] == ["96", "4", "1", "1", "1", "1"]
    assert lines(text, "Table 2, german")["PAUM, varied"][3] == "≠ +31.6"


def test_a_variant_is_told_beside_what_it_varies() -> None:
    variant = replace(VERDICTS[STATED], candidate=Candidate("cog-ii", "PAUM, varied", beside="PAUM"))
    text = page(table(*VERDICTS.values(), variant))
    assert (
        "Of the 1 row of sketched learners in Table 2, 1 are reproduced, 1 of them at a stated" in text
    )
    assert "started as printed, and 0 are reproduced, 0 of them at a stated setting, with ours," in text


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


def test_a_learner_that_prepares_rows_is_told_apart_from_those_that_do_not() -> None:
    auto = replace(row("auto", 0.7), candidate=Candidate("auto", ratio="estimated"))
    text = page(table(row("AROW", 0.6), auto))
    assert "auto has an intercept and scales the features itself, and estimates the class ratio" in text
    assert "the others have neither and are given the ratio." in text


def test_learners_that_are_all_alike_need_no_such_sentence() -> None:
    assert "has an intercept" not in page(table(row("AROW", 0.6)))


def test_the_scores_of_tables_add_up() -> None:
    one, two = table(*VERDICTS.values()), table(VERDICTS[EXACT], printed="table3")
    found = lines(page(one, two), "Rows of the paper")
    assert found["all"][:6] == ["144", "5", "2", "1", "1", "1"]


SIGNS = {EXACT: "= 0.0", STATED: "≈ +1.6", ANOTHER: "(≈) +1.6", APART: "≠ +31.6"}


@pytest.mark.parametrize(("verdict", "text"), SIGNS.items())
def test_verdicts_have_signs(verdict: str, text: str) -> None:
    assert VERDICTS[verdict].verdict == verdict
    cells = lines(page(table(VERDICTS[verdict])), "Table 2, german")[VERDICTS[verdict].candidate.name]
    assert cells[3] == text


def test_the_paper_stands_beside_ours() -> None:
    cells = lines(page(table(VERDICTS[STATED])), "Table 2, german")["ROMMA"]
    assert cells[:3] == ["60.000 ± 1.000", "60.500 ± 1.000", "η 1"]
    assert cells[4:6] == ["65.000 ± 1.000", "η 10"]
    assert cells[-2:] == ["0.50", "0.250"]


def test_a_column_that_the_paper_does_not_print_is_left_out() -> None:
    without = replace(VERDICTS[STATED], printed=Printed("sum", 0.6, None, {}, float("nan"), 1e-5))
    assert heads(page(table(without)))[0][-1] == "ours"


def test_an_experiment_of_ones_own_has_no_columns_of_the_paper(whole: str) -> None:
    columns = ["algorithm", "tuned", "setting", "sens., %", "spec., %", "savings, %", "seconds"]
    assert heads(whole)[0] == columns


def test_constant_policies_stand_in_every_table() -> None:
    found = lines(page(table(row("a", 70.0), metric=Metric("cost"))), "Table 2, german")
    assert found["flag every row"] == ["70.0", "", "100.0", "0.0", "0.0", ""]
    assert found["flag none"][0] == "270.0"


def test_the_best_tuned_value_is_bold() -> None:
    found = tree(page(table(row("a", 0.6), row("b", 0.7), row("c", 0.65))))
    assert [words(one) for one in found.iterfind(".//td//b")] == ["70.000"]


@pytest.mark.parametrize(
    ("metric", "good", "bad"), [(Metric(), 0.6, 0.4), (Metric("cost"), 60.0, 80.0)]
)
def test_learners_worse_than_a_constant_policy_are_marked(
    metric: Metric, good: float, bad: float
) -> None:
    rows = [
        replace(row(name, 0.0), best=outcome(value, metric.name))
        for name, value in [("AROW", good), ("PA-I", bad)]
    ]
    marked = tree(page(table(*rows, metric=metric))).iterfind(".//tr[@class='worse']")
    assert [words(one[0]) for one in marked] == ["PA-I"]


def test_learners_that_are_not_in_the_paper_are_marked() -> None:
    assert list(lines(page(table(row("Perceptron", 0.6), row("X", 0.6))), "german"))[1] == "X ours"


def test_a_printed_cost_above_a_constant_policy_is_told() -> None:
    dear = Row(Candidate("cog-ii", "ACOG-II"), outcome(70.0, "cost"), nearest=outcome(87.5, "cost"))
    dear = replace(dear, printed=Printed("cost", 87.5, 4.4, {}, 0.1, 0.1))
    text = page(table(dear, metric=Metric("cost")))
    assert "On german the best cost that the paper prints is more than a constant policy" in text
    assert "The paper's best cost here is 87.5; flagging every row costs 70.0." in (
        text.replace("&#x27;", "'")
    )


def test_a_page_of_ones_own_tells_who_is_best() -> None:
    text = page(table(row("a", 0.6), row("b", 0.7), printed=""))
    assert "On german b has the best sum, 70.000 %; flagging every row comes to 50.000 %." in text


def test_a_page_admits_that_no_learner_helps() -> None:
    text = page(table(row("a", 0.4), printed=""))
    assert "On german no learner is better than flagging every row" in text


def test_columns_are_explained() -> None:
    text = words(tree(page(table(*VERDICTS.values()))).find(".//dl[@class='metrics']"))
    assert "s sqrt(1/n + 1/20), with the printed standard deviation s" in text


def test_the_page_says_how_to_run_it_again(home: Path, whole: str) -> None:
    command = tree(whole).findall(".//pre/code")[-1].text or ""
    assert command.startswith("costream lab run ")
    assert str(home / "e0.toml") in command


# --- what is missing --------------------------------------------------------------------------------


def test_missing_data_are_named_on_top(whole: str) -> None:
    boxes = [words(box) for box in tree(whole).iterfind(".//aside")]
    assert boxes[0].startswith("MISSING: 1 data set KDDCUP08 (e1): kddcup08.libsvm is not at hand;")
    assert boxes[0].endswith("others stands in under its own name.")


def test_missing_data_have_a_heading_and_a_loud_line(whole: str) -> None:
    body = list(tree(whole).find(".//section[@id='tables']"))
    at = next(n for n, one in enumerate(body) if one.get("id") == "e1-kddcup08")
    assert words(body[at]) == "KDDCUP08"
    assert words(body[at + 1]) == "MISSING: this data set is not at hand."


def test_what_stands_in_says_so(whole: str) -> None:
    body = list(tree(whole).find(".//section[@id='tables']"))
    at = next(n for n, one in enumerate(body) if one.get("id") == "e1-others")
    assert words(body[at + 2]).startswith("Stands in for KDDCUP08")


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


def test_a_quick_run_says_that_it_is_a_sample() -> None:
    box = tree(page(table(row("a", 0.6), is_quick=True))).find(".//aside")
    assert words(box).startswith("A sample, not a result")


def test_a_quick_run_is_not_compared_with_the_paper() -> None:
    text = page(table(*VERDICTS.values(), is_quick=True), known=read_differences())
    assert heads(text)[0][1] == "tuned"
    assert "printed rows" not in text
    assert "not explained" not in text


# --- figures, theorems, complexity ------------------------------------------------------------------


def test_figures_are_drawn_with_caption_and_number(whole: str) -> None:
    found = tree(whole).find(".//figure[@id='figure3']")
    assert words(found.find("h3")) == "Figure 3. My curves"
    assert "Means of 2 runs" in words(found.find("figcaption"))
    assert found.find(f".//{{{SVG}}}svg") is not None


def test_figures_are_files_too(home: Path, tmp_path: Path) -> None:
    page_of(tmp_path / "out", experiment(home, CURVES, "figure3"))
    svg = (tmp_path / "out" / "figures" / "figure3.svg").read_text(encoding="utf-8")
    assert ElementTree.fromstring(svg).tag == f"{{{SVG}}}svg"
