"""Tables of all types in River: a frame is its rows, one after the other, bit for bit."""

from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pytest

pytest.importorskip("river")

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from costream import Column, Schema
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
