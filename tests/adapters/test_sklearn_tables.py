"""Tables of all types in scikit-learn: no encoder before the classifier, the same model from each."""

import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from costream import Cost, CostColumn, CostreamError, OnlineClassifier, Schema
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
INDEXABLE = ["pandas", "polars", "dicts"]  # scikit-learn 1.6 cannot take rows of a pyarrow table


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


@pytest.mark.parametrize("kind", TABLES)
def test_each_kind_of_table_scores_the_rows_of_the_others(kind):
    adapter = classifier().fit(TABLES[kind](FRAME), y)
    assert adapter.feature_names_in_.tolist() == FRAME.columns.tolist()
    assert adapter.n_features_in_ == 6
    scores = [adapter.decision_function(make(FRAME)) for make in TABLES.values()]
    assert all(same_bits(one, scores[0]) for one in scores)


def test_text_says_what_a_classifier_without_it_does_not_know():
    with_text = cross_val_score(classifier(), FRAME, y).mean()
    without = cross_val_score(classifier(), FRAME[["amount", "late"]], y).mean()
    assert with_text > 0.8 > without + 0.1


@pytest.mark.parametrize("kind", INDEXABLE)
def test_cross_validation_and_grid_search_take_tables(kind):
    table = TABLES[kind](FRAME)
    assert cross_val_score(classifier(), table, y, error_score="raise").mean() > 0.8
    schemas = [None, Schema({"city": "left out"})]
    search = GridSearchCV(classifier(), {"schema": schemas}, error_score="raise").fit(table, y)
    assert search.best_params_["schema"] is None


def test_pipelines_and_meta_estimators_take_a_frame():
    pipeline = make_pipeline(FunctionTransformer(lambda X: X.drop(columns="fee")), classifier())
    assert pipeline.fit(FRAME, y).score(FRAME, y) > 0.8
    calibrated = CalibratedClassifierCV(classifier(), cv=2).fit(FRAME, y)
    assert calibrated.score(FRAME, y) > 0.8


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


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_a_classifier_of_a_frame_takes_arrays_and_sparse_matrices():
    adapter = classifier().fit(NUMBERS, y)
    scores = adapter.decision_function(NUMBERS)
    for rows in (NUMBERS.to_numpy(), NUMBERS.to_numpy().tolist(), csr_array(NUMBERS.to_numpy())):
        assert same_bits(adapter.decision_function(rows), scores)
        assert adapter.explain(rows) == adapter.explain(NUMBERS)


def test_a_classifier_of_an_array_takes_frames_of_numbers():
    adapter = classifier().fit(NUMBERS.to_numpy(), y)
    nameless = NUMBERS.set_axis(range(3), axis="columns")
    assert same_bits(adapter.decision_function(nameless), adapter.decision_function(NUMBERS.to_numpy()))
    with pytest.raises(ValueError, match="NaN"):
        adapter.predict(nameless.where(nameless > 0.0))


def test_a_frame_whose_columns_are_numbered():
    nameless = FRAME.set_axis(range(6), axis="columns")
    adapter = classifier().fit(nameless, y)
    assert not hasattr(adapter, "feature_names_in_")
    assert adapter.score(nameless, y) > 0.9
    found = adapter.explain(nameless[CITY == "Ulm"], top=None)[0]
    assert ("0", "Ulm") in [(one.feature, one.value) for one in found]


def test_a_numbered_frame_with_an_id_takes_arrays_by_position():
    rows = np.column_stack([np.arange(ROWS) * 3.0, NUMBERS.to_numpy()])
    with pytest.warns(UserWarning, match="0 is left out: it looks like an id"):
        adapter = classifier().fit(pd.DataFrame(rows), y)
    assert same_bits(adapter.decision_function(rows), adapter.decision_function(pd.DataFrame(rows)))
    assert adapter.feature_importances_[0] == 0.0
    assert adapter.feature_importances_.shape == (4,)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_an_array_still_has_numbers_alone(bad):
    rows = NUMBERS.to_numpy().copy()
    rows[3, 1] = bad
    with pytest.raises(ValueError, match="contains"):
        classifier().fit(rows, y)


@pytest.mark.filterwarnings("ignore:a leaks the label")
def test_a_missing_number_is_no_zero():
    frame = NUMBERS.assign(a=NUMBERS["a"].where(y == "good"))
    adapter = classifier().fit(frame, y)
    assert adapter.score(frame, y) > 0.9
    assert adapter.model_.feature_names[-1] == "a=missing"


def test_an_infinite_value_names_its_row_and_column():
    with pytest.raises(CostreamError, match="row 2, column amount"):
        classifier().fit(FRAME.assign(amount=[1.0, 2.0, np.inf] + [0.0] * (ROWS - 3)), y)


# --- checks of scikit-learn -------------------------------------------------------------------------


