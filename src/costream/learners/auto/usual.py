"""What rows usually look like, for explanations: the sample that trees grow on, and means."""

from __future__ import annotations

import numpy as np

from ...kernels.records import Floats
from . import layout
from .record import Portfolio
from .trees import Singles

ENOUGH = 1000  # rows of the sample, for a median


def sample_of(model: Portfolio) -> Singles:
    """The rows of the sample with the slots in use; none where there is no sample."""
    slots = model.clock[layout.SLOTS]
    kept = model.clock[layout.ROWS] if model.sample.shape[1] >= slots else 0
    return model.sample[:kept, :slots]


def sample_rows(model: Portfolio) -> Floats:
    """The rows of the sample, each with all slots."""
    sample = sample_of(model)
    found = np.zeros((len(sample), len(model.mu)))
    found[:, : sample.shape[1]] = sample
    return found


def usual_values(model: Portfolio) -> Floats | None:
    """The median of each slot in the sample, or its mean; None where rows are too wide for means."""
    slots, sample = model.clock[layout.SLOTS], sample_of(model)
    if slots > layout.DENSE_WIDEST:
        return None
    usual = np.zeros(len(model.mu))
    if len(sample):
        medians = np.median(sample[:: 1 + len(sample) // ENOUGH], axis=0)
        usual[:slots] = [float(str(one)) for one in medians]  # 0.1, and not 0.10000000149
    else:
        usual[:slots] = model.stats[layout.MEAN, :slots]
    return usual
