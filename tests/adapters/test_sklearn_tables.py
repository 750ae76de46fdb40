"""Tables of all types in scikit-learn: no encoder before the classifier, the same model from each."""

import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from costream import OnlineClassifier, Schema
from costream.sklearn import CostSensitiveClassifier
from helpers.streams import same_bits

ROWS = 120
RNG = np.random.default_rng(5)
CITY = RNG.choice(["Bern", "Ulm", "Oslo"], ROWS)
y = np.where((CITY == "Ulm") & (RNG.random(ROWS) < 0.9), "bad", "good")
FRAME = pd.DataFrame(
    {
        "city": np.where(np.arange(ROWS) % 9, CITY, None),
        "amount": np.where(np.arange(ROWS) % 7, RNG.gamma(2.0, 50.0, ROWS), np.nan),
        "late": RNG.random(ROWS) < 0.3,
        "at": pd.date_range("2024-02-27 22:00", periods=ROWS, freq="7h").astype("datetime64[us]"),
        "kind": pd.Categorical(RNG.choice(["a", "b", "c"], ROWS)),
        "fee": [Decimal(int(cents)) / 100 for cents in RNG.integers(0, 999, ROWS)],
    }
)
FRAME.loc[[3, 8], "at"] = pd.NaT
NUMBERS = pd.DataFrame(RNG.normal(size=(ROWS, 3)), columns=["a", "b", "c"])
TABLES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "dicts": lambda frame: frame.to_dict("records"),
}


def classifier(**settings):
    return CostSensitiveClassifier(positive="bad", **settings)


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_of_all_types_is_that_of_the_online_classifier(kind):
    table = TABLES[kind](FRAME)
    adapter = classifier().fit(table, y)
    model = OnlineClassifier(classes=["good", "bad"], fit_intercept=True)
    model.learn_many(FRAME, y)
    assert same_bits(-adapter.decision_function(table), model.score_many(FRAME))
    assert adapter.model_.schema == model.schema
    assert adapter.predict(table).tolist() == model.predict_many(FRAME).tolist()
    assert same_bits(adapter.predict_proba(table)[:, 0], model.predict_proba_many(FRAME))


def test_partial_fit_goes_on_with_the_schema_of_the_first_batch():
    whole = classifier().partial_fit(FRAME, y)
    parts = classifier().partial_fit(FRAME[:70], y[:70])
    parts.partial_fit(FRAME[70:], y[70:])
    assert same_bits(parts.decision_function(FRAME), whole.decision_function(FRAME))


# --- numbers, arrays and frames ---------------------------------------------------------------------


def test_a_frame_of_numbers_is_the_array_in_it():
    frame = classifier(learner="carow-diag").fit(NUMBERS, y)
    array = classifier(learner="carow-diag").fit(NUMBERS.to_numpy(), y)
    assert same_bits(frame.coef_, array.coef_)
    with pytest.warns(UserWarning, match="valid feature names"):
        scores = frame.decision_function(NUMBERS.to_numpy())
    assert same_bits(scores, array.decision_function(NUMBERS.to_numpy()))


# --- schema, weights, explanations, files -----------------------------------------------------------


def test_a_schema_overrules_what_columns_hold_and_is_cloned():
    schema = Schema({"amount": "text", "fee": "left out"})
    adapter = clone(classifier(schema=schema))
    assert adapter.get_params()["schema"] == schema
    kinds = {one.name: one.kind for one in adapter.fit(FRAME, y).model_.schema.columns}
    assert (kinds["amount"], kinds["fee"], kinds["city"]) == ("text", "left out", "text")


def test_a_file_and_a_pickle_keep_everything(tmp_path):
    schema = Schema({"fee": "left out"}, keep=["amount"], missing=["gone"])
    adapter = classifier(schema=schema).fit(FRAME[:80], y[:80])
    adapter.save(tmp_path / "model.costream")
    loaded = CostSensitiveClassifier.load(tmp_path / "model.costream")
    assert loaded.schema == schema
    for other in (loaded, pickle.loads(pickle.dumps(adapter))):
        assert same_bits(other.feature_importances_, adapter.feature_importances_)
        other.partial_fit(FRAME[80:], y[80:])
    adapter.partial_fit(FRAME[80:], y[80:])
    assert same_bits(loaded.decision_function(FRAME), adapter.decision_function(FRAME))
