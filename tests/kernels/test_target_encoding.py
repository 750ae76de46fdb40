"""The kernels of target encoding have the same bits compiled and interpreted, and stay finite."""

import numpy as np
import pytest

from costream.kernels.target_encoding import (
    MOST,
    EncodingSlots,
    count_one,
    encoding_now,
    learn_encodings,
    new_counts,
)

ROWS, SLOTS = 300, 16
NO_LISTS = np.empty(0, np.int64)


@pytest.fixture(scope="module")
def stream():
    """Rows with and without entries to encode: start, index, place, slots, positive, weight."""
    rng = np.random.default_rng(0)
    kept = rng.random((ROWS, 5)) < 0.8
    start = np.concatenate(([0], np.cumsum(kept.sum(axis=1)))).astype(np.uint64)
    index = np.nonzero(kept)[1].astype(np.uint32)
    place = np.array([-1, 1, -1, 0])
    slots = rng.integers(-1, SLOTS, (ROWS, 2))
    positive = rng.random(ROWS) < 0.1 + 0.04 * np.maximum(slots[:, 0], 0)
    return start, index, place, slots, positive, rng.choice([0.0, 1.0, 2.5], ROWS)


def learnt(stream, learn=learn_encodings):
    """The counts and the entries after a stream, whose entries were 7 before it."""
    start, index, place, slots, positive, weight = stream
    counts, value = new_counts(SLOTS), np.full(len(index), 7.0)
    found = EncodingSlots(slots, NO_LISTS)
    learn(counts, start, index, value, place, found, positive, weight, False)
    return counts, value


def test_interpreted_and_compiled_encodings_have_the_same_bits(stream):
    compiled = learnt(stream)
    plain = learnt(stream, getattr(learn_encodings, "py_func", learn_encodings))
    assert [part.tobytes() for part in plain] == [part.tobytes() for part in compiled]


@pytest.mark.parametrize("weight", [1e-300, 1.0, 1e300])
@pytest.mark.parametrize("label", [True, False])
@pytest.mark.parametrize("others", [True, False])
def test_encodings_stay_finite(weight, label, others):
    counts = new_counts(2)
    for _ in range(3):
        for slot, positive in ((0, label), (1, others), (2, label), (2, others)):
            count_one(counts, slot, positive, weight)
    assert counts.max() <= MOST
    assert np.isfinite([encoding_now(counts, 0), encoding_now(counts, 1)]).all()
