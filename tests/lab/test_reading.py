"""Experiments as TOML files: those of the paper, and what is wrong in a bad one."""

from __future__ import annotations

from pathlib import Path

import pytest

from costream.datasets import catalogue
from costream.errors import CostreamError
from costream.lab.paper.printed import printed_rows
from costream.lab.reading import find_experiments, paper_experiments
from helpers.experiments import MINE, mine

TABLES = ("table2", "table3", "table5", "table6", "table8")


@pytest.mark.parametrize("table", TABLES)
def test_every_printed_row_has_a_learner_and_a_data_set(table: str) -> None:
    experiment = next(one for one in find_experiments([table]) if one.name == table)
    titles = {catalogue.entry(name).title: name for name in experiment.datasets}
    metrics = {metric.name for metric in experiment.metrics}
    for title, metric, algorithm in printed_rows(table):
        labels = [one.name for one in experiment.on(titles[title])]
        assert algorithm in labels
        assert metric in metrics


def test_the_paper_has_all_its_tables_and_figures() -> None:
    others = ["anomaly", "theorems", "complexity", "calibration"]
    names = [*TABLES, *(f"figure{n}" for n in range(1, 11)), *others]
    assert set(paper_experiments()) == set(names)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("runs = 3", "run = 3"), "unknown key 'run'"),
        (('title = "Mine"', ""), "title is missing"),
        (('"cog-ii"', '"cog-iii"'), "did you mean 'cog-ii'"),
        (("grid.eta = [0.1, 1, 10]", 'grid.eta = "1e-5"'), "an axis is a list"),
        (("grid.eta = [0.1, 1, 10]", "grid.eta = [-1]"), "eta of cog-ii must be"),
        (("grid.eta = [0.1, 1, 10]", "grid.rate = [1]"), "no hyper-parameter 'rate'"),
        (('label = "COG"', 'label = "perceptron"'), "two learners are called 'perceptron'"),
        (('label = "COG"', 'labell = "COG"'), "unknown key 'labell'"),
        (('metrics = ["sum", "cost"]', 'metrics = ["money"]'), "'sum' or 'cost'"),
        (('datasets = ["rows"]', "datasets = []"), "datasets are missing"),
        (("tuning = 2", 'kind = "pie"'), "unknown kind 'pie'"),
        (("tuning = 2", 'kind = "sweep"'), "a sweep needs exactly one axis"),
        (("tuning = 2", "tuning = "), "mine.toml"),
        (("runs = 3", "runs = true"), "runs must be whole numbers, at least 1, not True"),
        (("runs = 3", "runs = {rows = 2.5}"), "runs must be whole numbers, at least 1, not 2.5"),
        (("tuning = 2", "tuning = 0"), "tuning must be whole numbers"),
        (("tuning = 2", "folds = true"), "folds must be a int"),
        (("tuning = 2", "costs.rows = 3"), r"costs\.rows needs fn_cost and fp_cost"),
        (("tuning = 2", "costs.rows = {fn_cost = 2, fp_cost = -1}"), "fp_cost=-1 must be above"),
        (('{path = "rows.libsvm"}', '{path = "rows.libsvm", colour = 3}'), "files.rows needs a path"),
        (('label = "COG"', 'datasets = "rows"'), "datasets must be a list"),
        (('label = "COG"', 'ratio = "guessed"'), "ratio of cog-ii is 'known' or 'estimated'"),
    ],
)
def test_a_bad_file_says_what_is_wrong(tmp_path: Path, change: tuple[str, str], complaint: str) -> None:
    assert change[0] in MINE
    with pytest.raises(CostreamError, match=complaint):
        mine(tmp_path, MINE.replace(*change))


def test_an_unknown_experiment_has_a_hint() -> None:
    with pytest.raises(CostreamError, match="did you mean 'table2'"):
        find_experiments(["tabel2"])


@pytest.mark.parametrize("tuned_in", ["nothing", "figure1"])
def test_settings_can_be_taken_only_from_an_experiment_that_chooses_them(
    tmp_path: Path, tuned_in: str
) -> None:
    text = MINE.replace("tuning = 2", f'tuned_in = "{tuned_in}"')
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(CostreamError, match=f"there is no experiment '{tuned_in}' whose settings"):
        find_experiments([str(tmp_path / "mine.toml")])
