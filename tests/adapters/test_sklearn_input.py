"""What the scikit-learn adapter takes: frames, sparse matrices, and weights and costs of rows."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from costream import Cost, CostreamError, OnlineClassifier
from costream.sklearn import CostSensitiveClassifier
from helpers.streams import SOME, same_bits, stream

X, y = stream(seed=1, rows=60, width=8)
COLUMNS = list("abcdefgh")
COSTS = ["fn_cost", "fp_cost", "tp_cost", "tn_cost"]


# --- frames and sparse matrices ---------------------------------------------------------------------


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames(frame):
    rows = frame(dict(zip(COLUMNS, X.T, strict=True)))
    adapter = CostSensitiveClassifier(shuffle=False).fit(rows, y)
    named = OnlineClassifier(positive=1)
    named.learn_many(X, y, names=COLUMNS)
    assert adapter.feature_names_in_.tolist() == COLUMNS
    assert same_bits(adapter.decision_function(rows), named.score_many(X, names=COLUMNS))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize("names", [COLUMNS[::-1], [*COLUMNS[:-1], "z"]], ids=["order", "name"])
def test_other_columns_are_an_error_and_change_nothing(frame, names):
    adapter = CostSensitiveClassifier().fit(frame(dict(zip(COLUMNS, X.T, strict=True))), y)
    before = pickle.dumps(adapter)
    rows = frame(dict(zip(names, X.T, strict=True)))
    for call in (lambda: adapter.predict(rows), lambda: adapter.partial_fit(rows, y)):
        with pytest.raises(ValueError, match="feature names"):
            call()
    assert pickle.dumps(adapter) == before


def with_indices(kind):
    rows = csr_array(X)
    rows.indices = rows.indices.astype(kind)
    rows.indptr = rows.indptr.astype(kind)
    assert rows.indices.dtype == kind
    return rows


@pytest.mark.parametrize("name", SOME)
def test_csr_with_64_bit_indices_is_csr_with_32_bit_indices(name):
    short = CostSensitiveClassifier(name).fit(with_indices(np.int32), y)
    long = CostSensitiveClassifier(name).fit(with_indices(np.int64), y)
    scores = short.decision_function(with_indices(np.int32))
    assert same_bits(long.decision_function(with_indices(np.int64)), scores)


# --- weights and costs ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOME)
def test_a_sample_weight_of_0_leaves_the_row_out(name):
    kept = np.arange(len(y)) % 3 > 0
    without = CostSensitiveClassifier(name).fit(X[kept], y[kept])
    weighted = CostSensitiveClassifier(name).fit(X, y, sample_weight=kept.astype(float))
    assert same_bits(weighted.decision_function(X), without.decision_function(X))


@pytest.mark.parametrize("key", COSTS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_bad_cost_names_its_row(key, bad):
    costs = np.ones(len(y))
    costs[3] = bad
    with pytest.raises(CostreamError, match=f"row 3: {key} must be a finite number, not {bad}"):
        CostSensitiveClassifier(objective=Cost(8.0, 2.0)).fit(X, y, **{key: costs})
    costs[3] = -1.0  # a finite number, and a benefit
    CostSensitiveClassifier(objective=Cost(8.0, 2.0)).fit(X, y, **{key: costs})


@pytest.mark.parametrize("key", ["sample_weight", *COSTS])
def test_a_fit_that_fails_keeps_the_old_model(key):
    adapter = CostSensitiveClassifier(objective="cost").fit(X, y)
    before = adapter.decision_function(X)
    with pytest.raises(CostreamError):
        adapter.fit(X, y, **{key: [1.0]})
    assert same_bits(adapter.decision_function(X), before)
