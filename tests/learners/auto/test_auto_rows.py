"""The rows that a portfolio makes for its members, and who is inactive where they are too wide."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from costream import OnlineClassifier, load, save
from costream.learners.auto.layout import SCORES, SEEN, SQUARE, STANDARDISED
from costream.learners.auto.member import ANY
from costream.learners.auto.members import TEAM
from costream.model.classifier import core_of
from helpers import places
from helpers.portfolios import (
    alone,
    inactive,
    learnt_by,
    member_costs,
    of_kind,
    of_view,
    oracle_after,
    uneven,
    weights_of,
)
from helpers.streams import assert_close, csr_rows, dict_rows, feed, same_bits, stream

WIDEST = (places.NARROWEST, places.FULL_WIDEST, places.DENSE_WIDEST)
WIDTHS = [one + 1 for one in WIDEST]  # slots, of which the intercept has the first: too many for some
# How many slots rows have, and who finds that too many.
INACTIVE = {
    slots: [one.name for one in TEAM if one.widest < slots]
    for one in WIDEST
    for slots in (one, one + 1)
}


# --- rows of its own making -------------------------------------------------------------------------


def test_intercept_and_norm_are_its_own():
    X, y = stream(4)
    expected = feed(OnlineClassifier("auto"), X, y)
    for asked in ({}, {"fit_intercept": True}, {"normalize": False}):
        assert same_bits(feed(OnlineClassifier("auto", **asked), X, y), expected), asked


def without_sizes(model):
    """What those members have learnt and paid to whom the sizes of features do not matter."""
    return learnt_by(model, of_kind("scaled", "standardised"))


@given(seed=st.integers(0, 2**32 - 1))
def test_sizes_of_features_that_are_powers_of_two_do_not_matter_at_all(seed):
    X, y = stream(seed, rows=30, width=5)
    plain, scaled = alone(), alone()
    feed(plain, X, y)
    feed(scaled, X * 2.0 ** np.array([-20, 20, -10, 0, 7]), y)
    assert same_bits(without_sizes(scaled), without_sizes(plain))


def test_size_is_the_root_of_the_mean_square_of_what_is_not_0():
    """Sizes 5 and 1: the row (5, 2) is (1, 2) before it is divided by its norm."""
    model = alone()
    for row in ([1.0, 0.0], [7.0, 0.0], [0.0, 1.0]):
        model.learn_one(row, 0)
    state = core_of(model).state
    size = np.sqrt(state.stats[SQUARE, 1:3] / state.stats[SEEN, 1:3])
    assert size.tolist() == [5.0, 1.0]
    x = np.array([1.0, 1.0, 2.0]) / np.array([1.0, np.sqrt(5), np.sqrt(5)])
    model.score_one([5.0, 2.0])
    for k in of_kind("scaled"):
        assert state.work[SCORES, k] == pytest.approx(weights_of(model, k) @ x, rel=1e-12)


@pytest.mark.parametrize(
    "row", [{"a": 3.0, "unseen": 4.0}, {"a": 3.0, "b": 4.0}], ids=["new", "scored"]
)
def test_a_feature_that_was_never_learnt_is_left_out_of_the_score(row):
    """Also one that has a column already, since rows of weight 0 or batches may make it."""
    model = alone()
    model.learn_many([[1.0, 0.0]], [0], names=["a", "b"])
    expected = model.score_one({"a": 3.0})
    assert model.score_one(row) == expected
    assert model.score_many([list(row.values())], names=list(row)).tolist() == [expected]


# --- standardised rows --------------------------------------------------------------------------------


def standardised(model, row):
    """A row as the members of standardised rows see it, without the intercept."""
    model.score_one(row)
    d = 1 + len(model.feature_names)
    return core_of(model).state.rows[STANDARDISED, 1:d].copy()


def with_rows(rows, **params):
    """A model that has learnt rows with weights that do not matter here."""
    model = alone(**params)
    for t, row in enumerate(rows):
        model.learn_one(row, t % 2, 1.0 + t)
    return model


def test_centred_row_by_hand():
    """Means 2 and 1, of zeros too, and deviations 1 and the root of 3."""
    model = with_rows([[1.0, 0.0], [3.0, 0.0], [1.0, 4.0], [3.0, 0.0]])
    expected = np.array([0.5, 2 / np.sqrt(3)]) / np.sqrt(2)
    assert_close(standardised(model, [2.5, 3.0]), expected, 1e-15)


@pytest.mark.parametrize("half_life", [None, 2])
@pytest.mark.parametrize("value", [1.7e308, 1e300, 1e160, 1e-160, 1e-300, 5e-324])
def test_any_value_gives_finite_numbers(value, half_life):
    """Columns of one extreme size, of all sizes, and of signs that change."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 4))
    X[:, 0] = value * rng.choice([-1, 1], 24)
    X[::3, 1] *= value / 1e3 if value > 1 else value
    X[::2, 2] = 0.0
    model = alone(half_life=half_life)
    scores = feed(model, X, rng.choice([0, 1], 24), weight=uneven(X))
    assert np.isfinite(scores).all()
    assert np.isfinite(learnt_by(model, of_view("linear"))).all()
    assert np.isfinite(model.score_many(X)).all()
    assert np.isfinite([model.variance_one(x) for x in X]).all()
    assert all(np.isfinite(array).all() for array in core_of(model).state[:4])


