"""What rows usually look like, for explanations: the sample that trees grow on, and means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...kernels.records import Floats
from . import layout
from .layout import Portfolio
from .portfolios import KEPT, Portfolios, are_several
from .trees import Singles

ENOUGH = 1000  # rows of the sample, for a median


def sample_of(model: Portfolio | Portfolios) -> Singles:
    """The rows of the sample with the slots in use; none where there is no sample."""
    slots = model.clock[layout.SLOTS]
    many = model.sampling[KEPT] if are_several(model) else model.clock[layout.ROWS]
    kept = int(many) if model.sample.shape[1] >= slots else 0
    return model.sample[:kept, :slots]


def sample_rows(model: Portfolio | Portfolios) -> Floats:
    """The rows of the sample, each with all slots."""
    sample = sample_of(model)
    found = np.zeros((len(sample), len(model.mu)))
    found[:, : sample.shape[1]] = sample
    return found


def usual_values(
    model: Portfolio | Portfolios, missing: Sequence[tuple[int, int]] = ()
) -> Floats | None:
    """The median of each slot in the sample, or its mean; None where rows are too wide for means."""
    slots, sample = model.clock[layout.SLOTS], sample_of(model)
    if slots > model.plan[layout.NUMBERS, layout.WHOLE_WIDEST]:
        return None
    usual = np.zeros(len(model.mu))
    if len(sample):
        some = sample[:: 1 + len(sample) // ENOUGH]
        medians = np.median(some, axis=0)
        for slot, indicator in missing:
            there = some[:, indicator] == 0.0
            if 0 < np.count_nonzero(there) < len(some):
                medians[slot] = np.median(some[there, slot])
        usual[:slots] = [float(str(one)) for one in medians]  # 0.1, and not 0.10000000149
    else:
        usual[:slots] = model.stats[layout.MEAN, :slots]
        for slot, indicator in missing:
            usual[slot] /= max(1.0 - usual[indicator], 1.0 / ENOUGH)
    return usual
