"""A small experiment on made-up rows, and the lab that runs it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from costream.lab.experiment import Experiment
from costream.lab.lab import Lab
from costream.lab.loader import Loader
from costream.lab.plan import Plan
from costream.lab.reading import parse_experiment
from costream.lab.store import RESULTS, Store

MINE = """
title = "Mine"
datasets = ["rows"]
files.rows = {path = "rows.libsvm"}
metrics = ["sum", "cost"]
runs = 3
tuning = 2

[[learners]]
learner = "perceptron"

[[learners]]
learner = "cog-ii"
label = "COG"
grid.eta = [0.1, 1, 10]
"""


def write_rows(folder: Path, rows: int = 40, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(rows):
        positive = rng.random() < 0.3
        x = rng.normal(size=3) + positive
        features = [f"{i}:{v:.4f}" for i, v in enumerate(x, 1)]
        lines.append(" ".join(["+1" if positive else "-1", *features]))
    (folder / "rows.libsvm").write_text("\n".join(lines) + "\n")


def mine(folder: Path, text: str = MINE) -> Experiment:
    if not (folder / "rows.libsvm").exists():
        write_rows(folder)
    return parse_experiment(text, "mine", folder, "mine.toml")


def lab_of(output: Path, *experiments: Experiment, jobs: int = 1) -> Lab:
    return Lab(experiments, Loader(download=False), Store(output), jobs)


def run(output: Path, *experiments: Experiment, jobs: int = 1) -> int:
    return lab_of(output, *experiments, jobs=jobs).run(nobody)


def nobody(part: float, name: str) -> None:
    """An ``on_progress`` that does nothing."""


def results(output: Path) -> bytes:
    return (output / ("mine" + RESULTS)).read_bytes()


def plan_of(tmp_path: Path, text: str = MINE) -> Plan:
    """The plan of an experiment whose trials have been run."""
    lab = lab_of(tmp_path / "out", mine(tmp_path, text))
    lab.run(nobody)
    return lab.plans["mine"]
