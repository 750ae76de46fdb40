"""Costs of rows in scikit-learn: by keyword, in columns of frames, and by metadata routing."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from costream import Cost, CostColumn, CostreamError, OnlineClassifier, metrics
from costream.sklearn import CostSensitiveClassifier
from helpers.streams import SOME, same_bits, stream

X, y = stream(seed=1, rows=90, width=4)
COLUMNS = list("abcd")
COSTS = ("fn_cost", "fp_cost", "tp_cost", "tn_cost")
RNG = np.random.default_rng(0)
LOSS = RNG.exponential(10.0, len(y))
FOUR = dict(zip(COSTS, RNG.normal([9.0, 4.0, 1.0, 0.0], 3.0, (len(y), 4)).T, strict=True))
FRAMES = pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])


def framed(frame, **costs):
    """The rows as a frame that has costs among its columns."""
    return frame({"a": X[:, 0], **costs, **dict(zip("bcd", X[:, 1:].T, strict=True))})


def by_loss(name="carow", **settings):
    """A classifier for which a miss costs what stands in the column loss."""
    return CostSensitiveClassifier(name, Cost(CostColumn("loss", feature=False), 5), **settings)


@pytest.fixture
def _routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


# --- four costs by keyword ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOME)
def test_four_costs_are_learnt_and_decided_as_by_the_online_classifier(name):
    adapter = CostSensitiveClassifier(name, Cost(8, 2), positive=1, shuffle=False).fit(X, y, **FOUR)
    model = OnlineClassifier(name, Cost(8, 2), classes=(-1, 1))
    model.learn_many(X, y, **FOUR)
    assert same_bits(adapter.decision_function(X), model.score_many(X))
    assert adapter.predict(X, **FOUR).tolist() == model.predict_many(X, **FOUR).tolist()
    assert adapter.predict(X, **FOUR).tolist() != adapter.predict(X).tolist()


def test_costs_of_rows_under_the_sum_are_an_error_and_its_hints_work():
    adapter = CostSensitiveClassifier("carow")
    with pytest.raises(CostreamError, match=r"objective=Cost\(\.\.\.\), or give a weight"):
        adapter.fit(X, y, fn_cost=LOSS, fp_cost=5)
    CostSensitiveClassifier("carow", Cost(8, 2)).fit(X, y, fn_cost=LOSS, fp_cost=5)
    adapter.fit(X, y, sample_weight=np.where(y > 0, LOSS, 5))
    with pytest.raises(CostreamError, match=r"Cost\(\.\.\.\), or call costream\.metrics\.savings"):
        adapter.score(X, y, fn_cost=LOSS, fp_cost=5)
    predicted = adapter.predict(X, fn_cost=LOSS, fp_cost=5)
    found = metrics.savings(y, predicted, fn_cost=LOSS, fp_cost=5)
    assert found <= 1.0
    with pytest.raises(CostreamError, match="give both fn_cost= and fp_cost="):
        adapter.predict(X, fn_cost=LOSS)


# --- the score ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["auto", "carow", "perceptron"])
def test_the_score_is_the_savings_at_the_costs_of_rows(name):
    adapter = CostSensitiveClassifier(name, Cost(8, 2)).fit(X, y, **FOUR)
    expected = metrics.savings(y, adapter.predict(X, **FOUR), **FOUR)
    assert adapter.score(X, y, **FOUR) == expected
    assert expected != metrics.savings(y, adapter.predict(X), **FOUR)


# --- columns of frames --------------------------------------------------------------------------------


@FRAMES
@pytest.mark.parametrize("name", ["auto", "carow"])
def test_a_column_of_costs_is_the_keyword(frame, name):
    rows, plain = framed(frame, loss=LOSS), framed(frame)
    adapter, by_keyword = by_loss(name).fit(rows, y), by_loss(name).fit(plain, y, fn_cost=LOSS)
    assert same_bits(adapter.decision_function(plain), by_keyword.decision_function(plain))
    for one in (adapter, by_keyword):
        assert one.feature_names_in_.tolist() == COLUMNS
        assert one.n_features_in_ == 4
    assert adapter.predict(rows).tolist() == by_keyword.predict(plain, fn_cost=LOSS).tolist()
    assert adapter.score(rows, y) == by_keyword.score(plain, y, fn_cost=LOSS)


@FRAMES
def test_a_keyword_overrides_the_column(frame):
    rows = framed(frame, loss=np.full(len(y), np.nan))
    adapter = by_loss().fit(rows, y, fn_cost=LOSS)
    expected = by_loss().fit(framed(frame, loss=LOSS), y)
    assert same_bits(adapter.decision_function(rows), expected.decision_function(rows))
    found = adapter.predict(rows, fn_cost=LOSS)
    assert found.tolist() == expected.predict(framed(frame, loss=LOSS)).tolist()
    assert adapter.score(rows, y, fn_cost=LOSS) == expected.score(framed(frame, loss=LOSS), y)


@FRAMES
def test_an_empty_cost_names_row_and_column_and_its_hint_works(frame):
    loss = LOSS.copy()
    loss[3] = np.nan
    rows = framed(frame, loss=loss)
    with pytest.raises(
        CostreamError, match=r"row 3, column loss: .*\n.*CostColumn\('loss', default=\.\.\.\)"
    ):
        by_loss().fit(rows, y)
    column = CostColumn("loss", default=50, feature=False)
    adapter = CostSensitiveClassifier("carow", Cost(column, 5)).fit(rows, y)
    loss[3] = 50
    full = framed(frame, loss=loss)
    expected = by_loss().fit(full, y)
    assert same_bits(adapter.decision_function(rows), expected.decision_function(full))


@pytest.mark.parametrize("call", ["fit", "partial_fit", "predict", "score"])
def test_a_missing_cost_is_an_error_and_its_hints_work(call):
    adapter = by_loss() if "fit" in call else by_loss().fit(X, y, fn_cost=LOSS)
    labels = () if call == "predict" else (y,)
    with pytest.raises(CostreamError, match="give fn_cost=, or rows with a column loss"):
        getattr(adapter, call)(X, *labels)
    getattr(adapter, call)(X, *labels, fn_cost=LOSS)
    adapter = by_loss() if "fit" in call else by_loss().fit(framed(pd.DataFrame), y, fn_cost=LOSS)
    getattr(adapter, call)(framed(pd.DataFrame, loss=LOSS), *labels)


# --- metadata routing ---------------------------------------------------------------------------------


def by_hand(classifier, scale=False):
    """The score of each fold at the costs of its rows."""
    scores = []
    for learn, test in KFold(3).split(X):
        scaler = StandardScaler(with_mean=scale, with_std=scale).fit(X[learn])
        one = clone(classifier).fit(scaler.transform(X[learn]), y[learn], fn_cost=LOSS[learn])
        scores.append(one.score(scaler.transform(X[test]), y[test], fn_cost=LOSS[test]))
    return scores


def requesting(classifier):
    return classifier.set_fit_request(fn_cost=True).set_score_request(fn_cost=True)


@pytest.mark.usefixtures("_routing")
def test_a_pipeline_routes_costs_of_rows():
    classifier = requesting(by_loss()).set_predict_request(fn_cost=True)
    pipeline = make_pipeline(StandardScaler(), classifier)
    found = cross_val_score(pipeline, X, y, params={"fn_cost": LOSS}, cv=KFold(3))
    assert found.tolist() == by_hand(by_loss(), scale=True)
    pipeline.fit(X, y, fn_cost=LOSS)
    rows = StandardScaler().fit_transform(X)
    expected = by_loss().fit(rows, y, fn_cost=LOSS).predict(rows, fn_cost=LOSS)
    assert pipeline.predict(X, fn_cost=LOSS).tolist() == expected.tolist()
