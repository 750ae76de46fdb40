"""The data that come with costream are those of scikit-learn, to the last bit."""

import numpy as np
from sklearn.datasets import load_breast_cancer

from costream.datasets.bundled import breast_cancer
from costream.tables.arrays import as_batch


def test_the_tumours_are_those_of_scikit_learn():
    known, found = load_breast_cancer(), breast_cancer()
    expected = as_batch((known.data - known.data.mean(axis=0)) / known.data.std(axis=0))
    assert found.names == known.feature_names.tolist()
    assert np.array_equal(found.positive, known.target == 0)
    for name in ("start", "index", "value"):
        assert getattr(found.rows, name).tobytes() == getattr(expected, name).tobytes()
