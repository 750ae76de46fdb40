"""`fit` of the scikit-learn adapter shuffles rows, their weights and costs; not if they have a time."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score

from costream import Cost, CostreamError, Schema
from costream.sklearn import CostSensitiveClassifier
from helpers.streams import same_bits, stream

X, y = stream(seed=3, rows=80, width=6)
ORDER = np.random.RandomState(0).permutation(len(y))  # that of random_state=0
COLUMNS = list("abcdef")
LOSS = 1.0 + np.arange(len(y)) % 7
WEIGHT = 0.5 + np.arange(len(y)) % 3
TOWNS = np.array(["Ulm", "Bern", "Rom"])[np.arange(len(y)) % 3]
BY_LOSS = Cost(fn_cost="loss", fp_cost=2)


def classifier(**given):
    return CostSensitiveClassifier("carow-diag", **given)


def frame(order=slice(None)):
    columns = dict(zip(COLUMNS, X[order].T, strict=True))
    return pd.DataFrame({**columns, "town": TOWNS[order], "loss": LOSS[order]})


def test_rows_sorted_by_class_are_learnt():
    rows, kinds = load_breast_cancer(return_X_y=True)
    order = np.argsort(kinds, kind="stable")
    adapter = CostSensitiveClassifier(objective=Cost(10, 1), positive=0)
    assert cross_val_score(adapter, rows[order], kinds[order]).mean() > 0.7
    adapter.set_params(shuffle=False)
    assert cross_val_score(adapter, rows[order], kinds[order]).mean() < 0.0


@pytest.mark.parametrize("kind", [np.asarray, csr_array], ids=["array", "sparse"])
def test_weights_and_costs_travel_with_their_rows(kind):
    found = classifier(objective=Cost(8, 2)).fit(kind(X), y, WEIGHT, fn_cost=LOSS, fp_cost=2.0)
    plain = classifier(objective=Cost(8, 2), shuffle=False)
    plain.fit(kind(X[ORDER]), y[ORDER], WEIGHT[ORDER], fn_cost=LOSS[ORDER], fp_cost=2.0)
    assert same_bits(found.decision_function(X), plain.decision_function(X))


@pytest.mark.parametrize(
    "kind",
    [
        lambda table: table,
        pl.DataFrame,
        pa.Table.from_pandas,
        lambda table: table.to_dict("records"),
    ],
    ids=["pandas", "polars", "pyarrow", "dicts"],
)
def test_tables_are_shuffled_with_the_costs_in_them(kind):
    found = classifier(objective=BY_LOSS).fit(kind(frame()), y, WEIGHT)
    plain = classifier(objective=BY_LOSS, shuffle=False)
    plain.fit(kind(frame(ORDER)), y[ORDER], WEIGHT[ORDER])
    rows = kind(frame())
    assert np.allclose(found.decision_function(rows), plain.decision_function(rows), atol=1e-12)
    kept = classifier(objective=BY_LOSS, shuffle=False).fit(rows, y, WEIGHT)
    assert not np.allclose(found.decision_function(rows), kept.decision_function(rows))


DAYS = pd.date_range("2024-01-01", periods=len(y), freq="7h")
SECONDS = DAYS.astype("datetime64[s]").astype("int64")


@pytest.mark.parametrize(
    ("times", "schema"),
    [(DAYS, None), (DAYS.strftime("%Y-%m-%d %H:%M"), None), (SECONDS, "time")],
    ids=["datetimes", "text", "schema"],
)
def test_rows_with_a_time_keep_their_order(times, schema):
    rows = frame().assign(when=times).drop(columns="loss")
    given = {} if schema is None else {"schema": Schema({"when": schema})}
    found = classifier(**given).fit(rows, y, WEIGHT)
    kept = classifier(shuffle=False, **given).fit(rows, y, WEIGHT)
    assert same_bits(found.decision_function(rows), kept.decision_function(rows))


def test_a_row_of_weight_0_does_not_change_the_order_of_others():
    kept = np.arange(len(y)) % 4 > 0
    found = classifier().fit(X, y, kept.astype(float))
    without = classifier().fit(X[kept], y[kept])
    assert same_bits(found.decision_function(X), without.decision_function(X))


def test_an_error_names_the_row_as_it_was_given():
    loss = np.where(np.arange(len(y)) == 17, np.nan, LOSS)
    with pytest.raises(CostreamError, match="row 17"):
        classifier(objective=BY_LOSS).fit(frame().assign(loss=loss), y)
    with pytest.raises(CostreamError, match="row 17"):
        classifier(objective=Cost(8, 2)).fit(X, y, fn_cost=loss)
