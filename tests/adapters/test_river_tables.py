"""Tables of all types in River: a frame is its rows, one after the other, bit for bit."""

import io
from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pytest

pytest.importorskip("river")

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from river import compose, ensemble, evaluate, metrics

from costream import Column, Cost, CostColumn, CostreamError, OnlineClassifier, Schema, dumps
from costream.river import CostSensitiveClassifier
from helpers.streams import same_bits

ROWS = 60
RNG = np.random.default_rng(3)
CITY = RNG.choice(["Bern", "Ulm", "Oslo"], ROWS)
FRAME = pd.DataFrame(
    {
        "city": np.where(np.arange(ROWS) % 9, CITY, None),
        "amount": np.where(np.arange(ROWS) % 7, RNG.gamma(2.0, 50.0, ROWS), np.nan),
        "17": RNG.integers(0, 3, ROWS),
        "late": RNG.random(ROWS) < 0.3,
        "at": pd.date_range("2024-02-27 22:00", periods=ROWS, freq="7h"),
        "kind": pd.Categorical(RNG.choice(["a", "b", "c"], ROWS)),
        "few": pd.array(RNG.integers(0, 9, ROWS), dtype="Int64"),
    }
)
FRAME.loc[[3, 8], "at"] = pd.NaT
FRAME.loc[[2, 8], "few"] = pd.NA
LABELS = pd.Series((FRAME["city"] == "Ulm") & (RNG.random(ROWS) < 0.8))


def learnt(frame, labels, weights=None, **settings):
    """A model that has learnt the frame at once, and one that has learnt its rows one by one."""
    batch, rows = CostSensitiveClassifier(**settings), CostSensitiveClassifier(**settings)
    each = np.ones(len(frame)) if weights is None else weights
    batch.learn_many(frame, labels, each)
    for x, label, weight in zip(frame.to_dict("records"), labels, each, strict=True):
        rows.learn_one(x, label, float(weight))
    return batch, rows


def assert_alike(batch, rows, frame):
    assert batch.model.feature_names == rows.model.feature_names
    assert same_bits(batch.model.coef_, rows.model.coef_)
    scores = np.array([rows.score_one(x) for x in frame.to_dict("records")])
    assert same_bits(batch.model.score_many(frame), scores)


@pytest.mark.parametrize("name", ["auto", "carow-diag", "perceptron", "acog-ii"])
def test_a_frame_of_all_types_is_its_rows(name):
    assert_alike(*learnt(FRAME, LABELS, learner=name), FRAME)


def test_several_frames_are_their_rows():
    batch, rows = CostSensitiveClassifier(), CostSensitiveClassifier()
    for part in (FRAME[:5], FRAME[5:6], FRAME[6:]):
        batch.learn_many(part, LABELS[part.index])
    for x, label in zip(FRAME.to_dict("records"), LABELS, strict=True):
        rows.learn_one(x, label)
    assert_alike(batch, rows, FRAME)


def test_rows_without_weight_leave_no_trace():
    weights = np.where(np.arange(ROWS) % 4, 1.0, 0.0)
    frame = FRAME.assign(city=[f"town {t}" for t in range(ROWS)])
    batch, rows = learnt(frame, LABELS, weights)
    assert_alike(batch, rows, frame)
    assert "city=town 4" not in batch.model.feature_names


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(-5, 5),
    st.just(float("nan")),
    st.sampled_from(["x", "y ", "", "NA", "true", "7"]),
    st.decimals(-2, 2, places=2),
    st.just(Decimal("NaN")),
    st.sampled_from([np.float32(0.1), np.int64(4), np.bool_(True), pd.NaT, pd.NA]),
    st.sampled_from([datetime(2024, 5, 1, 13), datetime(2024, 5, 1, 13, tzinfo=UTC)]),
    st.sampled_from([["a", "b"], ["b", "b", None], []]),
)


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(max_examples=60, deadline=None)
@given(
    table=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=12),
    weights=st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=12, max_size=12),
)
def test_any_mixture_of_types_is_its_rows(table, weights):
    frame = pd.DataFrame(
        {
            name: pd.Series(column, dtype=object)
            for name, column in zip("abc", zip(*table, strict=True), strict=True)
        }
    )
    labels = pd.Series([t % 2 == 0 for t in range(len(frame))])
    batch, rows = learnt(frame, labels, weights[: len(frame)], learner="carow-diag")
    assert_alike(batch, rows, frame)