# --- width ------------------------------------------------------------------------------------------


def one_at(slots):
    """A row with a 1 in the last of so many slots."""
    return csr_array(([1.0], [slots - 2], [0, 1]), shape=(1, slots - 1))


def wide_stream(slots):
    """Six narrow rows, a wide one, five narrow ones."""
    X, y = stream(7, rows=12, width=5)
    X = np.pad(X, [(0, 0), (0, slots - 1 - 5)])
    X[6, slots - 2] = 2.0
    return X, y


@pytest.mark.parametrize("slots", INACTIVE)
def test_who_is_inactive(slots):
    model = alone()
    model.learn_one([1.0], 1)
    model.learn_one(one_at(slots), 0)
    assert sorted(inactive(model)) == sorted(INACTIVE[slots])


def test_the_groups_of_members_end_where_the_kernel_believes():
    """Compiled code trusts these numbers."""
    ends = [places.DENSE, places.FULL, places.NARROW_FULL, places.MEMBERS]
    groups = np.diff([0, *ends])
    widest = [ANY, places.DENSE_WIDEST, places.FULL_WIDEST, places.NARROWEST]
    assert [one.widest for one in TEAM] == np.repeat(widest, groups).tolist()
    assert len(TEAM) == places.MEMBERS
    kinds = [
        (places.SPARSE, places.SPARSE_LANES, ("scaled", "raw")),
        (places.DENSE, places.DENSE_LANES, ("standardised",)),
        (places.SPLINES, places.SPLINE_LANES, ("splines",)),
        (places.FULL, places.FULL_MEMBERS, ("scaled", "standardised")),
    ]
    for first, count, ends_of_kind in kinds:
        assert all(one.kind.endswith(ends_of_kind) for one in TEAM[first : first + count])
    assert all(one.kind.startswith("full") for one in TEAM[places.FULL : places.FOURIER])
    assert all(one.view == "fourier" for one in TEAM[places.FOURIER :])
    assert all(one.view == "leaves" for one in TEAM[places.LEAVES : places.BOOSTED + 1])


@pytest.mark.parametrize("kind", ["rows", "csr rows", "dict"])
@pytest.mark.parametrize("slots", WIDTHS)
def test_the_row_that_is_too_wide_has_the_score_made_before(slots, kind):
    X, y = wide_stream(slots)
    X[6, 5:] = 2.0
    rows = {"rows": list, "csr rows": csr_rows, "dict": dict_rows}[kind](X)
    model = alone()
    for x, label in zip(rows, y, strict=True):
        before = model.score_one(x)
        assert same_bits([model.learn_one(x, label)], [before])
    assert len(inactive(model)) == len(INACTIVE[slots])


@pytest.fixture(scope="module", params=INACTIVE)
def wide(request):
    """A model and an oracle that have learnt the same wide rows; the rows, and the scores of both."""
    X, y = wide_stream(request.param)
    model = alone()
    scores = feed(model, X, y, weight=uneven(y))
    return model, *oracle_after(X, y, uneven(y)), X, scores


def test_wide_rows_are_those_of_the_oracle(wide):
    model, oracle, expected, _, scores = wide
    assert_close(scores, expected)
    assert_close(member_costs(model), oracle.ledger.costs)


def test_confidence_of_wide_rows_is_that_of_the_oracle(wide):
    model, oracle, _, X, _ = wide
    assert_close(model.variance_many(X), [oracle.variance(x) for x in X])


def growing_stream():
    """Each row has 90 columns more than the one before."""
    rng = np.random.default_rng(5)
    X = np.zeros((10, 900))
    for t in range(10):
        X[t, rng.integers(0, 90 * t + 89, 6)] = rng.normal(size=6)
        X[t, 90 * t + 89] = 1.0
    return X, rng.choice([-1, 1], 10)


@pytest.mark.parametrize("rows", [1, 5, 7])
def test_a_saved_model_of_any_width_goes_on_with_the_same_bits(rows, tmp_path):
    X, y = growing_stream()
    whole, parts = alone(), alone()
    scores = feed(whole, X, y)
    feed(parts, X[:rows, : 90 * rows], y[:rows])
    save(parts, tmp_path / "model")
    parts = load(tmp_path / "model")
    assert same_bits(feed(parts, X[rows:], y[rows:]), scores[rows:])
