"""Decisions and total costs at costs of all signs, against a reference of a few lines."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from costream import Cost, CostColumn, CostreamError, OnlineClassifier
from costream.costs import Costs, Tally
from helpers.commands import compiled_only
from helpers.streams import stream

pytestmark = compiled_only  # kernels are tested elsewhere, interpreted as well

NAMES = ("fn_cost", "fp_cost", "tp_cost", "tn_cost")
LEARNERS = pytest.mark.parametrize("learner", ["auto", "carow", "perceptron"])
LOSS = CostColumn("loss", feature=False)


def flags(q, fn, fp, tp, tn):
    """The rule."""
    a, b = fn - tp, fp - tn
    if a <= 0 < b:
        return False
    if b <= 0 < a:
        return True
    return q * a >= (1 - q) * b


def total_cost(flagged, truth, costs):
    """The cost of decisions, row by row, and of flagging all, none, and the cheaper of both."""
    total, flag_all, miss_all, perfect = 0.0, 0.0, 0.0, 0.0
    for flag, positive, (fn, fp, tp, tn) in zip(flagged, truth, costs, strict=True):
        if_flagged, if_passed = (tp, fn) if positive else (fp, tn)
        total += if_flagged if flag else if_passed
        flag_all += if_flagged
        miss_all += if_passed
        perfect += min(if_flagged, if_passed)
    constant = min(flag_all, miss_all)
    return total, (constant - total) / (constant - perfect) if constant > perfect else math.nan


def tie(q, fn, fp, tp, tn):
    """Whether rounding may decide."""
    a, b = fn - tp, fp - tn
    return abs(q * a - (1 - q) * b) < 1e-9 * (abs(a) + abs(b)) and a * b > 0


cost = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 5.0, 1e-3, 1e4]), st.floats(-50, 50, allow_subnormal=False)
)
four = st.tuples(cost, cost, cost, cost)


@pytest.fixture(scope="module")
def models():
    """Models that have learnt rows with costs of their own."""
    X, y = stream(5, rows=80, width=5)
    rng = np.random.default_rng(5)
    own = rng.normal([[8.0], [2.0], [0.5], [0.0]], 1.0, (4, 80))
    found = {}
    for learner in ("auto", "carow", "perceptron"):
        found[learner] = OnlineClassifier(learner, "cost", classes=(-1, 1))
        found[learner].learn_many(X, y, **dict(zip(NAMES, own, strict=True)))
    return found


@LEARNERS
@given(costs=four, seed=st.integers(0, 99))
def test_a_row_is_flagged_where_that_is_expected_to_cost_less(models, learner, costs, seed):
    model, x = models[learner], np.random.default_rng(seed).normal(size=5)
    q = model.predict_proba_one(x)
    if not tie(q, *costs):
        own = dict(zip(NAMES, costs, strict=True))
        expected = 1 if flags(q, *costs) else -1
        assert model.predict_one(x, **own) == expected
        assert model.predict_many(x[None], **own).tolist() == [expected]


@LEARNERS
def test_columns_of_dicts_and_frames_are_keywords(learner):
    X, y = stream(6, rows=60, width=4)
    rng = np.random.default_rng(6)
    own = dict(zip(NAMES, rng.normal([[8.0], [2.0], [0.5], [0.0]], 3.0, (4, 60)), strict=True))
    objective = Cost(**{name: CostColumn(f"the {name}", feature=False) for name in NAMES})
    names = [f"f{j}" for j in range(4)]
    rows = [
        {**dict(zip(names, x, strict=True)), **{f"the {name}": own[name][t] for name in NAMES}}
        for t, x in enumerate(X.tolist())
    ]
    frame = pd.DataFrame(X, columns=names).assign(**{f"the {name}": own[name] for name in NAMES})
    dicts, frames, arrays = (OnlineClassifier(learner, objective, classes=(-1, 1)) for _ in range(3))
    by_row = [dicts.learn_one(x, int(label)) for x, label in zip(rows, y, strict=True)]
    assert frames.prequential(frame, y).tolist() == by_row
    assert arrays.prequential(X, y, names=names, **own).tolist() == by_row
    expected = [dicts.predict_one(x) for x in rows]
    assert frames.predict_many(frame).tolist() == expected
    assert arrays.predict_many(X, names=names, **own).tolist() == expected
    assert dicts.feature_names == frames.feature_names == names
    features = frame[names]
    assert frames.predict_proba_many(features).tolist() == frames.predict_proba_many(frame).tolist()
    assert (frames.score_many(frame) >= 0).tolist() == [one == 1 for one in expected]
    assert [dicts.score_one(x) for x in rows] == frames.score_many(frame).tolist()
    assert np.isfinite(frames.score_many(features)).all()


@LEARNERS
def test_a_score_is_at_the_costs_of_the_row_as_far_as_they_are_known(learner):
    X, y = stream(6, rows=60, width=4)
    model = OnlineClassifier(learner, Cost(fn_cost=LOSS, fp_cost=2.0), classes=(-1, 1))
    names = [f"f{j}" for j in range(4)]
    frame = pd.DataFrame(X, columns=names).assign(loss=np.where(y > 0, 7.0, 3.0) + X[:, 0])
    model.learn_many(frame, y)
    frame.loc[::3, "loss"] = np.nan
    scores, without = model.score_many(frame), model.score_many(frame[names])
    assert scores[::3].tolist() == without[::3].tolist()
    assert not set(scores[1::3]) & set(without[1::3])
    assert [model.score_one(row) for row in frame.to_dict("records")] == scores.tolist()


@pytest.mark.parametrize(
    "bad", ["40", "abc", b"40", 10**400, pd.Timestamp("2024-01-01")], ids=lambda one: str(one)[:12]
)
def test_a_cost_that_is_no_number_is_an_error_in_rows_and_in_frames(bad):
    """Text that looks like a number is none, as in JSON lines, and a date is not its nanoseconds."""
    model = OnlineClassifier("carow", Cost(LOSS, 5.0), classes=(0, 1))
    with pytest.raises(CostreamError, match=r"column loss: .* is not a valid fn_cost"):
        model.predict_one({"x": 1.0, "loss": bad})
    frame = pd.DataFrame({"x": [1.0, 2.0], "loss": pd.Series([7.0, bad], dtype=object)})
    for rows in (frame, frame[1:].astype({"loss": "object"}).infer_objects().reset_index(drop=True)):
        with pytest.raises(CostreamError, match=rf"row {len(rows) - 1}, column loss: .* not a valid"):
            model.predict_many(rows)
    with pytest.raises(CostreamError, match=r"row 1, column loss: .* is not a valid fn_cost"):
        model.learn_many([[1.0], [2.0]], [0, 1], fn_cost=np.array([7.0, bad], object))


@pytest.mark.parametrize("row", [{"x": 1.0}, np.array([1.0])], ids=["dict", "array"])
def test_the_hint_for_a_missing_cost_works(row):
    model = OnlineClassifier("auto", Cost(fn_cost=LOSS, fp_cost=5.0), classes=(0, 1))
    calls = [lambda **own: model.predict_one(row, **own), lambda **own: model.learn_one(row, 1, **own)]
    for call in calls:
        with pytest.raises(CostreamError, match=r"hint: give fn_cost=, or rows with a column loss"):
            call()
        call(fn_cost=9.0)
    model.predict_one({"x": 1.0, "loss": 9.0})
    assert 0.0 < model.predict_proba_one(row) < 1.0
    assert math.isfinite(model.score_one(row))


@given(rows=st.lists(st.tuples(st.booleans(), st.booleans(), four), max_size=20))
def test_the_bill_is_that_of_the_rows(rows):
    flagged, truth, costs = ([row[at] for row in rows] for at in range(3))
    columns = np.array(costs).reshape(-1, 4).T
    scores = np.where(flagged, 1.0, -1.0)
    tally = Tally.of(scores, np.array(truth, bool), Costs(), **dict(zip(NAMES, columns, strict=True)))
    total, savings = total_cost(flagged, truth, costs)
    assert tally.cost == pytest.approx(total, abs=1e-9)
    if abs(min(tally.flag_all, tally.miss_all) - tally.perfect) > 1e-6:
        assert tally.savings() == pytest.approx(savings, rel=1e-6, abs=1e-6)