def test_predictions_and_probabilities_are_those_of_the_rows():
    model = CostSensitiveClassifier()
    model.learn_many(FRAME, LABELS)
    records = FRAME.to_dict("records")
    assert model.predict_many(FRAME).tolist() == [model.predict_one(x) for x in records]
    found = model.predict_proba_many(FRAME)[True]
    assert found.tolist() == [model.predict_proba_one(x)[True] for x in records]


def test_costs_in_a_frame_with_text_are_those_of_the_rows():
    frame = FRAME.assign(loss=RNG.uniform(1.0, 9.0, ROWS))
    objective = Cost(fn_cost=CostColumn("loss", feature=False), fp_cost=2.0)
    batch, rows = learnt(frame, LABELS, objective=objective)
    assert_alike(batch, rows, frame)
    assert "loss" not in batch.model.feature_names


def test_a_bad_value_names_its_row_and_nothing_is_learnt():
    model = CostSensitiveClassifier()
    frame = pd.DataFrame({"a": ["x", "y"], "b": [1.0, np.inf]})
    with pytest.raises(CostreamError, match="row 1: feature 'b' is not finite"):
        model.learn_many(frame, pd.Series([True, False]))
    assert model.model.rows == 0
    assert model.model.feature_names == []


def test_a_saved_model_goes_on_row_by_row_and_by_frames():
    batch, rows = learnt(FRAME[:30], LABELS[:30])
    copies = []
    for model in (batch, rows):
        file = io.BytesIO()
        model.save(file)
        copies.append(CostSensitiveClassifier.loads(file.getvalue()))
    copies[0].learn_many(FRAME[30:], LABELS[30:])
    for x, label in zip(FRAME[30:].to_dict("records"), LABELS[30:], strict=True):
        copies[1].learn_one(x, label)
    assert_alike(*copies, FRAME)


def test_a_clone_and_a_copy_read_alike():
    model = CostSensitiveClassifier().clone()
    model.learn_many(FRAME, LABELS)
    assert_alike(model, learnt(FRAME, LABELS)[1], FRAME)


def test_a_model_with_a_schema_keeps_it():
    trained = OnlineClassifier(schema=Schema({"17": "text"}))
    trained.learn_many(FRAME, LABELS)
    model = CostSensitiveClassifier.loads(dumps(trained))
    assert model.model.schema == trained.schema
    scores = trained.score_many(FRAME)
    assert same_bits(model.model.score_many(FRAME), scores)
    assert same_bits(np.array([model.score_one(x) for x in FRAME.to_dict("records")]), scores)


@pytest.mark.filterwarnings("ignore:.* leaks the label")
def test_pipelines_and_ensembles_of_river_take_text():
    stream = list(zip(FRAME.to_dict("records"), LABELS.tolist(), strict=True))
    pipeline = compose.Discard("at") | CostSensitiveClassifier()
    found = evaluate.progressive_val_score(stream * 3, pipeline, metrics.BalancedAccuracy())
    assert found.get() > 0.6
    bagging = ensemble.BaggingClassifier(CostSensitiveClassifier(), seed=1)
    found = evaluate.progressive_val_score(stream * 3, bagging, metrics.BalancedAccuracy())
    assert found.get() > 0.6


def test_explanations_show_text_values():
    model = CostSensitiveClassifier()
    model.learn_many(FRAME, LABELS)
    x = next(one for one in FRAME.to_dict("records") if one["city"] == "Ulm")
    found = model.explain_one(x, top=None)
    assert ("city", "Ulm") in [(one.feature, one.value) for one in found]


@pytest.mark.filterwarnings("ignore:.* leaks the label")
def test_a_schema_says_what_some_keys_hold():
    shop = Column("shop", "text", target_encoding=True)
    amount = Column("amount", "number", thousands=",", missing_indicator=True)
    schema = Schema([Column("zip", "text"), amount, shop])
    frame = pd.DataFrame(
        {"k": ["a", "b"] * 10, "amount": ["1,200", None] * 10, "zip": range(20), "b": [0.5, 0.0] * 10}
    ).assign(shop=["u", "v", "w", None] * 5)
    one, many = (CostSensitiveClassifier("carow-diag", schema=schema) for _ in range(2))
    for row, label in zip(frame.to_dict("records"), [True, False] * 10, strict=True):
        one.learn_one(row, label)
    many.learn_many(frame, pd.Series([True, False] * 10))
    assert one.model.feature_names == many.model.feature_names
    assert "amount=missing" in one.model.feature_names
    assert one.model.coef_.tolist() == many.model.coef_.tolist()
