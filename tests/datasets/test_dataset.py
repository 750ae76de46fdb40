"""A data set in memory is its blocks put together."""

import contextlib

import numpy as np
from scipy.sparse import csr_array

from costream.costs.rows import GivenCosts
from costream.datasets.dataset import load_dataset
from costream.files.blocks import Block
from costream.files.libsvm import libsvm_blocks
from costream.files.source import Source
from costream.tables.arrays import Batch


def written(path, content):
    path.write_bytes(content)
    return path


def as_csr(rows, width):
    index, start = rows.index.astype(np.int64), rows.start.astype(np.int64)
    return csr_array((rows.value, index, start), (rows.rows, width))


def test_a_data_set_is_its_blocks_put_together(tmp_path):
    lines = [b"%d %d:%d 9:.5 %d:1\n" % (t % 3 == 0, t % 7, t, t % 4) for t in range(300)]
    file = written(tmp_path / "rows.libsvm", b"".join(lines))
    with contextlib.closing(Source(file)) as source:
        small, labels = load_dataset(libsvm_blocks(source, 64))
    with contextlib.closing(Source(file)) as source:
        (whole,) = libsvm_blocks(source)
        assert np.array_equal(small.positive, whole.label == 1)
        assert (as_csr(small.rows, 10) != as_csr(whole.rows, 10)).nnz == 0
    assert (len(small), small.positives, small.width, small.names) == (300, 100, 10, None)
    assert labels.pair == (0, 1)


def block(X, names, label, **costs):
    X = csr_array(np.array(X, float))
    rows = Batch(X.indptr.astype(np.uint64), X.indices.astype(np.uint32), X.data, X.shape[1])
    costs = {key: np.array(value, float) for key, value in costs.items()}
    return Block(rows, names, np.array(label, object), lambda row: f"row {row}", GivenCosts(**costs))


def named_blocks():
    yield block([[1, 2], [0, 3]], ["a", "b"], ["no", "yes"], fn_cost=[1, 2], fp_cost=[3, 4])
    yield block([[4, 5, 6]], ["c", "b", "a"], ["no"], fn_cost=[5], fp_cost=[6])
    yield block(np.zeros((1, 0)), [], ["yes"], fn_cost=[7], fp_cost=[8])


def test_rows_taken_in_another_order_take_all_with_them():
    data = load_dataset(named_blocks())[0].take(np.array([2, 0, 3, 1]))
    assert as_csr(data.rows, 3).toarray().tolist() == [[6, 5, 4], [1, 2, 0], [0, 0, 0], [0, 3, 0]]
    assert data.positive.tolist() == [False, False, True, True]
    assert (data.costs.fn_cost.tolist(), data.costs.fp_cost.tolist()) == ([5, 1, 7, 2], [6, 3, 8, 4])


def test_rows_without_a_label_are_counted_and_left_out(tmp_path):
    file = written(tmp_path / "rows", b"1 1:1\n0 1:2\n" * 20 + b"\n1:3\n" + b"1 1:4\n" * 20)
    with contextlib.closing(Source(file)) as source:
        data, _ = load_dataset(libsvm_blocks(source, 32))
    assert (len(data), data.unlabelled) == (60, 1)
    assert data.rows.value.tolist() == [1.0, 2.0] * 20 + [4.0] * 20
