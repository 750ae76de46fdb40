"""The target encoding of text columns: rows in batches and one by one, earlier rows only, and files."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from costream.errors import CostreamError
from costream.kernels import target_encoding as kernels
from costream.model.target_encoding import TargetEncoding
from costream.tables.arrays import Batch, without
from reference.target_encoding import TargetEncodingOracle

BITS = 3
RATES = (2, 0)  # the columns to encode, among three
WEIGHTS = (0.0, 0.1, 1.0, 3.0)

rows_of = st.tuples(
    st.integers(-1, 2**BITS - 1), st.integers(-1, 2**BITS - 1), st.booleans(), st.sampled_from(WEIGHTS)
)
streams = st.lists(rows_of, max_size=30)


def batch_of(slots):
    """Three entries a row: an encoding, 5, an encoding."""
    slots = np.array(slots, np.int64).reshape(-1, 2)
    n = len(slots)
    start, index = np.arange(0, 3 * n + 1, 3, dtype=np.uint64), np.arange(3, dtype=np.uint32)
    value = np.tile([0.0, 5.0, 0.0], n)
    return Batch(start, np.tile(index, n), value, 3, to_encode=RATES, slots=slots)


def learnt(stream, encoding=None):
    """What a stream of rows teaches, and the rows as they were written, in the order of ``RATES``."""
    encoding = TargetEncoding(BITS) if encoding is None else encoding
    positive, weights = np.array([row[2] for row in stream], bool), np.array([row[3] for row in stream])
    written = encoding.learn(batch_of([row[:2] for row in stream]), positive, weights)
    return encoding, written.value.reshape(-1, 3)[:, RATES].tolist()


def bits_of(encoding):
    return {name: part.tobytes() for name, part in encoding.parts().items()}


@pytest.fixture(scope="module")
def stream():
    rng = np.random.default_rng(1)
    slots = rng.integers(-1, 2**BITS, (200, 2)).tolist()
    return [(*row, bool(rng.random() < 0.3), float(rng.choice(WEIGHTS))) for row in slots]


# --- batches and single rows --------------------------------------------------------------------------


def test_encodings_are_those_of_the_oracle(stream):
    oracle, expected = TargetEncodingOracle(), []
    for *slots, positive, weight in stream:
        expected.append([oracle.value(slot) for slot in slots])
        oracle.learn(slots, positive, weight)
    np.testing.assert_allclose(learnt(stream)[1], expected, rtol=1e-12, atol=1e-12)


@settings(deadline=None)
@given(streams, st.integers(0, 30))
def test_rows_one_by_one_and_in_batches_give_the_same_bits(stream, cut):
    one, values = TargetEncoding(BITS), []
    for *slots, positive, weight in stream:
        values.append(one.write_one(slots))
        one.learn_one(slots, positive, weight)
    many, first = learnt(stream[:cut])
    _, second = learnt(stream[cut:], many)
    assert first + second == values
    assert bits_of(many) == bits_of(one)


@settings(deadline=None)
@given(streams, rows_of, streams, streams)
def test_a_row_is_told_of_earlier_rows_only(before, row, after, others):
    turned = (*row[:2], not row[2], row[3])
    _, values = learnt([*before, row, *after])
    _, changed = learnt([*before, turned, *others])
    assert values[: len(before) + 1] == changed[: len(before) + 1]


@settings(deadline=None)
@given(streams)
def test_a_weight_of_zero_leaves_no_trace(stream):
    counted, _ = learnt([row for row in stream if row[3] > 0])
    assert bits_of(learnt(stream)[0]) == bits_of(counted)


# --- lists of slots ---------------------------------------------------------------------------------

lists_of = st.tuples(
    st.lists(st.integers(0, 2**BITS - 1), max_size=4),
    st.integers(-1, 2**BITS - 1),
    st.booleans(),
    st.sampled_from(WEIGHTS),
)


def listed_batch(rows):
    """Three entries a row: the sum of a list, its highest encoding and the encoding of a slot."""
    lists, slots = [], []
    for listed, slot in rows:
        place = kernels.FIRST_LIST + 2 * len(lists)
        slots.append([place, place + 1, slot])
        lists += [len(listed), *listed]
    n = len(slots)
    start, index = np.arange(0, 3 * n + 1, 3, dtype=np.uint64), np.arange(3, dtype=np.uint32)
    found = np.array(slots, np.int64).reshape(-1, 3)
    at = (0, 1, 2)
    lists = np.array(lists, np.int64)
    return Batch(start, np.tile(index, n), np.zeros(3 * n), 3, to_encode=at, slots=found, lists=lists)


def learnt_lists(stream, encoding):
    batch = listed_batch([row[:2] for row in stream])
    positive, weights = np.array([row[2] for row in stream], bool), np.array([row[3] for row in stream])
    return encoding.learn(batch, positive, weights).value.reshape(-1, 3).tolist()


@settings(deadline=None)
@given(st.lists(lists_of, min_size=1, max_size=30))
def test_encodings_of_lists_are_those_of_the_oracle(stream):
    words, plain, expected = TargetEncodingOracle(doubt=5.0), TargetEncodingOracle(), []
    for listed, slot, positive, weight in stream:
        found = [words.value(one) for one in listed]
        expected.append([sum(found), max(found, default=0.0), plain.value(slot)])
        for oracle in (words, plain):
            oracle.learn([*listed, slot], positive, weight)
    np.testing.assert_allclose(
        learnt_lists(stream, TargetEncoding(BITS)), expected, rtol=1e-12, atol=1e-12
    )


@settings(deadline=None)
@given(st.lists(lists_of, max_size=30), st.integers(0, 30))
def test_lists_one_by_one_and_in_batches_give_the_same_bits(stream, cut):
    one, values = TargetEncoding(BITS), []
    for listed, slot, positive, weight in stream:
        slots, lists = [kernels.FIRST_LIST, kernels.FIRST_LIST + 1, slot], [len(listed), *listed]
        values.append(one.write_one(slots, lists))
        one.learn_one(slots, positive, weight, lists)
    many = TargetEncoding(BITS)
    assert learnt_lists(stream[:cut], many) + learnt_lists(stream[cut:], many) == values
    assert bits_of(many) == bits_of(one)


@pytest.mark.parametrize("place", [4, 9])
def test_a_list_that_is_not_there_is_refused(place):
    batch = listed_batch([([1], 0), ([2, 3], 1)])
    batch.slots[0, 0] = kernels.FIRST_LIST + 2 * place
    batch.lists[4:] = 7
    with pytest.raises(CostreamError, match="a list of slots of target encodings is not there"):
        TargetEncoding(BITS).write(batch)


# --- what happens to the batch ------------------------------------------------------------------------


def by_writing(encoding, batch):
    return encoding.write(batch)


def by_learning(encoding, batch):
    return encoding.learn(batch, np.ones(batch.rows, bool), None)


both = pytest.mark.parametrize("done", [by_writing, by_learning])


@both
def test_slots_out_of_range_are_refused(done):
    with pytest.raises(CostreamError, match="slot 8 "):
        done(TargetEncoding(BITS), batch_of([(0, 2**BITS)]))


# --- files --------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(streams, streams)
def test_restored_encodings_go_on_as_if_nothing_had_happened(stream, later):
    encoding, _ = learnt(stream)
    restored = TargetEncoding.restore(BITS, encoding.parts())
    assert learnt(later, restored)[1] == learnt(later, encoding)[1]
    assert bits_of(restored) == bits_of(encoding)


DAMAGE = {
    "no base": {"base": None},
    "something else": {"more": np.zeros(1)},
    "slots that are not whole": {"slot": np.array([1.0, 6.0])},
    "counts of another type": {"seen": np.array([1, 3])},
    "fewer counts": {"seen": np.array([3.0])},
    "a longer base": {"base": np.array([4.0, 2.0, 0.0])},
    "a slot too large": {"slot": np.array([1, 2**BITS])},
    "a slot twice": {"slot": np.array([6, 6])},
    "a slot not seen": {"seen": np.array([0.0, 3.0])},
    "counts that are not numbers": {"seen": np.array([np.nan, 3.0])},
    "more positives than rows": {"positive": np.array([0.0, 3.5])},
    "endless counts": {"seen": np.array([1.0, np.inf])},
    "a base that cannot be": {"base": np.array([1.0, 2.0])},
    "a base that is no number": {"base": np.array([np.nan, 0.0])},
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_parts_are_refused(damage):
    whole = {
        "slot": np.array([1, 6]),
        "seen": np.array([1.0, 3.0]),
        "positive": np.array([0.0, 2.0]),
        "base": np.array([4.0, 2.0]),
    }
    assert bits_of(TargetEncoding.restore(BITS, whole)) == {
        name: part.tobytes() for name, part in whole.items()
    }
    parts = {name: part for name, part in (whole | damage).items() if part is not None}
    with pytest.raises(ValueError, match="encoding"):
        TargetEncoding.restore(BITS, parts)


# --- batches and what they encode ---------------------------------------------------------------------

SLOTS = [(0, 1), (2, -1), (4, 5), (6, 7)]

CHANGES = {
    "rows_where": (lambda batch: batch.rows_where(np.array([True, False, True, False])), [0, 2]),
    "entries_where": (lambda batch: batch.entries_where(batch.index != 1), [0, 1, 2, 3]),
    "take": (lambda batch: batch.take(np.array([3, 0])), [3, 0]),
    "part": (lambda batch: batch.part(1, 3), [1, 2]),
    "merged": (lambda batch: batch.merged(), [0, 1, 2, 3]),
    "without": (lambda batch: without(batch, 1), [0, 1, 2, 3]),
}


@pytest.mark.parametrize("change", [change for change, _ in CHANGES.values()], ids=CHANGES)
def test_a_changed_batch_is_written_as_its_rows_are(change, stream):
    encoding, _ = learnt(stream)
    batch = batch_of(SLOTS)
    assert encoding.write(change(batch)).value.tolist() == change(encoding.write(batch)).value.tolist()


def test_a_row_that_comes_again_is_not_told_its_own_label():
    encoding = TargetEncoding(BITS)
    batch, labels = batch_of([(1, 2), (1, 3), (2, -1)]), np.array([True, False, True])
    encoding.learn(batch, labels, None)
    before = encoding.parts()
    encoding.again = True
    written = encoding.learn(batch.part(0, 1), labels[:1], None)
    alone = TargetEncoding(BITS)
    alone.learn(batch.part(1, 3), labels[1:], None)
    assert written.value.tolist() == alone.write(batch.part(0, 1)).value.tolist()
    assert {name: array.tolist() for name, array in encoding.parts().items()} == {
        name: array.tolist() for name, array in before.items()
    }
