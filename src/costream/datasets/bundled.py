"""Real data that come with scikit-learn."""

from __future__ import annotations

from ..tables.arrays import as_batch
from .dataset import Dataset


def breast_cancer() -> Dataset:
    """The Wisconsin breast-cancer data: malignant is positive, columns are standardised."""
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    values = (bunch.data - bunch.data.mean(axis=0)) / bunch.data.std(axis=0)
    return Dataset(as_batch(values), [str(name) for name in bunch.feature_names], bunch.target == 0)
