"""The sample that the first trees grow on: of each class the rows with the smallest hashes.

The hash of a row comes from its number. A row is kept where its hash is below the threshold of its
class, and thresholds sink when there are too many rows: samples of several streams are pooled by the
smaller threshold. The rarer class gets `RARE` of the sample where it has less of the rows, and both
classes the same threshold elsewhere. The chance to be kept is the threshold, and rows of the sample are
weighted by one over it.
"""

from __future__ import annotations

import numpy as np

from ...kernels.records import Floats
from . import layout
from .portfolios import KEPT, THRESHOLDS, Portfolios
from .trees import hashed
from .views.leaves import FIRST, LARGEST_SINGLE, SEED

RARE = 0.1
SPARE = 4096  # rows beyond the size of the sample, before thresholds sink


def keep_row(model: Portfolios, d: int, y: float) -> None:
    """Keep the row at hand, which is written whole, if its hash is small enough."""
    sample, sampling = model.sample, model.sampling
    label = 1 if y > 0.0 else 0
    kept, hash_of_row = int(sampling[KEPT]), hashed(SEED, model.clock[layout.ROWS], 1)
    if kept < sample.shape[0] and hash_of_row < sampling[THRESHOLDS + label]:
        for j in range(d):
            bounded = min(max(model.rows[layout.WHOLE, j], -LARGEST_SINGLE), LARGEST_SINGLE)
            sample[kept, j] = bounded
        model.sample_label[kept] = label
        model.sample_hash[kept] = hash_of_row
        sampling[KEPT] += 1.0


def with_space(model: Portfolios, most: int, rows: int) -> Portfolios:
    """Let the sample have space for so many rows more, and thresholds sink where it has too many."""
    kept, space = int(model.sampling[KEPT]), len(model.sample)
    if space == 0 or kept + rows <= space:
        return model
    if kept + rows > most + SPARE:
        sink(model, most)
        return model
    larger = min(max(2 * space, kept + rows, FIRST), most + SPARE)
    return model._replace(
        sample=longer(model.sample, larger),
        sample_label=longer(model.sample_label, larger),
        sample_hash=longer(model.sample_hash, larger),
    )


def sink(model: Portfolios, most: int) -> None:
    """Let thresholds sink until there are at most so many rows."""
    kept, thresholds = int(model.sampling[KEPT]), model.sampling[THRESHOLDS:]
    hashes, labels = model.sample_hash[:kept], model.sample_label[:kept]
    seen = model.costs[[layout.NEGATIVES, layout.POSITIVES]]
    rare = int(seen[1] <= seen[0])
    if seen[rare] >= RARE * seen.sum():
        lowered = np.minimum(thresholds, np.partition(hashes, most)[most])
    else:
        of_rare, others = hashes[labels == rare], hashes[labels != rare]
        lowered = thresholds.copy()
        quota = int(RARE * most)
        if len(of_rare) > quota:
            lowered[rare] = np.partition(of_rare, quota)[quota]
        quota = most - min(len(of_rare), quota)
        if len(others) > quota:
            lowered[1 - rare] = np.partition(others, quota)[quota]
    thresholds[:] = lowered
    stays = hashes < thresholds[labels]
    count = int(np.count_nonzero(stays))
    for array in (model.sample, model.sample_label, model.sample_hash):
        array[:count] = array[:kept][stays]
        array[count:] = 0
    model.sampling[KEPT] = count


def weights_of(model: Portfolios, label: np.ndarray) -> Floats:
    """What a row of each class of the sample counts: one over its chance, 1 on average."""
    weights = 1.0 / model.sampling[THRESHOLDS:]
    return np.asarray(weights * (len(label) / weights[label].sum()))


def without_lost(model: Portfolios) -> Portfolios:
    """The same portfolios without hashes, where rows have become too wide for a sample."""
    if len(model.sample):
        return model
    model.sampling[KEPT] = 0.0
    return model._replace(sample_hash=np.zeros(0))


def wants_more(model: Portfolios, most: int) -> bool:
    """Whether the rarer class has less of the sample than it is to have, and may still get more."""
    kept = int(model.sampling[KEPT])
    positives = int(model.sample_label[:kept].sum())
    return min(positives, kept - positives) < int(RARE * most)


def longer(array: np.ndarray, rows: int) -> np.ndarray:
    """An array with space for more rows."""
    found = np.zeros((rows, *array.shape[1:]), array.dtype)
    found[: len(array)] = array
    return found
