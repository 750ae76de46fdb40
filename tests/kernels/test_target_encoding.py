"""The kernels of target encoding equal the formula, and have the same bits compiled and interpreted."""

import numpy as np
import pytest

from costream.kernels.target_encoding import (
    MOST,
    POSITIVE,
    SEEN,
    EncodingSlots,
    count_one,
    encoding_now,
    learn_encodings,
    new_counts,
    write_encodings,
)
from reference.target_encoding import TargetEncodingOracle

ROWS, SLOTS = 300, 16
COLUMNS = [3, 1]  # to encode, among five
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


def test_encodings_are_those_of_the_oracle(stream):
    start, index, _, slots, positive, weight = stream
    oracle, expected = TargetEncodingOracle(), []
    for t in range(ROWS):
        row = dict(zip(COLUMNS, map(oracle.value, slots[t].tolist()), strict=True))
        expected += [row.get(column, 7.0) for column in index[start[t] : start[t + 1]].tolist()]
        oracle.learn(slots[t].tolist(), bool(positive[t]), float(weight[t]))
    np.testing.assert_allclose(learnt(stream)[1], expected, rtol=1e-12, atol=1e-12)


def test_counts_are_those_of_the_oracle(stream):
    *_, slots, positive, weight = stream
    oracle = TargetEncodingOracle()
    for row in zip(slots.tolist(), positive.tolist(), weight.tolist(), strict=True):
        oracle.learn(*row)
    counts = learnt(stream)[0]
    assert counts[:-1, SEEN].tolist() == [oracle.seen[slot] for slot in range(SLOTS)]
    assert counts[:-1, POSITIVE].tolist() == [oracle.hits[slot] for slot in range(SLOTS)]
    assert counts[-1].tolist() == [oracle.rows, oracle.positive]


def test_written_encodings_are_those_at_the_end_of_the_stream(stream):
    start, index, place, slots, *_ = stream
    counts, _ = learnt(stream)
    before, value = counts.copy(), np.full(len(index), 7.0)
    write_encodings(counts, start, index, value, place, EncodingSlots(slots, NO_LISTS))
    rows = np.repeat(np.arange(ROWS), np.diff(start).astype(np.int64)).tolist()
    expected = [
        encoding_now(counts, int(slots[t, COLUMNS.index(column)])) if column in COLUMNS else 7.0
        for t, column in zip(rows, index.tolist(), strict=True)
    ]
    assert value.tolist() == expected
    assert counts.tolist() == before.tolist()


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
