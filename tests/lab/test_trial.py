"""Trials: what decides their result is in their key."""

from __future__ import annotations

import shutil
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from costream.evaluate.runs import order_of
from costream.lab import trial
from helpers.experiments import lab_of, mine


@pytest.mark.parametrize("module", ["kernels/loop.py", "kernels/second_order.py", "classifier.py"])
def test_other_code_is_another_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    copy = tmp_path / "costream"
    shutil.copytree(str(resources.files("costream")), copy)
    monkeypatch.setattr(trial.resources, "files", lambda _: copy)
    keys = []
    for text in ("", "\nCHANGED = 1\n"):
        with (copy / module).open("a") as file:
            file.write(text)
        trial.code.cache_clear()
        keys.append(trial.code())
    trial.code.cache_clear()
    assert keys[0] != keys[1]


def test_every_run_has_an_order_of_its_own(tmp_path: Path) -> None:
    experiment = mine(tmp_path)
    bench = lab_of(tmp_path / "out", experiment).bench
    runs = [bench.in_order(experiment, "rows", run).rows.value for run in range(3)]
    assert sorted(runs[0]) == sorted(runs[1]) == sorted(runs[2])
    assert len({run.tobytes() for run in runs}) == 3


def test_orders_are_permutations_that_depend_on_seed_and_run() -> None:
    orders = [order_of(50, seed, run) for seed in (0, 1) for run in range(3)]
    assert all(sorted(order) == list(range(50)) for order in orders)
    assert len({order.tobytes() for order in orders}) == 6
    assert np.array_equal(orders[4], order_of(50, 1, 1))
