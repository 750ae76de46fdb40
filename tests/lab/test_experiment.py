"""Experiments: metrics, axes, and quick versions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from costream.errors import CostreamError
from costream.lab.experiment import Candidate, Metric, resolved, values
from costream.lab.reading import find_experiments
from costream.lab.texts import unstated_text


def test_powers_of_ten_are_the_numbers_people_write() -> None:
    assert values("1e-5..1e5") == [1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1e3, 1e4, 1e5]


def test_quick_is_less_of_everything() -> None:
    (table,) = find_experiments(["table2"])
    quick = table.quick()
    assert quick.runs_on("covtype") == 2
    assert quick.rows == 1000
    assert all(len(one.settings()) <= 8 for one in quick.candidates)


def test_a_metric_knows_its_objective() -> None:
    assert Metric("cost", fn_cost=5, fp_cost=1).objective(1, 1).rho(0, 0) == 5


GAMMA = "\N{GREEK SMALL LETTER GAMMA}"
AROW = Candidate("arow", grid={"gamma": [0.1, 1.0]}, stated={"gamma": [1.0]})


def test_of_a_grid_the_stated_values_alone_are_stated() -> None:
    assert [AROW.is_stated(one) for one in AROW.settings()] == [False, True]


def test_a_whole_grid_is_stated_unless_it_says_otherwise() -> None:
    cog = Candidate("cog-i", grid={"eta": [0.1, 1.0]}, also={"a9a": {"eta": [0.5, 1.0]}})
    assert all(cog.is_stated(one) for one in cog.settings())
    assert [cog.is_stated(one) for one in cog.off_grid("a9a")] == [False, True]


def test_a_value_that_a_learner_has_anyway_is_no_other_setting() -> None:
    sketch = Candidate("ssacog-i", grid={"eta": [1.0]}, also={"usps": {"gamma": [1.0, 10.0]}})
    assert [sketch.is_stated(one) for one in sketch.off_grid("usps")] == [True, False]


def test_a_stated_value_that_is_not_on_the_grid_is_an_error() -> None:
    with pytest.raises(CostreamError, match=r"stated\.gamma of arow: 7\.0 is not on its grid"):
        replace(AROW, stated={"gamma": [7.0]}).check()


@pytest.mark.parametrize(
    ("candidate", "setting", "text"),
    [
        (AROW, {"gamma": 1.0}, ""),
        (AROW, {"gamma": 0.1}, f"{GAMMA} 0.1 instead of 1"),
        (Candidate("cog-i", grid={"eta": [1.0]}), {"eta": 7.0}, "η 7 off the grid"),
        (
            Candidate("ssacog-i", params={"seed": "run"}, grid={"eta": [1.0]}),
            {"seed": "run", "eta": 7.0, "gamma": 10.0},
            f"η 7 off the grid, {GAMMA} 10 instead of 1",
        ),
    ],
)
def test_what_is_not_stated_is_named(candidate: Candidate, setting: dict, text: str) -> None:
    assert unstated_text(candidate, setting) == text


def test_a_seed_of_the_run_is_another_number_in_each() -> None:
    seeds = [resolved("ssacog-i", {"seed": "run"}, 1, 1, run)["seed"] for run in range(3)]
    assert seeds == [1, 2, 3]
