"""The two losses by name, and rows as the theorems take them."""

import numpy as np
from scipy.sparse import csr_array

import reference
from costream.datasets.dataset import Dataset
from costream.kernels.hinge import LOSS_I, LOSS_II
from costream.tables.arrays import as_batch

HINGES = {"I": LOSS_I, "II": LOSS_II}
ORACLES = {"I": reference.loss_i, "II": reference.loss_ii}
KIND = {"acog-i": "I", "acog-ii": "II"}


def data_of(X, y):
    return Dataset(as_batch(csr_array(X)), None, np.asarray(y) > 0)


def costs_of(y, rho):
    return np.where(np.asarray(y) > 0, rho, 1.0)


def lost(kind, X, y, r, mu):
    """The total loss of a vector, written from the paper."""
    pairs = [ORACLES[kind](*row) for row in zip(y, reference.normalise(X) @ mu, r, strict=True)]
    return sum(slope * max(0.0, hinge) for hinge, slope in pairs)
