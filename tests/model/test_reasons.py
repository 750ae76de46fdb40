"""Reasons as a reviewer reads them: a column each, with the value that the user wrote."""

from datetime import datetime, timedelta

import numpy as np
import pytest

from costream import Column, Cost, OnlineClassifier, Schema
from helpers.commands import compiled_only

pytestmark = compiled_only  # no kernel of its own
ROWS = 2500
START = datetime(2024, 3, 1)


def table():
    """Payments: fraud at night, from one shop of many, of large or unknown amounts, if not verified."""
    rng = np.random.default_rng(5)
    hour = rng.integers(0, 24, ROWS)
    amount = rng.exponential(40.0, ROWS).round(2)
    rows = []
    for t in range(ROWS):
        rows.append(
            {
                "at": START + timedelta(days=t // 24, hours=int(hour[t]), minutes=t % 60),
                "shop": f"s{rng.integers(0, 60)}",
                "city": ["Ulm", "Rom", "Oslo", "Bonn"][int(rng.choice(4, p=[0.7, 0.1, 0.1, 0.1]))],
                "amount": None if rng.random() < 0.3 else float(amount[t]),
                "verified": bool(rng.random() < 0.8),
                "tags": ["web"] if t % 5 else ["web", "gift"],
            }
        )
    risk = [
        (row["at"].hour < 5)
        + 2 * (row["shop"] in ("s7", "s8"))
        + (row["city"] == "Rom")
        + (row["amount"] is None or row["amount"] > 150)
        + (not row["verified"])
        for row in rows
    ]
    return rows, np.array([int(one >= 3) for one in risk])


SCHEMA = Schema(
    [
        Column("at", "time"),
        Column("shop", "text", target_encoding=True),
        Column("city", "text"),
        Column("amount", "number", missing_indicator=True),
        Column("verified", "yes/no"),
        Column("tags", "text"),
    ]
)
EVENT = {
    "at": datetime(2024, 6, 1, 3, 12),
    "shop": "s7",
    "city": "Rom",
    "amount": None,
    "verified": False,
    "tags": ["web", "gift"],
}


@pytest.fixture(scope="module")
def model():
    rows, labels = table()
    model = OnlineClassifier(objective=Cost(20, 1), schema=SCHEMA)
    model.learn_many(rows, labels)
    return model


def by_column(model, x):
    return {one.feature: one for one in model.explain_one(x, top=None)}


def test_all_features_of_a_column_are_one_reason(model):
    assert set(by_column(model, EVENT)) <= set(EVENT)


def test_values_are_as_the_user_wrote_them(model):
    found = by_column(model, EVENT)
    for column in ("at", "shop", "city", "amount", "verified", "tags"):
        assert found[column].value == EVENT[column]


@pytest.mark.parametrize("missing", [None, float("nan"), "", "NA"])
def test_a_missing_number_is_missing_and_not_0(model, missing):
    assert by_column(model, EVENT | {"amount": missing})["amount"].value is None


def test_what_is_usual_is_written_as_the_user_would(model):
    found, (rows, _) = by_column(model, EVENT), table()
    amounts = [row["amount"] for row in rows if row["amount"] is not None]
    assert (found["city"].usual, found["verified"].usual) == ("Ulm", True)
    assert found["amount"].usual == pytest.approx(np.median(amounts), rel=0.2)  # of those known
    assert (found["at"].usual, found["shop"].usual) == (None, None)


def test_a_text_value_is_usual_if_most_rows_have_it_where_there_is_no_sample(model):
    """Means of one-hot features are shares of rows; a row has a value or not."""
    from costream.model.classifier import core_of
    from costream.model.explanations import _usual_row

    core = core_of(model)
    state, core.state = core.state, core.state._replace(sample=core.state.sample[:0])
    try:
        usual = dict(zip(model.feature_names, _usual_row(core), strict=True))
    finally:
        core.state = state
    assert [usual[f"city={one}"] for one in ("Ulm", "Rom", "Oslo")] == [1.0, 0.0, 0.0]
    assert usual["amount=missing"] == 0.0
    amounts = [row["amount"] for row in table()[0] if row["amount"] is not None]
    assert usual["amount"] == pytest.approx(np.mean(amounts), rel=1e-6)
