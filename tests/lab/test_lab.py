"""The lab: plans, trials, results on disk, and what they are compared with."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from costream.classifier import OnlineClassifier, core_of
from costream.datasets import catalogue
from costream.errors import CostreamError
from costream.evaluate.runs import order_of
from costream.lab.experiment import Metric, values
from costream.lab.lab import Lab, check_any
from costream.lab.loader import Loader
from costream.lab.plan import Plan, Summary
from costream.lab.printed import Printed, printed_rows
from costream.lab.reading import find_experiments, paper_experiments
from costream.lab.store import RESULTS, TIMES, Store
from costream.lab.tables import make_table
from helpers.commands import compiled_only
from helpers.experiments import MINE, lab_of, mine, nobody, plan_of, results, run, write_rows

TABLES = ("table2", "table3", "table5", "table6", "table8")
needs_data = pytest.mark.skipif("COSTREAM_DATA" not in os.environ, reason="COSTREAM_DATA is not set")

# --- experiments as files ---------------------------------------------------------------------------


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


def test_data_sets_of_the_paper_are_in_the_catalogue() -> None:
    for experiment in paper_experiments().values():
        others = [name for names in experiment.substitutes.values() for name in names]
        for name in (*experiment.datasets, *others):
            assert catalogue.entry(name)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("runs = 3", "run = 3"), "unknown key 'run'"),
        (("runs = 3", "runs = 0"), "runs must be whole numbers"),
        (('title = "Mine"', ""), "title is missing"),
        (('title = "Mine"', "title = 7"), "title must be a str"),
        (('"cog-ii"', '"cog-iii"'), "did you mean 'cog-ii'"),
        (("grid.eta = [0.1, 1, 10]", "grid.eta = []"), "an axis is a list"),
        (("grid.eta = [0.1, 1, 10]", 'grid.eta = "1e-5"'), "an axis is a list"),
        (("grid.eta = [0.1, 1, 10]", "grid.eta = [-1]"), "eta of cog-ii must be"),
        (("grid.eta = [0.1, 1, 10]", "grid.rate = [1]"), "no hyper-parameter 'rate'"),
        (('label = "COG"', 'label = "perceptron"'), "two learners are called 'perceptron'"),
        (('label = "COG"', 'labell = "COG"'), "unknown key 'labell'"),
        (('metrics = ["sum", "cost"]', 'metrics = ["money"]'), "'sum' or 'cost'"),
        (('metrics = ["sum", "cost"]', 'metrics = "sum"'), "metrics must be a list"),
        (('{path = "rows.libsvm"}', '{pat = "rows.libsvm"}'), "files.rows needs a path"),
        (('datasets = ["rows"]', "datasets = []"), "datasets are missing"),
        (("tuning = 2", 'kind = "pie"'), "unknown kind 'pie'"),
        (("tuning = 2", 'kind = "sweep"'), "a sweep has one axis"),
        (("tuning = 2", "tuning = "), "mine.toml"),
    ],
)
def test_a_bad_file_says_what_is_wrong(tmp_path: Path, change: tuple[str, str], complaint: str) -> None:
    assert change[0] in MINE
    with pytest.raises(CostreamError, match=complaint):
        mine(tmp_path, MINE.replace(*change))


def test_an_unknown_experiment_has_a_hint() -> None:
    with pytest.raises(CostreamError, match="did you mean 'table2'"):
        find_experiments(["tabel2"])


def test_a_file_may_not_take_the_name_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "table2.toml").write_text(MINE)
    with pytest.raises(CostreamError, match="rename the file"):
        find_experiments([str(tmp_path / "table2.toml")])


def test_a_figure_comes_after_the_table_that_tunes_it() -> None:
    assert [one.name for one in find_experiments(["figure1"])] == ["table2", "figure1"]


def test_a_figure_without_learners_has_those_of_its_table() -> None:
    table, figure = find_experiments(["figure1"])
    assert [one.name for one in figure.candidates] == [one.name for one in table.candidates]


def test_learners_of_the_table_can_be_left_out() -> None:
    table, figure = find_experiments(["figure2"])
    assert {one.name for one in table.candidates} - {one.name for one in figure.candidates} == {"auto"}


def test_powers_of_ten_are_the_numbers_people_write() -> None:
    assert values("1e-5..1e5") == [1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1e3, 1e4, 1e5]


def test_quick_is_less_of_everything() -> None:
    (table,) = find_experiments(["table2"])
    quick = table.quick()
    assert quick.runs_on("covtype") == 2
    assert quick.rows == 1000
    assert all(len(one.settings()) <= 8 for one in quick.candidates)


# --- trials -------------------------------------------------------------------------------------------


def test_the_second_run_computes_nothing_and_changes_no_byte(tmp_path: Path) -> None:
    experiment = mine(tmp_path)
    assert run(tmp_path / "out", experiment) > 0
    before = results(tmp_path / "out")
    assert run(tmp_path / "out", experiment) == 0
    assert results(tmp_path / "out") == before


def test_the_bytes_do_not_depend_on_the_number_of_jobs(tmp_path: Path) -> None:
    experiment = mine(tmp_path)
    run(tmp_path / "one", experiment, jobs=1)
    run(tmp_path / "many", experiment, jobs=4)
    assert results(tmp_path / "one") == results(tmp_path / "many")


@pytest.mark.parametrize("part", [0.0, 0.31, 0.77, 0.999])
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, part: float) -> None:
    experiment = mine(tmp_path)
    total = run(tmp_path / "out", experiment)
    whole = results(tmp_path / "out")
    kept = whole[: int(part * len(whole))]
    (tmp_path / "out" / ("mine" + RESULTS)).write_bytes(kept)
    assert run(tmp_path / "out", experiment) == total - kept.count(b"\n")
    assert results(tmp_path / "out") == whole


def test_results_of_another_experiment_are_used(tmp_path: Path) -> None:
    run(tmp_path / "out", mine(tmp_path))
    assert run(tmp_path / "out", replace(mine(tmp_path), name="again")) == 0
    again = (tmp_path / "out" / ("again" + RESULTS)).read_bytes()
    assert again == results(tmp_path / "out")


def test_other_rows_are_other_trials(tmp_path: Path) -> None:
    experiment = mine(tmp_path)
    first = run(tmp_path / "out", experiment)
    write_rows(tmp_path, seed=1)
    assert run(tmp_path / "out", experiment) == first


def test_a_file_of_results_forgets_what_is_no_longer_asked_for(tmp_path: Path) -> None:
    run(tmp_path / "out", mine(tmp_path))
    smaller = mine(tmp_path, MINE.replace("[0.1, 1, 10]", "[1]"))
    run(tmp_path / "out", smaller)
    run(tmp_path / "fresh", smaller)
    assert results(tmp_path / "out") == results(tmp_path / "fresh")


def test_a_learner_that_knows_no_costs_is_run_once_for_all_metrics(tmp_path: Path) -> None:
    run(tmp_path / "out", mine(tmp_path))
    lines = [json.loads(line) for line in results(tmp_path / "out").splitlines()]
    assert sum(line["learner"] == "perceptron" for line in lines) == 3


def test_a_trial_counts_the_mistakes_of_a_prequential_run(tmp_path: Path) -> None:
    experiment = mine(tmp_path)
    lab = lab_of(tmp_path / "out", experiment)
    lab.run(nobody)
    line = json.loads(results(tmp_path / "out").splitlines()[0])
    data = lab.loader.data(experiment, "rows")
    data = data.take(order_of(len(data), 0, 0))
    scores = core_of(OnlineClassifier("perceptron")).learn_rows(data.rows, data.positive)
    assert line["missed"] == np.count_nonzero(data.positive & (scores < 0))
    assert line["false_alarms"] == np.count_nonzero(~data.positive & (scores >= 0))


def test_folds_decide_on_rows_that_were_not_learnt(tmp_path: Path) -> None:
    experiment = mine(tmp_path, MINE.replace("tuning = 2", "folds = 4"))
    lab = lab_of(tmp_path / "out", experiment)
    lab.run(nobody)
    line = json.loads(results(tmp_path / "out").splitlines()[0])
    data = lab.loader.data(experiment, "rows")
    data = data.take(order_of(len(data), 0, 0))
    missed = 0
    for fold in range(4):
        held = np.arange(10 * fold, 10 * fold + 10)
        rest = data.take(np.setdiff1d(np.arange(40), held))
        model = OnlineClassifier("perceptron")
        core_of(model).learn_rows(rest.rows, rest.positive)
        part = data.take(held)
        missed += np.count_nonzero(part.positive & (model.score_many(part.rows) < 0))
    assert line["missed"] == missed


def test_times_are_kept_apart_from_results(tmp_path: Path) -> None:
    run(tmp_path / "out", mine(tmp_path))
    assert b"seconds" not in results(tmp_path / "out")
    assert b"seconds" in (tmp_path / "out" / ("mine" + TIMES)).read_bytes()


def test_a_broken_line_of_results_is_named(tmp_path: Path) -> None:
    run(tmp_path / "out", mine(tmp_path))
    path = tmp_path / "out" / ("mine" + RESULTS)
    path.write_bytes(path.read_bytes().replace(b"{", b"<", 1))
    with pytest.raises(CostreamError, match="line 1: not a result"):
        Store(tmp_path / "out")


def test_two_processes_do_not_write_one_file(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    first, second = Store(tmp_path), Store(tmp_path)
    with (
        first.writing("mine"),
        pytest.raises(CostreamError, match="another process"),
        second.writing("mine"),
    ):
        pass


def test_every_missing_data_set_is_known_before_the_run(tmp_path: Path) -> None:
    other = replace(mine(tmp_path), name="other", datasets=("kddcup08",))
    lab = Lab([mine(tmp_path), other], Loader(tmp_path, download=False), Store(tmp_path / "out"))
    check_any(lab)
    assert "kddcup08" in lab.loader.missing


def test_progress_ends_at_one(tmp_path: Path) -> None:
    told: list[float] = []
    lab_of(tmp_path / "out", mine(tmp_path)).run(lambda part, _: told.append(part))
    assert told == sorted(told)
    assert told[-1] == 1.0


# --- choices ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_the_best_setting_is_the_best_on_the_runs_for_tuning(tmp_path: Path, metric: str) -> None:
    plan = plan_of(tmp_path)
    cell = next(
        one for one in plan.cells() if one.candidate.name == "COG" and one.metric.name == metric
    )
    means = [plan.summary(cell, {"eta": eta}, 2).mean[metric] for eta in (0.1, 1, 10)]
    wanted = max(means) if metric == "sum" else min(means)
    assert plan.summary(cell, plan.best(cell), 2).mean[metric] == wanted


def test_the_chosen_setting_is_run_in_all_orders(tmp_path: Path) -> None:
    table = make_table(plan_of(tmp_path))
    assert {row.best.summary.runs for _, row in table.rows()} == {3}


def test_constant_policies_cost_what_their_mistakes_cost(tmp_path: Path) -> None:
    block = make_table(plan_of(tmp_path)).blocks[1]
    flag_all, flag_none = block.policies().values()
    assert flag_all.cost == pytest.approx(0.1 * block.dataset.negatives)
    assert flag_none.cost == pytest.approx(0.9 * block.dataset.positives)


def test_a_sweep_over_costs_has_an_objective_for_each() -> None:
    experiment = find_experiments(["figure4"])[-1]
    metrics = Plan(experiment, Loader(download=False), Store(Path("nowhere"))).metrics()
    assert [(metric.fn_cost, metric.fp_cost) for metric in metrics][:2] == [(0.1, 0.9), (0.2, 0.8)]


def test_a_missing_data_set_is_named_and_its_substitute_bears_its_own_name() -> None:
    if "COSTREAM_DATA" not in os.environ:
        pytest.skip("COSTREAM_DATA is not set")
    experiment = replace(find_experiments(["table8"])[0], datasets=("kddcup08",))
    loader = Loader(download=False)
    assert [facts.title for facts in loader.datasets(experiment)] == ["KDD99"]
    assert "kddcup08" in loader.missing


# --- the printed numbers --------------------------------------------------------------------------


def summary(mean: float, std: float, runs: int = 20) -> Summary:
    return Summary(runs, {"sum": mean}, {"sum": std})


def test_a_difference_is_measured_in_its_standard_error() -> None:
    printed = Printed("sum", 0.60, 0.03, {}, 1.0, digit=1e-5)
    apart = printed.z_scores(summary(0.61, 0.04))
    assert apart["value"] == pytest.approx(0.01 / np.hypot(0.03, 0.04) * np.sqrt(20))


@pytest.mark.parametrize(("mean", "same"), [(0.600004, True), (0.600006, False)])
def test_equal_means_equal_when_rounded(mean: float, same: bool) -> None:
    assert Printed("sum", 0.6, 0.03, {}, 1.0, digit=1e-5).equals(summary(mean, 0.03)) is same


def test_costs_of_table_2_are_printed_in_hundreds() -> None:
    assert printed_rows("table2")["german", "cost", "Perceptron"].value == pytest.approx(194.5)


def test_sums_are_parts_of_one() -> None:
    assert printed_rows("table6")["mushrooms", "sum", "SACOG-I"].value == pytest.approx(0.9962)


@needs_data
@compiled_only
@pytest.mark.slow
def test_the_german_rows_come_out_to_the_printed_digit(tmp_path: Path) -> None:
    table2 = replace(
        find_experiments(["table2"])[0], datasets=("german",), candidates=_of_the_paper("table2")
    )
    lab = lab_of(tmp_path, table2, jobs=2)
    lab.run(nobody)
    verdicts = {
        (block.metric.name, row.candidate.name): row.verdict
        for block, row in make_table(lab.plans["table2"]).rows()
    }
    others = {key for key, verdict in verdicts.items() if verdict != "exact"}
    assert len(verdicts) == 24
    assert others == {("sum", "ROMMA")}  # off in the paper itself


def _of_the_paper(table: str) -> tuple:
    candidates = find_experiments([table])[0].candidates
    printed = {algorithm for _, _, algorithm in printed_rows(table)}
    return tuple(one for one in candidates if one.name in printed)


def test_an_aim_knows_its_objective() -> None:
    assert Metric("cost", fn_cost=5, fp_cost=1).objective(1, 1).rho(0, 0) == 5
