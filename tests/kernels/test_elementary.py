"""Functions of one number."""

import numpy as np

from costream.kernels.elementary import probability, sigmoid


def test_one_probability_has_the_bits_of_many():
    odds = np.concatenate([np.random.default_rng(0).normal(0, 10, 5000), [0.0, 800.0, -800.0]])
    assert [probability(one) for one in odds.tolist()] == sigmoid(odds).tolist()
