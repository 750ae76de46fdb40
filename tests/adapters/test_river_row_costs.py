"""Costs of rows, and ensembles, with the River adapter: by keyword, in columns, through pipelines."""

import numpy as np
import pytest

pytest.importorskip("river")

import pandas as pd
from river import compose, datasets, ensemble, evaluate, linear_model, metrics, preprocessing

from costream import Cost, CostColumn, CostreamError, OnlineClassifier
from costream.river import CostSensitiveClassifier
from helpers.streams import same_bits, stream

X, y = stream(seed=2, rows=60, width=8)
FRAME = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
SERIES = pd.Series(y > 0)


# --- costs of rows ----------------------------------------------------------------------------------

FN, FP = np.random.default_rng(0).uniform(0.1, 5.0, (2, len(y)))


def learnt_at_costs():
    model = CostSensitiveClassifier(objective=Cost(9, 1))
    for x, label, fn, fp in zip(FRAME.to_dict("records"), SERIES, FN, FP, strict=True):
        model.learn_one(x, label, fn_cost=fn, fp_cost=fp)
    return model


def test_rows_are_learnt_at_their_own_costs():
    batch, inside = (
        CostSensitiveClassifier(objective=Cost(9, 1)),
        OnlineClassifier(objective=Cost(9, 1)),
    )
    batch.learn_many(FRAME, SERIES, fn_cost=FN, fp_cost=FP)
    inside.learn_many(FRAME, SERIES, fn_cost=FN, fp_cost=FP)
    scores = inside.score_many(FRAME)
    for model in (batch, learnt_at_costs()):
        assert same_bits(model.model.score_many(FRAME), scores)


# --- costs in columns -------------------------------------------------------------------------------

BY_COLUMN = Cost(fn_cost=CostColumn("amount", feature=False), fp_cost=1)
AMOUNTS = FRAME.assign(amount=FN)


def test_costs_come_from_the_row_and_are_no_feature():
    rows, batch = (
        CostSensitiveClassifier(objective=BY_COLUMN),
        CostSensitiveClassifier(objective=BY_COLUMN),
    )
    by_keyword = CostSensitiveClassifier(objective=BY_COLUMN)
    batch.learn_many(AMOUNTS, SERIES)
    by_keyword.learn_many(FRAME, SERIES, fn_cost=FN)
    for x, label in zip(AMOUNTS.to_dict("records"), SERIES, strict=True):
        rows.learn_one(x, label)
    assert "amount" not in batch.model.feature_names
    for model in (rows, by_keyword):
        assert model.model.feature_names == batch.model.feature_names
        assert same_bits(model.model.score_many(FRAME), batch.model.score_many(FRAME))
    each = [rows.predict_one(x) for x in AMOUNTS.to_dict("records")]
    assert batch.predict_many(AMOUNTS).tolist() == each
    assert by_keyword.predict_many(FRAME, fn_cost=FN).tolist() == each
    assert batch.predict_proba_many(AMOUNTS).equals(batch.predict_proba_many(FRAME))


@pytest.mark.parametrize(
    "call",
    [
        lambda model, **costs: model.learn_one({"f0": 1.0}, True, **costs),
        lambda model, **costs: model.predict_one({"f0": 1.0}, **costs),
        lambda model, **costs: model.learn_many(FRAME, SERIES, **costs),
        lambda model, **costs: model.predict_many(FRAME, **costs),
    ],
    ids=["learn_one", "predict_one", "learn_many", "predict_many"],
)
def test_a_missing_cost_is_an_error_whose_hint_works(call):
    model = CostSensitiveClassifier(objective=BY_COLUMN)
    with pytest.raises(CostreamError, match="fn_cost of each row from column amount") as error:
        call(model)
    assert "give fn_cost=, or rows with a column amount" in str(error.value)
    call(model, fn_cost=3.0)


def past_the_scaler(rest):
    scaled = compose.Select("amount") + (rest | preprocessing.StandardScaler())
    return scaled | CostSensitiveClassifier(objective=BY_COLUMN)


def test_costs_go_past_the_scaler_of_a_pipeline():
    by_key = past_the_scaler(compose.Discard("amount"))
    by_keyword = preprocessing.StandardScaler() | CostSensitiveClassifier(objective=BY_COLUMN)
    decisions = []
    rows = zip(AMOUNTS.to_dict("records"), FRAME.to_dict("records"), SERIES, FN.tolist(), strict=True)
    for with_amount, x, label, fn_cost in rows:
        found = by_key.predict_one(with_amount)
        assert by_keyword.predict_one(x, fn_cost=fn_cost) == found
        by_key.learn_one(with_amount, label)
        by_keyword.learn_one(x, label, fn_cost=fn_cost)
        decisions.append(found)
    assert set(decisions) == {True, False}
    features = by_key["CostSensitiveClassifier"].model.feature_names
    assert sorted(features) == sorted(FRAME.columns)


# --- ensembles -----------------------------------------------------------------------------------

ENSEMBLES = {
    "bagging": lambda model: ensemble.BaggingClassifier(model, n_models=3, seed=1),
    "voting": lambda model: ensemble.VotingClassifier([model, linear_model.LogisticRegression()]),
}


def test_an_ensemble_passes_the_costs_of_rows():
    rows = [(x, label, {"fn_cost": 90.0}) for x, label in datasets.Phishing().take(100)]
    model = ENSEMBLES["bagging"](CostSensitiveClassifier(objective=Cost(1, 1)))
    evaluate.progressive_val_score(rows, model, metrics.Recall())
    x = rows[0][0]
    without = ENSEMBLES["bagging"](CostSensitiveClassifier(objective=Cost(1, 1)))
    evaluate.progressive_val_score([row[:2] for row in rows], without, metrics.Recall())
    assert [part.model.rows for part in model] == [part.model.rows for part in without]
    assert any(
        ours.score_one(x) != theirs.score_one(x) for ours, theirs in zip(model, without, strict=True)
    )


@pytest.mark.parametrize("kind", ["bagging", "voting"])
def test_ensembles_without_keywords_find_costs_in_the_row(kind):
    model = ENSEMBLES[kind](CostSensitiveClassifier("carow", BY_COLUMN))
    for x, label in zip(AMOUNTS.to_dict("records"), SERIES, strict=True):
        assert model.predict_one(x) in (True, False)
        model.learn_one(x, label)
    assert "amount" not in model[0].model.feature_names
