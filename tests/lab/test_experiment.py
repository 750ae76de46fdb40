"""Experiments: metrics, axes, and quick versions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from costream.lab.experiment import Candidate, Experiment, Metric, resolved


def test_a_seed_of_the_run_is_another_number_in_each() -> None:
    seeds = [resolved("ssacog-i", {"seed": "run"}, 1, 1, run)["seed"] for run in range(3)]
    assert seeds == [1, 2, 3]


def test_the_objective_of_a_sum_knows_the_ratio_of_the_classes_or_estimates_it() -> None:
    assert Metric("sum", alpha_p=0.2).objective(10, 40).rho(0, 0) == pytest.approx(
        0.2 * 40 / (0.8 * 10)
    )
    assert Metric("sum", ratio="estimated").objective(10, 40).needs_counts


# --- experiments ------------------------------------------------------------------------------------

OWN = Experiment(
    "mine",
    "Mine",
    runs={"default": 20, "big": 5},
    tuning={"default": 8, "small": 30},
    substitutes={"lost": ["found", "other"]},
    costs={"lost": {"fn_cost": 7.0, "fp_cost": 2.0}},
    candidates=(
        Candidate("perceptron"),
        Candidate("romma", datasets=("lost",)),
        Candidate("arow", datasets=("small", "big")),
    ),
)


def test_learners_may_run_on_some_data_sets_alone_or_on_their_substitutes() -> None:
    on = {name: [one.name for one in OWN.on(name)] for name in ("any", "big", "lost", "found")}
    assert on == {
        "any": ["perceptron"],
        "big": ["perceptron", "arow"],
        "lost": ["perceptron", "romma"],
        "found": ["perceptron", "romma"],
    }


@pytest.mark.parametrize(
    ("count", "kept"),
    [
        (1, [0]),
        (4, [0, 1, 2, 3]),
        (5, [0, 2, 4]),
        (6, [1, 3, 5]),
        (8, [0, 2, 4, 6]),
        (11, [2, 5, 8]),
        (12, [0, 3, 6, 9]),
    ],
)
def test_a_quick_grid_has_at_most_four_values_at_even_distances(count: int, kept: list[int]) -> None:
    grid = {"eta": [float(n + 1) for n in range(count)]}
    candidate = Candidate("cog-i", grid=grid, also={"a9a": {"eta": [0.5]}})
    quick = replace(OWN, candidates=(candidate,), axis=grid).quick()
    wanted = [n + 1.0 for n in kept]
    assert [one["eta"] for one in quick.candidates[0].settings()] == wanted
    assert quick.axis == {"eta": wanted}
    assert quick.candidates[0].off_grid("a9a") == []
