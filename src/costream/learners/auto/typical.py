"""What is known of each feature where rows are too wide for a sample."""

from __future__ import annotations

import numpy as np

from ...kernels.records import Floats
from .layout import SEEN, SQUARE, Portfolio


def typical_entries(model: Portfolio) -> tuple[Floats, Floats]:
    """In how many rows each slot was not 0, and its root mean square in these."""
    seen = np.array(model.stats[SEEN])
    return seen, np.sqrt(model.stats[SQUARE] / np.maximum(seen, 1e-300))
