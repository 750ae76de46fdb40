"""A column that alone leaks the labels is warned of; a strong feature is not."""

import numpy as np
import pandas as pd
import pytest

from costream import Cost, OnlineClassifier, Stream
from costream.model.classifier import core_of
from costream.tables.leakage import cost_leaks

ROWS = 3000
RNG = np.random.default_rng(8)
FRAUD = RNG.random(ROWS) < 0.02
AMOUNT = np.round(np.minimum(RNG.gamma(2.0, 30.0, ROWS), 219.0), 2)
SHOPS = np.char.add("shop ", RNG.integers(0, 9, ROWS).astype(str)).astype(object)
TIMES = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(ROWS), "min")
TABLE = pd.DataFrame({"amount": AMOUNT, "shop": SHOPS, "noise": RNG.normal(size=ROWS)})
LEAKS = {
    "a copy of the label": FRAUD.astype(int),
    "a kind of fraud": np.where(FRAUD, RNG.integers(1, 4, ROWS), 0),
    "a word for it": np.where(FRAUD, RNG.choice(["stolen", "forged"], ROWS), "none").astype(object),
    "a value that is filled": np.where(FRAUD, AMOUNT, np.nan),
    "a time that is filled": pd.Series(TIMES).where(FRAUD),
    "a value that is emptied": np.where(FRAUD, np.nan, AMOUNT),
    "a score with noise": FRAUD + RNG.normal(0.0, 0.1, ROWS),
    "a loss of 0": np.where(FRAUD, AMOUNT + 1.0, 0.0),
}
STRONG = {
    "most frauds are above 220": np.where(FRAUD & (RNG.random(ROWS) < 0.65), 220.0 + AMOUNT, AMOUNT),
    "all frauds are above 220": np.where(FRAUD, 220.0 + AMOUNT, AMOUNT),
    "a shop of fraud": np.where(FRAUD & (RNG.random(ROWS) < 0.8), "shop 10", SHOPS).astype(object),
    "frauds are mostly filled": np.where(FRAUD | (RNG.random(ROWS) < 0.05), AMOUNT, np.nan),
    "a card each": np.array([f"card {at}" for at in range(ROWS)], object),
    "the same for all": np.ones(ROWS),
}


def warned(learn, *, at="leak"):
    with pytest.warns(UserWarning, match=f"^(.*csv: )?{at} leaks the label") as found:
        learn()
    return [str(one.message) for one in found if "leaks the label" in str(one.message)]


def learn_stream(path, frame, **options):
    frame.assign(label=FRAUD[: len(frame)].astype(int)).to_csv(path, index=False)
    model = OnlineClassifier("carow-diag")
    with Stream(path, label="label", **options) as stream:
        model.learn_stream(stream)
    return model


@pytest.mark.parametrize("leak", LEAKS.values(), ids=LEAKS)
@pytest.mark.parametrize("source", ["csv", "frame", "dicts", "rows"])
def test_a_leak_is_warned_of_wherever_rows_come_from(tmp_path, source, leak):
    frame, model = TABLE.assign(leak=leak), OnlineClassifier("carow-diag")
    records = frame.astype(object).where(frame.notna(), None).to_dict("records")

    def learn():
        if source == "csv":
            learn_stream(tmp_path / "rows.csv", frame)
        elif source == "frame":
            model.learn_many(frame, FRAUD)
        elif source == "dicts":
            model.learn_many(records, FRAUD)
        else:
            for row, label in zip(records, FRAUD, strict=True):
                model.learn_one(row, bool(label))

    (message,) = warned(learn)
    hint = "leave 'leak' out" if source == "rows" else "--ignore leak leaves it out"
    assert hint in message


@pytest.mark.parametrize("column", STRONG.values(), ids=STRONG)
def test_a_strong_feature_is_not_warned_of(column):
    model = OnlineClassifier("carow-diag")
    for row, label in zip(TABLE.assign(strong=column).to_dict("records"), FRAUD.tolist(), strict=True):
        model.learn_one(row, label)
    assert core_of(model).leakage.found == {}


def test_a_leak_that_begins_later_is_found_at_100_positive_rows():
    """Two of the first 10 are not filled: too many of 10, and few enough of 100."""
    model = OnlineClassifier("carow-diag")
    for at in range(20):
        model.learn_one({"leak": 1.0 if at % 2 == 0 and at > 3 else None, "x": 1.0}, at % 2 == 0)
    assert core_of(model).leakage.found == {}
    later = [({"leak": 1.0 if label else None, "x": 1.0}, label) for label in [True, False] * 90]
    for at, (row, label) in enumerate(later):
        if at < len(later) - 1:
            model.learn_one(row, label)
    assert warned(lambda: model.learn_one(*later[-1]))


# --- costs ------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:the costs of rows leak their labels")
def test_a_cost_that_tells_the_label_later_is_a_feature_and_warned_of():
    late = np.flatnonzero(FRAUD)[5]  # before it there are not enough positive rows to see it
    model = OnlineClassifier("carow-diag", Cost("leak", 5.0))
    frame = TABLE.assign(leak=LEAKS["a loss of 0"])
    model.learn_many(frame[:late], FRAUD[:late])
    assert "leak" in model.feature_names
    assert warned(lambda: model.learn_many(frame[late:], FRAUD[late:]))


@pytest.mark.parametrize(
    ("values", "labels", "tells"),
    [
        ([0.0, 5.0] * 10, [0, 1] * 10, True),
        ([np.nan, 5.0] * 10, [0, 1] * 10, True),
        ([0.0, 5.0, 0.0, 0.0] * 10, [0, 1, 0, 1] * 10, True),
        ([0.0, 5.0] * 9, [0, 1] * 9, False),
        ([1.0, 5.0, 2.0, 1.0] * 10, [0, 1, 0, 1] * 10, False),
        ([3.0] * 20, [0, 1] * 10, False),
        ([0.0, 5.0, 7.0] * 10, ["good", "fraud", "theft"] * 10, True),
        ([0.0, 5.0] * 10, [None, None] * 10, False),
    ],
)
def test_whether_costs_tell_the_label(values, labels, tells):
    assert cost_leaks(values, labels) == tells


@pytest.mark.filterwarnings("ignore:.* leaks the label")
def test_rows_and_batches_find_the_same():
    frame = TABLE.assign(leak=FRAUD.astype(int))
    records, found = frame.to_dict("records"), []
    for size in (1, 7, 500, ROWS):
        model = OnlineClassifier("carow-diag")
        for begin in range(0, ROWS, size):
            part = slice(begin, begin + size)
            if size == 1:
                model.learn_one(records[begin], bool(FRAUD[begin]))
            else:
                model.learn_many(records[part], FRAUD[part])
        found.append(core_of(model).leakage.header())
    assert found[0]["found"]
    assert all(one == found[0] for one in found)
