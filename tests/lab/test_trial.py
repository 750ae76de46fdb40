"""Trials: what decides their result is in their key."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from costream.evaluate.runs import order_of
from helpers.experiments import lab_of, mine


def test_every_run_has_an_order_of_its_own(tmp_path: Path) -> None:
    experiment = mine(tmp_path)
    loader = lab_of(tmp_path / "out", experiment).loader
    runs = [loader.in_order(experiment, "rows", run).rows.value for run in range(3)]
    assert sorted(runs[0]) == sorted(runs[1]) == sorted(runs[2])
    assert len({run.tobytes() for run in runs}) == 3


def test_orders_are_permutations_that_depend_on_seed_and_run() -> None:
    orders = [order_of(50, seed, run) for seed in (0, 1) for run in range(3)]
    assert all(sorted(order) == list(range(50)) for order in orders)
    assert len({order.tobytes() for order in orders}) == 6
    assert np.array_equal(orders[4], order_of(50, 1, 1))
