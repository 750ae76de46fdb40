"""What `auto` knows of features without a sample: how often they are there, and how large."""

import numpy as np

from costream import OnlineClassifier
from costream.learners.auto.typical import typical_entries
from costream.model.classifier import core_of


def test_how_often_a_feature_was_there_and_its_root_mean_square():
    model = OnlineClassifier()
    for row, label in zip(({"a": 3.0}, {"a": -1.0, "b": 2.0}, {"a": 0.0}), (1, 0, 1), strict=True):
        model.learn_one(row, label)
    seen, size = typical_entries(core_of(model).state)
    assert model.feature_names == ["a", "b"]
    assert seen[1:3].tolist() == [2.0, 1.0]
    np.testing.assert_allclose(size[1:3], [np.sqrt(5.0), 2.0])
