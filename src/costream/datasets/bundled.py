"""Real data that come with costream; `NOTICE.md` says where they are from."""

from __future__ import annotations

import csv
from importlib.resources import files

import numpy as np

from ..tables.arrays import as_batch
from .dataset import Dataset


def breast_cancer() -> Dataset:
    """The Wisconsin breast-cancer data: malignant is positive, columns are standardised."""
    text = (files(__package__) / "breast_cancer.csv").read_text(encoding="ascii")
    names, *rows = csv.reader(text.splitlines())
    values = np.array([row[:-1] for row in rows], np.float64)
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    return Dataset(as_batch(values), names[:-1], np.array([row[-1] == "malignant" for row in rows]))