def test_other_columns_are_an_error():
    adapter = classifier().fit(FRAME, y)
    before = pickle.dumps(adapter)
    for call in (adapter.predict, lambda rows: adapter.partial_fit(rows, y)):
        with pytest.raises(ValueError, match="feature names"):
            call(FRAME.rename(columns={"city": "town"}))
        with pytest.raises(ValueError, match="feature"):
            call(FRAME.drop(columns="city"))
    assert pickle.dumps(adapter) == before


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "requires y"),
        (y[:5], "inconsistent numbers of samples"),
        (np.column_stack([y, y]), "1d array|multi"),
        (np.linspace(0.0, 1.0, ROWS), "Unknown label type"),
        ([np.nan] * ROWS, "NaN"),
        (np.resize(["a", "b", "c"], ROWS), "Only binary classification"),
        (["good"] * ROWS, "two classes"),
    ],
    ids=["none", "short", "two columns", "numbers", "nan", "three", "one"],
)
def test_labels_are_checked_as_for_arrays(labels, message):
    for rows in (NUMBERS.to_numpy(), FRAME):
        with pytest.raises(ValueError, match=message):
            CostSensitiveClassifier().fit(rows, labels)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_tables_without_rows_or_columns_are_an_error(kind):
    adapter = classifier().fit(FRAME, y)
    with pytest.raises(ValueError, match="0 sample"):
        adapter.predict(TABLES[kind](FRAME[:0]))
    with pytest.raises(ValueError, match=r"0 (feature|sample)"):
        classifier().fit(TABLES[kind](FRAME[[]]), y)


# --- schema, weights, explanations, files -----------------------------------------------------------


def test_a_schema_overrules_what_columns_hold_and_is_cloned():
    schema = Schema({"amount": "text", "fee": "left out"})
    adapter = clone(classifier(schema=schema))
    assert adapter.get_params()["schema"] == schema
    kinds = {one.name: one.kind for one in adapter.fit(FRAME, y).model_.schema.columns}
    assert (kinds["amount"], kinds["fee"], kinds["city"]) == ("text", "left out", "text")


def test_something_else_is_no_schema():
    with pytest.raises(CostreamError, match="schema must be a Schema"):
        classifier(schema={"amount": "text"}).fit(FRAME, y)


def test_weights_of_text_are_named_by_the_model():
    adapter = classifier(learner="carow-diag").fit(FRAME, y)
    names = adapter.model_.feature_names
    assert adapter.coef_.shape == (1, len(names))
    weights = dict(zip(names, adapter.coef_[0], strict=True))
    assert min(weights, key=weights.get) == "city=Ulm"  # the second class is the negative one


@pytest.mark.parametrize("kind", TABLES)
def test_explanations_of_tables(kind):
    adapter = classifier().fit(FRAME, y)
    model = OnlineClassifier(classes=["good", "bad"])
    model.learn_many(FRAME, y)
    expected = [model.explain_one(x, 4) for x in FRAME[:6].to_dict("records")]
    assert adapter.explain(TABLES[kind](FRAME[:6]), top=4) == expected


def test_variances_of_a_table_are_those_of_the_model():
    adapter = classifier(learner="carow-diag").fit(FRAME, y)
    assert same_bits(adapter.variance(FRAME), adapter.model_.variance_many(FRAME))


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


# --- costs ------------------------------------------------------------------------------------------

COSTED = FRAME.assign(loss=RNG.uniform(1.0, 90.0, ROWS))
BY_COLUMN = Cost(fn_cost=CostColumn("loss", feature=False), fp_cost=5.0)


@pytest.mark.parametrize("kind", TABLES)
def test_costs_stand_in_a_column_of_any_table(kind):
    table = TABLES[kind](COSTED)
    adapter = classifier(objective=BY_COLUMN).fit(table, y)
    assert adapter.n_features_in_ == 6
    given = classifier(objective=BY_COLUMN).fit(FRAME, y, fn_cost=COSTED["loss"])
    assert same_bits(adapter.decision_function(table), given.decision_function(COSTED))
    assert adapter.predict(table).tolist() == given.predict(FRAME, fn_cost=COSTED["loss"]).tolist()
    assert adapter.score(table, y) == given.score(FRAME, y, fn_cost=COSTED["loss"])


@pytest.mark.parametrize("kind", INDEXABLE)
def test_cross_validation_at_costs_in_a_column(kind):
    adapter = classifier(objective=BY_COLUMN)
    assert cross_val_score(adapter, TABLES[kind](COSTED), y, error_score="raise").mean() > 0.3


def test_costs_as_metadata_beside_text():
    with sklearn.config_context(enable_metadata_routing=True):
        adapter = classifier(objective=BY_COLUMN)
        adapter.set_fit_request(fn_cost=True).set_score_request(fn_cost=True)
        found = cross_val_score(adapter, FRAME, y, params={"fn_cost": COSTED["loss"].to_numpy()})
        in_rows = cross_val_score(classifier(objective=BY_COLUMN), COSTED, y)
    assert found.tolist() == in_rows.tolist()


def test_a_bad_cost_in_a_frame_names_its_row():
    bad = COSTED.assign(loss=COSTED["loss"].astype(object))
    bad.loc[4, "loss"] = "much"
    with pytest.raises(CostreamError, match="row 4"):
        classifier(objective=BY_COLUMN).fit(bad, y)
